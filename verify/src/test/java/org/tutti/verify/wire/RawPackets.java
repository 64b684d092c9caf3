package org.tutti.verify.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;
import org.tutti.MemberId;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Writes and reads packets as anybody on the network could, independently of the production code: what it knows of the
/// format is what the page of `Packet` says.
public final class RawPackets {
  /// The kind of a packet of messages.
  public static final int DATA = 1;

  static final int ACK = 2;
  static final int RESET = 3;
  static final int DATAGRAM = 4;

  static final int CLUSTER_AT = 3;
  static final int SOURCE_AT = 11;
  static final int DESTINATION_AT = 19;
  static final int CHECKSUM_AT = 27;
  static final int BEAT_AT = 31;
  static final int BODY_AT = 39;

  private static final int FLAGS_AT = 2;
  private static final int IDENTITY = 1;
  private static final int CHECKSUM = 2;
  private static final int WHOLE = 3;

  private RawPackets() {}

  /// The eight bytes that stand for a name.
  static long hash(String name) {
    long hash = 0xcbf29ce484222325L;
    for (byte next : name.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ next & 0xff) * 0x100000001b3L;
    }
    return hash;
  }

  /// The messages of a view's first ordering, behind the number of its epoch.
  static <M> Codec<M> inFirstEpoch(Codec<M> ordering) {
    return new Codec<>() {
      @Override
      public void write(M message, WireWriter out) {
        out.count(0);
        ordering.write(message, out);
      }

      @Override
      public M read(WireReader in) throws Malformed {
        in.count();
        return ordering.read(in);
      }
    };
  }

  /// Begins a packet.
  static WireWriter packet(int kind, String cluster, MemberId source, long destination, boolean identity) {
    var out = new WireWriter();
    out.u8(3);
    out.u8(kind);
    out.u8(CHECKSUM | (identity ? IDENTITY : 0));
    out.fixed(hash(cluster));
    out.fixed(source.incarnation());
    out.fixed(destination);
    out.raw(ByteBuffer.allocate(Integer.BYTES));
    out.fixed(1);
    if (identity) {
      out.text(source.name());
      out.text(source.address().text());
    }
    return out;
  }

  /// Whole messages as the next packet of a stream; nothing is acknowledged.
  static byte[] data(MemberId source, long destination, boolean identity, Place place, byte[]... messages) {
    WireWriter out = packet(DATA, "tutti", source, destination, identity);
    out.count(place.stream);
    out.count(place.seq);
    out.count(0);
    acknowledge(out, 0, 0);
    for (byte[] message : messages) {
      out.count((long) message.length << 2 | WHOLE);
      out.raw(ByteBuffer.wrap(message));
    }
    return sealed(bytes(out));
  }

  /// A message beside the streams.
  static byte[] datagram(MemberId source, long destination, byte[] message) {
    WireWriter out = packet(DATAGRAM, "tutti", source, destination, true);
    out.raw(ByteBuffer.wrap(message));
    return sealed(bytes(out));
  }

  static void acknowledge(WireWriter out, long stream, long next) {
    out.count(stream);
    out.count(next);
    out.count(1024);
    out.fixed(0);
  }

  static byte[] bytes(WireWriter out) {
    byte[] bytes = new byte[out.length()];
    out.copyTo(ByteBuffer.wrap(bytes));
    return bytes;
  }

  /// Puts the right checksum into a frame, if it is long enough to have one.
  static byte[] sealed(byte[] frame) {
    if (frame.length >= BODY_AT) {
      frame[FLAGS_AT] |= CHECKSUM;
      var crc = new CRC32C();
      crc.update(frame, 0, CHECKSUM_AT);
      crc.update(frame, BEAT_AT, frame.length - BEAT_AT);
      ByteBuffer.wrap(frame).putInt(CHECKSUM_AT, (int) crc.getValue());
    }
    return frame;
  }

  /// A frame that claims that its receiver knows who sent it.
  static byte[] anonymous(byte[] frame) {
    frame[FLAGS_AT] &= ~IDENTITY;
    return sealed(frame);
  }

  /// What follows a packet's header.
  public static int kind(byte[] frame) {
    return frame[1];
  }

  static long source(byte[] frame) {
    return ByteBuffer.wrap(frame).getLong(SOURCE_AT);
  }

  /// Where a stream stands.
  public record Place(long stream, long seq) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      return stream != other.stream ? Long.compare(stream, other.stream) : Long.compare(seq, other.seq);
    }
  }

  /// The place of a DATA packet.
  public static Place place(byte[] frame) {
    try {
      WireReader in = body(frame);
      return new Place(in.count(), in.count());
    } catch (Malformed e) {
      throw new IllegalStateException("members send what can be read", e);
    }
  }

  /// Looks at all whole messages of a frame.
  public static void messages(byte[] frame, Consumer<byte[]> found) {
    try {
      WireReader in = body(frame);
      if (kind(frame) == DATAGRAM && in.remaining() > 0) {
        found.accept(taken(in.rest()));
      } else if (kind(frame) == DATA) {
        for (int i = 0; i < 6; i++) {
          in.count();
        }
        in.fixed();
        while (in.remaining() > 0) {
          long header = in.count();
          ByteBuffer bytes = in.raw((int) (header >>> 2));
          if ((header & WHOLE) == WHOLE) {
            found.accept(taken(bytes));
          }
        }
      }
    } catch (Malformed e) {
      throw new IllegalStateException("members send what can be read", e);
    }
  }

  /// A DATA frame with one of its whole messages replaced.
  static byte[] changed(byte[] frame, int number, UnaryOperator<byte[]> change) {
    try {
      WireReader in = body(frame);
      for (int i = 0; i < 6; i++) {
        in.count();
      }
      in.fixed();
      var out = new WireWriter();
      out.raw(ByteBuffer.wrap(frame, 0, frame.length - in.remaining()));
      for (int left = number; in.remaining() > 0; ) {
        long header = in.count();
        byte[] bytes = taken(in.raw((int) (header >>> 2)));
        if ((header & WHOLE) == WHOLE && left-- == 0) {
          bytes = change.apply(bytes);
        }
        out.count((long) bytes.length << 2 | header & WHOLE);
        out.raw(ByteBuffer.wrap(bytes));
      }
      return sealed(bytes(out));
    } catch (Malformed e) {
      throw new IllegalStateException("members send what can be read", e);
    }
  }

  private static WireReader body(byte[] frame) throws Malformed {
    var in = new WireReader(ByteBuffer.wrap(frame, BODY_AT, frame.length - BODY_AT));
    if ((frame[FLAGS_AT] & IDENTITY) != 0) {
      in.member(1);
    }
    return in;
  }

  private static byte[] taken(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(bytes.position(), copy);
    return copy;
  }
}
