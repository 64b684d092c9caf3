package org.tutti.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.batch;
import static org.tutti.Members.primary;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.fixture.QuietUser;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;

/// What a node's groups of one domain wait for, here of two groups at A, which B is in, too.
class DomainMemberTest {
  private final Domain domain = new Domain();
  private final List<String> shown = new ArrayList<>();
  private final Part one = new Part(1);
  private final Part two = new Part(2);

  /// A group, as far as the domain sees it.
  private final class Part extends QuietUser implements Domain.Side {
    private final long group;
    private final DomainMember member;
    private long bound = Long.MAX_VALUE;
    private long asked;
    private boolean inTime = true;
    private int seq;
    private long views;

    Part(long group) {
      this.group = group;
      this.member = new DomainMember(this, domain, group);
      member.begin(this);
    }

    /// Everybody in it was heard up to a stamp.
    void heard(long stamp) {
      bound = stamp + 1;
      domain.settle();
    }

    void decided(long stamp) {
      deliver(stamp);
      domain.settle();
    }

    void deliver(long stamp) {
      Batch batch = batch(B, seq++).sent(stamp, CausalPast.NONE);
      member.deliver(seq - 1, batch, seq - 1);
    }

    void entersPrimary(long clock) {
      bound = clock + 1;
      member.install(primary(++views, A, B));
      domain.settle();
    }

    void isCutOff() {
      bound = Long.MAX_VALUE;
      member.install(new View(new ViewId(++views, 1), List.of(A), false, List.of()));
      domain.settle();
    }

    @Override
    public long bound() {
      return bound;
    }

    @Override
    public void ask(long stamp) {
      asked = stamp;
    }

    @Override
    public boolean isInTime() {
      return inTime;
    }

    @Override
    public boolean isSending() {
      return false;
    }

    @Override
    public void begin(long index, long position) {
      shown.add(group + " begins");
    }

    @Override
    public void install(View view) {
      shown.add(group + (view.primary() ? " is in" : " is cut off"));
    }

    @Override
    public void deliver(long index, Batch batch, long position) {
      shown.add(group + ": " + batch.stamp());
    }
  }

  @Test
  void aDeliveryWaitsUntilTheOtherGroupWasHeardPastIt() {
    one.heard(3);
    two.heard(3);
    one.decided(7);
    assertThat(shown).isEmpty();
    assertThat(two.asked).isEqualTo(7);
    two.heard(7);
    assertThat(shown).containsExactly("1: 7");
  }

  @Test
  void whatACrashTakesAlongIsKnown() {
    one.heard(3);
    two.heard(3);
    one.decided(7);
    assertThat(one.member.keptBack()).extracting(Batch::stamp).containsExactly(7L);
    assertThat(two.member.keptBack()).isEmpty();
    one.inTime = false;
    one.decided(8); // late, and not before what waits
    assertThat(one.member.keptBack()).extracting(Batch::stamp).containsExactly(7L, 8L);
    one.inTime = true;
    two.heard(7);
    assertThat(shown).containsExactly("1: 7", "1: 8");
    assertThat(one.member.keptBack()).isEmpty();
  }

  @Test
  void whoComesBackIsInWhenTheGroupWasHeardPastWhatTheOthersDeliveredMeanwhile() {
    one.heard(3);
    two.isCutOff();
    one.decided(7);
    two.entersPrimary(5);
    assertThat(shown).as("somebody may still multicast in group 2 with stamp 6").endsWith("2 is cut off", "1: 7");
    assertThat(two.asked).isEqualTo(7);
    two.heard(7);
    assertThat(shown).endsWith("1: 7", "2 is in");
  }

  @Test
  void whoGetsItsStateIsInTimeWhenTheGroupWasHeardPastWhatTheOthersDeliveredMeanwhile() {
    one.heard(3);
    two.inTime = false; // its state is to come, so it bounds nothing
    two.member.install(primary(1, A, B));
    one.decided(7);
    two.member.begin(1, 1);
    two.deliver(5); // it had been kept back, so it is late
    two.inTime = true;
    two.heard(5);
    assertThat(shown).containsExactly("2 is in", "1: 7");
    two.heard(7);
    assertThat(shown).containsExactly("2 is in", "1: 7", "2 begins", "2: 5");
  }

  @Test
  void whatComesMeanwhileFollowsTheEntry() {
    one.heard(3);
    two.isCutOff();
    one.decided(7);
    two.entersPrimary(5);
    two.decided(6);
    assertThat(shown).endsWith("1: 7");
    one.heard(9);
    two.heard(7);
    assertThat(shown).endsWith("1: 7", "2 is in", "2: 6");
  }

  @Test
  void whoIsCutOffAgainWaitsForNothing() {
    one.heard(3);
    two.isCutOff();
    one.decided(7);
    two.entersPrimary(5);
    two.isCutOff();
    assertThat(shown).endsWith("1: 7", "2 is in", "2 is cut off");
  }

  @Test
  void whoStaysIsShownTheNextViewAtOnce() {
    one.heard(9);
    two.entersPrimary(5);
    one.decided(4);
    two.entersPrimary(5);
    assertThat(shown).containsExactly("2 is in", "1: 4", "2 is in");
  }
}
