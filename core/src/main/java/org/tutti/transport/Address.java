package org.tutti.transport;

import java.nio.charset.StandardCharsets;

/// Where a node can be reached, in the form that its transport understands, for example `127.0.0.1:7001`.
///
/// The text is opaque to every layer above the transport; it travels in member lists, so it must mean the same at every
/// node of the group.
///
/// @param text 1 to [#BYTES_MAX] bytes of UTF-8
public record Address(String text) implements Comparable<Address> {
  /// The longest address that a frame carries, in bytes of UTF-8.
  public static final int BYTES_MAX = 255;

  /// Checks the length.
  public Address {
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > BYTES_MAX) {
      throw new IllegalArgumentException("an address has 1 to " + BYTES_MAX + " bytes, not " + bytes);
    }
  }

  @Override
  public int compareTo(Address other) {
    return text.compareTo(other.text);
  }

  @Override
  public String toString() {
    return text;
  }
}
