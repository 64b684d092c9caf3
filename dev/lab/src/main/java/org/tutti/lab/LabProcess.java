package org.tutti.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;

/// One process at a node, from its start to its end, and how far it is, as its history file says.
final class LabProcess {
  final String name;
  final Path history;
  final Path log;
  final Stops stops = new Stops(); // its own
  private final NodeProcess process;
  private final Tail tail;
  private final LabProcesses others;
  private final List<MemberId> members = new ArrayList<>();
  private boolean paused;
  private boolean killed;
  private @Nullable View view;
  private @Nullable String closed;
  private boolean waiting;
  private boolean active;
  private boolean serves;
  private long submitted;
  private long decided;
  private long position;

  LabProcess(String name, Path history, Path log, List<String> command, LabProcesses others) {
    this.name = name;
    this.history = history;
    this.log = log;
    this.others = others;
    this.tail = new Tail(history, this::take);
    this.process = new NodeProcess(command, log);
  }

  // ---- the process -----------------------------------------------------------------------------------------------

  boolean isAlive() {
    return !killed && process.isAlive();
  }

  boolean isPaused() {
    return paused;
  }

  /// Whether it ended, and nobody killed it.
  boolean failed() {
    return !killed && !process.isAlive();
  }

  int exitCode() {
    return process.exitCode();
  }

  void tell(String command) {
    process.tell(command);
  }

  void pause() {
    process.signal("STOP");
    paused = true;
  }

  void resume() {
    process.signal("CONT");
    paused = false;
  }

  /// Ends it as a power cut would, and says so in its history.
  void kill() {
    destroy();
    killed = true;
    look();
    try {
      HistoryFiles.ended(history);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Ends the process and waits for that.
  void destroy() {
    process.destroy();
  }

  // ---- its history -----------------------------------------------------------------------------------------------

  /// Reads what was written since the last time.
  void look() {
    tail.look();
  }

  private void take(String line) {
    HistoryEntry entry = HistoryEntry.parse(line);
    if (entry != null) {
      take(entry);
    }
  }

  private void take(HistoryEntry entry) {
    switch (entry) {
      case HistoryEntry.Known known -> members.add(known.member());
      case HistoryEntry.Submitted _ -> submitted++;
      case HistoryEntry.Decided _ -> decided++;
      case HistoryEntry.Viewed viewed -> {
        view = viewed.view(members);
        active = false;
        others.viewed(view);
      }
      case HistoryEntry.Delivered delivered -> {
        position = delivered.position() + 1;
        active = true;
        stops.delivered(delivered.nanos());
        others.stops().delivered(delivered.nanos());
      }
      case HistoryEntry.Served served -> serves = served.serves();
      case HistoryEntry.Executed executed -> position = executed.position() + 1;
      case HistoryEntry.Offered _ -> waiting = true;
      case HistoryEntry.Restored restored -> {
        waiting = false;
        position = restored.position();
      }
      case HistoryEntry.Closed end -> closed = end.end().words();
      default -> {}
    }
  }

  @Nullable MemberId self() {
    return members.isEmpty() ? null : members.getFirst();
  }

  @Nullable View view() {
    return view;
  }

  /// Why its membership ended, or null.
  @Nullable String closed() {
    return closed;
  }

  boolean isWaiting() {
    return waiting;
  }

  /// Whether it has delivered something since it installed its view, or serves clients: so it has the state.
  boolean isActive() {
    return active || serves;
  }

  boolean isDecided() {
    return decided == submitted;
  }

  long position() {
    return position;
  }

  String progress() {
    return name
        + (paused ? " stands still," : "")
        + " in "
        + view
        + ", "
        + submitted
        + " multicast, "
        + decided
        + " decided, next position "
        + position
        + (waiting ? ", waiting for state" : isActive() ? "" : ", nothing delivered yet");
  }
}
