package org.tutti.net.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import org.tutti.net.udp.multicast.MulticastCount;
import org.tutti.net.udp.multicast.Repairs;

/// The part of a [UdpLoop] that speaks to the multicast group and hears it.
final class MulticastLoop implements Repairs.Out {
  final Datagrams socket;
  private final Multicasts multicasts;
  private final UdpLoop loop;
  private final Repairs repairs;
  private final ByteBuffer out;
  private final ByteBuffer question = ByteBuffer.allocateDirect(DatagramHeader.BYTES + Long.BYTES);
  private long numbers;

  MulticastLoop(UdpLoop loop, Multicasts multicasts, Selector selector, ByteBuffer in) throws IOException {
    this.loop = loop;
    this.multicasts = multicasts;
    SelectionKey key = multicasts.channel.register(selector, SelectionKey.OP_READ);
    this.socket = new ChannelDatagrams(multicasts.channel, key, loop.counters, in);
    this.repairs = new Repairs(loop.nowNanos, loop.life, loop.life, this, loop.multicastCounters);
    this.out = ByteBuffer.allocateDirect(loop.datagramBytes);
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
      repairs.company(company.asked());
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
        loop.send(loop.control(DatagramHeader.HEARD, header.from, loop.life), from);
      }
      case DatagramHeader.NAK -> repairs.asked(loop.nowNanos, header.highest, header.number, bits(in));
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

  /// To whom of those that wait for a multicast it may leave now. Who has kept the others waiting in vain does so once.
  ///
  /// @return none while it is better to wait
  List<OutgoingDatagram> ready(MulticastDatagram multicast) {
    List<OutgoingDatagram> ready = multicast.ready(loop.nowNanos);
    if (!ready.isEmpty() && ready.size() < multicast.outgoings.size()) {
      for (OutgoingDatagram outgoing : List.copyOf(multicast.outgoings)) {
        if (!ready.contains(outgoing) && outgoing.peer.isFull(outgoing)) {
          outgoing.peer.lag();
        }
      }
    }
    return ready;
  }

  /// Hands one datagram for several peers to the kernel.
  ///
  /// @return false when the socket is full
  boolean send(MulticastDatagram multicast, List<OutgoingDatagram> ready) {
    boolean soon = ready.stream().anyMatch(outgoing -> outgoing.peer.isHalfFull());
    long number = numbers + 1;
    multicast.write(out, ready, soon, loop.life, number);
    int length = out.remaining();
    if (!loop.send(out, multicasts.group())) {
      return false;
    }
    if (loop.wasTooLong()) {
      ready.forEach(outgoing -> outgoing.peer.tooLong(length)); // and now they go alone
      return false;
    }
    numbers = number;
    loop.counters.add(UdpCount.DATAGRAMS_SENT);
    loop.multicastCounters.add(MulticastCount.CASTS_SENT);
    loop.multicastCounters.add(MulticastCount.CASTS_COPIES, ready.size());
    for (OutgoingDatagram outgoing : ready) {
      outgoing.peer.left(length, number);
    }
    repairs.keep(loop.nowNanos, loop.life, number, again(out, loop.life));
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
