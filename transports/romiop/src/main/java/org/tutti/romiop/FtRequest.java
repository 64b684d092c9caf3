package org.tutti.romiop;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The service context FT_REQUEST of Fault Tolerant CORBA, by which a client says that a request is the same one as
/// before, sent again. All requests of a call have the same context, through whatever connection.
///
/// ```
/// byte order (1)   client_id: length (4), characters, 0   retention_id (4)   expiration_time (8)
/// ```
///
/// Source: OMG, *Fault Tolerant CORBA*, formal/04-03-12, section 23.2.8.
///
/// @param clientId    names the client; no two clients have the same
/// @param retentionId names the call among those of the client
/// @param expiration  until when the client may send it again, in units of 100 ns since 1582-10-15 UTC (`TimeT`)
record FtRequest(String clientId, int retentionId, long expiration) {
  /// The number of the context.
  static final int ID = 13;

  /// How many units of `TimeT` a second has.
  static final long SECOND = 10_000_000;

  private static final long UNITS_PER_MILLI = 10_000;
  private static final long UNIX_EPOCH = 0x01B21DD213814000L;
  private static final long EPOCH_SECONDS = UNIX_EPOCH / SECOND;
  private static final long SECONDS_MAX = Long.MAX_VALUE / SECOND - 2 * EPOCH_SECONDS;
  private static final int CLIENT_ID_BYTES_MAX = 1024;

  /// The present time.
  static long now() {
    return time(Instant.ofEpochMilli(System.currentTimeMillis()));
  }

  /// A time in units of `TimeT`; those that it cannot tell are the last that it can.
  static long time(Instant time) {
    long millis = Math.clamp(time.getEpochSecond(), -EPOCH_SECONDS, SECONDS_MAX) * 1000 + time.getNano() / 1_000_000;
    return millis * UNITS_PER_MILLI + UNIX_EPOCH;
  }

  /// Reads it from a request.
  ///
  /// @return null when the request has none
  /// @throws Giop.BrokenGiopException when it is not whole
  static @Nullable FtRequest of(Giop request) throws Giop.BrokenGiopException {
    byte[] bytes = request.context(ID);
    if (bytes == null) {
      return null;
    }
    try {
      ByteBuffer from = ByteBuffer.wrap(bytes);
      from.order(from.get() == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
      from.position(4);
      int length = from.getInt();
      Giop.require(length > 0 && length <= CLIENT_ID_BYTES_MAX && length <= from.remaining(), "a wrong client_id");
      byte[] characters = new byte[length];
      from.get(characters);
      from.position((from.position() + 3) & ~3);
      int retentionId = from.getInt();
      from.position((from.position() + 7) & ~7);
      String clientId = new String(characters, 0, length - 1, StandardCharsets.ISO_8859_1);
      return new FtRequest(clientId, retentionId, from.getLong());
    } catch (BufferUnderflowException | IllegalArgumentException _) {
      throw new Giop.BrokenGiopException("an FT_REQUEST that ends early");
    }
  }
}
