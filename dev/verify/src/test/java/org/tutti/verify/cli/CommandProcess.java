package org.tutti.verify.cli;

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

/// The `tutti` command, or another program, as a process of its own. What it prints is kept.
public final class CommandProcess implements AutoCloseable {
  private static final long SECONDS_MAX = 100;
  private static final String SUSPECT_AFTER = "15s"; // beside other tests a process may get no processor for seconds
  private static final String TIMEOUT = "60s"; // and then much longer than usual for what it does
  private static final int SIGINT = 2;
  private static final int TAIL = 5; // lines that a failure shows
  private static final Pattern DELIVERY = Pattern.compile("(\\d+) (\\S+: .*)");
  private static final Pattern LOGGED = Pattern.compile("\\S+ (?:INFO|WARNING) org\\.tutti\\.Group ");

  private final String name;
  private final Process process;
  private final LinkedBlockingQueue<String> unread = new LinkedBlockingQueue<>();
  private final List<String> lines = new ArrayList<>(); // what was read by the test
  private final LinkedBlockingQueue<String> errors = new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<String> log =
      new LinkedBlockingQueue<>(); // why views changed, for failures to show
  private final List<Thread> readers;

  private CommandProcess(String name, ProcessBuilder program) throws IOException {
    this.name = name;
    this.process = program.start();
    this.readers =
        List.of(
            read(process.getInputStream(), unread::add),
            read(process.getErrorStream(), line -> (LOGGED.matcher(line).lookingAt() ? log : errors).add(line)));
  }

  public static CommandProcess tutti(String... args) throws IOException {
    return tutti(List.of(), args);
  }

  /// With options for Java besides. A silent member is suspected after 15 seconds, and what a command waits for may
  /// take a minute, unless it says otherwise; over TCP, one that has ended is noticed at once all the same.
  public static CommandProcess tutti(List<String> java, String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of("env"));
    if (ignoresInterrupts()) {
      command.add("--default-signal=INT");
    }
    command.add("TUTTI_SUSPECT_AFTER=" + SUSPECT_AFTER);
    command.add("TUTTI_TIMEOUT=" + TIMEOUT);
    command.addAll(TuttiCommand.of(java, args));
    return new CommandProcess("tutti " + String.join(" ", args), new ProcessBuilder(command));
  }

  /// Another program than the command.
  public static CommandProcess of(List<String> command) throws IOException {
    return new CommandProcess(command.getFirst(), new ProcessBuilder(command));
  }

  /// Another program than the command, with an environment of its own.
  public static CommandProcess of(ProcessBuilder program) throws IOException {
    return new CommandProcess(program.command().getFirst(), program);
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

  /// By a thread of the system: reading from a pipe holds the carrier of a virtual one. Java gives the others another
  /// carrier only while it takes none of the rest for busy; one that computes, or waits in native code, is enough for
  /// readers that never get a turn, although their process has ended.
  private static Thread read(InputStream stream, Consumer<String> to) {
    return Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try (var reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            reader.lines().forEach(to);
          } catch (IOException | UncheckedIOException closed) {
            // The process has ended.
          }
        });
  }

  /// The next line of standard output.
  public String line() throws InterruptedException {
    String line = unread.poll(SECONDS_MAX, TimeUnit.SECONDS);
    if (line == null) {
      List<String> last = lines.subList(Math.max(0, lines.size() - TAIL), lines.size());
      String logged = "; errors: " + errors + "; log:\n" + String.join("\n", log);
      throw new AssertionError("no other line of " + name + " after " + last + logged);
    }
    lines.add(line);
    return line;
  }

  /// The next line that tells of no view: on a busy machine one may come at any time.
  public String lineButViews() throws InterruptedException {
    String line = line();
    while (line.startsWith("view ")) {
      line = line();
    }
    return line;
  }

  /// Passes over lines until one matches.
  public String lineMatching(String pattern) throws InterruptedException {
    String line = line();
    while (!line.matches(pattern)) {
      line = line();
    }
    return line;
  }

  /// Takes lines of standard error until one matches.
  public void errorMatching(String pattern) throws InterruptedException {
    String line;
    do {
      line = errors.poll(SECONDS_MAX, TimeUnit.SECONDS);
      assertThat(line).as("a line of " + name + " on standard error like " + pattern).isNotNull();
    } while (!line.matches(pattern));
  }

  /// Reads what is there.
  private @Nullable String lineNow() {
    String line = unread.poll();
    if (line != null) {
      lines.add(line);
    }
    return line;
  }

  /// Everything that was read, and what is there.
  public List<String> lines() {
    while (lineNow() != null) {
      // Every one is kept.
    }
    return lines;
  }

  /// Reads up to the address that a member listens on.
  public String address() throws InterruptedException {
    return lineMatching("\\S+ listens on .*").replaceFirst(".* on ", "");
  }

  /// The deliveries in what was read: by position, sender and text. No position comes twice.
  public TreeMap<Long, String> deliveries() {
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
  public void delivery(String senderAndText) throws InterruptedException {
    lineMatching("\\d+ " + Pattern.quote(senderAndText));
  }

  /// Reads up to a primary view of these members, in any order.
  public void view(String... members) throws InterruptedException {
    lineMatching(primary(members));
  }

  /// Reads up to a primary view of these members and one observer.
  public void viewObservedBy(String observer, String... members) throws InterruptedException {
    lineMatching(primary(members) + "; observers: " + Pattern.quote(observer));
  }

  private static String primary(String... members) {
    String anybody = Arrays.stream(members).map(Pattern::quote).collect(Collectors.joining("|"));
    return "view \\S+ primary:(?: (?:" + anybody + ")){" + members.length + "}";
  }

  public void type(String text) throws IOException {
    process.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  public void endInput() throws IOException {
    process.getOutputStream().close();
  }

  /// Sends a signal, such as `STOP`, or `TERM` as `kill` does.
  public void signal(String signal) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start();
    assertThat(kill.waitFor()).as("kill -" + signal + " of " + name).isZero();
  }

  public int exitCode() throws InterruptedException {
    assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).as(name + " ends").isTrue();
    for (Thread reader : readers) {
      boolean ended = reader.join(Duration.ofSeconds(SECONDS_MAX));
      assertThat(ended).as("all that " + name + " printed is read; " + stack(reader)).isTrue();
    }
    return process.exitValue();
  }

  private static String stack(Thread reader) {
    return reader.getState() + " at " + Arrays.toString(reader.getStackTrace());
  }

  /// What was not read of standard output, once the process has ended.
  public List<String> rest() throws InterruptedException {
    exitCode();
    return List.copyOf(unread);
  }

  public List<String> errors() throws InterruptedException {
    exitCode();
    return List.copyOf(errors);
  }

  /// What it has said of its errors and views so far, for failures to show.
  @Override
  public String toString() {
    String state = process.isAlive() ? " is alive" : " has ended with " + process.exitValue();
    return name + state + "; errors: " + errors + "; log:\n" + String.join("\n", log);
  }

  /// Kills it.
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
