package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// The `tutti` command as a process of its own.
public final class CommandProcess implements AutoCloseable {
  private static final long SECONDS_MAX = 60;

  private final Process process;
  private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
  private final List<Thread> readers;

  private CommandProcess(Process process) {
    this.process = process;
    this.readers = List.of(read(process.getInputStream(), true), read(process.getErrorStream(), false));
  }

  public static CommandProcess tutti(String... args) throws IOException {
    return tutti(List.of(), args);
  }

  /// With options for Java besides.
  public static CommandProcess tutti(List<String> java, String... args) throws IOException {
    return new CommandProcess(new ProcessBuilder(TuttiCommand.of(java, args)).start());
  }

  /// Another program than the command.
  public static CommandProcess of(List<String> command) throws IOException {
    return new CommandProcess(new ProcessBuilder(command).start());
  }

  private Thread read(InputStream stream, boolean output) {
    return Thread.startVirtualThread(() -> {
      try (var reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
          if (output) {
            lines.add(line);
          } else {
            errors.add(line);
          }
        }
      } catch (IOException closed) {
        // The process has ended.
      }
    });
  }

  /// The next line of standard output.
  public String line() throws InterruptedException {
    String line = lines.poll(SECONDS_MAX, TimeUnit.SECONDS);
    assertThat(line).as("another line; standard error: " + errors).isNotNull();
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

  public void type(String text) throws IOException {
    OutputStream in = process.getOutputStream();
    in.write(text.getBytes(StandardCharsets.UTF_8));
    in.flush();
  }

  public void endInput() throws IOException {
    process.getOutputStream().close();
  }

  /// As Ctrl-C and `kill` do.
  public void signal() {
    // Not process.destroy(), which also closes this end of the streams and so loses the last words.
    process.toHandle().destroy();
  }

  public void kill() {
    process.destroyForcibly();
  }

  public int exitCode() throws InterruptedException {
    assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).as("ends in time").isTrue();
    for (Thread reader : readers) {
      reader.join();
    }
    return process.exitValue();
  }

  /// The rest of standard output, once the process has ended.
  public List<String> rest() throws InterruptedException {
    exitCode();
    return List.copyOf(lines);
  }

  public List<String> errors() throws InterruptedException {
    exitCode();
    return List.copyOf(errors);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
