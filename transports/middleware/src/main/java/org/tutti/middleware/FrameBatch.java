package org.tutti.middleware;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;
import org.tutti.transport.Refused;

/// What one remote call carries: who speaks to whom, as over TCP, and frames, each after its length.
///
/// ```
/// magic "Tutt" (4)  version (1)  length of from (1)  length of to (1)  from  to
/// length (4) frame   length (4) frame   ...
/// ```
///
/// Up to the addresses the layout is the same in every version, so a batch of another version tells whom to answer
/// ([Stranger]). A batch without frames says nothing but its version.
///
/// A receiver takes a batch as a whole or not at all. The address it is meant for is checked because the same host and
/// port may exist in several networks, and because names may lead to a process that was started there since. It is no
/// proof of identity.
///
/// @param bytes the whole batch, which [#check] found to be right
/// @param start where the first frame's length begins
record FrameBatch(byte[] bytes, int start) {
  /// The length before each frame, in bytes.
  static final int PREFIX_BYTES = 4;

  private static final int MAGIC = 0x54757474;
  private static final byte VERSION = 1;
  private static final int FIXED_BYTES = 7;

  /// The longest header, in bytes.
  static final int HEADER_BYTES_MAX = FIXED_BYTES + 2 * Address.BYTES_MAX;

  /// The bytes with which every batch from one node to another begins.
  static byte[] header(Address from, Address to) {
    byte[] speaker = utf8(from);
    byte[] listener = utf8(to);
    return ByteBuffer.allocate(FIXED_BYTES + speaker.length + listener.length)
        .putInt(MAGIC)
        .put(VERSION)
        .put((byte) speaker.length)
        .put((byte) listener.length)
        .put(speaker)
        .put(listener)
        .array();
  }

  /// A batch of another version, as far as it can be read.
  ///
  /// @param from    who has sent it, as it says
  /// @param version which one it has
  /// @param bare    whether it has only its header: it answers a batch of ours, and is not answered
  record Stranger(Address from, int version, boolean bare) {
    /// The words for whoever asks why the two do not speak.
    Refused refusal() {
      String words = "it speaks version " + version + " of the batches of frames, this node version " + VERSION;
      return new Refused(from, Refused.Reason.OTHER_VERSION, words);
    }
  }

  /// Who has sent a batch of another version.
  ///
  /// @param bytes a batch that [#check] has refused
  /// @param self  this node's address
  /// @return null when it was refused for something else, or is not for this node
  static @Nullable Stranger stranger(byte[] bytes, byte[] self) {
    if (bytes.length < FIXED_BYTES || ByteBuffer.wrap(bytes).getInt() != MAGIC || bytes[4] == VERSION) {
      return null;
    }
    int to = FIXED_BYTES + Byte.toUnsignedInt(bytes[5]);
    int start = to + Byte.toUnsignedInt(bytes[6]);
    if (start > bytes.length || !Arrays.equals(bytes, to, start, self, 0, self.length)) {
      return null;
    }
    try {
      var from = new Address(new String(bytes, FIXED_BYTES, to - FIXED_BYTES, StandardCharsets.UTF_8));
      return new Stranger(from, Byte.toUnsignedInt(bytes[4]), start == bytes.length);
    } catch (IllegalArgumentException _) {
      return null; // no address
    }
  }

  static byte[] utf8(Address address) {
    return address.text().getBytes(StandardCharsets.UTF_8);
  }

  /// Looks at what arrived before anything of it is used.
  ///
  /// @param self          this node's address
  /// @param frameBytesMax the longest frame
  /// @param counters      gets the reason when it is refused
  /// @return the batch, or null
  static @Nullable FrameBatch check(byte[] bytes, byte[] self, int frameBytesMax, Counts<MiddlewareCount> counters) {
    int start = FIXED_BYTES;
    MiddlewareCount wrong = null;
    if (bytes.length < FIXED_BYTES || ByteBuffer.wrap(bytes).getInt() != MAGIC) {
      wrong = MiddlewareCount.DROP_FOREIGN_PROTOCOL;
    } else if (bytes[4] != VERSION) {
      wrong = MiddlewareCount.DROP_OTHER_VERSION;
    } else {
      int to = FIXED_BYTES + Byte.toUnsignedInt(bytes[5]);
      start = to + Byte.toUnsignedInt(bytes[6]);
      if (to == FIXED_BYTES || start == to || start > bytes.length) {
        wrong = MiddlewareCount.DROP_BAD_PREAMBLE;
      } else if (!Arrays.equals(bytes, to, start, self, 0, self.length)) {
        wrong = MiddlewareCount.DROP_WRONG_IDENTITY;
      } else if (!areFrames(ByteBuffer.wrap(bytes).position(start), frameBytesMax)) {
        wrong = MiddlewareCount.DROP_BAD_LENGTH;
      }
    }
    if (wrong != null) {
      counters.addShared(wrong);
      return null;
    }
    return new FrameBatch(bytes, start);
  }

  private static boolean areFrames(ByteBuffer rest, int frameBytesMax) {
    while (rest.remaining() >= PREFIX_BYTES) {
      int length = rest.getInt();
      if (length <= 0 || length > frameBytesMax || length > rest.remaining()) {
        return false;
      }
      rest.position(rest.position() + length);
    }
    return !rest.hasRemaining();
  }
}
