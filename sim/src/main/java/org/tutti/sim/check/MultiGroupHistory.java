package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/// What happened to the lives of one run in all of their overlapping groups, in the order in which it happened.
///
/// The simulator writes it; [MultiGroupOrder] and [MultiGroupCausality] read it. Messages are numbered through the run.
public final class MultiGroupHistory {
  /// Something that happened to one life.
  public sealed interface Step {
    /// Who it happened to.
    ///
    /// @return a life's number, from 0
    int life();

    /// A life multicast a message.
    ///
    /// @param life    the life
    /// @param message the message's number; messages are numbered in the order of these steps
    /// @param group   in which group
    record Sent(int life, int message, int group) implements Step {}

    /// A life delivered a message.
    ///
    /// @param life    the life
    /// @param message the message's number
    record Delivered(int life, int message) implements Step {}

    /// From here on a life delivers a group's new messages in time: it has just entered a primary view, or its
    /// deliveries have just begun. What was multicast before may still come late, and is then not compared.
    ///
    /// @param life  the life
    /// @param group the group
    record Entered(int life, int group) implements Step {}

    /// A life is cut off from a group: what it delivers there until it enters again comes late, and what it has
    /// multicast there does not hold its other groups up any more.
    ///
    /// @param life  the life
    /// @param group the group
    record CutOff(int life, int group) implements Step {}

    /// A life's member is in a view of a group that is not primary. The life is shown it later, at the place of that
    /// view in the domain, or never, when it ends before; what it has multicast there does not hold its other groups up
    /// any more.
    ///
    /// @param life  the life
    /// @param group the group
    record Apart(int life, int group) implements Step {}
  }

  private static final int GROUPS_MAX = 16;

  private final List<Step> steps = new ArrayList<>();
  private int messages;
  private int lives;

  /// Starts an empty one.
  public MultiGroupHistory() {}

  /// A new life.
  ///
  /// @return its number
  public int life() {
    return lives++;
  }

  /// A life multicasts.
  ///
  /// @param life  the life
  /// @param group in which group, 0 to 15
  /// @return the message's number
  public int send(int life, int group) {
    steps.add(new Step.Sent(life, messages, group));
    return messages++;
  }

  /// Something else happens.
  ///
  /// @param step what
  public void add(Step step) {
    steps.add(step);
  }

  /// Everything in order.
  ///
  /// @return a view of the list
  public List<Step> steps() {
    return Collections.unmodifiableList(steps);
  }

  /// How many messages there were.
  ///
  /// @return the number behind the last one
  public int messages() {
    return messages;
  }

  /// How many lives there were.
  ///
  /// @return the number behind the last one
  public int lives() {
    return lives;
  }

  /// What each life delivered in time, in order.
  ///
  /// @return by life, message numbers
  List<List<Integer>> timely() {
    int[] groupOf = new int[messages];
    int[] sentAt = new int[messages];
    for (int at = 0; at < steps.size(); at++) {
      if (steps.get(at) instanceof Step.Sent(_, int message, int group)) {
        groupOf[message] = group;
        sentAt[message] = at;
      }
    }
    List<List<Integer>> timely = new ArrayList<>();
    int[][] entered = new int[lives][GROUPS_MAX];
    for (int life = 0; life < lives; life++) {
      Arrays.fill(entered[life], Integer.MAX_VALUE);
      timely.add(new ArrayList<>());
    }
    for (int at = 0; at < steps.size(); at++) {
      switch (steps.get(at)) {
        case Step.Entered(int life, int group) -> entered[life][group] = at;
        case Step.CutOff(int life, int group) -> entered[life][group] = Integer.MAX_VALUE;
        case Step.Delivered(int life, int message) when sentAt[message] >= entered[life][groupOf[message]] ->
            timely.get(life).add(message);
        default -> {}
      }
    }
    return timely;
  }
}
