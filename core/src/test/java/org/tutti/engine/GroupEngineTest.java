package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Members;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.effect.Count;
import org.tutti.history.PrimaryHistory;
import org.tutti.membership.ViewMessage;
import org.tutti.pack.Batch;
import org.tutti.user.Request;
import org.tutti.wire.Channel;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// How the engine of a group composes its parts: what the application is told, and in which order. What the protocols
/// decide is shown by the scenarios.
class GroupEngineTest {
  /// Writes down what it is told.
  private static final class Witness extends Duet.User {
    private final List<String> told = new ArrayList<>();

    List<String> take() {
      List<String> taken = List.copyOf(told);
      told.clear();
      return taken;
    }

    @Override
    public void deliver(long index, Batch batch, long position) {
      super.deliver(index, batch, position);
      told.add("deliver " + batch.sender().name() + batch.seq() + " at " + position);
    }

    @Override
    public void install(View view) {
      told.add((view.primary() ? "primary " : "other ") + view.members().stream().map(MemberId::name).toList());
    }

    @Override
    public void caughtUp(long position) {
      told.add("caught up at " + position);
    }

    @Override
    public void decided(int messages, long position) {
      told.add("decided " + messages + " at " + position);
    }

    @Override
    public void undecided(int messages) {
      told.add("undecided " + messages);
    }

    @Override
    public void ordering(Ordering ordering) {
      told.add("ordering " + ordering);
    }

    @Override
    public void confirmed(long questions, long position) {
      told.add("confirmed " + questions + " at " + position);
    }

    @Override
    public void closed(End end) {
      told.add("closed: " + end.cause());
    }
  }

  private final Witness a = new Witness();
  private final Witness b = new Witness();

  private Duet duet(GroupConfig config) {
    return new Duet(config, a, b);
  }

  private Duet standard() {
    Duet duet = duet(GroupConfig.standard());
    a.take();
    b.take();
    return duet;
  }

  @Test
  void aNewcomerIsShownTheViewAndThatItIsCaughtUpBeforeAnythingElse() {
    Duet duet = duet(GroupConfig.standard());
    assertThat(a.take()).containsExactly("primary [a]", "ordering SEQUENCER", "caught up at 0", "primary [a, b]");
    assertThat(b.take()).containsExactly("primary [a, b]", "ordering SEQUENCER", "caught up at 0");
    duet.multicast(duet.b);
    duet.run();
    assertThat(a.take()).containsExactly("deliver b0 at 0");
    assertThat(b.take()).containsExactlyInAnyOrder("decided 1 at 0", "deliver b0 at 0");
  }

  @Test
  void whoIsCutOffIsToldWhatIsUndecidedAndLaterWhatBecameOfIt() {
    Duet duet = standard();
    duet.cut();
    duet.multicast(duet.b);
    duet.run();
    assertThat(b.take()).containsExactly("other [b]", "undecided 1");
    duet.heal();
    duet.run();
    assertThat(b.take())
        .as("it is in the history that b missed, at a position that b does not know")
        .containsExactly("primary [a, b]", "decided 1 at -1", "caught up at 1");
    assertThat(a.take()).contains("deliver b0 at 0");
  }

  @Test
  void aSwitchIsToldWhereItTakesEffect() {
    Duet duet = standard();
    duet.request(duet.b, new Request.Switch(Duet.GROUP, Ordering.SYMMETRIC));
    duet.run();
    duet.multicast(duet.b);
    duet.run();
    assertThat(a.take())
        .as("b0 is the switch")
        .containsExactly("ordering SYMMETRIC", "deliver b0 at 0", "deliver b1 at 0");
    assertThat(b.take()).startsWith("ordering SYMMETRIC").contains("deliver b1 at 0");
  }

  @Test
  void questionsHowFarTheHistoryIsAreAnsweredTogether() {
    Duet duet = standard();
    duet.multicast(duet.a);
    duet.run();
    b.take();
    duet.request(duet.b, new Request.Confirm(Duet.GROUP));
    duet.request(duet.b, new Request.Confirm(Duet.GROUP));
    duet.run();
    List<String> answers = b.take();
    assertThat(answers).isNotEmpty().allMatch(answer -> answer.endsWith("at 1"));
    assertThat(answers.stream().mapToInt(answer -> Integer.parseInt(answer.split(" ")[1])).sum()).isEqualTo(2);
  }

  @Test
  void aWedgedViewOfOneMemberBoundsItsDomain() {
    Duet duet = duet(GroupConfig.builder().domain("d").build());
    duet.request(duet.b, new Request.Leave(Duet.GROUP, new End(End.Cause.LEFT, "enough")));
    duet.run();
    assertThat(a.take()).endsWith("primary [a]");
    PrimaryHistory history = new Innards(duet.a).get("groups.0.history");
    assertThat(history.current().bound()).isEqualTo(Long.MAX_VALUE);
    history.activate(false);
    assertThat(history.current().bound()).isLessThan(Long.MAX_VALUE);
  }

  @Test
  void whoLeavesIsOrderedFirstAndToldTheEndOnce() {
    Duet duet = standard();
    duet.multicast(duet.b);
    duet.request(duet.b, new Request.Leave(Duet.GROUP, new End(End.Cause.LEFT, "enough")));
    duet.multicast(duet.b); // too late
    duet.run();
    assertThat(b.take()).contains("decided 1 at 0", "deliver b0 at 0").endsWith("closed: LEFT");
    assertThat(a.take()).containsExactly("deliver b0 at 0", "primary [a]");
    duet.multicast(duet.b);
    assertThat(duet.b.counters().get(Count.REQUEST_OF_NO_MEMBER)).isPositive();
    duet.run();
    assertThat(b.take()).isEmpty();
  }

  @Test
  void whoJoinsAgainIsCutOffAndComesBackLosesNothing() {
    Duet duet = standard();
    duet.multicast(duet.b);
    leaveAndJoin(duet, false);
    duet.cut(Members.B);
    duet.multicast(duet.b);
    duet.run();
    assertThat(a.take()).endsWith("primary [a]");
    duet.heal();
    duet.run();
    assertThat(a.take()).hasSize(2).contains("primary [a, b]").last().asString().endsWith("at 1");
  }

  /// `b` leaves, and joins again in the same life.
  private Witness leaveAndJoin(Duet duet, boolean observer) {
    duet.request(duet.b, new Request.Leave(Duet.GROUP, new End(End.Cause.LEFT, "to come back")));
    duet.run();
    var again = new Witness();
    duet.request(duet.b, new Request.Join(Duet.GROUP, null, MemberConfig.standard(), observer, again));
    duet.run();
    again.take();
    return again;
  }

  @Test
  void whoCallsAMembershipThatHasEndedIsToldSo() {
    Duet duet = standard();
    group(duet.b).alive(Members.member("b", Members.B.incarnation() + 1));
    duet.run();
    assertThat(a.take()).containsExactly("primary [a]");
    assertThat(duet.a.counters().get(Count.SUSPECTED_ENDED)).isEqualTo(1);
    assertThat(duet.a.counters().get(Count.SUSPECTED_UNCONFIRMED)).isZero();
  }

  @Test
  void onlyAMemberOfItsViewDropsAnObserver() throws Malformed {
    Duet duet = standard();
    Witness again = leaveAndJoin(duet, true);
    var out = new WireWriter();
    ViewMessage.CODEC.write(new ViewMessage.TooSlow(1000), out);
    group(duet.b).message(Members.C, Channel.VIEW, new WireReader(out.copy()));
    duet.run();
    assertThat(again.take()).as("c speaks for another view").isEmpty();
    group(duet.b).message(Members.A, Channel.VIEW, new WireReader(out.copy()));
    duet.run();
    assertThat(again.take()).endsWith("closed: DROPPED");
    assertThat(a.take()).endsWith("primary [a]");
  }

  private static GroupEngine group(NodeEngine node) {
    return new Innards(node).get("groups.0");
  }
}
