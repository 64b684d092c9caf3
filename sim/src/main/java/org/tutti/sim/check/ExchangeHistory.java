package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;

/// What the members of one group did with its whiteboard, with `propagate` and with local calls in one run, in the
/// order in which it happened.
///
/// The simulator writes it; [WhiteboardValues], [WhiteboardConvergence], [PropagateAgreement] and [LocalCallOrder] read
/// it. Lives, values, propagated messages and calls have numbers of the whole run.
public final class ExchangeHistory {
  /// Something that happened to one life.
  public sealed interface Step {
    /// Whom it happened to.
    ///
    /// @return a life's number, from 0
    int life();

    /// A view was installed.
    ///
    /// @param life the life
    /// @param view the view
    record Installed(int life, View view) implements Step {}

    /// A life put a value on the whiteboard.
    ///
    /// @param life  the life
    /// @param name  the value's name
    /// @param value of two, the later one is higher
    record Put(int life, String name, long value) implements Step {}

    /// A life was shown what the others have put, in the place of all that it was shown before.
    ///
    /// @param life   the life
    /// @param values by the number of their owner, and by name
    record Read(int life, SortedMap<Integer, SortedMap<String, Long>> values) implements Step {}

    /// A life multicast its message of a propagation.
    ///
    /// @param life    the life
    /// @param view    the view that it names
    /// @param message the message's number
    record Said(int life, ViewId view, int message) implements Step {}

    /// A call of `propagate` returned.
    ///
    /// @param life     the life
    /// @param view     the view that it names
    /// @param index    the place in the history at which it was complete
    /// @param messages the numbers of the messages, by the number of who said them
    record Returned(int life, View view, long index, SortedMap<Integer, Integer> messages) implements Step {}

    /// A life learned the places of its oldest multicasts.
    ///
    /// @param life     the life
    /// @param position the position behind the last one
    record Decided(int life, long position) implements Step {}

    /// A life's deliveries begin, behind a state.
    ///
    /// @param life     the life
    /// @param position of the first message that the state does not contain
    record Begun(int life, long position) implements Step {}

    /// A life delivered a multicast.
    ///
    /// @param life     the life
    /// @param position its position
    record Delivered(int life, long position) implements Step {}

    /// A thread of a life made a local call.
    ///
    /// @param life the life
    /// @param call the call's number
    record Called(int life, long call) implements Step {}

    /// A life was shown a local call.
    ///
    /// @param life the life
    /// @param call the call's number
    record Answered(int life, long call) implements Step {}
  }

  private final Guarantee guarantee;
  private final List<Step> steps = new ArrayList<>();
  private final List<MemberId> lives = new ArrayList<>();
  private long values;
  private int messages;
  private final Map<MemberId, Integer> numbers = new HashMap<>(); // looked up only

  /// Starts an empty one.
  ///
  /// @param config the group's configuration
  public ExchangeHistory(GroupConfig config) {
    this.guarantee = config.guarantee();
  }

  Guarantee guarantee() {
    return guarantee;
  }

  /// A life's number; an unknown one gets the next.
  ///
  /// @param life the life
  /// @return its number
  public int life(MemberId life) {
    Integer known = numbers.putIfAbsent(life, lives.size());
    if (known == null) {
      lives.add(life);
    }
    return known == null ? lives.size() - 1 : known;
  }

  String name(int life) {
    return lives.get(life).name() + "#" + life;
  }

  int lives() {
    return lives.size();
  }

  /// A life puts a value on the whiteboard.
  ///
  /// @param life the life
  /// @param name the value's name
  /// @return the value; of two, the later one is higher
  public long put(int life, String name) {
    add(new Step.Put(life, name, values));
    return values++;
  }

  /// A life multicasts its message of a propagation.
  ///
  /// @param life the life
  /// @param view the view that it names
  /// @return the message's number
  public int say(int life, ViewId view) {
    add(new Step.Said(life, view, messages));
    return messages++;
  }

  /// Something else happens.
  ///
  /// @param step what
  public void add(Step step) {
    steps.add(step);
  }

  List<Step> steps() {
    return Collections.unmodifiableList(steps);
  }

  /// What each life has put last, by name.
  List<SortedMap<String, Long>> board() {
    List<SortedMap<String, Long>> board = new ArrayList<>();
    lives.forEach(_ -> board.add(new TreeMap<>()));
    for (Step step : steps) {
      if (step instanceof Step.Put(int life, String name, long value)) {
        board.get(life).put(name, value);
      }
    }
    return board;
  }
}
