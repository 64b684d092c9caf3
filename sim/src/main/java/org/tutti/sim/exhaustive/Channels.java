package org.tutti.sim.exhaustive;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tutti.dissemination.Transmission.Way;

/// Inputs and contents of channels, by number: what is equal has the same number. A channel is first in, first out, and
/// loses nothing.
final class Channels {
  /// Nothing is on its way.
  static final int EMPTY = 0;

  /// The input [Action.Flush]. Before it are those of [Action.Multicast], by the ways.
  static final int FLUSH = Way.values().length;

  private final List<Action> inputs = new ArrayList<>();
  private final Map<Action, Integer> inputNumbers = new HashMap<>();
  private final List<List<Integer>> contents = new ArrayList<>();
  private final Map<List<Integer>, Integer> contentNumbers = new HashMap<>();
  private final Map<Long, Integer> longer = new HashMap<>(); // by channel and input
  private final List<Integer> shorter = new ArrayList<>(); // by channel, or -1

  Channels() {
    for (Way way : Way.values()) {
      number(new Action.Multicast(way));
    }
    number(new Action.Flush());
    content(List.of());
  }

  /// The number of the input [Action.Multicast].
  static int multicast(Way way) {
    return way.ordinal();
  }

  /// The number of an input.
  int number(Action input) {
    return inputNumbers.computeIfAbsent(
        input,
        fresh -> {
          inputs.add(fresh);
          return inputs.size() - 1;
        });
  }

  Action input(int number) {
    return inputs.get(number);
  }

  private int content(List<Integer> content) {
    return contentNumbers.computeIfAbsent(
        content,
        fresh -> {
          contents.add(fresh);
          shorter.add(-1);
          return contents.size() - 1;
        });
  }

  int head(int channel) {
    return contents.get(channel).getFirst();
  }

  int withoutHead(int channel) {
    if (shorter.get(channel) < 0) {
      List<Integer> content = contents.get(channel);
      int rest = content(List.copyOf(content.subList(1, content.size())));
      shorter.set(channel, rest);
    }
    return shorter.get(channel);
  }

  int with(int channel, int input) {
    return longer.computeIfAbsent(
        (long) channel << Integer.SIZE | input,
        fresh -> {
          List<Integer> content = new ArrayList<>(contents.get(channel));
          content.add(input);
          return content(List.copyOf(content));
        });
  }
}
