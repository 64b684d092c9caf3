package org.tutti.verify.transport;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Requests of GIOP 1.2, spelled out byte by byte, right ones and wrong ones; no ORB has made them.
final class IiopRequest {
  static final int REQUEST = 0;
  static final int REPLY = 1;
  static final int FRAGMENT = 7;
  static final int MORE_FRAGMENTS = 2;

  private static final byte[] PEER = ascii("TuttiPeer");

  private IiopRequest() {}

  /// A header that announces a body.
  static byte[] header(int flags, int type, int bodyBytes) {
    return ByteBuffer.allocate(12)
        .put(ascii("GIOP"))
        .put((byte) 1)
        .put((byte) 2)
        .put((byte) flags)
        .put((byte) type)
        .putInt(bodyBytes)
        .array();
  }

  /// A one-way request to a peer that carries a batch.
  static byte[] frames(byte[] batch) {
    return frames(batch.length, batch);
  }

  /// The same, with the length of the batch as somebody might claim it.
  static byte[] frames(int claimed, byte[] batch) {
    return call("frames", 0, new byte[0], ByteBuffer.allocate(4 + batch.length).putInt(claimed).put(batch).array());
  }

  /// A request that asks for a reply, with no arguments.
  static byte[] asking(String operation) {
    return call(operation, 3, new byte[0], new byte[0]);
  }

  /// A request for an empty batch with a service context.
  static byte[] withContext(int id, byte[] data) {
    byte[] context = ByteBuffer.allocate(8 + data.length).putInt(id).putInt(data.length).put(data).array();
    return call("frames", 0, context, new byte[4]);
  }

  /// The question that `narrow` asks.
  static byte[] isA(String type) {
    byte[] text = ascii(type);
    return call(
        "_is_a", 3, new byte[0], ByteBuffer.allocate(5 + text.length).putInt(text.length + 1).put(text).array());
  }

  private static byte[] call(String operation, int responseFlags, byte[] context, byte[] arguments) {
    ByteBuffer message = ByteBuffer.allocate(256 + context.length + arguments.length);
    message.put(header(0, REQUEST, 0));
    message.putInt(1).put((byte) responseFlags).put(new byte[3]);
    message.putShort((short) 0).putShort((short) 0); // the target is given by its key
    message.putInt(PEER.length).put(PEER);
    align(message, 4);
    message.putInt(operation.length() + 1).put(ascii(operation)).put((byte) 0);
    align(message, 4);
    message.putInt(context.length == 0 ? 0 : 1).put(context);
    if (arguments.length > 0) {
      align(message, 8);
      message.put(arguments);
    }
    message.putInt(8, message.position() - 12);
    return Arrays.copyOf(message.array(), message.position());
  }

  private static void align(ByteBuffer message, int to) {
    message.position((message.position() + to - 1) / to * to);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
