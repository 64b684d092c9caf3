package org.tutti.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A large state is given to a newcomer over TCP while the group goes on: three processes with little heap.
public final class TransferBenchmark {
  private static final double NANOS = 1e9;
  private static final double MIB = 1 << 20;

  private TransferBenchmark() {}

  /// Measures and prints. A message that is lost, doubled or out of order, or a state that is not what was written,
  /// ends the process that sees it, and this.
  ///
  /// @param mib  how long the state is, in MiB
  /// @param rate multicasts per second meanwhile
  /// @param heap the heap of each process in MiB
  /// @param out  where to print
  /// @throws IOException when a process cannot be started, or ends
  public static void run(int mib, int rate, int heap, PrintWriter out) throws IOException {
    out.printf(
        "%d MiB of state to a third member over loopback TCP; %d multicasts of 100 bytes per second meanwhile;%n"
            + "processes with -Xmx%dm.%n",
        mib, rate, heap);
    out.flush();
    try (var founder = new Child(heap, "founder");
        var second = new Child(heap, "second", founder.address)) {
      second.await("current");
      founder.tell("size " + mib);
      second.tell("size " + mib); // either may be the donor
      founder.tell("rate " + rate);
      founder.tell("watch");
      second.tell("watch");
      try (var newcomer = new Child(heap, "newcomer", founder.address)) {
        double seconds = Long.parseLong(newcomer.await("current")[1]) / NANOS;
        founder.tell("stop");
        long sent = Long.parseLong(founder.await("sent")[1]);
        out.printf(Locale.ROOT, "read and checked in %.2f s: %.0f MiB/s%n", seconds, mib / seconds);
        out.printf("%-10s %10s %16s %12s %14s%n", "member", "messages", "longest gap", "heap peak", "resident peak");
        for (Child each : List.of(founder, second, newcomer)) {
          each.tell("report " + sent);
          print(each.name, each.await("report"), sent, out);
        }
      }
    }
  }

  private static void print(String name, String[] report, long sent, PrintWriter out) throws IOException {
    if (Long.parseLong(report[1]) != sent) {
      throw new IOException(name + " delivered " + report[1] + " of " + sent + " messages");
    }
    // The newcomer's gap is the time of its transfer, and of its start.
    String gap = name.equals("newcomer") ? "-" : ms(report[2]);
    out.printf("%-10s %10s %16s %12s %14s%n", name, report[1], gap, mib(report[3]), mib(report[4]));
    out.flush();
  }

  private static String ms(String nanos) {
    return String.format(Locale.ROOT, "%.0f ms", Long.parseLong(nanos) / (NANOS / 1000));
  }

  private static String mib(String bytes) {
    return String.format(Locale.ROOT, "%.0f MiB", Long.parseLong(bytes) / MIB);
  }

  /// A [TransferMember] in a process of its own, made up as this one is. It ends with its standard input.
  private static final class Child implements AutoCloseable {
    final String name;
    final String address;
    private final Process process;
    private final BufferedReader says;

    Child(int heap, String... args) throws IOException {
      name = args[0];
      var command = new ArrayList<String>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-Xmx" + heap + "m", "-XX:+UseSerialGC"));
      Class<?> main = TransferMember.class;
      if (main.getModule().isNamed()) {
        String modules = System.getProperty("jdk.module.path");
        command.addAll(List.of("-p", modules, "-m", main.getModule().getName() + "/" + main.getName()));
      } else {
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
      }
      command.addAll(List.of(args));
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      says = process.inputReader();
      address = await("address")[1];
    }

    void tell(String command) throws IOException {
      var to = process.outputWriter();
      to.write(command + "\n");
      to.flush();
    }

    /// The words of the next line, which must begin with a certain one.
    String[] await(String first) throws IOException {
      String line = says.readLine();
      if (line == null || !line.startsWith(first + " ")) {
        process.destroyForcibly();
        throw new IOException(name + " ended or said \"" + line + "\" instead of " + first);
      }
      return line.split(" ");
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
