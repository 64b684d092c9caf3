package org.tutti.ipc.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.IssuedGroup;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.SendKey;
import org.tutti.ipc.Status;
import org.tutti.ipc.protocol.IpcMessage.Coded;
import org.tutti.ipc.protocol.IpcMessage.Deliver;
import org.tutti.ipc.protocol.IpcMessage.Delivered;
import org.tutti.ipc.protocol.IpcMessage.Destroyed;
import org.tutti.ipc.protocol.IpcMessage.Ended;
import org.tutti.ipc.protocol.IpcMessage.Gone;
import org.tutti.ipc.protocol.IpcMessage.Key;
import org.tutti.ipc.protocol.RecordingPort.Posted;
import org.tutti.transport.Address;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireWriter;

/// One host, whose peers and whose server are the test: it answers when it likes.
class IssuedGroupsTest {
  private static final GroupId GROUP = GroupId.issued(3);
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final SendKey KEY = new SendKey(new byte[SendKey.BYTES]);
  private static final IssuedGroup OPEN = new IssuedGroup(GROUP, mark(1), false, null);
  private static final IssuedGroup GUARDED = new IssuedGroup(GROUP, mark(1), true, KEY);
  private static final Selection ANY = new Selection(null, null);
  private static final long KEEP = 1000;
  private static final long AGAIN = 10;
  private static final long ACKNOWLEDGE = 100;

  private record Question(String what, Consumer<Result<IssuedGroup>> answer) {}

  private final MemberId self = new MemberId("self", new Address("self"), 1);
  private final MemberId peer = new MemberId("peer", new Address("peer"), 2);
  private final List<Question> asked = new ArrayList<>();
  private final List<Result<?>> results = new ArrayList<>();
  private final RecordingPort port =
      new RecordingPort(peer) {
        @Override
        public void send(Collection<MemberId> to, MembershipMessage message) {
          if (message instanceof MembershipMessage.First(long version, GroupId _)) {
            protocol.memberships().arrived(peer, new MembershipMessage.Known(version));
          }
        }
      };
  private final List<Posted> posted = port.posted;
  private final IpcProtocol protocol =
      new IpcProtocol(self, new IpcProtocol.Times(100, 50), PairProtocol.Settings.DEFAULT, port);
  private final IssuedGroups groups =
      new IssuedGroups(self, new IssuedGroups.Times(KEEP, AGAIN, ACKNOWLEDGE), port, protocol);

  IssuedGroupsTest() {
    port.now = 5;
    groups.ask(
        new IssuedGroups.Directory() {
          @Override
          public void look(GroupId group, Consumer<Result<IssuedGroup>> answer) {
            asked.add(new Question("look", answer));
          }

          @Override
          public void check(GroupId group, String password, Consumer<Result<IssuedGroup>> answer) {
            asked.add(new Question("check " + password, answer));
          }

          @Override
          public void destroy(GroupId group, String password, Consumer<Result<GroupId>> answer) {
            asked.add(
                new Question(
                    "destroy " + password,
                    result ->
                        answer.accept(
                            switch (result) {
                              case Done(IssuedGroup issued) -> new Done<>(issued.id());
                              case Aborted(Status status) -> new Aborted<>(status);
                            })));
          }
        });
  }

  private static ByteBuffer mark(int value) {
    return ByteBuffer.allocate(1).put(0, (byte) value).asReadOnlyBuffer();
  }

  @AfterEach
  void check() {
    protocol.check();
    groups.check();
  }

  private void told(Result<?> result) {
    results.add(result);
  }

  private Result<?> result() {
    assertThat(results).hasSize(1);
    return results.removeFirst();
  }

  private void answers(String question, Result<IssuedGroup> answer) {
    assertThat(asked).isNotEmpty();
    Question first = asked.removeFirst();
    assertThat(first.what).isEqualTo(question);
    first.answer.accept(answer);
  }

  private void says(String question, IssuedGroup issued) {
    answers(question, new Done<>(issued));
  }

  private void says(String question, Status status) {
    answers(question, new Aborted<>(status));
  }

  private int member(IssuedGroup issued) {
    int number = protocol.open();
    groups.join(number, GROUP, "right", this::told);
    says("check right", issued);
    assertThat(result()).isEqualTo(new Done<>(1));
    return number;
  }

  private void passes(long time) {
    port.now += time;
    groups.tick();
  }

  @Test
  void theServerDecidesWhoJoinsAndLeaves() {
    int process = protocol.open();
    groups.join(process, GROUP, "wrong", this::told);
    assertThat(results).isEmpty();
    says("check wrong", Status.WRONG_PASSWORD);
    assertThat(result()).isEqualTo(new Aborted<>(Status.WRONG_PASSWORD));
    assertThat(protocol.groups(process)).isEmpty();
    int member = member(OPEN);
    groups.leave(process, GROUP, "right", this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.NOT_MEMBER));
    groups.leave(member, GROUP, "wrong", this::told);
    says("check wrong", Status.WRONG_PASSWORD);
    assertThat(result()).isEqualTo(new Aborted<>(Status.WRONG_PASSWORD));
    assertThat(protocol.groups(member)).containsExactly(GROUP);
    groups.leave(member, GROUP, "right", this::told);
    says("check right", OPEN);
    assertThat(result()).isEqualTo(new Done<>(0));
  }

  @Test
  void groupsThatNobodyCreatesHaveNoPasswordAndNeedNoServer() {
    int process = protocol.open();
    GroupId named = GroupId.named("x");
    groups.join(process, named, "x", this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.GROUP_DOES_NOT_EXIST));
    groups.destroy(process, named, "", this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.GROUP_DOES_NOT_EXIST));
    groups.join(process, named, "", this::told);
    assertThat(result()).isEqualTo(new Done<>(1));
    groups.leave(process, named, "", this::told);
    assertThat(result()).isEqualTo(new Done<>(0));
    assertThat(asked).isEmpty();
  }

  @Test
  void theFirstSendAsksAndTheAnswerIsKeptForAWhile() {
    port.hosts.clear();
    int sender = protocol.open();
    groups.send(sender, GROUP, 0, NOTHING, 0, this::told);
    groups.send(sender, GROUP, 0, NOTHING, 0, this::told);
    assertThat(asked).as("one question for both").hasSize(1);
    says("look", OPEN);
    assertThat(results).containsOnly(new Aborted<>(Status.NO_MEMBERS)).hasSize(2);
    results.clear();
    port.now += KEEP - 1;
    groups.send(sender, GROUP, 0, NOTHING, 0, this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.NO_MEMBERS));
    assertThat(asked).isEmpty();
    passes(1);
    assertThat(asked).as("nobody needs it any more").isEmpty();
    assertThat(groups.deadline()).isEqualTo(Long.MAX_VALUE);
    groups.send(sender, GROUP, 0, NOTHING, 0, this::told);
    says("look", Status.NO_SERVER);
    assertThat(result()).isEqualTo(new Aborted<>(Status.NO_SERVER));
    groups.send(sender, GROUP, 0, NOTHING, 0, this::told);
    says("look", Status.GROUP_DOES_NOT_EXIST);
    assertThat(result()).isEqualTo(new Aborted<>(Status.GROUP_DOES_NOT_EXIST));
  }

  @Test
  void membersGoOnWithoutAServerUntilItSaysThatTheGroupIsGone() {
    int waits = member(OPEN);
    int comesLater = member(OPEN);
    protocol.receive(waits, ANY, 10 * KEEP, this::told);
    passes(KEEP);
    says("look", Status.NO_SERVER);
    assertThat(protocol.groups(waits)).containsExactly(GROUP);
    passes(AGAIN);
    says("look", OPEN);
    passes(KEEP - 1);
    assertThat(asked).isEmpty();
    passes(1);
    says("look", Status.GROUP_DOES_NOT_EXIST);
    assertThat(result()).isEqualTo(new Aborted<>(Status.GROUP_DOES_NOT_EXIST));
    assertThat(protocol.groups(waits)).isEmpty();
    protocol.receive(comesLater, ANY, 0, this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.GROUP_DOES_NOT_EXIST));
    protocol.receive(comesLater, ANY, 0, this::told);
    assertThat(result()).as("it is told once").isEqualTo(new Aborted<>(Status.TIMED_OUT));
    groups.leave(comesLater, GROUP, "right", this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.GROUP_DOES_NOT_EXIST));
  }

  @Test
  void communicationsOfADestroyedGroupEnd() {
    int member = member(OPEN);
    port.hosts.clear();
    int sender = protocol.open();
    groups.send(sender, GROUP, 0, NOTHING, 1, this::told);
    assertThat(result()).isInstanceOf(Done.class);
    protocol.getreply(sender, GROUP, 1, KEEP, this::told);
    groups.destroy(sender, GROUP, "right", this::told);
    says("destroy right", OPEN);
    assertThat(results).containsExactlyInAnyOrder(new Aborted<>(Status.GROUP_DOES_NOT_EXIST), new Done<>(0));
    results.clear();
    assertThat(protocol.queued(0)).isEmpty();
    protocol.receive(member, new Selection(GROUP, null), 0, this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.GROUP_DOES_NOT_EXIST));
    protocol.receive(member, new Selection(GROUP, null), 0, this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.NOT_MEMBER));
  }

  @Test
  void anAnswerThatWasAskedForBeforeTheEndMakesNobodyAMember() {
    int process = protocol.open();
    groups.join(process, GROUP, "right", this::told);
    Question old = asked.removeFirst();
    port.now++;
    groups.destroy(process, GROUP, "right", this::told);
    says("destroy right", OPEN);
    groups.arrived(peer, new Gone(((Destroyed) posted.getLast().message()).key()));
    assertThat(result()).isEqualTo(new Done<>(1));
    old.answer.accept(new Done<>(OPEN));
    assertThat(result()).isEqualTo(new Aborted<>(Status.GROUP_DOES_NOT_EXIST));
    assertThat(protocol.groups(process)).isEmpty();
    assertThat(groups.destroyed()).containsExactly(GROUP);
  }

  @Test
  void aHostThatIsToldAsksTheServerItself() {
    int member = member(OPEN);
    var key = new Key(9, GROUP, 4);
    groups.arrived(peer, new Destroyed(key));
    assertThat(posted).isEmpty();
    passes(AGAIN);
    says("look", OPEN);
    assertThat(protocol.groups(member)).as("a peer alone destroys nothing").containsExactly(GROUP);
    passes(AGAIN);
    groups.arrived(peer, new Destroyed(key));
    says("look", Status.GROUP_DOES_NOT_EXIST);
    assertThat(protocol.groups(member)).isEmpty();
    assertThat(posted).contains(new Posted(peer, new Gone(key)));
    posted.clear();
    groups.arrived(peer, new Destroyed(key));
    assertThat(posted).as("there is nobody").containsExactly(new Posted(peer, new Gone(key)));
  }

  @Test
  void aNewHostMayHaveNews() {
    member(OPEN);
    passes(AGAIN);
    assertThat(asked).isEmpty();
    groups.newcomer();
    passes(0);
    Question question = asked.getFirst();
    port.now++;
    groups.newcomer();
    says("look", OPEN);
    assertThat(question).isNotNull();
    passes(AGAIN);
    says("look", OPEN); // the answer before was asked for before the last one came
    passes(KEEP - 1);
    assertThat(asked).isEmpty();
  }

  @Test
  void aDestroyCountsTheHostsThatAnswerInTime() {
    var slow = new MemberId("slow", new Address("slow"), 3);
    var lost = new MemberId("lost", new Address("lost"), 4);
    port.hosts.addAll(Set.of(slow, lost));
    int process = protocol.open();
    groups.destroy(process, GROUP, "wrong", this::told);
    says("destroy wrong", Status.WRONG_PASSWORD);
    assertThat(result()).isEqualTo(new Aborted<>(Status.WRONG_PASSWORD));
    groups.destroy(process, GROUP, "right", this::told);
    says("destroy right", OPEN);
    var key = new Key(process, GROUP, 1);
    assertThat(posted)
        .containsExactlyInAnyOrder(
            new Posted(peer, new Destroyed(key)),
            new Posted(slow, new Destroyed(key)),
            new Posted(lost, new Destroyed(key)));
    groups.arrived(peer, new Gone(key));
    groups.arrived(peer, new Gone(key));
    groups.lost(lost);
    passes(ACKNOWLEDGE - 1);
    assertThat(results).isEmpty();
    passes(1);
    assertThat(result()).isEqualTo(new Done<>(1));
    groups.arrived(slow, new Gone(key));
    assertThat(results).isEmpty();
  }

  @Test
  void aGuardedGroupTakesMessagesWithTheCodeOfItsKeyOnly() {
    int member = member(GUARDED);
    var message = new Deliver(new Key(9, GROUP, 1), 7, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    groups.arrived(peer, message);
    assertThat(posted.getLast().message()).isEqualTo(new Delivered(message.key(), 0, false));
    ByteBuffer code = ByteBuffer.wrap(KEY.code(Coded.signed(peer, message)));
    var other = new Deliver(new Key(9, GROUP, 2), 7, message.payload());
    groups.arrived(peer, new Coded(other, code));
    assertThat(protocol.queued(0)).as("the code of another message").isEmpty();
    groups.arrived(self, new Coded(message, code));
    assertThat(protocol.queued(0)).as("the code of another host").isEmpty();
    groups.arrived(peer, new Coded(message, code));
    assertThat(posted.getLast().message()).isEqualTo(new Delivered(message.key(), 1, false));
    assertThat(protocol.queued(0)).extracting(IpcProtocol.Queued::member).containsExactly(member);
  }

  @Test
  void whoHasNotSaidTheSendPasswordDoesNotSend() {
    member(GUARDED);
    int sender = protocol.open();
    groups.send(sender, GROUP, 0, NOTHING, 0, this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.WRONG_PASSWORD));
    groups.authorize(sender, GROUP, KEY, this::told);
    assertThat(result()).isEqualTo(new Done<>(0));
    groups.send(sender, GROUP, 0, NOTHING, 0, this::told);
    assertThat(posted).extracting(Posted::message).hasOnlyElementsOfType(Deliver.class).hasSize(1);
    var coded = (Coded) groups.outgoing(posted.getFirst().message());
    assertThat(coded.code()).isEqualTo(ByteBuffer.wrap(KEY.code(Coded.signed(self, coded.message()))));
    IpcMessage over = new Ended(coded.key());
    assertThat(groups.outgoing(over)).isSameAs(over);
  }

  @Test
  void aSendPasswordIsSaidOnceInTheLifeOfAProcess() {
    port.hosts.clear();
    int sender = protocol.open();
    groups.authorize(sender, GROUP, KEY, this::told);
    says("look", GUARDED);
    assertThat(result()).isEqualTo(new Done<>(0));
    passes(KEEP);
    says("look", GUARDED);
    groups.send(sender, GROUP, 0, NOTHING, 0, this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.NO_MEMBERS));
    protocol.end(sender);
    passes(KEEP);
    assertThat(asked).as("nobody needs it any more").isEmpty();
  }

  @Test
  void aServerThatHasForgottenEverythingHasOtherGroups() {
    int member = member(OPEN);
    passes(KEEP);
    says("look", new IssuedGroup(GROUP, mark(2), false, null));
    assertThat(protocol.groups(member)).isEmpty();
    protocol.receive(member, ANY, 0, this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.GROUP_DOES_NOT_EXIST));
  }

  @Test
  void whatWaitsAndWhatIsKnownIsBounded() {
    int process = protocol.open();
    for (int i = 0; i < IssuedGroups.CALLS_MAX; i++) {
      groups.join(process, GROUP, "right", this::told);
    }
    assertThat(results).isEmpty();
    groups.join(process, GROUP, "right", this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.NO_BUFF));
    groups.send(process, GROUP, 0, NOTHING, 0, this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.NO_BUFF));
    groups.destroy(process, GROUP, "", this::told);
    assertThat(result()).isEqualTo(new Aborted<>(Status.NO_BUFF));
    while (!asked.isEmpty()) {
      says("check right", Status.NO_SERVER);
    }
    results.clear();
    for (int i = 0; i <= IssuedGroups.KNOWN_MAX; i++) {
      int other = protocol.open();
      GroupId group = GroupId.issued(100 + i);
      groups.join(other, group, "right", this::told);
      says("check right", new IssuedGroup(group, mark(1), false, null));
      boolean full = i >= IpcProtocol.PROCESSES_MAX - 1; // one more process than there are groups that fit
      assertThat(result()).isEqualTo(full ? new Aborted<>(Status.NO_COMM) : new Done<>(1));
    }
  }

  @Test
  void messagesAreReadAsTheyWereWrittenAndOthersRefused() throws Malformed {
    var key = new Key(4, GROUP, 1L << 40);
    var deliver = new Deliver(key, -5, ByteBuffer.wrap(new byte[] {1, 2}));
    for (IpcMessage message :
        List.of(new Destroyed(key), new Gone(key), new Coded(deliver, ByteBuffer.allocate(SendKey.BYTES)))) {
      var out = new WireWriter();
      IpcMessage.write(out, message);
      ByteBuffer bytes = out.copy();
      assertThat(IpcMessage.read(bytes.duplicate())).isEqualTo(message);
      assertThatThrownBy(() -> IpcMessage.read(bytes.duplicate().limit(9))).isInstanceOf(Malformed.class);
    }
  }
}
