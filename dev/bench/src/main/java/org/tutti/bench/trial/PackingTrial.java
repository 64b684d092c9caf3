package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tutti.bench.member.TrafficSource;

/// One source whose messages are packed in one way. For each way there is a group of its own on the same nodes, so that
/// nothing else differs; all but one group are idle.
final class PackingTrial {
  private static final double SETTLED = 0.9;
  private static final int LEARNED_PART = 3;
  private static final double SECOND = 1e9;

  private final ProcessGroup processGroup;
  private final String packing;
  private final TrafficSource source;
  private final List<MeasuredProcess> children = new ArrayList<>();

  PackingTrial(ProcessGroup processGroup, String packing, TrafficSource source) {
    this.processGroup = processGroup;
    this.packing = packing;
    this.source = source;
    for (int rank = 0; rank < processGroup.size(); rank++) {
      children.add(processGroup.child(rank));
    }
  }

  /// Whoever has entered the group already stays there.
  private void enter(String group) throws InterruptedException {
    for (int rank = 0; rank < children.size(); rank++) {
      children.get(rank).ask("enter " + group + " " + packing + " " + rank);
    }
    ProcessGroup.tellAll(children, "together " + group);
    ProcessGroup.answers(children, 0);
  }

  /// Runs a policy that remembers what it has learned in earlier trials.
  ///
  /// @return the histogram of times
  Answer run(long nanos, Map<Measure, Double> values) throws InterruptedException {
    enter(packing);
    processGroup.rest();
    children.getFirst().tell("source " + packing + " " + source.word() + " " + nanos);
    Map<String, String> answer = children.getFirst().answer(nanos);
    long messages = ProcessGroup.number(answer, "sent");
    values.put(Measure.RATE, rate(answer, messages));
    long degree = ProcessGroup.number(answer, "degree");
    if (degree < Integer.MAX_VALUE) {
      values.put(Measure.DEGREE, (double) degree);
    }
    return new Answer(messages, answer.getOrDefault("times", ""));
  }

  /// What came of it.
  record Answer(long messages, String times) {}

  private double rate(Map<String, String> answer, long messages) throws InterruptedException {
    return messages / ((processGroup.drained(messages) - ProcessGroup.number(answer, "start")) / SECOND);
  }

  /// Runs the policy that remembers, then one that begins, and measures how long it takes until the latter's rate is
  /// nine tenths of the former's.
  ///
  /// @param nanos how long the one that begins has for it
  /// @return how many messages were sent
  long settle(long nanos, Map<Measure, Double> values) throws InterruptedException {
    var learned = new TreeMap<Measure, Double>();
    long messages = run(nanos / LEARNED_PART, learned).messages();
    String group = packing + "-" + System.nanoTime();
    enter(group);
    processGroup.rest();
    children.getFirst().tell("source " + group + " " + source.word() + " " + nanos);
    DeliveryRate second = DeliveryRate.of(children.get(1), nanos);
    Map<String, String> answer = children.getFirst().answer(nanos);
    long sent = ProcessGroup.number(answer, "sent");
    values.put(Measure.RATE, rate(answer, sent));
    for (MeasuredProcess child : children.reversed()) {
      child.ask("exit " + group);
    }
    double enough = SETTLED * learned.getOrDefault(Measure.RATE, 0.0);
    values.put(Measure.SETTLED, (double) second.nanosUntil(enough, ProcessGroup.number(answer, "start")));
    return messages + sent;
  }
}
