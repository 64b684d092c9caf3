package org.tutti.sim;

import java.nio.ByteBuffer;
import org.tutti.engine.Request;

/// Words for frames and requests, for people who read a trace.
final class Frames {
  private Frames() {}

  /// A frame in a few words. Frames are opaque here: length and a short hash by which the same frame is found again where
  /// it arrives.
  static String describe(ByteBuffer frame) {
    return frame.remaining() + " bytes " + tag(frame);
  }

  private static String tag(ByteBuffer bytes) {
    return String.format("%06x", Hash.of(bytes) & 0xffffff);
  }

  /// A request in a few words.
  static String describe(Request request) {
    return switch (request) {
      case Request.Create create -> "create " + create.group();
      case Request.Join join -> "join " + join.group();
      case Request.Multicast(_, ByteBuffer payload) -> "multicast " + describe(payload);
      case Request.Leave _ -> "leave";
      case Request.StateChunk(_, long transfer, ByteBuffer chunk, boolean last) ->
          "state " + Long.toHexString(transfer) + ": " + chunk.remaining() + " bytes" + (last ? ", the last" : "");
      case Request.StateFailed(_, long transfer) -> "state " + Long.toHexString(transfer) + ": failed";
      case Request.StateTaken(_, long transfer) -> "state " + Long.toHexString(transfer) + ": piece taken";
      case Request.Consumed _ -> "consumed";
      case Request.Suspect suspect -> "suspect " + suspect.member();
    };
  }
}
