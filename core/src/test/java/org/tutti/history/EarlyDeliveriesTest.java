package org.tutti.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.primary;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.View;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;
import org.tutti.user.GroupUser;

class EarlyDeliveriesTest {
  private static final View VIEW = primary(1, A, B, C);

  private final List<String> delivered = new ArrayList<>();
  private final Deliveries deliveries =
      new Deliveries(
          new SenderLedger(C, user(), 0),
          user(),
          Terms.voter(GroupConfig.standard(), MemberConfig.standard()),
          true,
          null);
  private final EarlyDeliveries early = new EarlyDeliveries(VIEW, 2, deliveries);
  private long index;

  /// Notes what is delivered: with a place as `a0`, without one as `a0!`, passed over as `(a0)`.
  private GroupUser user() {
    return (GroupUser)
        Proxy.newProxyInstance(
            GroupUser.class.getClassLoader(),
            new Class<?>[] {GroupUser.class},
            (_, method, arguments) -> {
              switch (method.getName()) {
                case "deliverEarly" -> delivered.add(name(arguments[0]) + "!");
                case "deliver" -> delivered.add(name(arguments[1]));
                case "pass" -> delivered.add("(" + name(arguments[1]) + ")");
                default -> throw new AssertionError(method.getName());
              }
              return null;
            });
  }

  private static String name(Object batch) {
    return batch instanceof Batch of ? of.sender().name() + of.seq() : "";
  }

  private static Batch batch(int rank, long seq, Batch.Kind kind, CausalPast past) {
    return new Batch(VIEW.members().get(rank), seq, kind, 0, past, 1, ByteBuffer.allocate(1));
  }

  private Batch arrives(int rank, long seq, Batch.Kind kind, CausalPast past) {
    Batch batch = batch(rank, seq, kind, past);
    early.arrived(rank, batch);
    early.deliver();
    return batch;
  }

  private Batch arrives(int rank, long seq, Batch.Kind kind) {
    return arrives(rank, seq, kind, CausalPast.NONE);
  }

  private void placed(int rank, Batch batch) {
    deliveries.deliver(index, batch);
    early.placed(index++, rank, batch);
  }

  private static CausalPast past(long after, CausalPast.Lane... lanes) {
    return new CausalPast(after, List.of(lanes));
  }

  private static CausalPast.Lane until(int rank, long next) {
    return new CausalPast.Lane(rank, next);
  }

  @Test
  void unorderedAndFifoMessagesAreDeliveredOnArrivalAndPassedOverAtTheirPlaces() {
    Batch total = arrives(0, 0, Batch.Kind.TOTAL);
    Batch fifo = arrives(0, 1, Batch.Kind.FIFO);
    Batch unordered = arrives(1, 0, Batch.Kind.UNORDERED);
    placed(1, unordered);
    placed(0, total);
    placed(0, fifo);
    assertThat(delivered).containsExactly("a1!", "b0!", "(b0)", "a0", "(a1)");
  }

  @Test
  void aCausalMessageWaitsForTheCausalOnesThatItsSenderHadDelivered() {
    arrives(1, 0, Batch.Kind.CAUSAL, past(0, until(0, 2)));
    arrives(1, 1, Batch.Kind.CAUSAL);
    arrives(0, 0, Batch.Kind.CAUSAL);
    assertThat(delivered).containsExactly("a0!");
    arrives(0, 1, Batch.Kind.CAUSAL);
    assertThat(delivered).containsExactly("a0!", "a1!", "b0!", "b1!");
  }

  @Test
  void aCausalMessageWaitsForTotallyOrderedOnesOfItsSender() {
    Batch total = arrives(0, 0, Batch.Kind.TOTAL);
    arrives(0, 1, Batch.Kind.CAUSAL);
    assertThat(delivered).isEmpty();
    placed(0, total);
    assertThat(delivered).containsExactly("a0", "a1!");
  }

  @Test
  void aCausalMessageWaitsForTheTotallyOrderedOnesThatItsSenderHadDelivered() {
    Batch first = arrives(0, 0, Batch.Kind.TOTAL);
    Batch second = arrives(0, 1, Batch.Kind.TOTAL);
    arrives(1, 0, Batch.Kind.CAUSAL, past(2));
    placed(0, first);
    assertThat(delivered).containsExactly("a0");
    placed(0, second);
    assertThat(delivered).containsExactly("a0", "a1", "b0!");
  }

  @Test
  void whatReachesItsPlaceIsDeliveredThereAndOpensTheWay() {
    early.arrived(1, batch(1, 0, Batch.Kind.CAUSAL, past(0, until(0, 1))));
    placed(0, batch(0, 0, Batch.Kind.CAUSAL, CausalPast.NONE));
    assertThat(delivered).containsExactly("a0", "b0!");
  }

  @Test
  void nothingIsDeliveredEarlyOnceTheViewIsWedged() {
    Batch waiting = arrives(1, 0, Batch.Kind.CAUSAL, past(0, until(0, 1)));
    early.stop();
    placed(0, batch(0, 0, Batch.Kind.CAUSAL, CausalPast.NONE));
    placed(1, waiting);
    assertThat(delivered).containsExactly("a0", "b0");
  }

  @Test
  void nothingIsDeliveredEarlyInAViewThatIsWedgedBeforeTheRunOfInputsEnds() {
    Batch fifo = batch(0, 0, Batch.Kind.FIFO, CausalPast.NONE);
    early.arrived(0, fifo);
    early.stop();
    assertThat(early.deliver()).isFalse();
    placed(0, fifo);
    assertThat(delivered).containsExactly("a0");
  }

  @Test
  void aBatchSaysWhatIsNew() {
    assertThat(early.past(Batch.Kind.CAUSAL)).isEqualTo(CausalPast.NONE);
    placed(0, arrives(0, 0, Batch.Kind.TOTAL));
    arrives(0, 1, Batch.Kind.CAUSAL);
    arrives(2, 0, Batch.Kind.CAUSAL); // its own, which its lane says
    assertThat(early.past(Batch.Kind.FIFO)).isEqualTo(CausalPast.NONE);
    assertThat(early.past(Batch.Kind.TOTAL)).isEqualTo(past(0, until(0, 2)));
    assertThat(early.past(Batch.Kind.TOTAL)).isEqualTo(CausalPast.NONE);
    arrives(1, 4, Batch.Kind.CAUSAL);
    assertThat(early.past(Batch.Kind.CAUSAL)).isEqualTo(past(1, until(1, 5)));
    assertThat(early.past(Batch.Kind.CAUSAL)).isEqualTo(CausalPast.NONE);
  }

  @Test
  void whatComesAgainUnderItsNumberIsNotDeliveredAgain() {
    Batch batch = arrives(0, 3, Batch.Kind.FIFO);
    var later = new EarlyDeliveries(VIEW, 2, deliveries);
    later.arrived(0, batch);
    later.deliver();
    placed(0, batch);
    assertThat(delivered).containsExactly("a3!", "(a3)");
  }
}
