package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.tutti.sim.check.MultiGroupCausality;
import org.tutti.sim.check.MultiGroupHistory;
import org.tutti.sim.check.MultiGroupHistory.Step.Apart;
import org.tutti.sim.check.MultiGroupHistory.Step.CutOff;
import org.tutti.sim.check.MultiGroupHistory.Step.Delivered;
import org.tutti.sim.check.MultiGroupHistory.Step.Entered;
import org.tutti.sim.check.MultiGroupOrder;

/// The checkers of domains see what they are for, in histories written by hand: two lives in groups 0 and 1.
class MultiGroupHistoryTest {
  private final MultiGroupHistory crossing = new MultiGroupHistory();
  private final int p = crossing.life();
  private final int q = crossing.life();

  MultiGroupHistoryTest() {
    for (int life : new int[] {p, q}) {
      crossing.add(new Entered(life, 0));
      crossing.add(new Entered(life, 1));
    }
  }

  private void deliver(int life, int... messages) {
    for (int message : messages) {
      crossing.add(new Delivered(life, message));
    }
  }

  @Test
  void differentOrdersOfTwoGroupsMessagesAreSeen() {
    int x = crossing.send(p, 0);
    int y = crossing.send(q, 1);
    deliver(p, x, y);
    deliver(q, y, x);
    assertThat(MultiGroupOrder.check(crossing)).hasSize(1);
  }

  @Test
  void theSameOrderIsNoViolation() {
    int x = crossing.send(p, 0);
    int y = crossing.send(q, 1);
    deliver(p, x, y);
    deliver(q, x, y);
    assertThat(MultiGroupOrder.check(crossing)).isEmpty();
    assertThat(MultiGroupCausality.check(crossing)).isEmpty();
  }

  @Test
  void anAnswerBeforeItsQuestionIsSeen() {
    int question = crossing.send(p, 0);
    deliver(p, question);
    int answer = crossing.send(p, 1);
    deliver(q, answer, question);
    assertThat(MultiGroupCausality.check(crossing)).hasSize(1);
  }

  @Test
  void soIsOneByTheWayOfAThirdMessage() {
    int first = crossing.send(p, 0);
    int second = crossing.send(p, 2);
    int r = crossing.life();
    crossing.add(new Entered(r, 1));
    crossing.add(new Entered(r, 2));
    deliver(r, second);
    int third = crossing.send(r, 1);
    deliver(q, third, first);
    assertThat(MultiGroupCausality.check(crossing)).hasSize(1);
  }

  @Test
  void whatComesLateIsNotCompared() {
    int x = crossing.send(p, 0);
    int y = crossing.send(q, 1);
    deliver(p, x, y);
    crossing.add(new CutOff(q, 0));
    deliver(q, y);
    crossing.add(new Entered(q, 0));
    deliver(q, x);
    assertThat(MultiGroupOrder.check(crossing)).isEmpty();
  }

  @Test
  void whoIsCutOffFromAMessageIsNotHeldUpByIt() {
    int lost = crossing.send(p, 0);
    crossing.add(new CutOff(p, 0));
    int next = crossing.send(p, 1);
    deliver(q, next, lost);
    assertThat(MultiGroupCausality.check(crossing)).isEmpty();
  }

  @Test
  void whoIsCutOffAndNeverShownItIsNotHeldUpEither() {
    int lost = crossing.send(p, 0);
    crossing.add(new Apart(p, 0));
    int next = crossing.send(p, 1);
    deliver(q, next, lost);
    assertThat(MultiGroupCausality.check(crossing)).isEmpty();
    int after = crossing.send(p, 0);
    int last = crossing.send(p, 1);
    deliver(q, last, after);
    assertThat(MultiGroupCausality.check(crossing)).as("multicast after that").hasSize(1);
  }
}
