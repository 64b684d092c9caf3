package org.tutti.examples.counter;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tutti.LocalRequest;

/// A client's request: add something to the counter. On the wire a line `CLIENT NUMBER AMOUNT`. As a local call it asks
/// for what the counter was after it.
///
/// @param client who asks, 1 to 64 characters without spaces
/// @param number counts the client's requests; a request that is asked again keeps its number
/// @param amount what to add
public record Addition(String client, long number, int amount) implements LocalRequest<Long> {
  private static final Pattern LINE = Pattern.compile("([!-~]{1,64}) ([0-9]{1,18}) (-?[0-9]{1,9})");

  /// Reads a line.
  ///
  /// @param line without its end
  /// @return the request
  /// @throws ProtocolException when it is none
  public static Addition parse(String line) throws ProtocolException {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      throw new ProtocolException("a request is CLIENT NUMBER AMOUNT");
    }
    return new Addition(parts.group(1), Long.parseLong(parts.group(2)), Integer.parseInt(parts.group(3)));
  }

  /// The line, as a message to the group.
  ///
  /// @return its bytes
  public byte[] encode() {
    return toString().getBytes(StandardCharsets.US_ASCII);
  }

  static Addition decode(ByteBuffer payload) throws ProtocolException {
    return parse(StandardCharsets.US_ASCII.decode(payload).toString());
  }

  @Override
  public String toString() {
    return client + " " + number + " " + amount;
  }
}
