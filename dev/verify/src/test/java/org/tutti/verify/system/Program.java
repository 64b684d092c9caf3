package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.verify.cli.TuttiCommand;

/// A `tutti` command as a process of the operating system, started as an installed one is: from the module path. What
/// it prints is kept.
final class Program implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int SIGINT = 2;
  private static final Pattern DELIVERY = Pattern.compile("(\\d+) (\\S+: .*)");

  private final String name;
  private final Process process;
  private final LinkedBlockingQueue<String> unread = new LinkedBlockingQueue<>();
  private final List<String> lines = new ArrayList<>(); // what was read by the test
  private final LinkedBlockingQueue<String> errors = new LinkedBlockingQueue<>();
  private final List<Thread> readers;

  private Program(String name, Process process) {
    this.name = name;
    this.process = process;
    this.readers = List.of(read(process.getInputStream(), unread::add), read(process.getErrorStream(), errors::add));
  }

  static Program tutti(String name, String... args) throws IOException {
    var command = new ArrayList<String>();
    if (ignoresInterrupts()) {
      command.addAll(List.of("env", "--default-signal=INT"));
    }
    command.addAll(TuttiCommand.of(List.of(), args));
    return new Program(name, new ProcessBuilder(command).start());
  }

  /// Whether this process ignores SIGINT, as a shell's background jobs do, which would be inherited.
  private static boolean ignoresInterrupts() throws IOException {
    try (var status = Files.lines(Path.of("/proc/self/status"))) {
      return status
          .filter(line -> line.startsWith("SigIgn:"))
          .mapToLong(line -> Long.parseUnsignedLong(line.substring("SigIgn:".length()).strip(), 16))
          .anyMatch(signals -> (signals & 1 << SIGINT - 1) != 0);
    }
  }

  private static Thread read(InputStream stream, Consumer<String> to) {
    return Thread.startVirtualThread(() -> {
      try (var reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
        reader.lines().forEach(to);
      } catch (IOException | UncheckedIOException closed) {
        // The process has ended.
      }
    });
  }

  /// The next line of standard output.
  String line() throws InterruptedException {
    String line = unread.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(line).as("another line of " + name + " after " + tail(lines) + "; errors: " + errors).isNotNull();
    lines.add(line);
    return line;
  }

  /// Reads until a line matches.
  String line(String pattern) throws InterruptedException {
    String line = line();
    while (!line.matches(pattern)) {
      line = line();
    }
    return line;
  }

  /// Reads what is there.
  @Nullable String lineNow() {
    String line = unread.poll();
    if (line != null) {
      lines.add(line);
    }
    return line;
  }

  /// Everything that was read, and what is there.
  List<String> lines() {
    while (lineNow() != null) {
      // Every one is kept.
    }
    return lines;
  }

  private static List<String> tail(List<String> all) {
    return all.subList(Math.max(0, all.size() - 5), all.size());
  }

  /// The deliveries in what was read: by position, sender and text. No position comes twice.
  TreeMap<Long, String> deliveries() {
    var deliveries = new TreeMap<Long, String>();
    for (String line : lines()) {
      var delivery = DELIVERY.matcher(line);
      if (delivery.matches()) {
        long position = Long.parseLong(delivery.group(1));
        assertThat(deliveries).as(name + " delivers in the order of positions, each once").doesNotContainKey(position);
        assertThat(deliveries.isEmpty() || deliveries.lastKey() < position).as(name + " " + line).isTrue();
        deliveries.put(position, delivery.group(2));
      }
    }
    return deliveries;
  }

  /// Reads up to a delivery.
  void delivery(String senderAndText) throws InterruptedException {
    line("\\d+ " + Pattern.quote(senderAndText));
  }

  /// Reads up to a primary view of these members, in any order but for the first.
  void view(String... members) throws InterruptedException {
    line(primary(members));
  }

  /// Waits until the program says that it is in a primary view with certain members and one observer.
  void viewObservedBy(String observer, String... members) throws InterruptedException {
    line(primary(members) + "; observers: " + Pattern.quote(observer));
  }

  private static String primary(String... members) {
    String anybody = Arrays.stream(members).map(Pattern::quote).collect(Collectors.joining("|"));
    return "view \\S+ primary:(?: (?:" + anybody + ")){" + members.length + "}";
  }

  void type(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  void endInput() throws IOException {
    process.getOutputStream().close();
  }

  /// Sends a signal, such as `STOP`.
  void signal(String signal) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start();
    assertThat(kill.waitFor()).as("kill -" + signal + " of " + name).isZero();
  }

  int exitCode() throws InterruptedException {
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as(name + " ends").isTrue();
    for (Thread reader : readers) {
      reader.join();
    }
    return process.exitValue();
  }

  List<String> errors() throws InterruptedException {
    exitCode();
    return List.copyOf(errors);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
