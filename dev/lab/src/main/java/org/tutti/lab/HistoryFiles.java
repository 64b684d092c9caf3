package org.tutti.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.sim.check.Checker;
import org.tutti.sim.check.Checkers;
import org.tutti.sim.check.Content;
import org.tutti.sim.check.Deciders;
import org.tutti.sim.check.History;
import org.tutti.sim.check.HistoryEvent;
import org.tutti.sim.check.Violation;

/// The history files of a lab, merged by their times into one [History] for the simulator's checkers.
///
/// The API tells less than an engine tells the simulator. A message counts as a batch of its own, with its position as
/// its index, and its sender's number of it as the batch's. A view that nobody installed, but another one names as its
/// predecessor, counts as announced. What a member that was killed had been told, but its application had not taken, is
/// not in its file, as if it had been killed a moment sooner. Nothing is known of windows.
///
/// With clients, members are replicas of a service, whose files have views and executed commands only. Then executions
/// are compared ([Executions]), and the calls of the clients are checked, too ([CallHistory]).
public final class HistoryFiles {
  private static final String SUFFIX = ".history";
  private static final int SHOWN_MAX = 3; // of what usually follows from the first

  /// A file that is being read.
  private static final class Source {
    final List<HistoryEntry> entries = new ArrayList<>();
    final List<MemberId> known = new ArrayList<>();
    int at;
    int ordinal;
    long position;
    long chain;
    boolean killed;
    boolean waiting;

    HistoryEntry next() {
      return entries.get(at);
    }
  }

  private final History history = new History(GroupConfig.builder().stateTransfer(true).build());
  private final List<Source> sources = new ArrayList<>();
  private final Set<MemberId> living = new HashSet<>();
  private final Map<ViewId, View> views = new HashMap<>();
  private final Set<ViewId> predecessors = new TreeSet<>();
  private final List<Violation> violations = new ArrayList<>();
  private final Executions executions = new Executions();
  private @Nullable Path calls; // the file of the clients, if there were any
  private long deliveries;
  private long messages;
  private @Nullable View lastPrimary;

  private HistoryFiles() {}

  /// Reads all histories of a directory.
  ///
  /// @param directory of one lab
  /// @return what they say
  /// @throws IOException when they cannot be read
  public static HistoryFiles read(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new IOException(directory + " is not a directory");
    }
    var evidence = new HistoryFiles();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(path -> path.toString().endsWith(SUFFIX)).sorted().toList()) {
        evidence.load(file);
      }
    }
    if (evidence.sources.isEmpty()) {
      throw new IOException("no *" + SUFFIX + " in " + directory);
    }
    Path calls = directory.resolve(CallHistory.FILE);
    evidence.calls = Files.exists(calls) ? calls : null;
    evidence.merge();
    return evidence;
  }

  /// Where a member writes its history.
  ///
  /// @param directory of the lab
  /// @param life      a name of this life of the member, as `n1-2`
  /// @return the file
  public static Path file(Path directory, String life) {
    return directory.resolve(life + SUFFIX);
  }

  /// Notes in a member's file that its process has ended, whether it was killed or left: nobody waits for it.
  ///
  /// @param history its file
  /// @throws IOException when it cannot be written
  public static void ended(Path history) throws IOException {
    // The line before it may be torn.
    String line = "\n" + new HistoryEntry.Killed(System.nanoTime()).text() + HistoryEntry.MARK + "\n";
    Files.writeString(history, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /// How far a replica has come, as its file says now.
  ///
  /// @param history its file
  /// @return the position behind the last command that it has executed in this life; 0 when it has executed none
  /// @throws IOException when it cannot be read
  public static long position(Path history) throws IOException {
    try (Stream<String> lines = Files.lines(history)) {
      return lines
          .filter(line -> !line.isEmpty())
          .map(HistoryEntry::parse)
          .mapToLong(entry -> entry instanceof HistoryEntry.Executed executed ? executed.position() + 1 : 0)
          .max()
          .orElse(0);
    }
  }

  /// Only the last line before a kill may be torn, and empty ones are no lines.
  private void load(Path file) throws IOException {
    var source = new Source();
    boolean torn = false;
    try (Stream<String> lines = Files.lines(file)) {
      for (String line : (Iterable<String>) lines.filter(text -> !text.isEmpty())::iterator) {
        HistoryEntry entry = HistoryEntry.parse(line);
        if (entry != null && torn && !(entry instanceof HistoryEntry.Killed)) {
          throw new IOException(file + " has a torn line before " + line);
        }
        torn = entry == null;
        if (entry != null) {
          source.entries.add(entry);
        }
      }
    }
    if (source.entries.isEmpty() || !(source.entries.getFirst() instanceof HistoryEntry.Known)) {
      return; // killed before it was somebody
    }
    sources.add(source);
  }

  private void merge() {
    var next =
        new PriorityQueue<Source>(
            Comparator.<Source>comparingLong(source -> source.next().nanos()).thenComparingInt(sources::indexOf));
    next.addAll(sources);
    while (!next.isEmpty()) {
      Source source = next.remove();
      take(source, source.next());
      source.at++;
      if (source.at < source.entries.size()) {
        next.add(source);
      }
    }
    long end = history.events().isEmpty() ? 0 : history.events().getLast().nanos();
    predecessors.removeAll(views.keySet());
    predecessors.forEach(id -> history.add(new HistoryEvent.Announced(0, end, id)));
    for (Source source : sources) {
      if (!source.killed) {
        living.add(source.known.getFirst());
      }
    }
  }

  private void take(Source from, HistoryEntry entry) {
    int member = from.ordinal;
    switch (entry) {
      case HistoryEntry.Known(_, int number, MemberId known) -> {
        from.known.add(known);
        int ordinal = history.ordinalOf(known);
        from.ordinal = number == 0 ? ordinal : from.ordinal;
      }
      case HistoryEntry.Entered(long nanos, boolean creates) ->
          history.add(new HistoryEvent.Entered(member, nanos, creates));
      case HistoryEntry.Submitted(long nanos, _, int length, long hash) ->
          history.add(new HistoryEvent.Submitted(member, nanos, Service.TOTAL, length, hash));
      case HistoryEntry.Viewed viewed -> install(from, viewed);
      case HistoryEntry.Delivered delivered -> deliver(from, delivered);
      case HistoryEntry.Begun(long nanos, long at) -> history.add(new HistoryEvent.Begun(member, nanos, at, at));
      case HistoryEntry.CaughtUp(long nanos, long at) -> history.add(new HistoryEvent.CaughtUp(member, nanos, at));
      case HistoryEntry.Decided(long nanos, long at) -> history.add(new HistoryEvent.Decided(member, nanos, 1, at));
      case HistoryEntry.Undecided(long nanos, int open) -> history.add(new HistoryEvent.Undecided(member, nanos, open));
      case HistoryEntry.Gave(long nanos, long transfer, long at, long chain) -> {
        if (at != from.position || chain != from.chain) {
          violations.add(new Violation("EqualState", history.name(member) + " gave a state that is not its own"));
        }
        history.add(new HistoryEvent.Gave(member, nanos, transfer, new HistoryEvent.Summary(at, at, chain, 0), chain));
      }
      case HistoryEntry.Offered(long nanos, int donor, long at) -> {
        from.waiting = true;
        history.add(new HistoryEvent.Offered(member, nanos, from.known.get(donor), at, at));
      }
      case HistoryEntry.Restored state -> restore(from, state);
      case HistoryEntry.Interrupted(long nanos) -> history.add(new HistoryEvent.Interrupted(member, nanos));
      case HistoryEntry.Served _ -> {} // for who waits for it
      case HistoryEntry.Executed executed -> {
        executions.add(history.name(member), executed);
        from.position = executed.position() + 1;
        from.chain = executed.chain();
        deliveries++;
        messages = executions.commands();
      }
      case HistoryEntry.Closed(long nanos, End end) -> {
        history.add(new HistoryEvent.Closed(member, nanos, end));
        violations.add(new Violation("NoBrokenInvariant", history.name(member) + " was closed: " + end));
      }
      case HistoryEntry.Killed(long nanos) -> {
        from.killed = true;
        history.add(new HistoryEvent.Crashed(member, nanos));
      }
    }
  }

  private void install(Source from, HistoryEntry.Viewed viewed) {
    View view = viewed.view(from.known);
    history.add(new HistoryEvent.Installed(from.ordinal, viewed.nanos(), view));
    views.put(view.id(), view);
    if (view.primary()) {
      predecessors.addAll(view.predecessors());
      if (lastPrimary == null || view.id().compareTo(lastPrimary.id()) > 0) {
        lastPrimary = view;
      }
    }
  }

  private void deliver(Source from, HistoryEntry.Delivered delivered) {
    MemberId sender = from.known.get(delivered.sender());
    Content content =
        history.content(
            null,
            history.ordinalOf(sender),
            delivered.message(),
            Service.TOTAL,
            new long[] {delivered.hash()},
            new int[] {delivered.length()});
    long at = delivered.position();
    history.add(new HistoryEvent.Delivered(from.ordinal, delivered.nanos(), at, at, content, false));
    from.position = at + 1;
    from.chain = LabMessage.step(LabMessage.step(from.chain, sender.incarnation()), delivered.hash());
    deliveries++;
    messages = Math.max(messages, at + 1);
  }

  private void restore(Source from, HistoryEntry.Restored state) {
    var summary = new HistoryEvent.Summary(state.position(), state.position(), state.chain(), 0);
    int donor = history.ordinalOf(from.known.get(state.donor()));
    history.add(new HistoryEvent.Restored(from.ordinal, state.nanos(), donor, state.transfer(), summary));
    from.position = state.position();
    from.chain = state.chain();
    from.waiting = false;
  }

  /// The merged history.
  ///
  /// @return for checkers
  public History history() {
    return history;
  }

  /// Whether the members that live are not enough to go on from the last primary view; no group without durability
  /// recovers from that.
  ///
  /// @return whether the quorum is gone
  public boolean hasLostQuorum() {
    if (lastPrimary == null) {
      return false;
    }
    var deciders = new Deciders(GroupConfig.standard()); // as the lab's members are configured
    deciders.next(lastPrimary, false);
    return !deciders.areQuorum(living::contains);
  }

  /// Checks what must hold at any moment: it is not known whether the group had come to rest.
  ///
  /// @return the verdict
  /// @throws IOException when the calls of clients cannot be read
  public LabVerdict judge() throws IOException {
    var all = new ArrayList<Violation>(violations);
    all.addAll(Checkers.check(history, Checkers.safety()));
    return verdict(all, false);
  }

  /// Checks everything.
  ///
  /// @param obstacle what kept the group from coming to rest, or null if it did; at rest liveness is checked too
  /// @return the verdict
  /// @throws IOException when the calls of clients cannot be read
  public LabVerdict judge(@Nullable String obstacle) throws IOException {
    boolean lost = obstacle != null && hasLostQuorum();
    var all = new ArrayList<Violation>(violations);
    var checkers = new ArrayList<Checker>(Checkers.safety());
    if (obstacle == null) {
      if (calls == null) { // replicas keep to themselves what the group tells them
        checkers.addAll(Checkers.liveness());
      }
      compareStates(all);
    } else if (!lost) {
      all.add(new Violation("Convergence", obstacle));
    }
    all.addAll(Checkers.check(history, checkers));
    return verdict(all, lost);
  }

  private LabVerdict verdict(List<Violation> all, boolean lost) throws IOException {
    int primaries = (int) views.values().stream().filter(View::primary).count();
    executions.repetitions().stream()
        .limit(SHOWN_MAX)
        .map(words -> new Violation("ExactlyOnce", words))
        .forEach(all::add);
    executions.differences().stream()
        .limit(SHOWN_MAX)
        .map(words -> new Violation("ReplicasAgree", words))
        .forEach(all::add);
    CallVerdict ofCalls = calls == null ? null : CallHistory.read(calls).judge();
    if (ofCalls != null) {
      all.addAll(ofCalls.violations());
    }
    return new LabVerdict(all, lost, sources.size(), views.size(), primaries, deliveries, messages, ofCalls);
  }

  private void compareStates(List<Violation> all) {
    Source first = null;
    for (Source source : sources) {
      if (source.killed) {
        continue;
      }
      if (first != null && (first.position != source.position || first.chain != source.chain)) {
        String one = history.name(first.ordinal) + " has the state of " + first.position + ":" + first.chain;
        String other = history.name(source.ordinal) + " that of " + source.position + ":" + source.chain;
        all.add(new Violation("EqualState", one + ", " + other));
      }
      first = source;
    }
  }
}
