package org.tutti.sim.exhaustive;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.tutti.dissemination.Transmission.Way;
import org.tutti.sim.exhaustive.BoundedModel.Fault;
import org.tutti.sim.exhaustive.BoundedModel.Runs;

/// Finds every state of a [BoundedModel], from the nearest to the farthest, and checks each.
///
/// A state is: by rank the member's state in its [MemberStates]; by sender and receiver the content of the channel
/// between them; how many multicasts are left, and what has gone wrong.
public final class Exploration {
  private static final int NOBODY = -1;

  private final BoundedModel scenario;
  private final int statesMax;
  private final int size;
  private final int flags; // where they stand in a state
  private final Channels channels = new Channels();
  private final List<MemberStates> lives = new ArrayList<>();
  private final Ending ending;
  private final StateSet states;
  private final int[] state; // the one that is looked at
  private final int[] next;
  private int number; // of the state that is looked at
  private long transitions;
  private boolean moved;
  private @Nullable String violation;
  private int violating; // the last state on the way to the violation
  private @Nullable String lastStep; // and the step behind it
  private int @Nullable [] wanted; // a state, when the step that leads there is asked for
  private String found = "";

  private Exploration(BoundedModel scenario, int statesMax) {
    this.scenario = scenario;
    this.statesMax = statesMax;
    this.size = scenario.members();
    this.flags = size + size * (size - 1);
    for (int rank = 0; rank < size; rank++) {
      lives.add(new MemberStates(scenario, rank, channels));
    }
    this.ending = new Ending(scenario, lives);
    this.states = new StateSet(flags + 1);
    this.state = new int[flags + 1];
    this.next = new int[flags + 1];
  }

  /// What was found.
  ///
  /// @param scenario    the world
  /// @param states      how many states it has
  /// @param transitions how many steps lead from one of them to another
  /// @param depth       how many steps the farthest state is away
  /// @param nanos       how long it took
  /// @param complete    whether all states were looked at
  /// @param violation   what is wrong, beginning with the property, or null
  /// @param trace       the shortest way to the violation
  public record Result(
      BoundedModel scenario,
      int states,
      long transitions,
      int depth,
      long nanos,
      boolean complete,
      @Nullable String violation,
      List<String> trace) {
    /// Copies the trace.
    public Result {
      trace = List.copyOf(trace);
    }

    private Result with(List<String> way) {
      return new Result(scenario, states, transitions, depth, nanos, complete, violation, way);
    }

    /// The names over the columns of [#toString].
    ///
    /// @return a line
    public static String header() {
      return "ordering   members messages  fault     runs ways        states transitions depth   time  violations";
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s %,11d %,11d %5d %5.1fs  %s",
          scenario,
          states,
          transitions,
          depth,
          nanos / 1e9,
          violation == null ? complete ? "0" : "0, but not all states" : violation);
    }
  }

  /// Explores a world.
  ///
  /// @param scenario  the world
  /// @param statesMax gives up beyond so many states
  /// @return what was found; ends with the first violation
  public static Result explore(BoundedModel scenario, int statesMax) {
    return new Exploration(scenario, statesMax).run();
  }

  private Result run() {
    long start = System.nanoTime();
    state[flags] = Flags.initial(scenario.messages());
    states.add(state, NOBODY);
    int depth = 0;
    int levelEnd = 1;
    while (number < states.size() && states.size() <= statesMax && violation == null) {
      if (number == levelEnd) {
        depth++;
        levelEnd = states.size();
      }
      states.copy(number, state);
      look();
      number++;
    }
    boolean complete = number == states.size() || violation != null;
    long nanos = System.nanoTime() - start;
    var result = new Result(scenario, states.size(), transitions, depth, nanos, complete, violation, List.of());
    return violation == null ? result : result.with(trace());
  }

  /// Checks the state, and takes every step from it.
  private void look() {
    check();
    if (violation == null) {
      boolean waits = steps();
      if (!waits && violation == null && scenario.fault() == Fault.NONE) {
        checkAllDelivered();
      }
    }
  }

  /// Takes every step.
  ///
  /// @return whether there is one besides multicasts and faults
  private boolean steps() {
    moved = false;
    for (int rank = 0; rank < size && violation == null; rank++) {
      if (Flags.isActive(state[flags], rank)) {
        inputs(rank);
      }
    }
    faults();
    return moved;
  }

  private void inputs(int rank) {
    for (int from = 0; from < size; from++) {
      int channel = channel(from, rank);
      if (from != rank && state[channel] != Channels.EMPTY) {
        begin();
        next[channel] = channels.withoutHead(state[channel]);
        take(rank, channels.head(state[channel]));
        moved = true;
      }
    }
    MemberStates.Step flushed = lives.get(rank).after(state[rank], Channels.FLUSH);
    if (flushed.life() != state[rank] || flushed.receivers().length > 0 || flushed.violation() != null) {
      begin();
      apply(rank, flushed);
      end(rank, Channels.FLUSH);
      moved = true;
    }
    if (Flags.left(state[flags]) > 0) {
      for (Way way : scenario.ways().all) {
        multicast(rank, Channels.multicast(way));
      }
    }
  }

  private void multicast(int rank, int input) {
    begin();
    next[flags] = Flags.oneLess(state[flags]);
    take(rank, input);
  }

  private void begin() {
    System.arraycopy(state, 0, next, 0, next.length);
  }

  private void take(int rank, int input) {
    apply(rank, lives.get(rank).after(next[rank], input));
    if (scenario.runs() == Runs.ONE) {
      apply(rank, lives.get(rank).after(next[rank], Channels.FLUSH));
    }
    end(rank, input);
  }

  private void apply(int rank, MemberStates.Step step) {
    next[rank] = step.life();
    for (int i = 0; i < step.receivers().length; i++) {
      int to = step.receivers()[i];
      if (Flags.isActive(state[flags], to)) {
        int channel = channel(rank, to);
        next[channel] = channels.with(next[channel], step.messages()[i]);
      }
    }
    if (step.violation() != null) {
      violation = step.violation();
    }
  }

  private void end(int rank, int input) {
    if (violation != null) {
      violating = number;
      lastStep = describe(rank, input);
    } else {
      reached(wanted == null ? "" : describe(rank, input));
    }
  }

  private void reached(String what) {
    transitions++;
    states.add(next, number);
    if (wanted != null && found.isEmpty() && Arrays.equals(next, wanted)) {
      found = what;
    }
  }

  private String describe(int rank, int input) {
    String who = name(rank);
    return switch (channels.input(input)) {
      case Action.Multicast(Way way) ->
          who
              + switch (way) {
                case STAR -> " multicasts";
                case CHAIN -> " multicasts along the chain";
                case RELAY -> " multicasts through the relay";
              };
      case Action.Flush() -> who + " flushes";
      case Action.Arrival(int from, Action.Message message) -> who + " takes from " + name(from) + ": " + message;
    };
  }

  private int channel(int from, int to) {
    return size + from * (size - 1) + (to > from ? to - 1 : to);
  }

  // ---- faults ----------------------------------------------------------------------------------------------------

  /// What goes wrong shows only when the first member is wedged, and that is one step: until then a suspicion changes
  /// nothing, and who has crashed cannot be told from who takes no step.
  private void faults() {
    int now = state[flags];
    if (Flags.isFaulty(now)) {
      wedges(now, Flags.out(now), "");
      return;
    }
    switch (scenario.fault()) {
      case NONE -> {}
      case CHANGE -> wedges(Flags.change(now), NOBODY, "");
      case SUSPICION -> {
        for (int rank = 0; rank < size; rank++) {
          wedges(Flags.suspect(now, rank), rank, name(rank) + " is suspected, ");
        }
      }
      case CRASH -> {
        for (int rank = 0; rank < size; rank++) {
          wedges(Flags.crash(now, rank), rank, name(rank) + " crashes, ");
        }
      }
    }
  }

  /// One of those who take part in the view change is wedged. Who takes no inputs any more gets no messages.
  private void wedges(int now, int out, String before) {
    for (int rank = 0; rank < size; rank++) {
      if (rank != out && Flags.isActive(now, rank) && scenario.isQuorum(other -> other != out)) {
        begin();
        next[flags] = Flags.silence(now, rank);
        silence(rank);
        if (out >= 0 && out < size && !Flags.isActive(now, out)) {
          silence(out);
          next[out] = lives.get(out).remains(state[out]);
        }
        reached(before + name(rank) + " is wedged");
      }
    }
  }

  private void silence(int rank) {
    for (int from = 0; from < size; from++) {
      if (from != rank) {
        next[channel(from, rank)] = Channels.EMPTY;
      }
    }
  }

  private static String name(int rank) {
    return String.valueOf((char) ('a' + rank));
  }

  // ---- checks ----------------------------------------------------------------------------------------------------

  private int[] delivered(int rank) {
    return lives.get(rank).get(state[rank]).delivered();
  }

  private void check() {
    for (int rank = 0; rank < size; rank++) {
      for (int other = 0; other < rank; other++) {
        if (Ending.DeliveryProperties.contradict(delivered(rank), delivered(other))) {
          fail("UniformTotalOrder", delivered(other), delivered(rank));
        }
      }
      for (int delivery : delivered(rank)) {
        int sender = MemberModel.sender(delivery);
        if (MemberModel.number(delivery) >= lives.get(sender).get(state[sender]).sent()) {
          fail("Integrity", delivered(rank), new int[] {delivery});
        }
      }
    }
    if (Flags.isFaulty(state[flags])) {
      checkEnd();
    }
  }

  /// All who take part are wedged: what they end with contains what anybody delivered, who does not take part included.
  private void checkEnd() {
    List<Integer> parts = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      boolean out = Flags.isOut(state[flags], rank);
      if (!out && Flags.isActive(state[flags], rank)) {
        return;
      }
      parts.add(out ? NOBODY : state[rank]);
    }
    Ending.End end = ending.of(parts);
    if (end.violation() != null) {
      violation = end.violation();
      violating = number;
    }
    for (int rank = 0; rank < size && violation == null; rank++) {
      if (!Ending.DeliveryProperties.isPrefix(delivered(rank), end.delivered())) {
        fail("UniformTotalOrder", end.delivered(), delivered(rank));
      }
    }
  }

  private void checkAllDelivered() {
    for (int rank = 0; rank < size; rank++) {
      for (int sender = 0; sender < size; sender++) {
        int left = lives.get(sender).get(state[sender]).sent();
        for (int delivery : delivered(rank)) {
          left -= MemberModel.sender(delivery) == sender ? 1 : 0;
        }
        if (left > 0) {
          fail("Convergence", delivered(rank), new int[] {MemberModel.delivery(sender, 0)});
        }
      }
    }
  }

  private void fail(String property, int[] one, int[] other) {
    violation =
        property + ": " + Ending.DeliveryProperties.describe(one) + " and " + Ending.DeliveryProperties.describe(other);
    violating = number;
  }

  // ---- the way to a violation ------------------------------------------------------------------------------------

  /// The steps are not kept: each is found again as the one that leads from a state to the next one.
  private List<String> trace() {
    List<Integer> way = new ArrayList<>();
    for (int at = violating; at != NOBODY; at = states.parent(at)) {
      way.add(at);
    }
    Collections.reverse(way);
    List<String> trace = new ArrayList<>();
    String behind = lastStep;
    violation = null;
    for (int i = 1; i < way.size(); i++) {
      trace.add(step(way.get(i - 1), way.get(i)));
    }
    if (behind != null) {
      trace.add(behind);
    }
    return trace;
  }

  private String step(int from, int to) {
    wanted = new int[state.length];
    states.copy(to, wanted);
    states.copy(from, state);
    found = "";
    steps();
    return found;
  }

  /// Different states, as rows of numbers, in the order in which they were found. Exact: rows are compared, not hashes.
  private static final class StateSet {
    private static final int INITIAL = 1 << 12;

    private final int width;
    private int[] rows;
    private int[] parents = new int[INITIAL];
    private int[] table = new int[INITIAL * 2]; // number of a row + 1, or 0
    private int size;

    StateSet(int width) {
      this.width = width;
      this.rows = new int[INITIAL * width];
    }

    int size() {
      return size;
    }

    void copy(int number, int[] to) {
      System.arraycopy(rows, number * width, to, 0, width);
    }

    int parent(int number) {
      return parents[number];
    }

    /// Adds a state if it is new.
    void add(int[] row, int parent) {
      int slot = slot(row, table);
      if (table[slot] != 0) {
        return;
      }
      if (size == parents.length) {
        grow();
        slot = slot(row, table);
      }
      System.arraycopy(row, 0, rows, size * width, width);
      parents[size] = parent;
      table[slot] = ++size;
    }

    private int slot(int[] row, int[] in) {
      int hash = 0;
      for (int value : row) {
        hash = (hash ^ value) * 0x9E3779B1;
        hash ^= hash >>> 15;
      }
      int slot = hash & in.length - 1;
      while (in[slot] != 0 && !isAt(in[slot] - 1, row)) {
        slot = slot + 1 & in.length - 1;
      }
      return slot;
    }

    private boolean isAt(int number, int[] row) {
      return Arrays.equals(rows, number * width, (number + 1) * width, row, 0, width);
    }

    private void grow() {
      rows = Arrays.copyOf(rows, rows.length * 2);
      parents = Arrays.copyOf(parents, parents.length * 2);
      int[] larger = new int[table.length * 2];
      int[] row = new int[width];
      for (int number = 0; number < size; number++) {
        copy(number, row);
        larger[slot(row, larger)] = number + 1;
      }
      table = larger;
    }
  }
}
