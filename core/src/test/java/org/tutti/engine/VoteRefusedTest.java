package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Members;
import org.tutti.View;
import org.tutti.membership.Founding;
import org.tutti.membership.Terms;
import org.tutti.transport.Refused;
import org.tutti.user.Notice;
import org.tutti.user.Report;
import org.tutti.user.Request;

/// A node whose certificate is only for observers, and that asks to vote all the same: whoever makes views refuses it.
class VoteRefusedTest {
  private static final GroupConfig GROUP = GroupConfig.builder().stateTransfer(false).build();
  private static final Terms VOTER = Terms.voter(GROUP, MemberConfig.standard());
  private static final Refused.Reason REASON = Refused.Reason.MAY_ONLY_OBSERVE;
  private static final String COUNT = "view.joins.refused{reason=observer-certificate}";

  private static final class Witness extends Duet.User {
    private final List<View> views = new ArrayList<>();
    private final List<End> ends = new ArrayList<>();
    private final Set<Refused.Reason> reasons = new TreeSet<>();
    private final Set<MemberId> refused = new TreeSet<>();

    @Override
    public void install(View view) {
      views.add(view);
    }

    @Override
    public void closed(End end) {
      ends.add(end);
    }

    @Override
    public void status(Report now) {
      now.refused().forEach(one -> reasons.add(one.reason()));
    }

    @Override
    public void notice(Notice notice) {
      if (notice instanceof Notice.VoteRefused(MemberId member)) {
        refused.add(member);
      }
    }
  }

  private final Witness first = new Witness();
  private final Witness second = new Witness();

  private static Request join(boolean observer, Witness user) {
    return new Request.Join(Duet.GROUP, null, MemberConfig.standard(), observer, user);
  }

  private static Request create(Witness user) {
    return new Request.Create(Duet.GROUP, VOTER, user, 1);
  }

  private static Request found(Witness user) {
    return new Request.Found(Duet.GROUP, VOTER, user, 1, Founding.of(2));
  }

  private static long counted(NodeEngine node) {
    return node.counters().metrics().stream().filter(one -> one.key().equals(COUNT)).findFirst().orElseThrow().value();
  }

  private static void isTold(Witness user, MemberId by) {
    String words = "this node's certificate is only for the role observer, so %s@%s does not let it vote: observe the";
    assertThat(user.ends)
        .containsExactly(
            new End(
                End.Cause.REFUSED,
                words.formatted(by.name(), by.address()) + " group, or use a certificate for the role member"));
    assertThat(user.reasons).containsExactly(REASON);
  }

  @Test
  void aNewcomerThatAsksToVoteIsRefusedAndTold() {
    var duet = new Duet(Members.B);
    duet.request(duet.a, create(first));
    duet.request(duet.b, join(false, second));
    duet.run();
    isTold(second, Members.A);
    assertThat(second.views).isEmpty();
    assertThat(first.views).as("no view change").hasSize(1);
    assertThat(first.refused).containsExactly(Members.B);
    assertThat(counted(duet.a)).isPositive();
    duet.request(duet.b, join(true, second));
    duet.run();
    assertThat(second.views).as("it may observe").hasSize(1).allMatch(view -> view.isObserver(Members.B));
  }

  @Test
  void anObserverWithItIsTakenIn() {
    var duet = new Duet(Members.B);
    duet.request(duet.a, create(first));
    duet.request(duet.b, join(true, second));
    duet.run();
    assertThat(first.views.getLast().observers()).containsExactly(Members.B);
    assertThat(second.ends).isEmpty();
    assertThat(counted(duet.a)).isZero();
  }

  /// It goes on alone: nobody but itself is in what it has founded.
  @Test
  void nobodyJoinsAGroupThatItHasFounded() {
    var duet = new Duet(Members.A);
    duet.request(duet.a, create(first));
    duet.request(duet.b, join(false, second));
    duet.run();
    assertThat(second.views).isEmpty();
    assertThat(second.ends).isEmpty();
    assertThat(second.refused).containsExactly(Members.A);
    assertThat(counted(duet.b)).isPositive();
    assertThat(first.views).hasSize(1);
    assertThat(first.reasons).containsExactly(REASON);
    assertThat(first.ends).isEmpty();
  }

  @Test
  void itDoesNotCountAmongFounders() {
    for (MemberId barred : List.of(Members.A, Members.B)) {
      var duet = new Duet(barred);
      var one = new Witness();
      var two = new Witness();
      duet.request(duet.a, found(one));
      duet.request(duet.b, found(two));
      duet.run();
      boolean isA = barred.equals(Members.A);
      isTold(isA ? one : two, isA ? Members.B : Members.A);
      assertThat((isA ? two : one).ends).isEmpty();
      assertThat(one.views).noneMatch(View::primary);
      assertThat(two.views).noneMatch(View::primary);
    }
  }
}
