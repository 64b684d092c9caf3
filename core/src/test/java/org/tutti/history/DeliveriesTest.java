package org.tutti.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.primary;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.durable.Position;
import org.tutti.durable.Restart;
import org.tutti.membership.MemberIdentity;
import org.tutti.membership.PersistentState;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;
import org.tutti.storage.Region;
import org.tutti.user.GroupUser;
import org.tutti.wire.WireWriter;

class DeliveriesTest {
  private static final View VIEW = primary(1, A, B, C);
  private static final View ALONE = new View(new ViewId(2, C.incarnation()), List.of(C), 1, false, List.of(VIEW.id()));

  private static final View BRANCH = new View(new ViewId(4, B.incarnation()), List.of(B, C), false, List.of(VIEW.id()));

  private final List<String> seen = new ArrayList<>();
  private final List<View> views = new ArrayList<>();
  private long consumed;
  private final Deliveries deliveries =
      new Deliveries(
          new SenderLedger(C, user(), 0),
          user(),
          Terms.voter(GroupConfig.standard(), MemberConfig.standard()),
          false,
          null);

  private GroupUser user() {
    return proxy(
        GroupUser.class,
        (method, argument) -> {
          switch (method) {
            case "begin" -> {}
            case "deliver" -> seen.add(String.valueOf(argument));
            case "install" -> {
              seen.add("view");
              views.add((View) argument);
            }
            case "consumed", "taken" -> {}
            default -> throw new AssertionError(method);
          }
        });
  }

  private interface Call {
    void on(String method, Object argument);
  }

  private <T> T proxy(Class<T> type, Call call) {
    Object it =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              call.on(method.getName(), arguments == null ? null : arguments[0]);
              return method.getReturnType() == long.class ? consumed : null;
            });
    return type.cast(it);
  }

  private static Batch batch(long seq) {
    return new Batch(A, seq, Batch.Kind.TOTAL, 0, CausalPast.NONE, 1, ByteBuffer.allocate(1));
  }

  /// What an earlier life has left: a log of so many batches, of which the application says that it has none.
  private Restart restart(int batches) {
    var identity = new MemberIdentity(C, List.of());
    var views = new PersistentState(C, List.of(), VIEW.id(), VIEW.id(), null, null, List.of(), null, null);
    var none = new Position(0, 0);
    var end = new Position(batches, batches);
    Region region =
        (Region)
            Proxy.newProxyInstance(
                Region.class.getClassLoader(),
                new Class<?>[] {Region.class},
                (_, method, arguments) -> {
                  assertThat(method.getName()).isEqualTo("read");
                  return bytes(batch((long) arguments[0]));
                });
    return new Restart(identity, views, null, none, List.of(), none.copy(), none.copy(), end, region);
  }

  private static byte[] bytes(Batch batch) {
    var out = new WireWriter();
    out.member(batch.sender());
    batch.write(out);
    out.raw(batch.payload());
    ByteBuffer written = out.copy();
    var bytes = new byte[written.remaining()];
    written.get(bytes);
    return bytes;
  }

  /// A view without quorum does not end a replay: the log is here, and what came after it as well.
  @Test
  void whatFollowsAReplayIsDeliveredAfterItAlthoughAViewIsInstalledMeanwhile() {
    deliveries.resume(restart(2), OptionalLong.empty(), 1);
    assertThat(deliveries.replay()).as("it hands over no more than a byte at once").isFalse();
    deliveries.deliver(2, batch(2)); // the end of a view that was agreed before the restart
    deliveries.changed(ALONE);
    deliveries.stranded(ALONE);
    assertThat(deliveries.replay()).as("what it handed over is not consumed").isFalse();
    consumed = 1;
    assertThat(deliveries.replay()).isTrue();
    assertThat(seen).containsExactly("0", "1", "2", "view");
    assertThat(deliveries.deliveredNext()).isEqualTo(deliveries.handedNext());
  }

  /// With agreed delivery a minority may have delivered further than where it comes back. Or senders would be told of
  /// room that is not there, and the buffers of what waits for the application would be used again.
  @Test
  void whatWasConsumedInAMinorityIsNotWhatFollows() {
    deliveries.restart(0, VIEW);
    deliveries.started(new StateTransfer.Start(0, 0, new LinkedHashMap<>()));
    deliveries.complete();
    for (int index = 0; index < 4; index++) {
      deliveries.deliver(index, batch(index));
    }
    deliveries.restart(2, primary(3, A, B, C));
    consumed = 3;
    assertThat(deliveries.consumedBelow()).as("nothing of what is kept back").isEqualTo(2);
    deliveries.deliver(2, batch(2));
    deliveries.started(new StateTransfer.Start(2, 2, new LinkedHashMap<>()));
    deliveries.complete();
    deliveries.deliver(3, batch(3));
    assertThat(seen).containsExactly("0", "1", "2", "3", "2", "3");
    assertThat(deliveries.consumedBelow()).isEqualTo(2);
    consumed = 5;
    assertThat(deliveries.consumedBelow()).isEqualTo(3);
    assertThat(deliveries.consumedNext()).isEqualTo(3);
    consumed = 6;
    assertThat(deliveries.consumedNext()).isEqualTo(4);
  }

  /// A newcomer leaves a branch for a primary view, and that for the next one before its state has come. Who goes
  /// straight from the branch to the last view may have delivered more in the branch.
  @Test
  void whoLeavesABranchForAViewThatIsNotShownIsShownThatItWasAway() {
    deliveries.changed(BRANCH);
    deliveries.deliver(0, batch(0)); // late, of the history: behind the state
    deliveries.changed(primary(5, A, C));
    View last = primary(6, A, B, C);
    deliveries.restart(1, last);
    deliveries.changed(last);
    assertThat(views)
        .satisfiesExactly(
            branch -> assertThat(branch).isEqualTo(BRANCH),
            away -> {
              assertThat(away.primary()).isFalse();
              assertThat(away.members()).containsExactly(C);
              assertThat(away.predecessors()).containsExactly(BRANCH.id());
              assertThat(away.id()).isBetween(BRANCH.id(), last.id());
            },
            primary -> assertThat(primary).isEqualTo(last));
  }

  @Test
  void whoGoesStraightFromABranchIsShownNothingBetween() {
    deliveries.changed(BRANCH);
    deliveries.deliver(0, batch(0));
    View next = primary(5, A, B, C);
    deliveries.restart(1, next);
    deliveries.changed(next);
    assertThat(views).containsExactly(BRANCH, next);
  }
}
