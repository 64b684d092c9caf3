package org.tutti.bench.trial;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The machine, as Linux tells of it in `/proc`: what it is, and what it did while something was measured. On other
/// systems nothing is known of the latter.
final class Machine {
  private static final double TICKS_PER_SECOND = 100; // USER_HZ, the same on all of Linux's architectures of today
  private static final Path STAT = Path.of("/proc/stat");
  private static final Path CPUINFO = Path.of("/proc/cpuinfo");
  private static final int USER = 1;
  private static final int NICE = 2;
  private static final int SYSTEM = 3;
  private static final int STEAL = 8;
  private static final int UTIME = 11; // fields of /proc/PID/stat, counted from behind the name in parentheses
  private static final int STIME = 12;

  private Machine() {}

  /// What was used besides what is measured.
  ///
  /// @param known  whether the rest says anything
  /// @param others CPU time of processes that do not belong to the measurement, as a part of what the machine has
  /// @param steal  what the host took away, as a part of what the machine has
  record Load(boolean known, double others, double steal) {
    private static final double PERCENT = 100;

    /// Why a round does not count, or null.
    @Nullable String disturbance(Limits limits) {
      if (others > limits.others()) {
        return percent("others used %.0f %% of the machine", others);
      }
      if (steal > limits.steal()) {
        return percent("%.1f %% were stolen by the host", steal);
      }
      return null;
    }

    private static String percent(String text, double part) {
      return String.format(Locale.ROOT, text, part * PERCENT);
    }
  }

  /// Beyond these a round does not count.
  ///
  /// @param others see [Load]
  /// @param steal  see [Load]
  record Limits(double others, double steal) {}

  /// The clocks of the machine's processors and of the processes of a measurement at one moment.
  ///
  /// @param nanos  the moment
  /// @param busy   CPU seconds of all processes of the machine, or -1
  /// @param stolen CPU seconds that the host took
  /// @param own    CPU seconds of the processes that belong to the measurement
  record Moment(long nanos, double busy, double stolen, double own) {
    /// What happened from this moment to a later one.
    Load until(Moment later) {
      double capacity = (later.nanos - nanos) / 1e9 * Runtime.getRuntime().availableProcessors();
      double others = later.busy - busy - (later.own - own);
      return busy < 0
          ? new Load(false, 0, 0)
          : new Load(true, Math.max(0, others / capacity), (later.stolen - stolen) / capacity);
    }
  }

  /// Reads the clocks.
  ///
  /// @param own the processes that belong to the measurement, besides this one
  static Moment now(Collection<Long> own) {
    double sum = cpuSeconds(ProcessHandle.current().pid());
    for (long pid : own) {
      sum += cpuSeconds(pid);
    }
    if (!Files.isReadable(STAT)) {
      return new Moment(System.nanoTime(), -1, 0, sum);
    }
    String[] fields = read(STAT).lines().findFirst().orElseThrow().split("\\s+");
    double busy = ticks(fields[USER]) + ticks(fields[NICE]) + ticks(fields[SYSTEM]);
    return new Moment(System.nanoTime(), busy, ticks(fields[STEAL]), sum);
  }

  /// The CPU time of a process, in seconds, to a hundredth.
  static double cpuSeconds(long pid) {
    Path stat = Path.of("/proc", Long.toString(pid), "stat");
    if (!Files.isReadable(stat)) {
      return ProcessHandle.of(pid)
          .flatMap(process -> process.info().totalCpuDuration())
          .map(time -> time.toNanos() / 1e9)
          .orElse(0.0);
    }
    String line = read(stat);
    String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
    return ticks(fields[UTIME]) + ticks(fields[STIME]);
  }

  /// How many segments of TCP the kernel has sent again in the network namespace of a process.
  static long segmentsRepeated(long pid) {
    Path counts = Path.of("/proc", Long.toString(pid), "net", "snmp");
    if (!Files.isReadable(counts)) {
      return 0;
    }
    List<String[]> lines = read(counts).lines().filter(line -> line.startsWith("Tcp:")).map(Machine::words).toList();
    int column = Arrays.asList(lines.getFirst()).indexOf("RetransSegs");
    return Long.parseLong(lines.getLast()[column]);
  }

  private static String[] words(String line) {
    return line.split(" ");
  }

  private static double ticks(String count) {
    return Long.parseLong(count) / TICKS_PER_SECOND;
  }

  /// What it is, and how loaded it is now.
  static Map<String, Object> description() {
    var about = new LinkedHashMap<String, Object>();
    var system = ManagementFactory.getOperatingSystemMXBean();
    about.put("processors", Runtime.getRuntime().availableProcessors());
    about.put("processor", processor());
    about.put("system", system.getName() + " " + system.getVersion() + " " + system.getArch());
    about.put("jdk", System.getProperty("java.vendor.version", "") + " " + Runtime.version());
    about.put("load", system.getSystemLoadAverage());
    return about;
  }

  private static String processor() {
    if (!Files.isReadable(CPUINFO)) {
      return "unknown";
    }
    List<String> lines = read(CPUINFO).lines().filter(line -> line.startsWith("model name")).toList();
    return lines.isEmpty() ? "unknown" : lines.getFirst().replaceFirst("[^:]*:\\s*", "");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
