package org.tutti.link;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.wire.Encoded;
import org.tutti.wire.Malformed;
import org.tutti.wire.Versions;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// A reliable first-in-first-out channel to one life of one node, both ways.
///
/// Guarantee: from when a side opens it until either side closes it, every message arrives once and in order, whatever
/// the transport loses, repeats or reorders, and although connections break and are made again. After the receiver has
/// closed and both use it again, nothing that was sent meanwhile is missing, and nothing comes once more: what was
/// taken may wait for a view that is not installed yet, longer than the link was open. Only when a receiver has
/// forgotten even that there was a link ([Links]), what it took last may come again.
///
/// ```
///   sender                                   receiver
///     | -- DATA(stream 7, 0, chunks) -------->  |  message complete -> handed up
///     | -- DATA(stream 7, 1, chunks) --x        |
///     | -- DATA(stream 7, 2, chunks) -------->  |  kept: 1 is missing
///     | <------------ ACK(7, next 1, bit 0) --  |
///     | -- DATA(stream 7, 1, chunks) -------->  |  1 and 2 handed up
/// ```
///
/// Why it is safe. (1) A direction is a *stream* with a number that its sender never uses again; packets of one stream
/// are numbered from 0 and taken in order. (2) Every packet says how far it is from the oldest one that is not
/// acknowledged. A receiver that misses something before that one, as it has no memory of the stream, or none of a part
/// of it, answers RESET with how far it had come, and the sender repeats all that was not taken on a new stream. (3) A
/// closed stream's number and end are remembered, and lower numbers are not taken again. (4) The directions are
/// replaced one by one: a new stream of the peer leaves ours alone, or both sides would replace theirs for ever.
final class Link {
  /// It need not be looked at.
  static final int NOWHERE = -1;

  private final Path path;
  private final InStream in;
  private final OutStream out;
  private final Set<MemberId> needed;
  private long openedAs; // of the owner's: how many had been opened before

  /// Of [DueLinks]: when it is looked at if nothing happens to it, where it stands for that, and whether something has.
  long dueAt = Long.MAX_VALUE;

  int place = NOWHERE;
  boolean isTouched;

  Link(Path path, InStream.Kept kept, LongSupplier numbers, Links.Receiver receiver) {
    this.path = path;
    this.in = new InStream(path, kept, this::isStranger, message -> receiver.message(path.peer(), message));
    this.out = new OutStream(path, in, numbers);
    this.needed = receiver.needed();
  }

  /// Nobody here needs the peer or has said anything to it, so it has not earned much memory.
  private boolean isStranger() {
    return !out.isOpen() && !needed.contains(path.peer());
  }

  boolean introduced(MemberId identity, Versions versions) {
    return path.introduced(identity, versions);
  }

  void speak(Versions its) {
    path.speak(its);
  }

  @Nullable Versions versions() {
    return path.versions();
  }

  MemberId peer() {
    return path.peer();
  }

  boolean isMulticast() {
    return path.isMulticast();
  }

  void send(Encoded message) {
    out.send(message);
  }

  /// Whether anything is on the way to the peer.
  boolean isBusy() {
    return out.isBusy();
  }

  boolean isOpen() {
    return out.isOpen() || in.isOpen();
  }

  void opened(long number) {
    openedAs = number;
  }

  long openedAs() {
    return openedAs;
  }

  long lastTakenNanos() {
    return in.takenNanos();
  }

  long lastSignNanos() {
    return path.lastSignNanos();
  }

  /// Forgets both directions; what was on the way is dropped.
  void close() {
    out.close();
    in.close();
  }

  /// The peer addressed us by our incarnation, so it knows who we are.
  void known() {
    path.known();
  }

  void ready() {
    path.ready();
  }

  void reconnected(long now) {
    path.ready();
    out.reconnected(now);
  }

  void arrived(long now, int kind, ByteBuffer body) throws Malformed {
    var reader = new WireReader(body);
    switch (kind) {
      case Packet.DATA -> data(now, reader);
      case Packet.ACK -> {
        out.acknowledged(now, reader, Packet.ACK_WORDS_MAX);
        reader.end();
      }
      case Packet.RESET -> {
        long stream = reader.count();
        long next = reader.count();
        reader.end();
        out.reset(stream, next);
      }
      default -> throw new Malformed("kind");
    }
  }

  private void data(long now, WireReader reader) throws Malformed {
    long stream = reader.count();
    long seq = reader.count();
    long distance = reader.count();
    if (stream == 0 || distance > seq) {
      throw new Malformed("data");
    }
    out.acknowledged(now, reader, 1);
    if (!in.data(now, stream, seq, distance, reader.rest())) {
      WireWriter reset = path.begin(Packet.RESET);
      reset.count(stream);
      reset.count(in.takenOf(stream));
      path.put(now, reset);
    }
  }

  void flush(long now) {
    if (path.isBlocked(now)) {
      return;
    }
    out.flush(now);
    if (in.owes(now) && !path.isBlocked(now)) {
      in.acknowledged();
      WireWriter ack = path.begin(Packet.ACK);
      in.writeAcknowledgement(ack, Packet.ackWords(path.frameBytesMax() - ack.length()));
      path.put(now, ack);
    }
  }

  long deadline() {
    return Math.max(Math.min(out.deadline(), in.deadline()), path.blockedUntil());
  }

  /// Sends a message beside the stream: it may be lost, repeated or overtaken.
  void datagram(long now, Encoded message) {
    WireWriter packet = path.begin(Packet.DATAGRAM);
    packet.raw(message.joined());
    path.put(now, packet);
  }

  InStream in() {
    return in;
  }

  OutStream out() {
    return out;
  }

  void check() {
    in.check();
    out.check();
    Invariant.check(isTouched || dueAt == deadline(), "a link that will have something to write is looked at then");
  }
}
