package org.tutti.lab;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongFunction;
import org.tutti.MemberId;

/// Writes a member's history file, each entry before the member goes on: what is written stays when it is killed.
/// Entries may come from several threads; they stand in the order of their times.
final class HistoryWriter {
  private final OutputStream file;
  private final Map<MemberId, Integer> numbers = new HashMap<>();

  HistoryWriter(Path path, MemberId self) throws IOException {
    file = Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    numberOf(self);
  }

  /// Writes an entry whose time is known when it is written.
  synchronized void write(LongFunction<HistoryEntry> entry) {
    String line = entry.apply(System.nanoTime()).text() + HistoryEntry.MARK + "\n";
    try {
      file.write(line.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A member's number in this file.
  synchronized int numberOf(MemberId member) {
    Integer known = numbers.get(member);
    if (known != null) {
      return known;
    }
    int number = numbers.size();
    numbers.put(member, number);
    write(nanos -> new HistoryEntry.Known(nanos, number, member));
    return number;
  }
}
