package org.tutti.romiop;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.romiop.Giop.BrokenGiopException;

/// Reads whole messages of GIOP 1.0 to 1.2 from a client or a server, and makes those that come in fragments whole.
///
/// ```
/// 1.1   message, more --> Fragment, more --> Fragment       one at a time; a fragment is a header and bytes
/// 1.2   message, more --> Fragment, more --> Fragment       of several at once; behind the header the request id
/// ```
///
/// **Bounds.** A message, and all unfinished ones of a connection together, have at most [#MESSAGE_BYTES_MAX], or as
/// much as was said; memory grows with what has come, not with what a header announces. What is longer than a few
/// packets is counted in a budget that all connections share. Since when the oldest unfinished message has been under
/// way the gateway asks.
final class GiopReader {
  static final int MESSAGE_BYTES_MAX = 16 << 20;

  private static final int UNFINISHED_MAX = 16;
  private static final int FREE_BYTES = 64 << 10;
  private static final long BUDGET_SECONDS_MAX = 10;
  private static final int FRAGMENT_ALIGNMENT = 8;
  private static final long ONLY_ONE = -1; // of GIOP 1.1, whose fragments do not say of what they are

  private final InputStream in;
  private final Semaphore budget;
  private final int messageMax;
  private final Map<Long, Unfinished> unfinished = new HashMap<>(); // guarded by this
  private long unfinishedBytes;
  private int held; // of the budget
  private long begun; // guarded by this; when the message that is read now began, or 0

  private record Unfinished(ByteArrayOutputStream bytes, byte order, long since) {}

  GiopReader(InputStream in, Semaphore budget) {
    this(in, budget, MESSAGE_BYTES_MAX);
  }

  /// With another bound for messages.
  GiopReader(InputStream in, Semaphore budget, int messageMax) {
    this.in = in;
    this.budget = budget;
    this.messageMax = messageMax;
  }

  /// Since when, by the clock of the machine, the oldest message has been incomplete.
  ///
  /// @return 0 when there is none
  synchronized long incompleteSince() {
    long since = begun;
    for (Unfinished each : unfinished.values()) {
      since = since == 0 || each.since() - since < 0 ? each.since() : since;
    }
    return since;
  }

  /// The next whole message. The one before is not needed any more.
  ///
  /// @return null when the client has ended the connection between messages
  byte @Nullable [] next() throws IOException, BrokenGiopException {
    while (true) {
      if (unfinishedBytes == 0) {
        release();
      }
      int first = in.read();
      if (first < 0) {
        return null;
      }
      begin(System.nanoTime());
      byte[] whole = whole(message((byte) first));
      begin(0);
      if (whole != null) {
        return whole;
      }
    }
  }

  /// Gives back what this connection holds of the budget.
  void release() {
    budget.release(held);
    held = 0;
  }

  /// The client does not want a request executed of which fragments are still to come.
  synchronized void forget(int requestId) {
    Unfinished gone = unfinished.remove(Integer.toUnsignedLong(requestId));
    unfinishedBytes -= gone == null ? 0 : gone.bytes().size();
  }

  private synchronized void begin(long now) {
    begun = now;
  }

  private byte[] message(byte first) throws IOException, BrokenGiopException {
    byte[] header = new byte[Giop.HEADER_BYTES];
    header[0] = first;
    if (in.readNBytes(header, 1, header.length - 1) < header.length - 1) {
      throw new EOFException("the connection ended within a header");
    }
    Giop.checkHeader(header);
    long length = Integer.toUnsignedLong(Giop.view(header).getInt(8));
    long all = Giop.HEADER_BYTES + length + unfinishedBytes;
    Giop.require(all <= messageMax, "a message of more than " + (messageMax >> 20) + " MiB");
    reserve((int) length);
    byte[] body = in.readNBytes((int) length);
    if (body.length < length) {
      throw new EOFException("the connection ended within a message");
    }
    byte[] message = new byte[header.length + body.length];
    System.arraycopy(header, 0, message, 0, header.length);
    System.arraycopy(body, 0, message, header.length, body.length);
    return message;
  }

  private void reserve(int bytes) throws IOException, BrokenGiopException {
    if (bytes + unfinishedBytes > FREE_BYTES) {
      try {
        boolean enough = budget.tryAcquire(bytes, BUDGET_SECONDS_MAX, TimeUnit.SECONDS);
        Giop.require(enough, "more from all clients together than there is memory for");
        held += bytes;
      } catch (InterruptedException e) {
        throw new IOException("interrupted", e);
      }
    }
  }

  private synchronized byte @Nullable [] whole(byte[] message) throws BrokenGiopException {
    boolean more = (message[6] & Giop.MORE_FRAGMENTS) != 0;
    boolean isFragment = message[7] == Giop.FRAGMENT;
    if (!more && !isFragment) {
      return message;
    }
    boolean is12 = message[5] == 2;
    int dataAt = isFragment && is12 ? Giop.HEADER_BYTES + Integer.BYTES : Giop.HEADER_BYTES;
    Giop.require(message[5] > 0, "a fragment in GIOP 1.0");
    Giop.require(message.length >= dataAt && (!is12 || message.length >= 16), "a fragment without a request id");
    Giop.require(!is12 || !more || message.length % FRAGMENT_ALIGNMENT == 0, "a fragment of a length that is not of 8");
    long of = is12 ? Integer.toUnsignedLong(Giop.view(message).getInt(Giop.HEADER_BYTES)) : ONLY_ONE;
    Unfinished before = unfinished.get(of);
    if (isFragment) {
      Giop.require(before != null, "a fragment of no message");
      return before == null ? null : append(of, before, message, dataAt, more);
    }
    boolean has = message[7] == Giop.REQUEST || message[7] == Giop.LOCATE_REQUEST || message[7] == Giop.REPLY;
    Giop.require(has, "a type that has no fragments");
    Giop.require(before == null && unfinished.size() < UNFINISHED_MAX, "too many messages in fragments at once");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(message);
    unfinished.put(of, new Unfinished(bytes, message[6], begun));
    unfinishedBytes += message.length;
    return null;
  }

  private byte @Nullable [] append(long of, Unfinished to, byte[] fragment, int dataAt, boolean more)
      throws BrokenGiopException {
    Giop.require(
        (to.order() & Giop.LITTLE_ENDIAN) == (fragment[6] & Giop.LITTLE_ENDIAN), "a fragment of another byte order");
    to.bytes().write(fragment, dataAt, fragment.length - dataAt);
    unfinishedBytes += fragment.length - dataAt;
    if (more) {
      // A fragment without bytes is not free: else there could be any number.
      Giop.require(fragment.length > dataAt, "a fragment without bytes");
      return null;
    }
    unfinished.remove(of);
    byte[] whole = to.bytes().toByteArray();
    unfinishedBytes -= whole.length;
    whole[6] &= (byte) ~Giop.MORE_FRAGMENTS;
    ByteBuffer view = Giop.view(whole);
    view.putInt(8, whole.length - Giop.HEADER_BYTES);
    return whole;
  }
}
