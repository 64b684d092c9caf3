package org.tutti.net.udp;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.net.Nio;
import org.tutti.net.udp.multicast.MulticastCount;
import org.tutti.spi.BufferPool;
import org.tutti.transport.Counts;
import org.tutti.transport.Receiver;
import org.tutti.transport.Refused;

/// One turn after another of a [UdpTransport]: write, wait, read. Holds what its peers share; engine thread only.
final class UdpLoop {
  private static final int READS_PER_TURN_MAX = 512;
  private static final int ANSWERS_PER_TURN_MAX = 16; // to those whom we do not know

  final UdpConfig config;
  final Selector selector;
  final Counts<UdpCount> counters = new Counts<>(UdpCount.class);
  final Counts<MulticastCount> multicastCounters = new Counts<>(MulticastCount.class);
  final BufferPool buffers;
  final BufferPool longBuffers; // for frames that go in pieces
  final @Nullable Multicasts multicasts;
  final @Nullable MulticastLoop group;
  final UdpPeers peers;
  final int datagramBytes;
  final int bufferBytes; // with the longest frame
  final int headersBytes; // of UDP and IP
  final int receiveBufferBytes;
  final LocalIncarnations lives;
  final long life; // as multicasts and seals have it

  /// The time of this turn's last wait, or of the last datagram.
  long nowNanos = System.nanoTime();

  private final Datagrams socket;
  private final ByteBuffer control = ByteBuffer.allocateDirect(DatagramHeader.CONTROL_BYTES);
  private final ByteBuffer spare;
  private final ByteBuffer padded;
  private final ByteBuffer received = ByteBuffer.allocateDirect(1 << 16);
  private final ByteBuffer in; // what was received, opened
  private final ByteBuffer frame;
  private final @Nullable Seal seal;
  private final UdpRefusals refusals = new UdpRefusals(counters);
  final DatagramHeader header = new DatagramHeader();
  private final UnicastPiece piece = new UnicastPiece();
  private final Consumer<SelectionKey> dispatch = ready -> {};
  private Datagrams source; // of the datagram that is read
  private int length; // its length
  private @Nullable UdpPeer speaker; // sent what came at once, and may want an answer
  private List<UdpPeer> listed = new ArrayList<>();
  private List<UdpPeer> round = new ArrayList<>();
  private @Nullable Receiver receiver;
  private int answersLeft;
  private boolean ended;

  UdpLoop(
      UdpConfig config,
      int datagramBytes,
      int headersBytes,
      DatagramChannel channel,
      @Nullable Multicasts multicasts,
      Selector selector)
      throws IOException {
    this.config = config;
    this.datagramBytes = datagramBytes;
    this.headersBytes = headersBytes;
    this.multicasts = multicasts;
    this.selector = selector;
    this.peers =
        new UdpPeers(this, ((InetSocketAddress) channel.getLocalAddress()).getAddress() instanceof Inet4Address);
    int granted = channel.getOption(StandardSocketOptions.SO_RCVBUF);
    this.receiveBufferBytes = multicasts == null ? granted : Math.min(granted, multicasts.receiveBufferBytes);
    this.spare = ByteBuffer.allocateDirect(datagramBytes);
    this.padded = ByteBuffer.allocateDirect(datagramBytes);
    SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
    Datagrams trains = TrainDatagrams.open(config, channel, key, counters, received);
    this.socket = trains == null ? new ChannelDatagrams(channel, key, counters, received) : trains;
    this.source = socket;
    this.bufferBytes = FrameLength.bufferBytes(datagramBytes);
    this.buffers = new BufferPool(datagramBytes);
    this.longBuffers = new BufferPool(bufferBytes);
    this.lives = new LocalIncarnations(multicasts == null);
    this.life = lives.common;
    UdpKeys keys = config.keys();
    this.seal =
        keys == null
            ? null
            : new Seal(
                keys,
                life,
                multicasts == null ? datagramBytes : MulticastPiece.WHOLE_BYTES_MAX,
                2 * config.peersMax(),
                counters);
    this.in = keys == null ? received : ByteBuffer.allocateDirect(received.capacity());
    this.frame = in.duplicate();
    this.group = multicasts == null ? null : new MulticastLoop(this, multicasts, channel, selector, received);
  }

  void start(Receiver to) {
    Invariant.check(receiver == null, "a transport is started once");
    receiver = to;
  }

  private Receiver receiver() {
    return Objects.requireNonNull(receiver, "the transport is not started");
  }

  /// What each peer may have on the way to us: its part of the receive buffer.
  int grantBytes() {
    return receiveBufferBytes / Math.max(2, peers.speakers());
  }

  /// Puts a peer on the list of those that need attention.
  void list(UdpPeer peer) {
    if (!peer.listed) {
      peer.listed = true;
      listed.add(peer);
    }
  }

  // ---- a turn ------------------------------------------------------------------------------------------------------

  /// Writes what was committed, waits for input, and hands over what arrived.
  void turn(long waitNanosMax) {
    nowNanos = System.nanoTime();
    answersLeft = ANSWERS_PER_TURN_MAX;
    if (seal != null) {
      seal.follow(nowNanos);
    }
    peers.tidy();
    boolean announced = tend();
    // The receiver may want to say something first: do not wait then.
    select(announced ? 0 : waitNanos(waitNanosMax));
    if (group != null) {
      read(group.socket, true);
    }
    read(socket, false);
    tend();
  }

  /// Writes, answers and announces where that is due.
  ///
  /// @return whether the receiver was called
  private boolean tend() {
    List<UdpPeer> visited = listed;
    listed = round;
    round = visited;
    boolean announced = false;
    socket.retry();
    for (UdpPeer peer : visited) {
      peer.listed = false;
      peer.write();
      peer.tend();
      if (peer.refused && peer.isRoomy() && peer.address != null) {
        announced = true;
        peer.refused = false;
        receiver().onReady(peer.address);
      }
      Refused refusal = peer.refusal();
      if (refusal != null) {
        announced = true;
        receiver().onRefused(refusal);
      }
      if (peer.isListed()) {
        list(peer);
      }
    }
    visited.clear();
    if (group != null) {
      group.tend();
    }
    return announced;
  }

  private long waitNanos(long waitNanosMax) {
    long wait = Math.max(0, waitNanosMax);
    if (wait > 0) {
      wait = Math.min(wait, Math.max(1, peers.pauseNanos()));
      wait = group == null ? wait : Math.min(wait, Math.max(1, group.pauseNanos()));
    }
    if (!socket.isFull()) {
      for (UdpPeer peer : listed) {
        wait = peer.waitNanos(wait);
      }
    }
    socket.interest();
    return wait;
  }

  private void select(long waitNanos) {
    Nio.select(selector, dispatch, waitNanos);
    nowNanos = System.nanoTime();
  }

  // ---- reading -----------------------------------------------------------------------------------------------------

  private void read(Datagrams from, boolean multicast) {
    source = from;
    for (int i = 0; (i < READS_PER_TURN_MAX || from.hasMore()) && !ended; i++) {
      if (!from.hasMore()) {
        echoIfMuch();
      }
      InetSocketAddress sender;
      try {
        sender = from.receive();
      } catch (IOException _) {
        counters.add(UdpCount.RECEIVE_FAILED); // what some systems make of an ICMP message
        continue;
      }
      if (sender == null) {
        return;
      }
      nowNanos = System.nanoTime();
      counters.add(UdpCount.DATAGRAMS_RECEIVED);
      counters.add(UdpCount.BYTES_RECEIVED, received.remaining());
      if (multicast && seal != null && Seal.from(received) == life) {
        continue; // a group's own host hears it, too, and opening it is most of the work
      }
      int at = received.position();
      int whole = received.remaining();
      UdpCount refused = open(sender);
      if (refused != null) {
        counters.add(refused);
        ByteBuffer answer = multicast ? null : refusals.answer(received, at, whole, refused, nowNanos);
        if (answer != null) {
          socket.send(answer, sender);
        }
      } else if (isMisplacedPiece(multicast)) {
        counters.add(UdpCount.DROP_FOREIGN_PROTOCOL);
      } else if (MulticastPiece.is(in) && group != null) {
        group.piece(sender, in);
      } else if (UnicastPiece.is(in)) {
        pieceArrived(sender);
      } else if (multicast && group != null) {
        group.heard(sender, header, in);
      } else {
        arrived(sender);
      }
    }
  }

  /// Whether what was opened is a piece that does not come this way.
  private boolean isMisplacedPiece(boolean multicast) {
    return multicast ? UnicastPiece.is(in) : MulticastPiece.is(in);
  }

  /// Opens what was received, and reads its header.
  ///
  /// @return why it is refused, or null
  private @Nullable UdpCount open(InetSocketAddress sender) {
    if (UdpRefusals.is(received)) {
      UdpPeer peer = peers.known(sender);
      boolean told = peer != null && !peer.isOpen() && peer.refused(refusals, received, seal == null ? peer.own : life);
      return told ? UdpCount.REFUSALS_RECEIVED : UdpCount.DROP_UNASKED;
    }
    UdpCount refused = seal == null ? null : seal.open(received, in);
    if (refused != null) {
      return refused;
    }
    length = in.remaining();
    if (MulticastPiece.is(in) || UnicastPiece.is(in)) {
      return null; // it has no such header
    }
    return switch (header.read(in)) {
      case FOREIGN -> UdpCount.DROP_FOREIGN_PROTOCOL;
      case OTHER_VERSION -> UdpCount.DROP_OTHER_VERSION;
      case NONE -> null;
    };
  }

  /// A datagram for this node came, and its header was read.
  void arrived(InetSocketAddress from) {
    if (header.kind == DatagramHeader.HELLO) {
      answer(from);
      return;
    }
    UdpPeer peer = peers.known(from);
    if (header.to != (peer == null ? lives.known(from) : peer.own)) {
      // Meant for an earlier life at this address, or said by somebody who does not receive what is sent to its own:
      // its
      // sender ought to know. Nobody answers to an answer.
      counters.add(UdpCount.DROP_OTHER_LIFE);
      if (header.kind == DatagramHeader.DATA || header.kind == DatagramHeader.PROBE) {
        answer(from);
      }
      return;
    }
    boolean unknown = peer == null || !peer.isOpen();
    if (header.kind == DatagramHeader.BYE) {
      if (!unknown && peer != null && peer.accept(header.from)) {
        peer.end(UdpCount.ENDED_BY_PEER);
      }
      return;
    }
    if (peer == null && header.kind == DatagramHeader.WELCOME) {
      counters.add(UdpCount.DROP_UNASKED);
      return;
    }
    UdpPeer sender = peer == null ? peers.at(from) : peer;
    if (!sender.accept(header.from)) {
      return;
    }
    if (unknown) {
      peers.hear();
    }
    take(sender);
  }

  private void take(UdpPeer sender) {
    sender.echoed(header);
    switch (header.kind) {
      case DatagramHeader.WELCOME -> sender.echo(); // so that it knows us, too
      case DatagramHeader.PROBE -> {
        sender.probed(header.number, length);
        if (group != null && header.number != 0) {
          group.last(header.from, in);
        }
      }
      case DatagramHeader.ECHO -> sender.pathProbeAnswered(header.number);
      case DatagramHeader.HEARD -> {
        if (multicasts != null) {
          sender.heard(multicasts, header.number);
        }
      }
      case DatagramHeader.DATA -> {
        read(sender);
        if (header.repeated) {
          multicastCounters.add(MulticastCount.CASTS_REPEATED);
        } else {
          frames();
        }
      }
      default -> {}
    }
  }

  /// A piece of a datagram for this node came. One of an earlier life, or for one, is not answered, as it names lives
  /// by half; its sender asks about it soon.
  private void pieceArrived(InetSocketAddress from) {
    UdpPeer sender = peers.known(from);
    if (!piece.read(in)) {
      counters.add(UdpCount.DROP_BAD_PIECE);
    } else if (sender == null || !sender.isOf(piece)) {
      counters.add(UdpCount.DROP_OTHER_LIFE);
    } else {
      sender.accept(sender.life());
      header.take(piece);
      read(sender);
      sender.join(piece, in);
    }
  }

  private void read(UdpPeer sender) {
    sender.read(header, length);
    speaker = sender;
    if (!source.hasMore()) {
      echoIfMuch();
    }
  }

  /// One answer to what came at once.
  private void echoIfMuch() {
    if (speaker != null && group == null) { // with two sockets what came first may be read last: both, before an answer
      speaker.echoIfMuch();
    }
    speaker = null;
  }

  private void answer(InetSocketAddress to) {
    if (answersLeft > 0) {
      answersLeft--;
      send(control(DatagramHeader.WELCOME, header.from, lives.known(to)), to);
    }
  }

  /// Hands over the frames of the datagram that was read last.
  void frames() {
    frames(in, frame);
  }

  /// Hands over frames that came in pieces.
  void frames(ByteBuffer whole) {
    frames(whole, whole.duplicate());
  }

  private void frames(ByteBuffer from, ByteBuffer lent) {
    while (from.remaining() > 0 && !ended) {
      int length = from.remaining() < 2 ? 0 : from.getShort() & 0xffff;
      if (length == 0 || length > from.remaining()) {
        counters.add(UdpCount.DROP_BAD_LENGTH);
        return;
      }
      int at = from.position();
      from.position(at + length);
      counters.add(UdpCount.FRAMES_RECEIVED);
      receiver().onFrame(lent.clear().limit(at + length).position(at).order(ByteOrder.BIG_ENDIAN));
    }
  }

  // ---- room for what leaves at once, lent until the next one of its kind -------------------------------------------

  /// A datagram without frames.
  ///
  /// @param to   the receiver's life
  /// @param from ours, as the receiver knows it
  ByteBuffer control(int kind, long to, long from) {
    control.clear().limit(DatagramHeader.BYTES);
    DatagramHeader.write(control, kind, to, from);
    DatagramHeader.echo(control, 0, 0, 0, grantBytes());
    return control;
  }

  /// Room for any other.
  ByteBuffer spare() {
    return spare.clear();
  }

  /// Room for a header, and zeros up to a length.
  ByteBuffer padded(int length) {
    return padded.clear().limit(length);
  }

  // ---- writing -----------------------------------------------------------------------------------------------------

  /// The kernel knows that the datagram sent last does not go to its receiver in one piece.
  boolean wasTooLong() {
    return socket.wasTooLong();
  }

  int sealBytes() {
    return seal == null ? 0 : Seal.BYTES;
  }

  /// Hands a datagram to the kernel.
  ///
  /// @return false when the socket is full; a datagram that the network does not take is lost like others
  boolean send(ByteBuffer datagram, InetSocketAddress to) {
    boolean taken = load(datagram, to);
    flush();
    return taken;
  }

  /// Has a datagram leave with the next [#flush], perhaps together with others.
  ///
  /// @return false when the socket is full
  boolean load(ByteBuffer datagram, InetSocketAddress to) {
    return !ended && !socket.isFull() && socket.send(seal == null ? datagram : seal.close(datagram), to);
  }

  /// Has everything leave that was loaded.
  void flush() {
    if (!ended) {
      socket.flush();
    }
  }

  /// Tries a last write and releases the socket.
  void end() {
    if (ended) {
      return;
    }
    for (UdpPeer peer : peers.all()) {
      peer.write();
      peer.farewell();
    }
    ended = true;
    socket.close();
    if (group != null) {
      group.socket.close();
    }
    Nio.close(selector);
  }

  /// By which number each address knows this life: another one for each, so that who has it receives what is sent to
  /// that address. It is what a cookie is elsewhere (RFC 9000, 8.1, validates addresses likewise), and needs no room in
  /// datagrams: everything that an address says carries it, as the receiver's life.
  ///
  /// Multicasts have one sender's life for all; where there are any, all addresses know the same number, and only a
  /// [UdpKey] keeps others from speaking.
  static final class LocalIncarnations {
    private static final String HASH = "HmacSHA256";
    private static final int SECRET_BYTES = 32;

    /// What multicasts and seals call this life.
    final long common;

    private final boolean apart;
    private final Mac mac;

    /// @param apart whether each address knows another number
    LocalIncarnations(boolean apart) {
      var random = new SecureRandom();
      var secret = new byte[SECRET_BYTES];
      random.nextBytes(secret);
      this.common = random.nextLong() | 1;
      this.apart = apart;
      try {
        mac = Mac.getInstance(HASH);
        mac.init(new SecretKeySpec(secret, HASH));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e); // every JDK has it
      }
    }

    /// This life as an address knows it; never 0.
    long known(InetSocketAddress at) {
      if (!apart) {
        return common;
      }
      mac.update(at.getAddress().getAddress());
      byte[] code = mac.doFinal(new byte[] {(byte) (at.getPort() >>> Byte.SIZE), (byte) at.getPort()});
      return ByteBuffer.wrap(code).getLong() | 1;
    }
  }
}
