package org.tutti.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;

/// Splits a stream into lines without interpreting their bytes.
final class Lines {
  private final InputStream in;
  private long number;

  Lines(InputStream in) {
    this.in = in;
  }

  /// The next line without its line feed, or null at the end.
  byte @Nullable [] next() throws IOException {
    int at = in.read();
    if (at < 0) {
      return null;
    }
    number++;
    var line = new ByteArrayOutputStream();
    for (; at >= 0 && at != '\n'; at = in.read()) {
      if (line.size() == Group.MESSAGE_BYTES_MAX) {
        throw new Failure("line " + number + " is longer than a message may be, " + Group.MESSAGE_BYTES_MAX + " bytes");
      }
      line.write(at);
    }
    return line.toByteArray();
  }
}
