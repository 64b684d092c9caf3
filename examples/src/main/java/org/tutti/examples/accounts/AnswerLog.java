package org.tutti.examples.accounts;

import static java.util.Comparator.comparingLong;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.tutti.examples.accounts.Reply.Outcome;

/// What a client was told: one line `number,outcome,wait,time` per answered request, for the audit. When a replica
/// dies, the answer to a later request may be here before that to an earlier one.
final class AnswerLog implements AutoCloseable {
  /// One answer: how long it took from the first sending of the request to the reply, and by the clock that all
  /// processes of a host share, when that was; both in microseconds.
  record Entry(long number, Outcome outcome, long micros, long atMicros) {}

  private final BufferedWriter lines;

  private AnswerLog(BufferedWriter lines) {
    this.lines = lines;
  }

  static AnswerLog create(Path file) throws IOException {
    return new AnswerLog(Files.newBufferedWriter(file));
  }

  /// Unchecked when the file fails, so that nobody takes that for a failure of a replica.
  void add(Entry entry) {
    try {
      lines.append(entry.number() + "," + entry.outcome() + "," + entry.micros() + "," + entry.atMicros() + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the log of answers", e);
    }
  }

  static List<Entry> read(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.map(line -> line.split(",")).map(AnswerLog::entry).sorted(comparingLong(Entry::number)).toList();
    }
  }

  private static Entry entry(String[] parts) {
    return new Entry(
        Long.parseLong(parts[0]), Outcome.valueOf(parts[1]), Long.parseLong(parts[2]), Long.parseLong(parts[3]));
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
