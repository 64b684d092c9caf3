package org.tutti.registry;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// What a request is answered with.
///
/// @param status the number that HTTP has for the outcome
/// @param json   the content
record HttpAnswer(int status, byte[] json) {
  /// The bytes of it.
  ///
  /// @param last whether the connection ends with it
  /// @param body whether the content is wanted, too
  byte[] encode(boolean last, boolean body) {
    String head =
        "HTTP/1.1 "
            + status
            + " "
            + words()
            + "\r\nContent-Type: application/json\r\nContent-Length: "
            + json.length
            + (last ? "\r\nConnection: close" : "")
            + "\r\n\r\n";
    byte[] first = head.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer all = ByteBuffer.allocate(first.length + (body ? json.length : 0)).put(first);
    if (body) {
      all.put(json);
    }
    return all.array();
  }

  private String words() {
    return switch (status) {
      case 200 -> "OK";
      case 400 -> "Bad Request";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 409 -> "Conflict";
      case 411 -> "Length Required";
      case 413 -> "Content Too Large";
      case 503 -> "Service Unavailable";
      default -> "Other";
    };
  }
}
