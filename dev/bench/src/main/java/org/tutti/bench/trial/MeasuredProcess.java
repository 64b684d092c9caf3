package org.tutti.bench.trial;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tutti.bench.member.Worker;

/// One process of a measurement, as seen from outside. It ends with this one in any case, as its standard input does.
final class MeasuredProcess implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 30;
  private static final long FAREWELL_SECONDS = 5;
  private static final String END = "";
  private static final Pattern SAFEPOINT = Pattern.compile("Total:\\s+(\\d+) ns");

  /// Without the first two, stacks that were taken between two safepoints are those of the next one: other code's, if
  /// inlined. The last one keeps the recorder's own words off standard output, where answers are expected.
  private static final String[] EXACT = {
    "-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints", "-Xlog:jfr+startup=off"
  };

  /// A stack whenever a thread has used another millisecond of CPU time, in system calls too (JEP 509).
  private static final String RECORDED =
      ",dumponexit=true,settings=none,+jdk.CPUTimeSample#enabled=true,+jdk.CPUTimeSample#throttle=1ms";

  private final String title;
  private final Path log;
  private final Path pauses;
  private final Process process;
  private final Writer commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private long pausesRead;

  /// Starts it.
  ///
  /// @param title     names it and its files
  /// @param directory where its log goes
  /// @param flags     of its JVM
  /// @param record    whether its JVM keeps a flight recording beside the log
  /// @param target    what it is
  /// @param prefix    what its command begins with, such as to run it elsewhere; the process keeps its id
  MeasuredProcess(String title, Path directory, List<String> flags, boolean record, String target, List<String> prefix)
      throws IOException {
    this.title = title;
    this.log = directory.resolve(title + ".log");
    this.pauses = directory.resolve(title + ".safepoints");
    var command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.add("--enable-native-access=ALL-UNNAMED"); // for trains of datagrams
    command.add("-Xlog:safepoint:file=" + pauses + "::filecount=0");
    if (record) {
      command.addAll(List.of(EXACT));
      command.add("-XX:StartFlightRecording:filename=" + directory.resolve(title + ".jfr") + RECORDED);
    }
    command.addAll(List.of("-cp", classPath(), Worker.class.getName(), target));
    process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    commands = process.outputWriter();
    Thread.ofPlatform().daemon().name(title).start(() -> listen(process.inputReader())); // a pipe holds a carrier
  }

  /// All that this JVM has, as one class path: so a process is the same whether modules are in use here or not.
  private static String classPath() {
    String separator = System.getProperty("path.separator");
    var entries = new ArrayList<String>();
    for (String property : List.of("jdk.module.path", "java.class.path")) {
      for (String entry : System.getProperty(property, "").split(Pattern.quote(separator))) {
        boolean ofJars = Files.isDirectory(Path.of(entry)) && !Files.exists(Path.of(entry, "org"));
        if (!entry.isEmpty()) {
          entries.add(ofJars ? entry + "/*" : entry);
        }
      }
    }
    return String.join(separator, entries);
  }

  private void listen(BufferedReader reader) {
    try (reader) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        answers.add(line);
      }
    } catch (IOException end) {
      // It has ended, or is being ended.
    }
    answers.add(END);
  }

  long pid() {
    return process.pid();
  }

  /// Gives a command; [#answer] tells what came of it.
  void tell(String command) {
    try {
      commands.write(command + "\n");
      commands.flush();
    } catch (IOException ended) {
      throw new BenchException(title + " has ended; see " + log, ended);
    }
  }

  /// Waits for the answer to the last command.
  ///
  /// @param workNanos how long the command itself takes
  Map<String, String> answer(long workNanos) throws InterruptedException {
    String line = answers.poll(PATIENCE_SECONDS + TimeUnit.NANOSECONDS.toSeconds(workNanos), TimeUnit.SECONDS);
    if (line == null) {
      throw new BenchException(title + " does not answer; see " + log);
    }
    if (line.equals(END)) {
      throw new BenchException(title + " has ended; see " + log);
    }
    String[] words = line.split(" ");
    if (!words[0].equals("ok")) {
      throw new BenchException(title + ": " + line + "; see " + log);
    }
    var values = new LinkedHashMap<String, String>();
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      values.put(words[i].substring(0, equals), words[i].substring(equals + 1));
    }
    return values;
  }

  Map<String, String> ask(String command) throws InterruptedException {
    tell(command);
    return answer(0);
  }

  /// How long its JVM stood still at the longest since the last call, in nanoseconds.
  long longestPause() {
    if (!Files.exists(pauses)) {
      return 0;
    }
    try (var file = new RandomAccessFile(pauses.toFile(), "r")) {
      byte[] news = new byte[(int) (file.length() - pausesRead)];
      file.seek(pausesRead);
      file.readFully(news);
      pausesRead += news.length;
      Matcher lines = SAFEPOINT.matcher(new String(news, StandardCharsets.UTF_8));
      long longest = 0;
      while (lines.find()) {
        longest = Math.max(longest, Long.parseLong(lines.group(1)));
      }
      return longest;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Ends the process at once, as a crash does, and waits until it is gone.
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /// Tells the process to end.
  void endInput() {
    try {
      commands.close();
    } catch (IOException ended) {
      // That is what is wanted.
    }
  }

  /// Ends the process, and waits for that.
  @Override
  public void close() {
    endInput();
    try {
      if (!process.waitFor(FAREWELL_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException hurry) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
