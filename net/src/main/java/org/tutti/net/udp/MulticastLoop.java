package org.tutti.net.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import jdk.net.ExtendedSocketOptions;
import org.tutti.net.udp.multicast.MulticastCount;
import org.tutti.net.udp.multicast.Repairs;

/// The part of a [UdpLoop] that speaks to the multicast group and hears it.
final class MulticastLoop implements Repairs.Out {
  final Datagrams socket;
  private final Multicasts multicasts;
  private final UdpLoop loop;
  private final Repairs repairs;
  private final ByteBuffer out;
  private final ByteBuffer outPiece;
  private final MulticastPiece piece = new MulticastPiece();
  private final ByteBuffer question = ByteBuffer.allocateDirect(DatagramHeader.BYTES + Long.BYTES);
  private long numbers;
  private final LongMulticasts longOnes;
  private final DatagramChannel channel; // of the socket that sends
  private boolean fragments; // the socket can have the network break datagrams
  private final ByteBuffer longQuestion;

  MulticastLoop(UdpLoop loop, Multicasts multicasts, DatagramChannel channel, Selector selector, ByteBuffer in)
      throws IOException {
    this.loop = loop;
    this.multicasts = multicasts;
    SelectionKey key = multicasts.channel.register(selector, SelectionKey.OP_READ);
    this.socket = new ChannelDatagrams(multicasts.channel, key, loop.counters, in);
    this.longOnes = new LongMulticasts(loop.nowNanos);
    this.channel = channel;
    this.fragments =
        channel.supportedOptions().contains(ExtendedSocketOptions.IP_DONTFRAGMENT)
            && loop.datagramBytes < MulticastPiece.WHOLE_BYTES_MAX / 2;
    this.longQuestion = ByteBuffer.allocateDirect(2 * loop.datagramBytes);
    this.repairs = new Repairs(loop.nowNanos, loop.life, loop.life, this, loop.multicastCounters);
    this.out = ByteBuffer.allocateDirect(MulticastPiece.WHOLE_BYTES_MAX);
    this.outPiece = ByteBuffer.allocateDirect(loop.datagramBytes);
  }

  // ---- time --------------------------------------------------------------------------------------------------------

  /// Does what is due.
  void tend() {
    if (multicasts.pauseNanos(loop.nowNanos) <= 0) {
      ask();
    }
    repairs.tend(loop.nowNanos);
  }

  private void ask() {
    Multicasts.Company company = multicasts.ask(loop.nowNanos, loop.peers.all());
    loop.multicastCounters.set(MulticastCount.PEERS_ASKED, company.asked());
    loop.multicastCounters.set(MulticastCount.PEERS_RECEIVING, company.receiving());
    loop.multicastCounters.set(MulticastCount.PEERS_HEARD, company.heard());
    if (company.asked() > 0) {
      loop.send(loop.control(DatagramHeader.ASK, 0, loop.life), multicasts.group());
      loop.multicastCounters.add(MulticastCount.CASTS_ASKED);
      askLong();
      repairs.company(company.asked());
    }
  }

  /// Asks who gets a datagram that the network has to break.
  private void askLong() {
    if (!fragments) {
      return;
    }
    longQuestion.clear();
    DatagramHeader.write(longQuestion, DatagramHeader.ASK, 0, loop.life);
    DatagramHeader.number(longQuestion, longQuestion.limit());
    sendLong(longQuestion);
  }

  /// Sends what is longer than the interface's packets.
  private boolean sendLong(ByteBuffer datagram) {
    loop.flush();
    fragment(true);
    boolean taken = loop.send(datagram, multicasts.group());
    fragment(false);
    return taken;
  }

  private void fragment(boolean may) {
    try {
      channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, !may);
    } catch (IOException _) {
      fragments = false;
    }
  }

  /// How long until something is due.
  long pauseNanos() {
    return Math.min(multicasts.pauseNanos(loop.nowNanos), repairs.pauseNanos(loop.nowNanos));
  }

  // ---- what comes to the group -------------------------------------------------------------------------------------

  /// Something came to the group, and its header was read.
  void heard(InetSocketAddress from, DatagramHeader header, ByteBuffer in) {
    if (header.from == loop.life) {
      return; // a group's own host hears it, too
    }
    UdpPeer peer = loop.peers.known(from);
    if (peer == null || !peer.isOpen()) {
      loop.counters.add(UdpCount.DROP_UNASKED);
      return;
    }
    if (header.kind == DatagramHeader.MULTICAST) {
      multicast(peer, header, in);
      return;
    }
    if (!peer.isLife(header.from)) { // who only says so is not believed
      loop.counters.add(UdpCount.DROP_FOR_OTHERS);
      return;
    }
    switch (header.kind) {
      case DatagramHeader.ASK -> {
        peer.spoke();
        ByteBuffer answer = loop.control(DatagramHeader.HEARD, header.from, loop.life);
        DatagramHeader.number(answer, header.number);
        loop.send(answer, from);
      }
      case DatagramHeader.NAK -> {
        if (header.highest == loop.life) {
          longOnes.lost(loop.nowNanos);
        }
        repairs.asked(loop.nowNanos, header.highest, header.number, bits(in));
      }
      case DatagramHeader.REPAIR -> repaired(header, in);
      default -> loop.counters.add(UdpCount.DROP_FOR_OTHERS);
    }
  }

  private static long bits(ByteBuffer in) {
    return in.remaining() < Long.BYTES ? 0 : in.getLong();
  }

  private void multicast(UdpPeer peer, DatagramHeader header, ByteBuffer in) {
    boolean known = peer.isLife(header.from);
    long number = header.number;
    if (header.count > 1) {
      whole(peer, header, in, known);
      return;
    }
    if (known) {
      repairs.keep(loop.nowNanos, header.from, number, again(in, header.from));
    }
    if (!MulticastDatagram.pick(in, header, loop.life)) {
      loop.counters.add(UdpCount.DROP_FOR_OTHERS);
      return;
    }
    loop.multicastCounters.add(MulticastCount.CASTS_RECEIVED);
    header.repeated = known && !repairs.came(loop.nowNanos, header.from, number, header.before);
    header.kind = DatagramHeader.DATA;
    loop.arrived(peer.at);
  }

  /// A long multicast came whole: as if all of its pieces had come.
  private void whole(UdpPeer peer, DatagramHeader header, ByteBuffer in, boolean known) {
    long first = header.number;
    int count = header.count;
    long life = header.from;
    if (!known || count > MulticastPiece.COUNT_MAX) {
      loop.counters.add(UdpCount.DROP_FOR_OTHERS);
      return;
    }
    keepPieces(in.duplicate().position(in.position() - DatagramHeader.BYTES), count, life, first);
    if (!MulticastDatagram.pick(in, header, loop.life)) {
      loop.counters.add(UdpCount.DROP_FOR_OTHERS);
      return;
    }
    loop.multicastCounters.add(MulticastCount.CASTS_RECEIVED);
    boolean fresh = repairs.came(loop.nowNanos, life, first, header.before);
    for (int i = 1; i < count; i++) {
      fresh |= repairs.came(loop.nowNanos, life, first + i, 0);
    }
    header.repeated = !fresh; // its pieces came before
    header.kind = DatagramHeader.DATA;
    header.number += count - 1;
    header.datagrams = count;
    loop.arrived(peer.at);
  }

  /// A piece of a multicast came to the group.
  ///
  /// @param from where from
  /// @param in   the piece; when it was the last one that was missing, the whole is put there
  void piece(InetSocketAddress from, ByteBuffer in) {
    int start = in.position();
    UdpPeer speaker = loop.peers.known(from);
    if (speaker == null || !speaker.isOpen()) {
      loop.counters.add(UdpCount.DROP_UNASKED);
      return;
    }
    if (!piece.read(in)) {
      loop.counters.add(UdpCount.DROP_BAD_PIECE);
      return;
    }
    UdpPeer origin = piece.again ? loop.peers.ofHalf(piece.life) : speaker;
    if (!piece.again && !speaker.isHalf(piece.life)) { // who only says so is not believed
      loop.counters.add(UdpCount.DROP_FOR_OTHERS);
      return;
    }
    byte[] again = MulticastPiece.again(in, start);
    if (origin == null) {
      if (piece.life == (int) loop.life) {
        repairs.repaired(loop.nowNanos, loop.life, piece.number, again);
      }
      loop.multicastCounters.add(MulticastCount.REPAIRS_NOT_NEEDED);
    } else if (take(origin, again, in)) {
      join(origin, in);
    }
  }

  /// @return whether the piece is news
  private boolean take(UdpPeer origin, byte[] again, ByteBuffer in) {
    long life = origin.life();
    if (piece.again && !repairs.repaired(loop.nowNanos, life, piece.number, again)) {
      loop.multicastCounters.add(MulticastCount.REPAIRS_NOT_NEEDED);
      return false;
    }
    loop.multicastCounters.add(piece.again ? MulticastCount.REPAIRS_RECEIVED : MulticastCount.CASTS_RECEIVED);
    if (!piece.again) {
      repairs.keep(loop.nowNanos, life, piece.number, again);
    }
    boolean fresh = repairs.came(loop.nowNanos, life, piece.number, origin.before(piece, in, loop.life));
    if (!fresh) {
      loop.multicastCounters.add(MulticastCount.CASTS_REPEATED);
    }
    return fresh || piece.again;
  }

  /// If no piece is missing the whole is handled as a multicast that came in one datagram.
  private void join(UdpPeer origin, ByteBuffer in) {
    long life = origin.life();
    long first = piece.first();
    List<byte[]> pieces = repairs.whole(life, first, piece.count);
    if (pieces.isEmpty()) {
      return;
    }
    in.clear();
    for (int i = 0; i < pieces.size(); i++) {
      byte[] one = pieces.get(i);
      if (!MulticastPiece.is(one, i, piece.count) || one.length - MulticastPiece.HEADER_BYTES > in.remaining()) {
        loop.counters.add(UdpCount.DROP_BAD_PIECE);
        return;
      }
      in.put(one, MulticastPiece.HEADER_BYTES, one.length - MulticastPiece.HEADER_BYTES);
    }
    in.flip();
    DatagramHeader header = loop.header;
    boolean whole =
        header.read(in) == DatagramHeader.Fault.NONE
            && header.kind == DatagramHeader.MULTICAST
            && header.from == life
            && header.number == first;
    if (!whole) {
      loop.counters.add(UdpCount.DROP_BAD_PIECE);
      return;
    }
    int repaired = repairs.repaired(life, first, piece.count);
    if (!MulticastDatagram.pick(in, header, loop.life)) {
      loop.counters.add(UdpCount.DROP_FOR_OTHERS);
      return;
    }
    repairs.came(loop.nowNanos, life, first, header.before);
    header.kind = DatagramHeader.DATA;
    header.number += piece.count - 1;
    header.datagrams = piece.count - repaired; // what was lost remains so for the window
    header.highest = repaired == 0 ? header.highest : 0; // what it says of arrivals is old
    loop.arrived(origin.at);
  }

  /// A multicast as it is said again, by this node.
  private byte[] again(ByteBuffer multicast, long of) {
    byte[] again = new byte[multicast.limit()];
    multicast.get(0, again);
    DatagramHeader.repair(ByteBuffer.wrap(again), loop.life, of);
    return again;
  }

  /// A multicast was said again. Its frame is taken, but nothing else: what it says of arrivals is old, and for whom it
  /// was lost that remains true, as the window has to know it.
  private void repaired(DatagramHeader header, ByteBuffer in) {
    long of = header.highest;
    long number = header.number;
    boolean known = of == loop.life || loop.peers.isPeer(of);
    if (!known
        || !repairs.repaired(loop.nowNanos, of, number, again(in, of))
        || !MulticastDatagram.pick(in, header, loop.life)) {
      loop.multicastCounters.add(MulticastCount.REPAIRS_NOT_NEEDED);
      return;
    }
    loop.multicastCounters.add(MulticastCount.REPAIRS_RECEIVED);
    repairs.came(loop.nowNanos, of, number, header.before);
    loop.frames();
  }

  /// A peer says which multicast for this node was its last one, and which ones before.
  void last(long from, ByteBuffer in) {
    if (in.remaining() >= 2 * Long.BYTES) {
      repairs.last(loop.nowNanos, from, in.getLong(), in.getLong());
    }
  }

  /// A peer's life is over.
  void forget(long life) {
    repairs.forget(life);
  }

  // ---- what goes to it ---------------------------------------------------------------------------------------------

  /// Whether a multicast had better wait for frames that end like it.
  boolean awaitsCompany(MulticastDatagram multicast) {
    boolean may = multicast.isLong() && multicast.isForAll();
    return may && longOnes.awaitsCompany(loop.nowNanos, multicast, company());
  }

  /// How much may wait for each of the peers that get the same: when one has no room the others need not have any, or
  /// they would get alone what it gets later.
  int queueBytes() {
    int least = Integer.MAX_VALUE;
    for (UdpPeer peer : loop.peers.all()) {
      least = peer.isCompany() ? Math.min(least, peer.queueBytes()) : least;
    }
    return least;
  }

  /// How many peers may be expected to get the same.
  int company() {
    int company = 0;
    for (UdpPeer peer : loop.peers.all()) {
      company += peer.isCompany() ? 1 : 0;
    }
    return company;
  }

  /// Whether a multicast may leave now, to all who are left of those that wait for it. Who has kept the others waiting
  /// in vain does so once.
  boolean isReady(MulticastDatagram multicast) {
    if (multicast.isReady()) {
      return true;
    }
    for (MulticastDatagram crossed = multicast.crossed(); crossed != null; crossed = multicast.crossed()) {
      for (OutgoingDatagram outgoing : List.copyOf(crossed.outgoings)) {
        multicasts.remove(crossed, outgoing); // they go alone
        outgoing.peer.attend();
      }
    }
    List<OutgoingDatagram> late = multicast.late(loop.nowNanos);
    late.forEach(outgoing -> outgoing.peer.lag());
    return multicast.isReady();
  }

  /// Hands one datagram for several peers to the kernel, or the pieces of a long one.
  ///
  /// @return false when the socket is full, or the path is narrower than it was
  boolean send(MulticastDatagram multicast) {
    List<OutgoingDatagram> all = List.copyOf(multicast.outgoings);
    boolean soon = all.stream().anyMatch(outgoing -> outgoing.peer.asks());
    int count = multicast.count();
    long first = numbers + 1;
    multicast.write(out, soon, loop.life, first);
    int each = MulticastPiece.length(out.remaining(), count);
    boolean whole = count > 1 && fragments && longOnes.goesWhole(loop.nowNanos, multicast);
    boolean taken =
        count == 1 ? loop.send(out, multicasts.group()) : whole ? sendWhole(first, count) : sendPieces(first, count);
    if (!taken) {
      return false;
    }
    numbers += count; // also when they were too long: some may have left
    if (loop.wasTooLong()) {
      all.forEach(outgoing -> outgoing.peer.tooLong(each));
      return false;
    }
    loop.counters.add(UdpCount.DATAGRAMS_SENT, count);
    loop.multicastCounters.add(MulticastCount.CASTS_SENT, count);
    loop.multicastCounters.add(MulticastCount.CASTS_COPIES, (long) count * all.size());
    for (OutgoingDatagram outgoing : all) {
      outgoing.peer.left(each, first, count, soon);
    }
    if (count == 1) {
      repairs.keep(loop.nowNanos, loop.life, first, again(out, loop.life));
    }
    return true;
  }

  /// Hands the multicast that was written to the kernel, which breaks it; it is repaired in pieces.
  private boolean sendWhole(long first, int count) {
    DatagramHeader.datagrams(out, count);
    if (!sendLong(out.duplicate())) {
      return false;
    }
    keepPieces(out, count, loop.life, first);
    loop.multicastCounters.add(MulticastCount.CASTS_WHOLE);
    return true;
  }

  /// Keeps a long multicast, so that pieces of it can be said again.
  private void keepPieces(ByteBuffer whole, int count, long life, long first) {
    byte[] bytes = new byte[whole.remaining()];
    whole.get(bytes);
    int each = MulticastPiece.length(bytes.length, count);
    for (int i = 0; i < count; i++) {
      int index = i;
      repairs.keep(loop.nowNanos, life, first + i, each, () -> MulticastPiece.again(bytes, index, count, life, first));
    }
  }

  /// Hands the pieces of the multicast that was written to the kernel. When the socket gets full the others are lost,
  /// and repaired.
  ///
  /// @return false when it was full before
  private boolean sendPieces(long first, int count) {
    int part = Math.ceilDiv(out.limit(), count);
    for (int i = 0; i < count; i++) {
      int end = Math.min(out.limit(), (i + 1) * part);
      MulticastPiece.write(outPiece, i, count, loop.life, first + i, out.duplicate().position(i * part).limit(end));
      byte[] again = MulticastPiece.again(outPiece, 0);
      if (!loop.load(outPiece, multicasts.group()) && i == 0) {
        return false;
      }
      repairs.keep(loop.nowNanos, loop.life, first + i, again);
    }
    loop.flush();
    return true;
  }

  @Override
  public void ask(long life, long first, long bits) {
    question.clear();
    DatagramHeader.write(question, DatagramHeader.NAK, 0, loop.life);
    DatagramHeader.of(question, life, first);
    loop.send(question.putLong(DatagramHeader.BYTES, bits), multicasts.group());
  }

  @Override
  public boolean repair(long life, long number, byte[] datagram) {
    return loop.send(ByteBuffer.wrap(datagram), multicasts.group());
  }
}
