package org.tutti.verify.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.sim.FaultKind;
import org.tutti.sim.Plan;
import org.tutti.sim.Recorder;
import org.tutti.sim.Simulation;
import org.tutti.sim.check.Content;
import org.tutti.sim.check.History;
import org.tutti.sim.check.HistoryEvent;

/// What the applications of three simulated members were shown between their first common view and their last merge, in
/// the words of docs/tla/TraceOfRun.tla. Members have numbers by their seniority in the first view, views by their ids,
/// messages by their senders.
final class ShownEvents {
  private static final long SUSPECT_NANOS = Duration.ofMillis(300).toNanos();
  private static final int MEMBERS = 3;

  /// A view or a message that one application was shown.
  record Line(int who, String kind, String what) {
    boolean isView() {
      return kind.equals("view");
    }

    /// Whether the view is one of several members' agreement, not one that says that somebody had been left out.
    boolean isAgreed() {
      return isView() && what.contains(", 0, ");
    }

    boolean isPrimary() {
      return isView() && what.endsWith("TRUE>>");
    }

    @Override
    public String toString() {
      return "[who |-> " + who + ", kind |-> \"" + kind + "\", what |-> " + what + "]";
    }
  }

  private final List<Line> lines = new ArrayList<>();
  private final List<View> views = new ArrayList<>(); // agreed behind the first common one, by id
  private final History history;
  private final View first;
  private final boolean[] in = new boolean[MEMBERS]; // has come to the first view
  private final Map<Content, List<String>> messages = new HashMap<>(); // looked up only
  private final TreeMap<Long, Content> places = new TreeMap<>();
  private final long[] next = new long[MEMBERS]; // place, by member
  private final int[] sent = new int[MEMBERS];
  private int end; // behind the last line that counts

  private ShownEvents(History history, View first) {
    this.history = history;
    this.first = first;
  }

  /// Runs a seed.
  ///
  /// @return what was shown, or null when it is nothing that the model knows
  static @Nullable List<Line> of(long seed) {
    Map<FaultKind, Double> faults = new EnumMap<>(FaultKind.class);
    faults.put(FaultKind.PARTITION, 0.5);
    GroupConfig config = GroupConfig.builder().stateTransfer(true).build();
    long safety = 14 * SUSPECT_NANOS;
    var plan =
        new Plan(
            seed,
            MEMBERS,
            config,
            MemberConfig.standard(),
            SUSPECT_NANOS / 6,
            SUSPECT_NANOS,
            65536,
            SUSPECT_NANOS / 3,
            0,
            100_000,
            500_000,
            0,
            safety,
            3,
            20,
            100,
            true,
            false,
            false,
            false,
            false,
            false,
            false,
            faults);
    var histories = new ArrayList<History>();
    Simulation.run(
        plan,
        new Recorder() {
          @Override
          public void cut(long nanos, boolean @Nullable [][] cut) {}

          @Override
          public void arrived(Talk talk) {}

          @Override
          public void ended(History history, long nanos) {
            histories.add(history);
          }
        });
    History history = histories.getFirst();
    View first = null;
    for (HistoryEvent event : history.events()) {
      if (first == null && event instanceof HistoryEvent.Installed installed && installed.view().size() == MEMBERS) {
        first = installed.view();
      }
    }
    if (first == null || !first.primary() || history.members().size() != MEMBERS) {
      return null;
    }
    var shown = new ShownEvents(history, first);
    return shown.read() ? shown.lines : null;
  }

  private boolean read() {
    var agreed = new TreeMap<ViewId, View>();
    for (HistoryEvent event : history.events()) {
      if (event instanceof HistoryEvent.Installed(_, _, View view)
          && view.id().compareTo(first.id()) > 0
          && view.id().agreed().equals(view.id())) {
        agreed.put(view.id(), view);
      }
    }
    views.addAll(agreed.values());
    for (HistoryEvent event : history.events()) {
      switch (event) {
        case HistoryEvent.Early _ -> {
          return false;
        }
        case HistoryEvent.Installed(int member, _, View view) -> install(member, view);
        case HistoryEvent.Begun begun when in[begun.member()] -> deliverUpTo(begun.member(), begun.index());
        case HistoryEvent.Delivered delivered -> {
          if (delivered.batch().isWeak()) {
            return false;
          }
          if (in[delivered.member()]) {
            places.put(delivered.index(), delivered.batch());
          }
          deliverUpTo(delivered.member(), delivered.index() + 1);
        }
        default -> {}
      }
    }
    end = Math.max(end, behindLate());
    lines.subList(end, lines.size()).clear();
    boolean all = in[0] && in[1] && in[2];
    return all && !views.isEmpty() && views.getLast().primary() && views.getLast().size() == MEMBERS;
  }

  /// Where, after the last view, everybody has what anybody had before it.
  private int behindLate() {
    List<String> known = lines.subList(0, end).stream().filter(line -> !line.isView()).map(Line::what).toList();
    int behind = 0;
    for (int at = 0; at < lines.size(); at++) {
      Line line = lines.get(at);
      boolean counts = !line.isView() && known.contains(line.what());
      behind = counts ? at + 1 : behind;
    }
    return behind;
  }

  private void install(int member, View view) {
    in[member] |= view.equals(first);
    if (in[member] && !view.equals(first)) {
      List<ViewId> ids = views.stream().map(View::id).toList();
      int id = ids.indexOf(view.id().agreed()) + 1;
      int alone = view.id().agreed().equals(view.id()) ? 0 : number(member);
      String primary = view.primary() ? "TRUE" : "FALSE";
      String what = "<<" + id + ", " + alone + ", " + members(view) + ", " + primary + ">>";
      lines.add(new Line(number(member), "view", what));
      end = lines.size();
    }
  }

  /// What a state contains counts as delivered.
  private void deliverUpTo(int member, long index) {
    for (Content batch : places.subMap(Math.min(next[member], index), index).values()) {
      for (String message : messages.computeIfAbsent(batch, this::named)) {
        lines.add(new Line(number(member), "deliver", message));
      }
    }
    next[member] = Math.max(next[member], index);
  }

  private List<String> named(Content batch) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < batch.count(); i++) {
      names.add("<<" + number(batch.sender()) + ", " + ++sent[batch.sender()] + ">>");
    }
    return names;
  }

  private int number(int member) {
    return first.members().indexOf(history.members().get(member)) + 1;
  }

  private String members(View view) {
    return view.members().stream()
        .map(member -> String.valueOf(number(history.ordinalOf(member))))
        .collect(Collectors.joining(", ", "<<", ">>"));
  }
}
