package org.tutti.corba.gate;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// What comes out of a socket, as long as it is a sequence of GIOP messages that peers could have sent; at the first
/// that is not, the stream ends, before the ORB sees any of its body.
///
/// ```
/// 0 "GIOP"   4 major   5 minor   6 flags: 1 little-endian, 2 more fragments follow   7 type   8 length of the body (4)
/// ```
///
/// Only headers and the heads of requests are looked at. A message that comes in fragments counts with all its bytes;
/// when several such messages are under way, which peers never do, they count together until the last one is complete.
final class GiopFilter extends FilterInputStream {
  private static final int HEADER_BYTES = 12;
  private static final int MAGIC = 0x47494f50;
  private static final int MAJOR = 1;
  private static final int MINOR = 2;
  private static final int LITTLE_ENDIAN = 1;
  private static final int MORE_FRAGMENTS = 2;

  private static final int REQUEST = 0;
  private static final int REPLY = 1;
  private static final int LOCATE_REPLY = 4;
  private static final int FRAGMENT = 7;

  // How a request ended; what is beyond leads elsewhere.
  private static final int SYSTEM_EXCEPTION = 2;
  private static final int OBJECT_HERE = 1;
  private static final int LOCATE_EXCEPTION = 4;

  private static final int STATUS_BYTES = 8; // of a reply: which request, and how it ended

  private final Gate gate;
  private final GuardedSocket socket;
  private final boolean accepted;
  private final byte[] header = new byte[HEADER_BYTES];
  private int headerBytes;
  private long bodyLeft;
  private byte[] head = new byte[0]; // of a request's body, read ahead
  private int headTaken;
  private int unfinished; // messages of which more fragments follow
  private long unfinishedBytes;
  private boolean ended;

  // For the first message of an accepted connection.
  private boolean greeted;

  GiopFilter(InputStream in, Gate gate, GuardedSocket socket, boolean accepted) {
    super(in);
    this.gate = gate;
    this.socket = socket;
    this.accepted = accepted;
    this.greeted = !accepted;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) <= 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (ended) {
      return -1;
    }
    boolean inBody = bodyLeft > 0;
    int most = inBody ? (int) Math.min(length, bodyLeft) : Math.min(length, HEADER_BYTES - headerBytes);
    int count = inBody && headTaken < head.length ? takeHead(into, offset, most) : take(into, offset, most);
    if (count <= 0) {
      return count;
    }
    if (inBody) {
      bodyLeft -= count;
    } else {
      System.arraycopy(into, offset, header, headerBytes, count);
      headerBytes += count;
      refuse();
      if (headerBytes == HEADER_BYTES && !begin()) {
        ended = true;
        return -1;
      }
    }
    if (headerBytes == HEADER_BYTES && bodyLeft == 0) {
      complete();
    }
    return count;
  }

  /// Whoever was dialled says by its first byte whether it speaks GIOP; it may say no more.
  private void refuse() {
    if (!accepted && header[0] != (byte) (MAGIC >>> 24)) {
      boolean tls = gate.credentials() == null && ForeignAnswerException.isTls(header[0]);
      socket.broke(
          new ForeignAnswerException(tls ? ForeignAnswerException.Answer.TLS : ForeignAnswerException.Answer.NOT_GIOP));
    }
  }

  private int takeHead(byte[] into, int offset, int most) {
    int count = Math.min(most, head.length - headTaken);
    System.arraycopy(head, headTaken, into, offset, count);
    headTaken += count;
    return count;
  }

  private int take(byte[] into, int offset, int most) throws IOException {
    try {
      if (!greeted) {
        socket.limit();
      }
      return in.read(into, offset, most);
    } catch (SSLException e) {
      gate.brokenTls(e);
      socket.broke(e);
      throw e;
    } catch (SocketTimeoutException e) {
      if (greeted) {
        throw e;
      }
    }
    gate.expired(socket);
    ended = true;
    return -1;
  }

  /// Looks at a header, and at what follows it in a request.
  ///
  /// @return false when the connection has to end
  private boolean begin() throws IOException {
    int flags = header[6];
    int type = Byte.toUnsignedInt(header[7]);
    ByteOrder order = (flags & LITTLE_ENDIAN) != 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    long length = Integer.toUnsignedLong(ByteBuffer.wrap(header).order(order).getInt(8));
    account(flags, type, length);
    IiopCount wrong = wrong(type, length);
    if (wrong == null && type == REQUEST) {
      byte[] ahead = new byte[(int) Math.min(length, RequestHead.BYTES_MAX)];
      if (!fill(ahead)) {
        return false;
      }
      head = ahead;
      headTaken = 0;
      wrong = RequestHead.isBearable(ByteBuffer.wrap(head).order(order)) ? null : IiopCount.CLOSED_BAD_MESSAGE;
    } else if (wrong == null && gate.isForPeers() && (type == REPLY || type == LOCATE_REPLY)) {
      byte[] ahead = new byte[(int) Math.min(length, STATUS_BYTES)];
      if (!fill(ahead)) {
        return false;
      }
      head = ahead;
      headTaken = 0;
      wrong = forward(type, order);
    }
    if (wrong != null) {
      gate.count(wrong);
      return false;
    }
    bodyLeft = length;
    return true;
  }

  /// A peer's object is where it was dialled: who says that it is elsewhere, or wants to be asked in another way, could
  /// lead this node to connect to any address.
  private @Nullable IiopCount forward(int type, ByteOrder order) {
    if (head.length < STATUS_BYTES) {
      return IiopCount.CLOSED_BAD_MESSAGE;
    }
    int status = ByteBuffer.wrap(head).order(order).getInt(Integer.BYTES);
    boolean here =
        type == REPLY
            ? status >= 0 && status <= SYSTEM_EXCEPTION
            : status >= 0 && status <= OBJECT_HERE || status == LOCATE_EXCEPTION;
    return here ? null : IiopCount.CLOSED_FORWARDED;
  }

  private boolean fill(byte[] all) throws IOException {
    int done = 0;
    while (done < all.length) {
      int count = take(all, done, all.length - done);
      if (count <= 0) {
        return false;
      }
      done += count;
    }
    return true;
  }

  private @Nullable IiopCount wrong(int type, long length) {
    if (ByteBuffer.wrap(header).getInt() != MAGIC) {
      return IiopCount.CLOSED_FOREIGN_PROTOCOL;
    } else if (header[4] != MAJOR || header[5] != MINOR) {
      return IiopCount.CLOSED_OTHER_VERSION;
    } else if (type > FRAGMENT || !isExpected(type)) {
      return IiopCount.CLOSED_BAD_MESSAGE;
    } else if (Math.max(length, unfinishedBytes) > gate.messageBytesMax()) {
      return IiopCount.CLOSED_BAD_LENGTH;
    }
    return null;
  }

  /// Requests go one way and replies the other.
  private boolean isExpected(int type) {
    return accepted ? type != REPLY && type != LOCATE_REPLY : type != REQUEST;
  }

  private void account(int flags, int type, long length) {
    boolean more = (flags & MORE_FRAGMENTS) != 0;
    if (more || type == FRAGMENT) {
      // A fragment without bytes would otherwise be free.
      unfinishedBytes += HEADER_BYTES + length;
    }
    if (more && type != FRAGMENT) {
      unfinished++;
    } else if (!more && type == FRAGMENT && unfinished > 0) {
      unfinished--;
    }
  }

  private void complete() throws IOException {
    headerBytes = 0;
    head = new byte[0];
    headTaken = 0;
    if (unfinished == 0) {
      unfinishedBytes = 0;
    }
    if (!greeted) {
      greeted = true;
      socket.greeted();
    }
  }

  /// The beginning of a request of GIOP 1.2, before its arguments.
  ///
  /// ```
  /// request id (4)   response flags (1)  0 (3)   kind of target (2)   key: length (4), bytes
  /// operation: length (4), bytes   service contexts: count (4), { id (4)  length (4)  bytes }   at multiples of 4
  /// ```
  static final class RequestHead {
    /// How much of a request is looked at; its head is shorter, or it is none of a peer's.
    static final int BYTES_MAX = 512;

    private static final int KEY_TARGET = 0;
    private static final int CONTEXTS_MAX = 16;
    private static final int INVOCATION_POLICIES = 7;

    private RequestHead() {}

    /// Whether the ORB survives it: with flags that do not exist its only thread for requests ends by an exception, and
    /// policies may tell that thread to wait for a time far away. Targets of other kinds than a key are for groups.
    ///
    /// @param body the first bytes behind the header, in the message's byte order
    static boolean isBearable(ByteBuffer body) {
      try {
        body.getInt();
        int flags = body.get();
        boolean known = flags == 0 || flags == 1 || flags == 3;
        body.position(body.position() + 3);
        if (!known || body.getShort() != KEY_TARGET) {
          return false;
        }
        skip(body); // the key
        skip(body); // the operation
        align(body);
        int contexts = body.getInt();
        for (int i = 0; i < contexts && i < CONTEXTS_MAX; i++) {
          align(body);
          if (body.getInt() == INVOCATION_POLICIES) {
            return false;
          }
          skip(body);
        }
        return contexts >= 0 && contexts <= CONTEXTS_MAX;
      } catch (BufferUnderflowException | IllegalArgumentException _) {
        return false; // a length that leads out of it
      }
    }

    private static void skip(ByteBuffer body) {
      align(body);
      int length = body.getInt();
      if (length < 0 || length > body.remaining()) {
        throw new BufferUnderflowException();
      }
      body.position(body.position() + length);
    }

    private static void align(ByteBuffer body) {
      body.position((body.position() + 3) & ~3);
    }
  }
}
