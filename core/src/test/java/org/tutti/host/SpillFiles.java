package org.tutti.host;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Files in memory that fail when a test says so.
final class SpillFiles implements Spill.Files {
  final List<Content> files = new ArrayList<>();
  volatile long room = Long.MAX_VALUE; // on the disk
  volatile boolean readable = true;

  static final class Content {
    byte[] bytes = new byte[0];
    boolean closed;
  }

  synchronized boolean areThere() {
    return !files.isEmpty();
  }

  synchronized List<Content> open() {
    return files.stream().filter(file -> !file.closed).toList();
  }

  synchronized long length() {
    return open().stream().mapToLong(file -> file.bytes.length).sum();
  }

  @Override
  public synchronized Spill.File create() throws IOException {
    if (room == 0) {
      throw new IOException("No space left on device");
    }
    var content = new Content();
    files.add(content);
    return new Spill.File() {
      @Override
      public void write(long at, byte[] from, int length) throws IOException {
        write(content, (int) at, from, length);
      }

      private void write(Content into, int at, byte[] from, int length) throws IOException {
        synchronized (SpillFiles.this) {
          long more = Math.max(0, at + length - into.bytes.length);
          int written = more > room ? length / 2 : length;
          into.bytes = Arrays.copyOf(into.bytes, Math.max(into.bytes.length, at + written));
          System.arraycopy(from, 0, into.bytes, at, written);
          if (written < length) {
            throw new IOException("No space left on device");
          }
          room -= more;
        }
      }

      @Override
      public void read(long at, byte[] into, int length) throws IOException {
        synchronized (SpillFiles.this) {
          if (!readable || at + length > content.bytes.length) {
            throw new IOException("Input/output error");
          }
          System.arraycopy(content.bytes, (int) at, into, 0, length);
        }
      }

      @Override
      public void close() {
        content.closed = true;
      }
    };
  }

  @Override
  public String toString() {
    return "memory";
  }
}
