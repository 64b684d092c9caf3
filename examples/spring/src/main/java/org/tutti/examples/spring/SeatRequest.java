package org.tutti.examples.spring;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// A command of a client: somebody wants a seat, or gives it back. Asked again it changes nothing more, so whoever got
/// no answer over HTTP may ask again.
///
/// As bytes: one for the kind, four for the seat, then the holder in UTF-8.
///
/// @param kind   what is wanted
/// @param seat   which seat, 1 to [#SEATS]
/// @param holder who, up to [#HOLDER_BYTES_MAX] bytes of UTF-8
record SeatRequest(Kind kind, int seat, String holder) {
  /// How many seats there are: the state is bounded by that.
  static final int SEATS = 10_000;

  static final int HOLDER_BYTES_MAX = 64;

  enum Kind {
    TAKE,
    RELEASE
  }

  SeatRequest {
    requireSeat(seat);
    int length = holder.getBytes(StandardCharsets.UTF_8).length;
    if (length == 0 || length > HOLDER_BYTES_MAX) {
      throw new IllegalArgumentException("a holder has 1 to " + HOLDER_BYTES_MAX + " bytes, not " + length);
    }
  }

  static int requireSeat(int seat) {
    if (seat < 1 || seat > SEATS) {
      throw new IllegalArgumentException("seats are 1 to " + SEATS + ", not " + seat);
    }
    return seat;
  }

  ByteBuffer encode() {
    byte[] text = holder.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(5 + text.length).put((byte) kind.ordinal()).putInt(seat).put(text).flip();
  }

  /// Reads what any client may have sent.
  ///
  /// @throws IllegalArgumentException when it is no command; the client is told so, and every replica says the same
  static SeatRequest decode(ByteBuffer payload) {
    if (payload.remaining() < 5 || payload.remaining() > 5 + HOLDER_BYTES_MAX) {
      throw new IllegalArgumentException("no command about a seat has " + payload.remaining() + " bytes");
    }
    byte kind = payload.get();
    if (kind < 0 || kind >= Kind.values().length) {
      throw new IllegalArgumentException("commands are of kind 0 and 1, not " + kind);
    }
    int seat = payload.getInt();
    try {
      String holder = StandardCharsets.UTF_8.newDecoder().decode(payload).toString();
      return new SeatRequest(Kind.values()[kind], seat, holder);
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("a holder is UTF-8", e);
    }
  }
}
