package org.tutti.sim.exhaustive;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.wire.Malformed;

/// The states that one member can be in, found as they are asked for.
///
/// The objects of a member cannot be copied, so a state is kept as inputs that lead there, and is made again by taking
/// them again. Different inputs that lead to the same [StateText] lead to one state.
final class MemberStates {
  /// No input has come yet.
  static final int INITIAL = 0;

  /// A member's state.
  ///
  /// @param before    the state before the last input; this one's own number at the beginning
  /// @param input     the last input, or null at the beginning
  /// @param delivered what was delivered, in order
  /// @param sent      how many batches the member has sent
  record Life(int before, @Nullable Action input, int[] delivered, int sent) {}

  /// What an input leads to.
  ///
  /// @param life      the state
  /// @param receivers by message, to whom it goes
  /// @param messages  what is said, as the receivers' inputs
  /// @param violation what is wrong with it, or null
  record Step(int life, int[] receivers, int[] messages, @Nullable String violation) {
    static Step broken(int life, String how) {
      return new Step(life, new int[0], new int[0], "NoBrokenInvariant: " + how);
    }
  }

  private final BoundedModel scenario;
  private final int rank;
  private final Channels channels;
  private final List<Life> lives = new ArrayList<>();
  private final Map<String, Integer> numbers = new HashMap<>(); // by snapshot
  private final Map<String, Integer> remains = new HashMap<>(); // by what others can have of a crashed one
  private final Map<Long, Step> steps = new HashMap<>(); // by state and input

  MemberStates(BoundedModel scenario, int rank, Channels channels) {
    this.scenario = scenario;
    this.rank = rank;
    this.channels = channels;
    number(MemberModel.of(scenario, rank), INITIAL, null);
  }

  private int number(MemberModel<?> peer, int before, @Nullable Action input) {
    return numbers.computeIfAbsent(
        peer.snapshot(),
        fresh -> {
          lives.add(new Life(before, input, peer.delivered(), peer.sent()));
          return lives.size() - 1;
        });
  }

  /// One state for all that cannot be told apart once the member has crashed.
  int remains(int life) {
    Life last = lives.get(life);
    return remains.computeIfAbsent(last.sent + Arrays.toString(last.delivered), fresh -> life);
  }

  Life get(int life) {
    return lives.get(life);
  }

  int size() {
    return lives.size();
  }

  /// What an input leads to.
  ///
  /// @param life  the state
  /// @param input the input's number in [Channels]
  Step after(int life, int input) {
    return steps.computeIfAbsent((long) life << Integer.SIZE | input, fresh -> step(life, channels.input(input)));
  }

  private Step step(int life, Action input) {
    try {
      MemberModel<?> peer = replay(life);
      List<MemberModel.Letter> letters = peer.take(input);
      peer.check();
      int next = number(peer, life, input);
      int[] receivers = letters.stream().mapToInt(MemberModel.Letter::to).toArray();
      int[] messages =
          letters.stream().mapToInt(letter -> channels.number(new Action.Arrival(rank, letter.message()))).toArray();
      return new Step(next, receivers, messages, Ending.DeliveryProperties.violation(lives.get(next).delivered));
    } catch (Malformed malformed) {
      return Step.broken(life, "refused as malformed " + malformed.reason());
    } catch (Invariant.Broken | IllegalStateException | IndexOutOfBoundsException | NullPointerException broken) {
      return Step.broken(life, broken.toString());
    }
  }

  /// Makes a member in a state.
  MemberModel<?> replay(int life) {
    Deque<Action> inputs = new ArrayDeque<>();
    for (Life at = lives.get(life); at.input != null; at = lives.get(at.before)) {
      inputs.push(at.input);
    }
    MemberModel<?> peer = MemberModel.of(scenario, rank);
    try {
      for (Action input : inputs) {
        peer.take(input);
      }
    } catch (Malformed malformed) {
      throw new IllegalStateException("a member is not a function of its inputs", malformed);
    }
    return peer;
  }
}
