package org.tutti.host;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.LoggedEvent;
import org.tutti.MemberId;
import org.tutti.Names;
import org.tutti.View;

/// Writes a membership's lines to the log, each with group, member and view before it.
///
/// Where a log is written may block, and the engine must not: lines are written by a thread of their own, in their
/// order. Of each [LogLine] at most [#LINES_MAX] are written in [#PERIOD_NANOS]; the first one after that says how many
/// were left out. Everything that others have said is shown with control characters escaped.
///
/// Lines at `DEBUG` show what goes on, step by step, to who looks for it: nothing is done for them unless the log takes
/// them, there may be [#DEBUG_LINES_MAX] of a kind, and they are not kept. Other lines do not lose their room to them.
final class OperatorLog {
  static final int LINES_MAX = 10;
  static final int DEBUG_LINES_MAX = 1000; // the largest groups change their view with some hundreds
  static final long PERIOD_NANOS = 10_000_000_000L;
  static final int KEPT_MAX = 256; // for whoever asks
  private static final int WAITING_MAX = 256; // while the log blocks; what does not fit is left out and counted
  private static final int DEBUG_WAITING_MAX = 1000;

  private static final System.Logger LOG = System.getLogger("org.tutti.Group");

  /// How often a line was written.
  private static final class Written {
    private long since;
    private int lines;
    private long leftOut;
  }

  private record Entry(System.Logger.Level level, String text) {}

  private final String group;
  private final MemberId self;
  private final Map<LogLine, Written> written = new EnumMap<>(LogLine.class);
  private final ArrayDeque<Entry> waiting = new ArrayDeque<>();
  private final ArrayDeque<LoggedEvent> kept = new ArrayDeque<>();
  private int debugWaiting;
  private boolean writing;
  private @Nullable View view;

  OperatorLog(String group, MemberId self) {
    this.group = group;
    this.self = self;
  }

  /// The view that lines name from now on.
  synchronized void in(View installed) {
    view = installed;
  }

  /// The last lines.
  ///
  /// @return the oldest first
  synchronized List<LoggedEvent> kept() {
    return List.copyOf(kept);
  }

  /// Writes a line, unless there were too many of its kind.
  ///
  /// @param values for its format; a [Duration] as seconds, and of a [Supplier] what it gives, which is only asked when
  ///     the line is written. It is about those that are members
  void write(LogLine line, @Nullable Object... values) {
    write(System.nanoTime(), line, values);
  }

  void write(long now, LogLine line, @Nullable Object... values) {
    if (isDebug(line.level()) && !LOG.isLoggable(line.level())) {
      return;
    }
    var members = Arrays.stream(values).filter(MemberId.class::isInstance).map(MemberId.class::cast).toList();
    write(now, line, members, values);
  }

  /// The same about members that are not among the values.
  void writeAbout(Collection<MemberId> members, LogLine line, @Nullable Object... values) {
    write(System.nanoTime(), line, members, values);
  }

  private synchronized void write(long now, LogLine line, Collection<MemberId> members, @Nullable Object... values) {
    Written before = written.computeIfAbsent(line, _ -> new Written());
    if (before.lines == 0 || now - before.since >= PERIOD_NANOS) {
      before.since = now;
      before.lines = 0;
    }
    boolean debug = isDebug(line.level());
    if (before.lines == (debug ? DEBUG_LINES_MAX : LINES_MAX) || !hasRoom(debug)) {
      before.leftOut++;
      return;
    }
    before.lines++;
    String more = before.leftOut == 0 ? "" : " (" + before.leftOut + " lines like this one were left out before it)";
    before.leftOut = 0;
    String words = line.format().formatted(shown(values)) + more;
    waiting.add(new Entry(line.level(), prefix() + words));
    if (debug) {
      debugWaiting++;
    } else {
      keep(line, members, words);
    }
    if (!writing) {
      writing = true;
      Thread.ofVirtual().name("log").start(this::drain);
    }
  }

  private static boolean isDebug(System.Logger.Level level) {
    return level.getSeverity() <= System.Logger.Level.DEBUG.getSeverity();
  }

  private boolean hasRoom(boolean debug) {
    return debug ? debugWaiting < DEBUG_WAITING_MAX : waiting.size() - debugWaiting < WAITING_MAX;
  }

  private void keep(LogLine line, Collection<MemberId> members, String words) {
    if (kept.size() == KEPT_MAX) {
      kept.removeFirst();
    }
    View current = view;
    OptionalLong number = current == null ? OptionalLong.empty() : OptionalLong.of(current.id().epoch());
    List<String> names = members.stream().map(MemberId::name).distinct().toList();
    kept.add(new LoggedEvent(Instant.now(), line.name(), number, names, words));
  }

  private String prefix() {
    View current = view;
    String where = current == null ? "" : " in view " + current.id().epoch();
    return "group " + group + " at " + self + where + ": ";
  }

  private static Object[] shown(@Nullable Object[] values) {
    return Arrays.stream(values)
        .map(value ->
            switch (value) {
              case Number number -> number;
              case Duration time -> seconds(time);
              case Supplier<?> text -> Names.printable(String.valueOf(text.get()));
              case null, default -> Names.printable(String.valueOf(value));
            })
        .toArray();
  }

  static String seconds(Duration time) {
    return "%.1f s".formatted(time.toMillis() / 1000.0);
  }

  private void drain() {
    for (Entry next = next(); next != null; next = next()) {
      LOG.log(next.level, next.text);
    }
  }

  private synchronized @Nullable Entry next() {
    Entry next = waiting.poll();
    writing = next != null;
    if (next != null && isDebug(next.level)) {
      debugWaiting--;
    }
    return next;
  }
}
