package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.sim.HandWrittenHistory.id;
import static org.tutti.sim.HandWrittenHistory.primary;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.View;
import org.tutti.sim.check.ExchangeHistory;
import org.tutti.sim.check.ExchangeHistory.Step;
import org.tutti.sim.check.LocalCallOrder;
import org.tutti.sim.check.PropagateAgreement;
import org.tutti.sim.check.Violation;
import org.tutti.sim.check.WhiteboardConvergence;
import org.tutti.sim.check.WhiteboardValues;

/// The checkers of whiteboard, propagate and local calls see what they are for, in histories written by hand.
class ExchangeHistoryTest {
  private static final View AB = primary(1, "a", "b");

  private final ExchangeHistory run = new ExchangeHistory(GroupConfig.standard());
  private final int a = run.life(id("a"));
  private final int b = run.life(id("b"));

  private void read(int reader, int owner, String name, long value) {
    SortedMap<String, Long> values = new TreeMap<>();
    values.put(name, value);
    SortedMap<Integer, SortedMap<String, Long>> all = new TreeMap<>();
    all.put(owner, values);
    run.add(new Step.Read(reader, all));
  }

  @Test
  void valuesMayBeSkippedButDoNotGoBack() {
    long first = run.put(a, "load");
    run.put(a, "load");
    long last = run.put(a, "load");
    read(b, a, "load", first);
    read(b, a, "load", last);
    assertThat(WhiteboardValues.check(run)).isEmpty();
    assertThat(WhiteboardConvergence.check(run, List.of(a, b))).isEmpty();
    read(b, a, "load", first);
    assertThat(WhiteboardValues.check(run)).hasSize(1);
    assertThat(WhiteboardConvergence.check(run, List.of(a, b))).hasSize(1);
  }

  @Test
  void aValueIsOfItsOwnerAndName() {
    long value = run.put(a, "load");
    read(b, a, "queue", value);
    assertThat(WhiteboardValues.check(run)).hasSize(1);
  }

  @Test
  void whatIsReadOfOthersIsSeen() {
    read(b, a, "load", run.put(a, "load"));
    assertThat(WhiteboardConvergence.check(run, List.of(b))).hasSize(1);
  }

  private void returned(int life, long index, int ofA, int ofB) {
    SortedMap<Integer, Integer> messages = new TreeMap<>();
    messages.put(a, ofA);
    messages.put(b, ofB);
    run.add(new Step.Returned(life, AB, index, messages));
  }

  @Test
  void propagationsAreTheSameForAll() {
    int ofA = run.say(a, AB.id());
    int ofB = run.say(b, AB.id());
    returned(a, 5, ofA, ofB);
    returned(b, 5, ofA, ofB);
    int nextOfA = run.say(a, AB.id());
    int nextOfB = run.say(b, AB.id());
    returned(b, 8, nextOfA, nextOfB);
    assertThat(PropagateAgreement.check(run)).isEmpty();
    returned(a, 7, nextOfA, nextOfB);
    assertThat(PropagateAgreement.check(run)).extracting(Violation::property).containsExactly("PropagateAgreement");
  }

  @Test
  void aPropagationWithAMessageOfAnotherViewIsSeen() {
    int before = run.say(a, primary(0, "a").id());
    run.say(a, AB.id());
    returned(b, 5, before, run.say(b, AB.id()));
    assertThat(PropagateAgreement.check(run)).hasSize(1);
  }

  @Test
  void aPropagationWithoutAMemberIsSeen() {
    SortedMap<Integer, Integer> messages = new TreeMap<>();
    messages.put(a, run.say(a, AB.id()));
    run.add(new Step.Returned(a, AB, 3, messages));
    assertThat(PropagateAgreement.check(run)).hasSize(1);
  }

  @Test
  void localCallsComeAfterWhatTheirCallersKnow() {
    run.add(new Step.Decided(a, 1));
    run.add(new Step.Called(a, 0));
    run.add(new Step.Delivered(a, 0));
    assertThat(LocalCallOrder.unanswered(run, List.of(a, b))).hasSize(1);
    run.add(new Step.Answered(a, 0));
    assertThat(LocalCallOrder.check(run)).isEmpty();
    assertThat(LocalCallOrder.unanswered(run, List.of(a, b))).isEmpty();
    run.add(new Step.Answered(a, 0));
    assertThat(LocalCallOrder.check(run)).hasSize(1);
  }

  @Test
  void aLocalCallThatIsShownTooEarlyIsSeen() {
    run.add(new Step.Decided(a, 1));
    run.add(new Step.Called(a, 0));
    run.add(new Step.Answered(a, 0));
    assertThat(LocalCallOrder.check(run)).hasSize(1);
  }

  @Test
  void aStateStandsForTheDeliveriesInIt() {
    run.add(new Step.Decided(a, 3));
    run.add(new Step.Called(a, 0));
    run.add(new Step.Begun(a, 3));
    run.add(new Step.Answered(a, 0));
    assertThat(LocalCallOrder.check(run)).isEmpty();
    run.add(new Step.Decided(a, 5));
    run.add(new Step.Called(a, 1));
    run.add(new Step.Begun(a, 4));
    run.add(new Step.Answered(a, 1));
    assertThat(LocalCallOrder.check(run)).hasSize(1);
  }

  @Test
  void agreedPlacesOfALostViewCountNoMore() {
    var agreed = new ExchangeHistory(GroupConfig.builder().guarantee(Guarantee.AGREED).build());
    int c = agreed.life(id("c"));
    agreed.add(new Step.Decided(c, 10));
    agreed.add(new Step.Called(c, 0));
    agreed.add(new Step.Begun(c, 6)); // the others went on without what had the places from 6 on
    agreed.add(new Step.Delivered(c, 6));
    agreed.add(new Step.Answered(c, 0));
    agreed.add(new Step.Called(c, 1));
    agreed.add(new Step.Answered(c, 1));
    assertThat(LocalCallOrder.check(agreed)).isEmpty();
    agreed.add(new Step.Decided(c, 8));
    agreed.add(new Step.Called(c, 2));
    agreed.add(new Step.Answered(c, 2));
    assertThat(LocalCallOrder.check(agreed)).hasSize(1);
  }
}
