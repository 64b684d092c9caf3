package org.tutti.examples.requests;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// What is multicast: a request, or a server's reply to one. The client is named by its text, which tells its lives
/// apart.
///
/// @param isReply whether a server replies
/// @param client  whose request it is
/// @param number  counts the client's requests
/// @param text    up to 65,535 bytes in UTF-8
record Message(boolean isReply, String client, long number, String text) {
  byte[] encoded() {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeBoolean(isReply);
      out.writeUTF(client);
      out.writeLong(number);
      out.writeUTF(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a text that is too long
    }
    return bytes.toByteArray();
  }

  /// Reads one.
  ///
  /// @return empty when it is none
  static Optional<Message> read(ByteBuffer payload) {
    byte[] bytes = new byte[payload.remaining()];
    payload.get(bytes);
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      return Optional.of(new Message(in.readBoolean(), in.readUTF(), in.readLong(), in.readUTF()));
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
