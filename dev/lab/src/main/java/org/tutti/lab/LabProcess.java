package org.tutti.lab;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;

/// One process at a node, from its start to its end, and how far it is, as its history file says.
final class LabProcess {
  private static final int READ_BYTES = 1 << 16;
  private static final long PATIENCE_SECONDS = 20;

  final String name;
  final Path history;
  final Path log;
  final Stops stops = new Stops(); // its own
  private final Process process;
  private final Writer commands;
  private final LabProcesses others;
  private final StringBuilder torn = new StringBuilder(); // the beginning of a line whose end is yet to be written
  private final List<MemberId> members = new ArrayList<>();
  private final byte[] buffer = new byte[READ_BYTES];
  private long read;
  private boolean paused;
  private boolean killed;
  private @Nullable View view;
  private @Nullable String closed;
  private boolean waiting;
  private boolean active;
  private long submitted;
  private long decided;
  private long position;

  LabProcess(String name, Path history, Path log, List<String> command, LabProcesses others) throws IOException {
    this.name = name;
    this.history = history;
    this.log = log;
    this.others = others;
    process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    commands = process.outputWriter();
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
    return process.exitValue();
  }

  void tell(String command) {
    try {
      commands.write(command + "\n");
      commands.flush();
    } catch (IOException ending) {
      // Whoever looks next sees that it has ended.
    }
  }

  void pause() {
    signal("STOP");
    paused = true;
  }

  void resume() {
    signal("CONT");
    paused = false;
  }

  private void signal(String signal) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start();
      if (!kill.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
        throw new LabException("kill -" + signal + " of " + name + " failed");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted", e);
    }
  }

  /// Ends it as a power cut would, and says so in its history.
  void kill() {
    destroy();
    killed = true;
    look();
    try {
      // On a line of its own, as the last one may be torn.
      String line = "\n" + new HistoryEntry.Killed(System.nanoTime()).text() + HistoryEntry.MARK + "\n";
      Files.writeString(history, line, StandardOpenOption.APPEND, StandardOpenOption.CREATE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Ends the process and waits for that.
  void destroy() {
    process.destroyForcibly();
    process.onExit().join();
  }

  // ---- its history -----------------------------------------------------------------------------------------------

  /// Reads what was written since the last time.
  void look() {
    if (!Files.exists(history)) {
      return;
    }
    try (var file = new RandomAccessFile(history.toFile(), "r")) {
      file.seek(read);
      for (int length = file.read(buffer); length > 0; length = file.read(buffer)) {
        read += length;
        take(new String(buffer, 0, length, StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void take(String text) {
    int start = 0;
    for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      HistoryEntry entry = HistoryEntry.parse(torn.append(text, start, end).toString());
      torn.setLength(0);
      start = end + 1;
      if (entry != null) {
        take(entry);
      }
    }
    torn.append(text, start, text.length());
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

  /// Whether it has delivered something since it installed its view: so it has the state.
  boolean isActive() {
    return active;
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
        + (waiting ? ", waiting for state" : active ? "" : ", nothing delivered yet");
  }
}
