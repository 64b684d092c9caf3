package org.tutti.net.tcp;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.net.SelectorTransport;
import org.tutti.tls.Role;
import org.tutti.tls.TlsWire;
import org.tutti.tls.Wire;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;
import org.tutti.transport.Refused.Reason;

/// One stream to a peer: first, perhaps, a handshake of TLS, then both sides exchange a [Preamble], then frames, each
/// after its length.
///
/// A frame is never split over two connections: what a broken connection had not sent is dropped with it.
final class Connection implements SelectorTransport.Claim {
  private static final double REST_MIN_NANOS = 1e6; // as exactly as the selector counts
  private static final double REST_MAX_NANOS = 4e6;

  private enum State {
    CONNECTING,
    SECURING,
    GREETING,
    OPEN,
    CLOSED
  }

  private final TcpLoop loop;
  private final SocketChannel channel;
  private final Wire wire;
  private final @Nullable TlsWire tls; // the wire, unless bytes travel as they are
  private final boolean unix;
  private final boolean outbound;
  private final Preamble preamble = new Preamble();
  private final long deadlineNanos;
  private State state;

  /// Known from the start when outbound, else from the preamble.
  private @Nullable Peer peer;

  private @Nullable SelectionKey key;
  private @Nullable SendBuffer out;

  /// Between two reads: position 0 to position() hold the beginning of a frame.
  private @Nullable ByteBuffer in;

  /// The window on `in` that is lent to the receiver.
  private @Nullable ByteBuffer frame;

  /// The socket took less than was offered; the selector tells when it takes more.
  private boolean blocked;

  /// A long frame comes slowly: the selector does not tell of each part.
  private boolean resting;

  private long restsUntil;
  private long readAt;

  /// The peer's host has refused it.
  private boolean refused;

  private long openedAtNanos;

  /// On the loop's list of connections to be flushed.
  private boolean dirty;

  Connection(TcpLoop loop, SocketChannel channel, boolean unix, @Nullable Peer peer) {
    this.loop = loop;
    this.channel = channel;
    this.unix = unix;
    this.outbound = peer != null;
    this.tls = loop.security == null ? null : loop.security.wire(channel, outbound, loop.traffic, this::resumed);
    this.wire = tls != null ? tls : new Wire.Plain(channel, loop.traffic);
    this.peer = peer;
    this.state = outbound ? State.CONNECTING : tls != null ? State.SECURING : State.GREETING;
    this.deadlineNanos = loop.nowNanos + loop.config.connectTimeout().toNanos();
  }

  boolean isOutbound() {
    return outbound;
  }

  boolean isUnix() {
    return unix;
  }

  boolean isOpen() {
    return state == State.OPEN;
  }

  boolean wasRefused() {
    return refused;
  }

  /// Whether it is complete and has been for some time.
  boolean hasLasted(long nanos) {
    return openedAtNanos != 0 && loop.nowNanos - openedAtNanos >= nanos;
  }

  boolean isRoomy() {
    return out == null || out.isRoomy();
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  /// Enters the selector; last of the steps that make a connection.
  void register(SocketChannel channel, int interest) throws ClosedChannelException {
    key = channel.register(loop.selector, interest, this);
    loop.handshakes.add(this);
    if (!outbound) {
      loop.accepted++;
    }
  }

  /// The connection exists; introduces us.
  void connected() {
    key().interestOps(SelectionKey.OP_READ);
    if (tls != null) {
      state = State.SECURING;
      secure(tls);
    } else {
      state = State.GREETING;
      introduce();
    }
  }

  /// The slow steps of the handshake are done.
  private void resumed() {
    if (state == State.SECURING && tls != null) {
      secure(tls);
    }
  }

  private void secure(TlsWire secured) {
    try {
      boolean complete = secured.handshake();
      if (secured.isEnded()) {
        close(TcpCount.CLOSED_BY_PEER);
      } else if (!complete) {
        key().interestOps(secured.interest());
      } else {
        key().interestOps(SelectionKey.OP_READ);
        state = State.GREETING;
        if (!outbound || introduce()) {
          readBuffered(secured);
        }
      }
    } catch (IOException e) {
      fail(e);
    }
  }

  /// The selector tells of what is in the socket, not of what was taken from it already.
  private void readBuffered(TlsWire secured) throws IOException {
    while (state != State.CLOSED && secured.isBuffered()) {
      read();
    }
  }

  /// The selector found something to do.
  void ready() {
    try {
      if (state == State.CONNECTING && channel.finishConnect()) {
        connected();
        return;
      }
      int ops = state == State.CLOSED ? 0 : key().readyOps();
      if (tls != null) {
        readySecurely(tls, ops);
        return;
      }
      if ((ops & SelectionKey.OP_WRITE) != 0) {
        write();
      }
      if ((ops & SelectionKey.OP_READ) != 0 && state != State.CLOSED) {
        read();
      }
    } catch (IOException e) {
      refused = state == State.CONNECTING && e instanceof ConnectException; // it would wait longer than we do else
      fail(e);
    }
  }

  private void readySecurely(TlsWire secured, int ops) throws IOException {
    if ((ops & SelectionKey.OP_READ) != 0) {
      secured.readable();
    }
    if (state == State.SECURING) {
      secure(secured);
      return;
    }
    if ((ops & SelectionKey.OP_WRITE) != 0) {
      write();
    }
    if ((ops & SelectionKey.OP_READ) != 0 && state != State.CLOSED) {
      read();
      readBuffered(secured);
    }
  }

  private TcpCount reason(IOException failure) {
    return tls == null ? TcpCount.CLOSED_BROKEN : TcpCount.of(TlsWire.Failure.of(failure));
  }

  /// Lends room for a frame, or null.
  @Nullable ByteBuffer claim(int length) {
    if (out == null) {
      out = new SendBuffer(loop.sendBuffers.take(), loop.config.frameBytesMax());
    }
    ByteBuffer room = out.claim(length);
    if (room == null && !blocked) {
      // One turn said more than the buffer holds while the socket is idle: no reason to refuse.
      write();
      room = state == State.OPEN ? out.claim(length) : null;
    }
    return room;
  }

  /// Takes over the frame claimed last, whatever it ends with: each peer has a stream of its own.
  @Override
  public void commit(@Nullable Object content, int from) {
    if (state != State.OPEN || out == null) {
      return;
    }
    out.commit();
    loop.counters.add(TcpCount.FRAMES_SENT);
    if (!dirty) {
      dirty = true;
      loop.dirty.add(this);
    }
  }

  /// Writes what was committed since the last turn, unless the socket is known to be full.
  void flush() {
    dirty = false;
    if (state == State.OPEN && !blocked && out != null && !out.isEmpty()) {
      write();
    }
  }

  /// Ends the connection, whatever its state.
  void close(TcpCount reason) {
    if (state == State.CLOSED) {
      return;
    }
    boolean complete = state == State.OPEN;
    state = State.CLOSED;
    loop.counters.add(reason);
    loop.log(this, peer, reason);
    wire.close();
    if (out != null) {
      loop.sendBuffers.giveBack(out.bytes());
    }
    if (in != null) {
      loop.receiveBuffers.giveBack(in);
    }
    loop.closed(this, peer, complete, reason == TcpCount.CLOSED_BY_PEER || reason == TcpCount.CLOSED_BROKEN);
  }

  /// Ends the connection because the other side is not taken, or takes us not. Who has connected tells why; the others
  /// say it in their way, before.
  private void refuse(TcpCount count, Reason reason, String words) {
    if (outbound && !unix) {
      peer().refusal = new Refused(peer().address, reason, words);
    }
    close(count);
  }

  /// Ends the connection because of a failure.
  private void fail(IOException failure) {
    TcpCount count = reason(failure);
    Refused told = tls == null || !outbound ? null : loop.refusal(failure, peer().address);
    if (told != null) {
      peer().refusal = told;
    }
    close(count);
  }

  private void write() {
    try {
      SendBuffer pending = Objects.requireNonNull(out);
      pending.writeTo(wire);
      peer().wrote(loop.nowNanos);
      boolean empty = pending.isEmpty() && wire.isFlushed();
      if (blocked == empty) {
        blocked = !blocked;
        await();
      }
    } catch (IOException e) {
      fail(e);
    }
  }

  /// What the selector is to tell of.
  private void await() {
    key().interestOps((resting ? 0 : SelectionKey.OP_READ) | (blocked ? SelectionKey.OP_WRITE : 0));
  }

  private void read() throws IOException {
    if (state == State.GREETING) {
      greet();
      return;
    }
    ByteBuffer bytes = in;
    if (bytes == null) {
      bytes = loop.receiveBuffers.take();
      in = bytes;
      frame = bytes.duplicate();
    }
    int before = bytes.position();
    int got = wire.read(bytes);
    if (got < 0) {
      close(TcpCount.CLOSED_BY_PEER);
      return;
    }
    peer().heard();
    bytes.flip();
    int missing = deliver(bytes, Objects.requireNonNull(frame));
    long passed = loop.nowNanos - readAt;
    readAt = loop.nowNanos;
    if (missing > 0 && before > 0) {
      rest(missing, (double) passed / Math.max(1, got));
    }
  }

  /// Does not look at a connection for a while on which a long frame comes slowly: each packet of a line of 100 Mbit/s
  /// would wake the thread up, 90 times for a frame of 128 KiB, of which nothing can be used before the last one. For
  /// half of the time that the rest will take, so that the frame is not late.
  ///
  /// @param missing how many bytes of the frame
  /// @param each    how many nanoseconds each of the last ones took
  private void rest(int missing, double each) {
    double takes = missing * each;
    if (takes < REST_MIN_NANOS || resting || state != State.OPEN) {
      return;
    }
    resting = true;
    restsUntil = loop.nowNanos + (long) Math.clamp(takes / 2, REST_MIN_NANOS, REST_MAX_NANOS);
    loop.resting.add(this);
    loop.counters.add(TcpCount.READS_DEFERRED);
    await();
  }

  /// Until when it is not looked at.
  long restsUntil() {
    return restsUntil;
  }

  /// Reads again.
  void resume() {
    resting = false;
    if (state != State.OPEN) {
      return;
    }
    await();
    try {
      if (tls != null) {
        readySecurely(tls, SelectionKey.OP_READ);
      } else {
        read();
      }
    } catch (IOException e) {
      fail(e);
    }
  }

  /// Hands frames over.
  ///
  /// @return how many bytes are missing of the next one, as far as its length is known; else 0
  private int deliver(ByteBuffer bytes, ByteBuffer lent) {
    int missing = 0;
    while (bytes.remaining() >= SendBuffer.PREFIX_BYTES) {
      int at = bytes.position() + SendBuffer.PREFIX_BYTES;
      int length = bytes.getInt(bytes.position());
      if (length <= 0 || length > loop.config.frameBytesMax()) {
        close(TcpCount.CLOSED_BAD_LENGTH);
        return 0;
      }
      missing = Math.max(0, length - (bytes.limit() - at));
      if (missing > 0) {
        break;
      }
      bytes.position(at + length);
      loop.counters.add(TcpCount.FRAMES_RECEIVED);
      loop.receiver().onFrame(lent.clear().limit(at + length).position(at).order(ByteOrder.BIG_ENDIAN));
      if (state == State.CLOSED) {
        // The receiver answered, and that write found the connection broken.
        return 0;
      }
    }
    if (bytes.position() == 0) {
      bytes.position(bytes.limit()).limit(bytes.capacity());
    } else {
      bytes.compact();
    }
    return missing;
  }

  private void greet() throws IOException {
    switch (preamble.read(wire)) {
      case MORE -> {}
      case ENDED -> close(TcpCount.CLOSED_BY_PEER);
      case TLS -> {
        answer(loop.self);
        refuse(TcpCount.CLOSED_IS_TLS, Reason.IS_TLS, "it speaks TLS, this node does not");
      }
      case FOREIGN -> refuse(TcpCount.CLOSED_FOREIGN_PROTOCOL, Reason.FOREIGN, "its answer is not that of a node");
      case OTHER_VERSION -> {
        answer(loop.self);
        refuse(TcpCount.CLOSED_OTHER_VERSION, Reason.OTHER_VERSION, preamble.versions());
      }
      case MALFORMED -> close(TcpCount.CLOSED_BAD_PREAMBLE);
      case COMPLETE -> {
        boolean meant = preamble.to().equals(loop.self);
        if (!meant || outbound && !preamble.from().equals(peer().address)) {
          answer(preamble.from());
          String itself = "a node answers there that calls itself " + preamble.from();
          refuse(TcpCount.CLOSED_WRONG_IDENTITY, Reason.OTHER_ADDRESS, itself);
        } else {
          complete();
        }
      }
    }
  }

  /// Introduces us to who has connected and is not taken: that shows what is wrong, as far as it can be shown.
  private void answer(Address to) throws IOException {
    if (!outbound) {
      wire.write(Preamble.encode(loop.self, to));
      wire.finish();
    }
  }

  private void complete() {
    if (!outbound) {
      peer = loop.peers.of(preamble.from());
      if (!introduce()) {
        return;
      }
    }
    state = State.OPEN;
    openedAtNanos = loop.nowNanos;
    peer().mayVote = tls == null || tls.peerRoles().contains(Role.MEMBER);
    loop.opened(this, peer());
  }

  private boolean introduce() {
    ByteBuffer greeting = Preamble.encode(loop.self, peer().address);
    try {
      wire.write(greeting);
    } catch (IOException e) {
      fail(e);
      return false;
    }
    if (greeting.hasRemaining() || !wire.isFlushed()) {
      // An empty socket buffer takes some hundred bytes; one that does not is not worth waiting for.
      close(TcpCount.CLOSED_BROKEN);
      return false;
    }
    return true;
  }

  private Peer peer() {
    return Objects.requireNonNull(peer);
  }

  private SelectionKey key() {
    return Objects.requireNonNull(key);
  }

  /// What waits for one connection's socket: frames with their length prefixes, side by side in one direct buffer, so
  /// that everything said in one turn leaves with one write.
  ///
  /// ```
  /// 0 ...... start .............. end ............. capacity
  ///  written       committed          free
  /// ```
  static final class SendBuffer {
    /// The length before each frame, in bytes.
    static final int PREFIX_BYTES = 4;

    private final ByteBuffer bytes;
    private final ByteBuffer slot;
    private final int frameBytesMax;
    private int start;
    private int end;
    private int claimedBytes;

    SendBuffer(ByteBuffer bytes, int frameBytesMax) {
      this.bytes = bytes;
      this.slot = bytes.duplicate();
      this.frameBytesMax = frameBytesMax;
    }

    /// The memory, to be given back to its pool.
    ByteBuffer bytes() {
      return bytes;
    }

    /// Lends room for a frame, or null when it does not fit.
    @Nullable ByteBuffer claim(int length) {
      if (!fits(length)) {
        return null;
      }
      if (end + PREFIX_BYTES + length > bytes.capacity()) {
        bytes.limit(end).position(start).compact();
        end -= start;
        start = 0;
      }
      claimedBytes = length;
      int at = end + PREFIX_BYTES;
      // A fresh byte order each time: the borrower may have changed it.
      return slot.limit(at + length).position(at).order(ByteOrder.BIG_ENDIAN);
    }

    /// Takes over the frame claimed last.
    void commit() {
      bytes.putInt(end, claimedBytes);
      end += PREFIX_BYTES + claimedBytes;
      claimedBytes = 0;
    }

    boolean isEmpty() {
      return start == end;
    }

    /// Whether a frame of any size fits.
    boolean isRoomy() {
      return fits(frameBytesMax);
    }

    /// Writes once.
    void writeTo(Wire wire) throws IOException {
      bytes.limit(end).position(start);
      wire.write(bytes);
      start = bytes.position();
      bytes.limit(bytes.capacity());
      if (start == end) {
        start = 0;
        end = 0;
      }
    }

    private boolean fits(int length) {
      int needed = PREFIX_BYTES + length;
      // Moving is allowed only when at least as much was written as is moved: so no byte is moved more than once or
      // twice.
      boolean movable = start >= end - start;
      return end + needed <= bytes.capacity() || movable && end - start + needed <= bytes.capacity();
    }
  }
}
