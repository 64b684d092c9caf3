package org.tutti.net.udp;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.net.SelectorTransport;
import org.tutti.net.udp.multicast.MulticastCount;
import org.tutti.net.udp.multicast.MulticastPeer;
import org.tutti.spi.BufferPool;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;

/// Another node as a [UdpTransport] knows it: what waits for it, what is on the way to it, what was read of it.
final class UdpPeer implements SelectorTransport.Claim, MulticastReceiver {
  private static final long QUEUE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int QUEUE_DATAGRAMS_MIN = 4;
  private static final int SHORT_BYTES = 512; // of a frame that may be sent although queue or window are full
  private static final int BESIDE_BYTES = DatagramHeader.BYTES + OutgoingDatagram.LENGTH_BYTES + SHORT_BYTES;
  private static final long BESIDE_NANOS = TimeUnit.MILLISECONDS.toNanos(30); // between two beside the window
  private static final System.Logger LOG = System.getLogger(UdpTransport.class.getName());

  final InetSocketAddress at;
  private final UdpLoop loop;
  private final Flight flight;
  private final AckState receipt;
  private final ResponseTimer awaiting = new ResponseTimer();
  final long own; // our life, as this peer knows it

  /// As it was claimed; null as long as we have nothing to say to it.
  @Nullable Address address;

  /// On the loop's list of peers that need attention.
  boolean listed;

  /// A claim was refused since the last onReady.
  boolean refused;

  /// A greeting is due at `greetAt`.
  boolean wanted;

  private @Nullable Refused refusal; // of our greeting, and to be told

  long usedNanos; // when it was last claimed or heard

  // Who it is.
  private long life; // 0: not known, nothing can be sent
  private long formerLife;
  private long greetAt;
  private long backoffNanos;

  // What waits; the last datagram may have room for more frames.
  private final ArrayDeque<OutgoingDatagram> queue = new ArrayDeque<>();
  private int queuedBytes;
  private @Nullable OutgoingDatagram slotOf;
  private @Nullable ByteBuffer slot;
  private int claimedBytes;
  private @Nullable OutgoingDatagram beside; // short frames that do not wait for the window
  private long besideNanos; // when the last ones left
  private int loadedBytes; // the datagram that left last
  private int loadedTogether; // with those that leave together with it
  private final MulticastPeer multicasts = new MulticastPeer();
  private long movedNanos; // when it last said to have read something
  private long pieceOf; // the first piece of a multicast of its own that came last
  private boolean pieceIsShared; // that multicast has a share for this node

  // How long a datagram the path takes, and the pieces that come when the way back takes less.
  private final PathMtu mtu;
  private final Reassembly pieces;
  private int loggedPathBytes; // 0 while there is no path

  UdpPeer(UdpLoop loop, InetSocketAddress at, long numbersUsed) {
    this.loop = loop;
    this.at = at;
    this.own = loop.lives.known(at);
    this.receipt = new AckState(loop);
    this.flight = new Flight(numbersUsed, new Congestion(loop.receiveBufferBytes));
    this.pieces = new Reassembly(loop.counters, loop.longBuffers, loop::frames);
    this.mtu = new PathMtu(loop.datagramBytes, loop.headersBytes, loop.sealBytes());
    this.usedNanos = loop.nowNanos;
    this.besideNanos = loop.nowNanos;
    this.greetAt = loop.nowNanos;
  }

  boolean isOpen() {
    return life != 0;
  }

  long life() {
    return life;
  }

  /// Whether some bits are the lower half of its life.
  boolean isHalf(int half) {
    return isOpen() && (int) life == half;
  }

  /// Whether this peer, as it is now, may have said a piece to this node, as that is now.
  boolean isOf(UnicastPiece piece) {
    return isHalf(piece.from) && (int) own == piece.to;
  }

  boolean isLife(long one) {
    return isOpen() && life == one;
  }

  long numbersUsed() {
    return flight.last();
  }

  // ---- frames to it ------------------------------------------------------------------------------------------------

  /// Whether a frame of any size could be claimed.
  boolean isRoomy() {
    int most = commonQueueBytes();
    return isOpen() && (queue.isEmpty() || queuedBytes + Math.max(2 * loop.datagramBytes, loop.bufferBytes) <= most);
  }

  /// How much may wait: on a slow line less than the settings allow, as what is said later, such as that this node
  /// lives, waits behind all of it.
  int queueBytes() {
    int most = loop.config.queueBytes();
    return Math.max(Math.min(most, QUEUE_DATAGRAMS_MIN * loop.datagramBytes), flight.queueBytes(QUEUE_NANOS, most));
  }

  /// Lends room for a frame, or null.
  @Nullable ByteBuffer claim(int length) {
    OutgoingDatagram to = length <= SHORT_BYTES && isUnanswered() ? besideFor(length) : null;
    to = to == null ? queuedFor(length) : to;
    if (to == null) {
      return null;
    }
    if (to != slotOf) {
      slotOf = to;
      slot = to.bytes.duplicate();
    }
    claimedBytes = length;
    int from = to.bytes.position() + OutgoingDatagram.LENGTH_BYTES;
    // A fresh byte order each time: the borrower may have changed it.
    return slot().limit(from + length).position(from).order(ByteOrder.BIG_ENDIAN);
  }

  private ByteBuffer slot() {
    return Objects.requireNonNull(slot);
  }

  /// Whether the window is full, and the peer answers no question about what is in it: it may hear nothing, and hears
  /// of nobody what this node concludes from that.
  private boolean isUnanswered() {
    OutgoingDatagram next = queue.peekFirst();
    return isOpen() && awaiting.isUnanswered() && next != null && !flight.hasRoom(next.nextLength());
  }

  private @Nullable OutgoingDatagram besideFor(int length) {
    OutgoingDatagram to = beside;
    if (to == null) {
      to = new OutgoingDatagram(this, loop.buffers.take(), 0);
      beside = to;
    }
    return to.bytes.position() + OutgoingDatagram.LENGTH_BYTES + length <= BESIDE_BYTES ? to : null;
  }

  private @Nullable OutgoingDatagram queuedFor(int length) {
    int needed = OutgoingDatagram.LENGTH_BYTES + length;
    int datagramMax = isHopeful() ? loop.datagramBytes : mtu.size();
    boolean mayJoin = length >= Multicasts.FRAME_BYTES_MIN && multicasts.joins(loop.nowNanos, queue.isEmpty());
    OutgoingDatagram last = queue.peekLast();
    boolean isFull = last == null || last.bytes.position() + needed > datagramMax;
    if (last == null || !last.isEmpty() && (isFull || last.sealed || mayJoin)) {
      last = isOpen() ? another(length, mayJoin) : null;
    }
    if (last != null) {
      last.sealed = mayJoin;
    }
    return last;
  }

  private @Nullable OutgoingDatagram another(int length, boolean mayJoin) {
    if (isFullFor(length)) {
      // One turn said more than the queue holds while peer and network could take it: no reason to refuse. But what may
      // go together with frames for others has to wait for them.
      if (!mayJoin) {
        write();
      }
      if (isFullFor(length)) {
        return null;
      }
    }
    int bytes = Math.max(loop.datagramBytes, OutgoingDatagram.frameAt() + length);
    BufferPool pool = isLong(bytes) ? loop.longBuffers : loop.buffers;
    var next = new OutgoingDatagram(this, pool.take(), bytes);
    queue.addLast(next);
    queuedBytes += bytes;
    return next;
  }

  /// How much of what others get as well may wait.
  private int commonQueueBytes() {
    return loop.group != null && isCompany() ? loop.group.queueBytes() : queueBytes();
  }

  /// Whether the queue has no room for another datagram. A short frame, such as the sign that this node lives, has room
  /// for one datagram longer: while a window of data is lost, nothing else tells the peer.
  private boolean isFullFor(int length) {
    int more = length <= SHORT_BYTES ? 0 : Math.max(loop.datagramBytes, OutgoingDatagram.frameAt() + length);
    int most = isLong(more) ? commonQueueBytes() : queueBytes();
    return !queue.isEmpty() && queuedBytes + more > most;
  }

  @Override
  public boolean isLong(int bytes) {
    return bytes > loop.datagramBytes;
  }

  /// Takes over the frame claimed last.
  @Override
  public void commit(@Nullable Object content, int from) {
    OutgoingDatagram last = slotOf;
    if (last == null) {
      return; // the peer has ended since
    }
    last.bytes.putShort((short) claimedBytes).position(last.bytes.position() + claimedBytes);
    if (last.sealed && loop.multicasts != null) {
      loop.multicasts.add(last, content, from);
    }
    loop.counters.add(UdpCount.FRAMES_SENT);
    loop.list(this);
  }

  /// Sends what may leave now.
  void write() {
    loadedBytes = 0;
    loadBeside();
    load();
    depart();
  }

  private void loadBeside() {
    OutgoingDatagram next = beside;
    if (next != null && next.isEmpty()) {
      beside = null;
      release(next);
    } else if (next != null && isOpen() && flight.hasNumber() && besidePauseNanos() <= 0 && sendAlone(next)) {
      besideNanos = loop.nowNanos;
    }
  }

  private long besidePauseNanos() {
    return besideNanos + BESIDE_NANOS - loop.nowNanos;
  }

  /// What was loaded leaves together.
  private void depart() {
    loop.flush();
    if (loadedBytes > 0 && loop.wasTooLong()) {
      tooLong(loadedBytes); // those that left together are lost
    }
    loadedBytes = 0;
    loadedTogether = 0;
  }

  private void load() {
    for (OutgoingDatagram next = queue.peekFirst(); next != null && isOpen(); next = queue.peekFirst()) {
      if (next.isEmpty()) {
        releaseFirst();
        continue;
      }
      if (loadedTogether >= flight.burstBytes()) {
        depart();
      }
      if (flight.pauseNanos(loop.nowNanos) > 0 || !load(next)) {
        return;
      }
    }
  }

  /// @return false when nothing can be sent now
  private boolean load(OutgoingDatagram next) {
    MulticastDatagram multicast = next.multicast;
    MulticastLoop group = loop.group;
    if (multicast != null && group != null && group.awaitsCompany(multicast)) {
      return false;
    }
    if (multicast != null && group != null && multicast.isShared()) {
      if (!group.isReady(multicast)) {
        return false;
      }
      if (multicast.isShared()) {
        return group.send(multicast);
      }
    }
    return fits(next) && flight.hasRoom(next.nextLength()) && sendAlone(next);
  }

  /// Whether the path takes the next outgoing datagram; if need be in pieces, but not while it may turn out to take the
  /// whole.
  private boolean fits(OutgoingDatagram next) {
    MulticastDatagram multicast = next.multicast;
    if (next.nextLength() <= mtu.size()) {
      return true;
    }
    if (isHopeful()) {
      return false;
    }
    if (multicast != null && loop.multicasts != null) {
      loop.multicasts.remove(multicast, next);
    }
    if (next.nextLength() > mtu.size()) {
      loop.counters.add(UdpCount.DATAGRAMS_CUT);
      next.cut(mtu.size());
    }
    return true;
  }

  /// Sends an outgoing datagram, or its next piece.
  ///
  /// @return false when nothing can be sent now
  private boolean sendAlone(OutgoingDatagram outgoing) {
    int end = outgoing.bytes.position();
    int length = outgoing.nextLength();
    boolean taken = outgoing.isCut() ? sendPiece(outgoing) : send(outgoing.bytes);
    outgoing.bytes.limit(outgoing.bytes.capacity()).position(end);
    loadedBytes = length;
    loadedTogether += length;
    if (!taken || loop.wasTooLong() && tooLong(length)) {
      return taken; // what was too long goes in pieces
    }
    flight.sent(loop.nowNanos, length);
    loop.counters.add(UdpCount.DATAGRAMS_SENT);
    if (outgoing.isCut()) {
      loop.counters.add(UdpCount.PIECES_SENT);
    } else {
      receipt.told();
    }
    if (outgoing == beside) {
      beside = null;
      release(outgoing);
    } else if (outgoing.left()) {
      releaseFirst();
    }
    awaiting.begin();
    return true;
  }

  private boolean sendPiece(OutgoingDatagram outgoing) {
    ByteBuffer piece = outgoing.writePiece(loop.spare());
    UnicastPiece.address(piece, flight.last() + 1, flight.asks(), life, own);
    return loop.load(piece.flip(), at);
  }

  private boolean send(ByteBuffer datagram) {
    DatagramHeader.write(datagram, DatagramHeader.DATA | (flight.asks() ? DatagramHeader.SOON : 0), life, own);
    DatagramHeader.number(datagram, flight.last() + 1);
    receipt.write(datagram);
    return loop.load(datagram.flip(), at);
  }

  /// The pace is that of the peer who comes first: paces are never quite the same, and the slowest of them would be
  /// slower than each.
  @Override
  public boolean isNext(OutgoingDatagram outgoing, int count, int length) {
    return isOpen() && queue.peekFirst() == outgoing && flight.hasRoom(count, length);
  }

  @Override
  public @Nullable MulticastDatagram nextMulticast() {
    OutgoingDatagram next = queue.peekFirst();
    return next == null || next.multicast == null || !next.multicast.isShared() ? null : next.multicast;
  }

  @Override
  public boolean isNextFull() {
    OutgoingDatagram next = queue.peekFirst();
    return next != null && !hasRoom(next);
  }

  private boolean hasRoom(OutgoingDatagram next) {
    MulticastDatagram multicast = next.multicast;
    if (multicast == null || !multicast.isShared()) {
      return flight.hasRoom(Math.min(next.nextLength(), mtu.size()));
    }
    int count = multicast.count();
    return flight.hasRoom(count, MulticastPiece.length(multicast.length(), count));
  }

  @Override
  public long movedNanos(long since) {
    return movedNanos - since > 0 ? movedNanos : since;
  }

  /// Whether a frame for it may be expected to leave with those for others now.
  boolean isCompany() {
    return isOpen() && multicasts.isCompany();
  }

  /// Whether frames for it leave as multicasts, with those for others.
  boolean isMulticast() {
    return isOpen() && multicasts.hearing() == MulticastPeer.Hearing.YES;
  }

  /// How long a frame for it had better be; the same for all peers that receive multicasts.
  int frameBytes() {
    return isMulticast() ? loop.peers.commonFrameBytes() : FrameLength.alone(lossRate(), mtu.size());
  }

  /// The share of datagrams to it that was lost lately.
  double lossRate() {
    return flight.lossRate();
  }

  /// What waits for it goes alone, and what comes next, until it keeps up.
  @Override
  public void lag() {
    loop.multicastCounters.add(MulticastCount.CASTS_ALONE);
    multicasts.lag(loop.nowNanos);
    for (OutgoingDatagram outgoing : queue) {
      if (outgoing.multicast != null && loop.multicasts != null) {
        loop.multicasts.remove(outgoing.multicast, outgoing);
      }
    }
    loop.list(this);
  }

  @Override
  public boolean asks() {
    return flight.asks();
  }

  @Override
  public void writeShare(ByteBuffer out, long multicast) {
    receipt.writeShare(out.putLong(life).putLong(flight.last() + 1));
    out.putLong(multicasts.before(multicast));
  }

  @Override
  public void left(int length, long multicast, int count, boolean asked) {
    releaseFirst();
    receipt.told();
    for (int i = 0; i < count; i++) {
      multicasts.sent(multicast + i, flight.sent(loop.nowNanos, length, asked));
    }
    awaiting.begin();
    loop.list(this);
  }

  private void releaseFirst() {
    OutgoingDatagram first = queue.removeFirst();
    queuedBytes -= first.queueBytes;
    release(first);
  }

  private void release(OutgoingDatagram outgoing) {
    if (outgoing == slotOf) {
      slotOf = null;
      slot = null;
    }
    if (outgoing.multicast != null && loop.multicasts != null) {
      loop.multicasts.remove(outgoing.multicast, outgoing);
    }
    (isLong(outgoing.queueBytes) ? loop.longBuffers : loop.buffers).giveBack(outgoing.bytes);
  }

  // ---- what comes from it ------------------------------------------------------------------------------------------

  /// Whether a datagram of this life may be taken; a new one replaces the old one.
  boolean accept(long from) {
    if (from == formerLife) {
      loop.counters.add(UdpCount.DROP_OLD_LIFE);
      return false;
    }
    if (from != life) {
      if (isOpen()) {
        end(UdpCount.LIFE_REPLACED);
      }
      loop.counters.add(UdpCount.CONNECTED_UDP);
      life = from;
      multicasts.begin(loop.nowNanos);
      if (loop.multicasts != null) {
        loop.multicasts.askSoon(loop.nowNanos);
      }
      receipt.begin();
      pieces.end();
      mtu.begin(loop.nowNanos);
      loop.peers.narrowest();
      backoffNanos = 0;
      wanted = false;
      loop.list(this);
    }
    usedNanos = loop.nowNanos;
    awaiting.heard();
    return true;
  }

  /// Takes note of what the peer says to have read.
  void echoed(DatagramHeader header) {
    long held = TimeUnit.MICROSECONDS.toNanos(header.heldMicros);
    boolean more = flight.echoed(loop.nowNanos, header.highest, header.count, held, header.grant);
    if (more || !queue.isEmpty()) {
      loop.list(this);
    }
    if (more) {
      movedNanos = loop.nowNanos;
      multicasts.moved();
    }
    mtu.lost(flight.doubted(), loop.nowNanos);
    if (more || flight.isEmpty()) {
      awaiting.end();
    }
    if (!flight.isEmpty() || !queue.isEmpty()) {
      awaiting.begin();
      loop.list(this);
    }
    if (flight.doubted() > 0 && multicasts.isToBeTold(flight.rested())) {
      probe(); // it may be the last multicast that was lost, and nothing else shows that
    }
  }

  /// It heard a multicast.
  ///
  /// @param length how long it was, if it was longer than the interface's packets; else 0
  void heard(Multicasts to, long length) {
    if (length > loop.datagramBytes) {
      multicasts.heardWhole(loop.nowNanos);
    }
    if (multicasts.heard(loop.nowNanos)) {
      to.tell(this, true);
    }
  }

  @Override
  public void attend() {
    loop.list(this);
  }

  @Override
  public boolean takesWhole() {
    return multicasts.takesWhole(loop.nowNanos);
  }

  /// A multicast of its own has come.
  void spoke() {
    multicasts.spoke();
  }

  boolean isHeard() {
    return multicasts.isHeard();
  }

  /// Whether multicasts reach it, as far as it has said lately.
  MulticastPeer.Hearing hearing(Multicasts to) {
    if (isOpen() && multicasts.isDeaf(loop.nowNanos)) {
      to.tell(this, false);
    }
    return multicasts.hearing();
  }

  /// A datagram with frames was read, or the pieces of a multicast.
  void read(DatagramHeader header, int length) {
    if (receipt.read(header, length)) {
      loop.list(this);
    }
  }

  /// Which multicasts before a piece of one of its multicasts concern this node, as far as is known: those before it in
  /// the same whole, if this has a share for this node or nobody knows; and those that the share names.
  long before(MulticastPiece piece, ByteBuffer in, long own) {
    if (piece.index == 0) {
      pieceOf = piece.first();
      int start = in.position();
      DatagramHeader header = loop.header;
      pieceIsShared = header.read(in) == DatagramHeader.Fault.NONE && MulticastDatagram.hasShare(in, header, own);
      in.position(start);
      return pieceIsShared ? header.before : 0;
    }
    if (pieceOf != piece.first()) {
      return 1L << piece.index - 1; // the first one tells
    }
    return pieceIsShared ? (1L << piece.index) - 1 : 0;
  }

  /// The peer asks what has arrived up to a number.
  void probed(long number, int length) {
    receipt.probed(number, length);
    loop.list(this);
  }

  /// Says what has arrived if enough has, or if it was asked for.
  void echoIfMuch() {
    if (receipt.isMuch()) {
      echo();
    }
  }

  /// Says what has arrived.
  void echo() {
    if (isOpen()) {
      ByteBuffer out = loop.control(DatagramHeader.ECHO, life, own);
      receipt.answer(out);
      loop.send(out, at);
      loop.counters.add(UdpCount.ECHOES_SENT);
    }
    receipt.told();
  }

  /// The peer says that it cannot read what we say.
  ///
  /// @return whether that answers a greeting
  boolean refused(UdpRefusals refusals, ByteBuffer in, long known) {
    refusal = address == null ? null : refusals.read(in, address, known);
    loop.list(this);
    return refusal != null;
  }

  /// Why the peer does not take us, if it has said so since the last call.
  @Nullable Refused refusal() {
    Refused said = refusal;
    refusal = null;
    return said;
  }

  // ---- the path to it ----------------------------------------------------------------------------------------------

  @Override
  public int pathBytes() {
    return mtu.size();
  }

  /// What is longer had better wait a moment.
  private boolean isHopeful() {
    return mtu.isHopeful(loop.nowNanos);
  }

  /// Asks the path what is to be asked.
  private void probePath() {
    for (int length = mtu.probe(loop.nowNanos); length > 0; length = mtu.probe(loop.nowNanos)) {
      if (probePath(length)) {
        int beside = mtu.shortProbe();
        if (beside > 0) {
          probePath(beside);
        }
      } else {
        mtu.refused(length, loop.nowNanos);
        logPath();
      }
    }
  }

  /// Sends a probe of some length.
  ///
  /// @return false when the kernel knows that it does not fit
  private boolean probePath(int length) {
    ByteBuffer out = loop.padded(length);
    DatagramHeader.write(out, DatagramHeader.PROBE, life, own);
    DatagramHeader.echo(out, 0, 0, 0, loop.grantBytes());
    loop.counters.add(UdpCount.SIZE_PROBES_SENT);
    return !loop.send(out, at) || !loop.wasTooLong();
  }

  /// The peer says that a probe of some length has arrived.
  void pathProbeAnswered(long length) {
    mtu.answered((int) Math.min(length, Integer.MAX_VALUE), loop.nowNanos);
    logPath();
  }

  @Override
  public boolean tooLong(int length) {
    int before = mtu.size();
    mtu.refused(length, loop.nowNanos);
    logPath();
    return mtu.size() < before;
  }

  private void logPath() {
    int size = mtu.size();
    loop.peers.narrowest();
    if (mtu.isAsking() || size == loggedPathBytes) {
      return;
    }
    loggedPathBytes = size;
    LOG.log(
        size < loop.datagramBytes ? System.Logger.Level.INFO : System.Logger.Level.DEBUG,
        "the path to {0} takes datagrams of {1} bytes",
        at,
        String.valueOf(size));
  }

  /// A piece of a datagram has come.
  void join(UnicastPiece piece, ByteBuffer in) {
    pieces.add(piece, in);
  }

  // ---- time --------------------------------------------------------------------------------------------------------

  /// A claim was refused: when the peer is not known, that asks for one greeting.
  void refuse() {
    refused = true;
    wanted |= !isOpen();
    loop.list(this);
  }

  /// Does what is due.
  void tend() {
    long now = loop.nowNanos;
    if (wanted && now - greetAt >= 0) {
      wanted = false;
      backoffNanos =
          Math.clamp(2 * backoffNanos, loop.config.backoffMin().toNanos(), loop.config.backoffMax().toNanos());
      greetAt = now + backoffNanos;
      loop.send(loop.control(DatagramHeader.HELLO, 0, own), at);
      loop.counters.add(UdpCount.HELLOS_SENT);
    }
    if (receipt.isDue()) {
      echo();
    }
    if (isOpen()) {
      probePath();
    }
    if (awaiting.isSilence()) {
      end(UdpCount.ENDED_SILENT);
    } else if (awaiting.isProbeDue()) {
      probe();
    }
  }

  private void probe() {
    ByteBuffer out = loop.control(DatagramHeader.PROBE, life, own);
    DatagramHeader.number(out, flight.ask());
    receipt.write(out);
    multicasts.write(out, DatagramHeader.BYTES);
    loop.send(out, at);
    loop.counters.add(UdpCount.PROBES_SENT);
    awaiting.probed();
  }

  /// Whether there is anything to do later; to ask about the path keeps nobody from being forgotten.
  boolean isListed() {
    return isBusy() || mtu.isAsking();
  }

  /// Whether somebody waits for something.
  boolean isBusy() {
    return wanted || refused || receipt.isOwed() || awaiting.isOn() || !queue.isEmpty() || beside != null;
  }

  /// How long until [#tend] or [#write] has something to do, if that is sooner than a given time.
  long waitNanos(long waitNanosMax) {
    long now = loop.nowNanos;
    long wait = waitNanosMax;
    if (wanted) {
      wait = Math.min(wait, greetAt - now);
    }
    if (receipt.isOwed()) {
      wait = Math.min(wait, receipt.pauseNanos());
    }
    if (awaiting.isOn()) {
      wait = Math.min(wait, awaiting.pauseNanos());
    }
    if (mtu.isAsking()) {
      wait = Math.min(wait, Math.max(1, mtu.pauseNanos(now)));
    }
    if (beside != null && flight.hasNumber()) {
      wait = Math.min(wait, Math.max(1, besidePauseNanos()));
    }
    OutgoingDatagram next = queue.peekFirst();
    if (next != null && isOpen() && hasRoom(next)) {
      MulticastDatagram multicast = next.multicast;
      long pause = Math.max(1, flight.pauseNanos(now));
      if (multicast != null && loop.group != null && multicast.companyNanos(now) > 0) {
        pause = Math.max(pause, multicast.companyNanos(now));
      } else if (multicast != null && multicast.isShared()) {
        pause = Math.max(pause, multicast.patienceNanos(now));
      } else if (next.nextLength() > mtu.size()) {
        pause = Math.max(pause, mtu.hopeNanos(now));
      }
      wait = Math.min(wait, pause);
    }
    return wait;
  }

  /// Nobody wants anything of it any more.
  void abandon() {
    refused = false;
    end(UdpCount.ENDED_FORGOTTEN);
    wanted = false;
  }

  /// Tells the peer that this node ends.
  void farewell() {
    if (isOpen()) {
      loop.send(loop.control(DatagramHeader.BYE, life, own), at);
    }
  }

  /// The peer's life is over, or it says nothing any more: what waits for it is lost.
  void end(UdpCount reason) {
    if (isOpen()) {
      loop.counters.add(reason);
      if (loop.group != null) {
        loop.group.forget(life);
      }
    }
    formerLife = reason == UdpCount.ENDED_SILENT ? formerLife : life;
    life = 0;
    awaiting.end();
    flight.forget();
    receipt.told();
    pieces.end();
    mtu.end();
    loggedPathBytes = 0;
    loop.peers.narrowest();
    while (!queue.isEmpty()) {
      releaseFirst();
    }
    if (beside != null) {
      release(beside);
      beside = null;
    }
    wanted |= refused;
    loop.list(this);
  }

  /// Something is on the way to a peer or waits to be, so the peer has to say something: when it is asked to, and for
  /// how long it has said nothing.
  private final class ResponseTimer {
    private static final long PROBE_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
    private static final long MULTICAST_PROBE_NANOS =
        TimeUnit.MILLISECONDS.toNanos(6); // its link says something after 5 ms
    private static final long PROBE_MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

    private boolean on;
    private long since;
    private long probeAt;
    private int probes;

    boolean isOn() {
      return on;
    }

    /// It was asked and has not answered.
    boolean isUnanswered() {
      return on && probes > 0;
    }

    /// From now on, unless it has begun.
    void begin() {
      if (!on) {
        on = true;
        since = loop.nowNanos;
        pause();
      }
    }

    /// The peer has said what was waited for, or does not have to.
    void end() {
      on = false;
      probes = 0;
    }

    /// The peer has said something. That puts off no probe: all that is on the way may be lost.
    void heard() {
      since = loop.nowNanos;
    }

    /// Too long nothing was heard.
    boolean isSilence() {
      return on && loop.nowNanos - since > loop.config.silenceMax().toNanos();
    }

    /// A probe is due.
    boolean isProbeDue() {
      return on && loop.nowNanos - probeAt >= 0;
    }

    /// When the next probe is due, in nanoseconds from now.
    long pauseNanos() {
      return probeAt - loop.nowNanos;
    }

    /// A probe was sent.
    void probed() {
      probes++;
      pause();
    }

    private void pause() {
      long roundTrip = flight.roundTripNanos();
      long patience =
          multicasts.isOnTheWay(flight.rested())
              ? MULTICAST_PROBE_NANOS + 2 * roundTrip
              : Math.max(PROBE_MIN_NANOS, AckState.AFTER_NANOS + 4 * roundTrip);
      probeAt = loop.nowNanos + Math.min(PROBE_MAX_NANOS, patience << Math.min(probes, 5));
    }
  }
}
