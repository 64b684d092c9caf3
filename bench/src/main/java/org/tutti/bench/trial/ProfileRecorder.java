package org.tutti.bench.trial;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Has all processes of a process group recorded by their JVMs while something runs, and reads what came of it.
final class ProfileRecorder {
  /// Kernels look at threads' CPU time once per tick anyway, every one to four milliseconds.
  private static final Duration PERIOD = Duration.ofMillis(1);

  private final List<MeasuredProcess> children;
  private final List<ThreadTimes> before = new ArrayList<>();
  private final List<Double> cpuBefore = new ArrayList<>();
  private final boolean byCpuTime;
  private final Instant from;

  /// Starts recording.
  ProfileRecorder(List<MeasuredProcess> children) throws InterruptedException {
    this.children = children;
    ProcessGroup.tellAll(children, "record " + PERIOD.toNanos());
    List<Map<String, String>> answers = ProcessGroup.answers(children, 0);
    byCpuTime = answers.stream().allMatch(answer -> "true".equals(answer.get("by-cpu-time")));
    for (MeasuredProcess child : children) {
      before.add(ThreadTimes.of(child.pid()));
      cpuBefore.add(Machine.cpuSeconds(child.pid()));
    }
    from = Instant.now();
  }

  boolean isByCpuTime() {
    return byCpuTime;
  }

  /// Stops recording.
  ///
  /// @param name names the files, which are kept
  /// @return what each process has used the processor for
  List<Spending> stop(String name) throws InterruptedException {
    Instant to = Instant.now();
    var threads = new ArrayList<ThreadTimes>();
    var cpu = new ArrayList<Double>();
    for (int i = 0; i < children.size(); i++) {
      long pid = children.get(i).pid();
      threads.add(ThreadTimes.of(pid).since(before.get(i)));
      cpu.add((Machine.cpuSeconds(pid) - cpuBefore.get(i)) * 1e9);
    }
    var spent = new ArrayList<Spending>();
    try {
      List<Path> files = children.stream().map(child -> child.file(name + ".jfr")).toList();
      for (int i = 0; i < children.size(); i++) {
        Files.deleteIfExists(files.get(i));
        children.get(i).tell("recorded " + files.get(i));
      }
      ProcessGroup.answers(children, 0);
      for (int i = 0; i < children.size(); i++) {
        spent.add(Spending.read(files.get(i), from, to, threads.get(i), cpu.get(i), StageRules.standard()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return spent;
  }
}
