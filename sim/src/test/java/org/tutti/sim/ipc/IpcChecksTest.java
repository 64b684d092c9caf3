package org.tutti.sim.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.ipc.protocol.IpcProtocol.Sizes;
import org.tutti.sim.check.Violation;
import org.tutti.sim.ipc.IpcChecks.Line;
import org.tutti.transport.Address;

/// Each property is broken by a story, and not by one that looks like it.
class IpcChecksTest {
  private static final GroupId GROUP = GroupId.wellKnown(1);
  private static final MemberId HOST = new MemberId("h0", new Address("h0"), 1);
  private static final MemberId OTHER = new MemberId("h1", new Address("h1"), 2);
  private static final ProcessId SENDER = new ProcessId(HOST, 1);
  private static final ProcessId MEMBER = new ProcessId(OTHER, 1);
  private static final ProcessId SECOND = new ProcessId(OTHER, 2);
  private static final Line FIRST = new Line(SENDER, GROUP, 1);
  private static final Line LATER = new Line(SENDER, GROUP, 2);

  @Test
  void aCountIsOfThoseThatWereReached() {
    holds(checks -> checks.counted(FIRST, 1));
    holds(checks -> checks.counted(FIRST, 0));
    breaks("CountReached", checks -> checks.counted(FIRST, 2));
    breaks("CountReached", checks -> checks.counted(LATER, 1));
  }

  @Test
  void onlyMembersAreReached() {
    breaks("MembersOnly", checks -> checks.queued(FIRST, SECOND));
    holds(checks -> {
      checks.left(MEMBER, GROUP);
      checks.queued(FIRST, MEMBER); // it has been there since before
    });
    breaks(
        "MembersOnly",
        checks -> {
          checks.left(MEMBER, GROUP);
          checks.queued(LATER, MEMBER);
        });
  }

  @Test
  void whoHasJoinedIsReached() {
    holds(checks -> checks.sent(FIRST, Set.of(MEMBER)));
    breaks("JoinedReached", checks -> checks.sent(FIRST, Set.of(MEMBER, SECOND)));
    breaks("JoinedReached", checks -> checks.sent(LATER, Set.of(MEMBER)));
    holds(checks -> checks.joinTold(SECOND, GROUP, true));
    breaks("JoinTold", checks -> checks.joinTold(SECOND, GROUP, false));
  }

  @Test
  void nothingIsReceivedAfterWhatCameLater() {
    holds(checks -> {
      checks.received(FIRST, MEMBER);
      checks.queued(LATER, MEMBER);
      checks.received(LATER, MEMBER);
    });
    breaks(
        "LatestReceived",
        checks -> {
          checks.queued(LATER, MEMBER);
          checks.received(FIRST, MEMBER);
        });
  }

  @Test
  void aReplyIsTakenWhereItWasMade() {
    holds(checks -> checks.took(FIRST, MEMBER, FIRST.text(MEMBER)));
    breaks("ReplyInItsSession", checks -> checks.took(FIRST, SECOND, FIRST.text(SECOND)));
    breaks("ReplyInItsSession", checks -> checks.took(FIRST, SECOND, FIRST.text(MEMBER)));
    breaks(
        "ReplyInItsSession",
        checks -> {
          checks.began(LATER, 1);
          checks.took(LATER, MEMBER, FIRST.text(MEMBER));
        });
  }

  @Test
  void noMoreRepliesAreTakenThanWanted() {
    holds(checks -> checks.wanted(FIRST, 1));
    holds(checks -> {
      checks.began(LATER, 0);
      checks.wanted(LATER, 5);
    });
    breaks("RepliesWanted", checks -> checks.wanted(FIRST, 3));
    breaks(
        "RepliesWanted",
        checks -> {
          checks.took(FIRST, MEMBER, FIRST.text(MEMBER));
          checks.took(FIRST, MEMBER, FIRST.text(MEMBER));
        });
    breaks(
        "RepliesWanted",
        checks -> {
          checks.wanted(FIRST, 1);
          checks.replied(FIRST, SECOND);
          checks.took(FIRST, MEMBER, FIRST.text(MEMBER));
          checks.took(FIRST, SECOND, FIRST.text(SECOND));
        });
  }

  @Test
  void whoIsToldThatItsReplyWasTakenIsToldTheTruth() {
    holds(checks -> checks.goesOn(FIRST, MEMBER, false));
    holds(checks -> {
      checks.took(FIRST, MEMBER, FIRST.text(MEMBER));
      checks.goesOn(FIRST, MEMBER, true);
    });
    breaks("TakenTold", checks -> checks.goesOn(FIRST, MEMBER, true));
  }

  @Test
  void aReplyThatHasRoomArrives() {
    breaks("ReplyArrives", checks -> checks.isOpenAfterAWhile(FIRST));
    holds(checks -> {
      checks.goesOn(FIRST, MEMBER, false);
      checks.isOpenAfterAWhile(FIRST);
    });
    holds(checks -> {
      checks.crashed(OTHER);
      checks.isOpenAfterAWhile(FIRST);
    });
    holds(checks -> {
      checks.wanted(FIRST, 1);
      checks.replied(FIRST, SECOND);
      checks.took(FIRST, MEMBER, FIRST.text(MEMBER));
      checks.isOpenAfterAWhile(FIRST);
    });
  }

  @Test
  void callsEndOnceAndInTime() {
    holds(checks -> {
      checks.ends(checks.begins(HOST, "send", 100), 100);
      checks.rests();
    });
    holds(checks -> {
      checks.begins(HOST, "send", 100);
      checks.crashed(HOST);
      checks.rests();
    });
    breaks("Termination", checks -> checks.ends(checks.begins(HOST, "send", 100), 101));
    breaks(
        "Termination",
        checks -> {
          IpcChecks.Wait wait = checks.begins(HOST, "send", 100);
          checks.ends(wait, 1);
          checks.ends(wait, 2);
        });
    breaks(
        "Termination",
        checks -> {
          checks.begins(HOST, "reply", Long.MAX_VALUE);
          checks.rests();
        });
  }

  @Test
  void whatIsKeptIsBounded() {
    int processes = IpcProtocol.PROCESSES_MAX;
    int groups = IpcProtocol.GROUPS_MAX;
    int queue = IpcProtocol.QUEUE_MAX;
    int replies = IpcProtocol.REPLIES_MAX;
    int unanswered = IpcProtocol.UNANSWERED_MAX;
    holds(checks -> checks.keeps(HOST, new Sizes(processes, groups, queue, groups, replies, unanswered)));
    breaks("BuffersBounded", checks -> checks.keeps(HOST, new Sizes(processes + 1, 0, 0, 0, 0, 0)));
    breaks("BuffersBounded", checks -> checks.keeps(HOST, new Sizes(0, groups + 1, 0, 0, 0, 0)));
    breaks("BuffersBounded", checks -> checks.keeps(HOST, new Sizes(0, 0, queue + 1, 0, 0, 0)));
    breaks("BuffersBounded", checks -> checks.keeps(HOST, new Sizes(0, 0, 0, groups + 1, 0, 0)));
    breaks("BuffersBounded", checks -> checks.keeps(HOST, new Sizes(0, 0, 0, 0, replies + 1, 0)));
    breaks("BuffersBounded", checks -> checks.keeps(HOST, new Sizes(0, 0, 0, 0, 0, unanswered + 1)));
  }

  @Test
  void nothingIsSaidAboutWhatIsOver() {
    holds(checks -> checks.nothingIsOpen(0));
    breaks("Quiet", checks -> checks.nothingIsOpen(1));
  }

  @Test
  void whoIsInAGroupWithAPasswordHasSaidIt() {
    holds(checks -> {
      checks.saidTheRightPassword(MEMBER, GROUP);
      checks.isMember(MEMBER, GROUP);
    });
    breaks(
        "RightPassword",
        checks -> {
          checks.saidTheRightPassword(MEMBER, GROUP);
          checks.isMember(SECOND, GROUP);
        });
  }

  @Test
  void membersOfAGuardedGroupHearThoseThatHaveSaidTheSendPassword() {
    holds(checks -> {
      checks.guarded(GROUP);
      checks.saidTheSendPassword(SENDER, GROUP);
      checks.queued(LATER, MEMBER);
    });
    holds(checks -> {
      checks.guarded(GROUP);
      checks.queued(new Line(SECOND, GROUP, 1), MEMBER); // of one host, which looks itself
    });
    breaks(
        "SendPassword",
        checks -> {
          checks.guarded(GROUP);
          checks.saidTheSendPassword(SECOND, GROUP);
          checks.queued(LATER, MEMBER);
        });
  }

  @Test
  void aDestroyedGroupIsOver() {
    holds(checks -> checks.knowsThatItIsDestroyed(HOST, GROUP, false));
    breaks("DestroyedIsOver", checks -> checks.knowsThatItIsDestroyed(HOST, GROUP, true));
    holds(checks -> checks.isGone(GROUP, false));
    breaks("DestroyedEverywhere", checks -> checks.isGone(GROUP, true));
  }

  private static void holds(Consumer<IpcChecks> story) {
    assertThat(after(story).violations()).isEmpty();
  }

  private static void breaks(String property, Consumer<IpcChecks> story) {
    assertThat(after(story).violations().stream().map(Violation::property)).isNotEmpty().containsOnly(property);
  }

  /// A message has reached one member, whose reply waits; two replies are wanted.
  private static IpcChecks after(Consumer<IpcChecks> story) {
    var checks = new IpcChecks();
    checks.joined(MEMBER, GROUP);
    checks.queued(FIRST, MEMBER);
    checks.began(FIRST, 2);
    checks.replied(FIRST, MEMBER);
    story.accept(checks);
    return checks;
  }
}
