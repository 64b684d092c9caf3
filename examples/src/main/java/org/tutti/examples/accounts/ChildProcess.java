package org.tutti.examples.accounts;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/// A process of the service that the demo started: what it reported last, what it said last, how it ended.
final class ChildProcess {
  private static final int LINES_KEPT = 20;

  /// What happens to a child; a null line: it ended.
  record Notice(ChildProcess child, @Nullable String line) {
    @Nullable StatusLine report() {
      return line == null ? null : StatusLine.parse(line);
    }
  }

  final String name;
  private final Process process;
  private final Writer commands;
  private final Map<Class<?>, StatusLine> reports = new HashMap<>();
  private final Map<Class<?>, Long> times = new HashMap<>(); // of these reports
  private final Deque<String> lines = new ArrayDeque<>();
  private long absentNanos = System.nanoTime();
  private String absence = "its start";
  private boolean killed;
  private boolean ended;

  private ChildProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    commands = process.outputWriter();
  }

  /// Starts a class of this module in a JVM of its own, made up as this one is.
  static ChildProcess start(String name, Class<?> main, List<String> args, BlockingQueue<Notice> notices)
      throws IOException {
    var command = new ArrayList<String>();
    command.add(
        ProcessHandle.current()
            .info()
            .command()
            .orElseGet(() -> Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    // Many JVMs for some seconds on few cores: with the second compiler a demo takes twice as long.
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    String filter = System.getProperty("jdk.serialFilter");
    if (filter != null) {
      command.add("-Djdk.serialFilter=" + filter);
    }
    if (main.getModule().isNamed()) {
      String modulePath = System.getProperty("jdk.module.path");
      command.addAll(List.of("-p", modulePath, "-m", main.getModule().getName() + "/" + main.getName()));
    } else {
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    }
    command.addAll(args);
    ChildProcess child = new ChildProcess(name, new ProcessBuilder(command).redirectErrorStream(true).start());
    // Not a virtual thread: reading from a pipe holds its carrier.
    Thread.ofPlatform().daemon().name("output of " + name).start(() -> child.forward(notices));
    return child;
  }

  private void forward(BlockingQueue<Notice> notices) {
    try (BufferedReader output = process.inputReader()) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        notices.put(new Notice(this, line));
      }
      process.waitFor();
      notices.put(new Notice(this, null));
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException("cannot follow " + name, e);
    }
  }

  /// Takes note of a notice.
  void take(Notice notice) {
    StatusLine report = notice.report();
    if (notice.line() == null) {
      ended = true;
    } else if (report != null) {
      reports.put(report.getClass(), report);
      times.put(report.getClass(), System.nanoTime());
      if (report instanceof StatusLine.Suspended) {
        reports.remove(StatusLine.CaughtUp.class); // it holds until then
      }
    } else {
      lines.add(notice.line());
      if (lines.size() > LINES_KEPT) {
        lines.remove();
      }
    }
  }

  /// The last report of a kind; null before the first.
  <R extends StatusLine> @Nullable R last(Class<R> kind) {
    return kind.cast(reports.get(kind));
  }

  /// When something of a kind was reported last; only after it was.
  long lastNanos(Class<? extends StatusLine> kind) {
    return Objects.requireNonNull(times.get(kind));
  }

  /// Forgets what was reported of a kind, to wait for news.
  void forget(Class<? extends StatusLine> kind) {
    reports.remove(kind);
  }

  /// From now on it is waited for anew.
  ///
  /// @param what what happens now
  void absentSince(String what) {
    absence = what;
    absentNanos = System.nanoTime();
  }

  /// For how long it has been waited for, in words.
  String absence() {
    return "%.2f s after %s".formatted((System.nanoTime() - absentNanos) / 1e9, absence);
  }

  void tell(String command) {
    try {
      commands.write(command + "\n");
      commands.flush();
    } catch (IOException _) {
      // It is ending, and a notice says so.
    }
  }

  /// Ends the process as a power cut would: SIGKILL.
  void kill() {
    killed = true;
    process.toHandle().destroyForcibly(); // the handle, because Process would also cut off what it said before
  }

  boolean ended() {
    return ended;
  }

  /// Whether it ended neither well nor by [#kill].
  boolean failed() {
    return ended && !killed && process.exitValue() != 0;
  }

  int exitCode() {
    return process.exitValue();
  }

  Queue<String> lastLines() {
    return lines;
  }

  /// Waits for the end of a process that was killed.
  void join() {
    process.onExit().join();
  }
}
