package org.tutti.lab;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/// Reads a text file on while another process writes it.
final class Tail {
  private static final int READ_BYTES = 1 << 16;

  private final Path path;
  private final Consumer<String> line;
  private final StringBuilder torn = new StringBuilder(); // the beginning of a line whose end is yet to be written
  private final byte[] buffer = new byte[READ_BYTES];
  private long read;

  Tail(Path path, Consumer<String> line) {
    this.path = path;
    this.line = line;
  }

  /// Takes the lines whose ends were written since the last time.
  void look() {
    if (!Files.exists(path)) {
      return;
    }
    try (var file = new RandomAccessFile(path.toFile(), "r")) {
      file.seek(read);
      for (int length = file.read(buffer); length > 0; length = file.read(buffer)) {
        read += length;
        take(new String(buffer, 0, length, StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void take(String text) {
    int start = 0;
    for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      String whole = torn.append(text, start, end).toString();
      torn.setLength(0);
      start = end + 1;
      line.accept(whole);
    }
    torn.append(text, start, text.length());
  }
}
