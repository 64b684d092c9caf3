package org.tutti.corba.gate;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A socket that its gate knows as long as it is open, and from which only GIOP is read; or, when the gate has
/// credentials, only TLS, with an [EncryptedSocket] above.
final class GuardedSocket extends Socket {
  private final Gate gate;
  private final boolean accepted;
  private volatile long greetingEnd;
  private @Nullable InputStream filtered;
  private volatile boolean greeted;
  private volatile boolean hasRead; // below TLS
  private volatile @Nullable InetSocketAddress target;

  GuardedSocket(Gate gate, boolean accepted) {
    this.gate = gate;
    this.accepted = accepted;
    begin();
  }

  /// The time for the greeting begins now; an object that waited for a connection is older than the connection.
  void begin() {
    greetingEnd = System.nanoTime() + gate.greetingNanos();
  }

  @Override
  public InputStream getInputStream() throws IOException {
    InputStream raw = super.getInputStream();
    synchronized (this) {
      if (filtered == null) {
        filtered = gate.credentials() == null ? new GiopFilter(raw, gate, this, accepted) : new Records(raw);
      }
      return filtered;
    }
  }

  /// Whether the other end has said anything, below TLS.
  boolean hasRead() {
    return hasRead;
  }

  /// It is to connect to a peer.
  void dials(InetSocketAddress peer) {
    target = peer;
  }

  /// What a peer answered ends the connection; whoever called it may ask the gate why.
  void broke(IOException why) {
    InetSocketAddress peer = target;
    if (peer != null) {
      gate.broke(peer, why);
    }
  }

  /// The first message is complete, or the handshake of one's own: from now on a read may take all the time there is.
  void greeted() throws IOException {
    greeted = true;
    setSoTimeout(0);
    gate.greeted(this);
  }

  /// How long a read may take now.
  ///
  /// @throws SocketTimeoutException when the time for a greeting is over
  void limit() throws IOException {
    if (!greeted) {
      long left = TimeUnit.NANOSECONDS.toMillis(greetingEnd - System.nanoTime());
      if (left <= 0) {
        throw new SocketTimeoutException("no greeting in time");
      }
      setSoTimeout((int) left);
    }
  }

  @Override
  public void close() throws IOException {
    gate.left(this);
    super.close();
  }

  /// Bytes below TLS: however slowly they come, a handshake has its time, and whoever speaks something else is told
  /// apart from who shows a wrong certificate.
  private final class Records extends FilterInputStream {
    Records(InputStream raw) {
      super(raw);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) <= 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      limit();
      int count = in.read(into, offset, length);
      if (!hasRead && count > 0) {
        hasRead = true;
        if (!ForeignAnswerException.isTls(into[offset])) {
          gate.count(IiopCount.CLOSED_NOT_TLS);
          throw new ForeignAnswerException(ForeignAnswerException.Answer.NOT_TLS);
        }
      }
      return count;
    }
  }
}
