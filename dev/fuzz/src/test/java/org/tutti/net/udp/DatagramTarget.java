package org.tutti.net.udp;

import java.nio.ByteBuffer;
import java.util.Set;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.spi.BufferPool;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;

/// Datagrams as they come from a network: headers, shares of multicasts, pieces, sealed ones and refusals. All of them
/// are dropped with a count, so that nothing is thrown.
public final class DatagramTarget implements FuzzTarget {
  private static final int LIFE = 7;
  private static final int ROOM = 1 << 16;
  private static final long LAST = (1L << 47) - 2; // the highest numbers
  private static final UdpKeys KEYS = UdpKeys.of(UdpKey.of(new byte[UdpKey.BYTES]));

  private final ByteBuffer room = ByteBuffer.allocateDirect(ROOM);
  private final ByteBuffer opened = ByteBuffer.allocateDirect(ROOM);
  private final Counts<UdpCount> counts = new Counts<>(UdpCount.class);
  private final UdpRefusals refusals = new UdpRefusals(counts);
  private final Seal seal = new Seal(KEYS, LIFE, ROOM / 2, 10, counts);

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of();
  }

  @Override
  public long allocationMax(int length) {
    return (192 << 10) + 512L * length; // two datagrams of 64 KiB in pieces
  }

  @Override
  public void take(ByteBuffer input) {
    switch (FuzzTarget.choice(input, 4)) {
      case 0 -> {
        ByteBuffer in = received(input);
        if (MulticastPiece.is(in)) {
          piece(in);
        } else {
          header(in);
        }
      }
      case 1 -> pieces(input);
      case 2 -> {
        if (seal.open(received(input), opened) == null) {
          throw new AssertionError("opened without the key");
        }
      }
      default -> {
        ByteBuffer in = received(input);
        if (UdpRefusals.is(in)) {
          refusals.read(in, new Address("h:1"), LIFE);
        }
        for (UdpCount why : UdpCount.values()) {
          refusals.answer(in, 0, in.remaining(), why, 0);
        }
      }
    }
  }

  private ByteBuffer received(ByteBuffer input) {
    return room.clear().put(input).flip();
  }

  private static void header(ByteBuffer in) {
    var header = new DatagramHeader();
    if (header.read(in) == DatagramHeader.Fault.NONE && MulticastDatagram.pick(in, header, LIFE)) {
      int length = in.getShort() & 0xffff;
      if (length != in.remaining()) {
        throw new AssertionError("a share of " + length + " bytes, but there are " + in.remaining());
      }
    }
  }

  /// A piece of a multicast: numbers of pieces rise from 1, and it has a part of the whole. The first one has the
  /// beginning, where a receiver looks whether it is meant.
  private static void piece(ByteBuffer in) {
    var piece = new MulticastPiece();
    if (!piece.read(in)) {
      return;
    }
    if (piece.first() <= 0 || piece.index >= piece.count || !in.hasRemaining()) {
      throw new AssertionError("piece " + piece.index + " of " + piece.count + " from " + piece.first());
    }
    var header = new DatagramHeader();
    if (piece.index == 0 && header.read(in) == DatagramHeader.Fault.NONE) {
      MulticastDatagram.hasShare(in, header, LIFE);
    }
  }

  /// Pieces one after the other, each with its length (1) before it. Whatever came, a whole datagram with higher
  /// numbers is put together in the end.
  private void pieces(ByteBuffer input) {
    var reassembly = new Reassembly(counts, new BufferPool(1 << 14), frames -> {});
    var piece = new UnicastPiece();
    while (input.hasRemaining()) {
      int length = Math.min(Byte.toUnsignedInt(input.get()), input.remaining());
      ByteBuffer in = received(input.slice(input.position(), length));
      input.position(input.position() + length);
      if (UnicastPiece.is(in) && piece.read(in) && piece.number < LAST) {
        if (piece.first() <= 0 || piece.index >= piece.count || !in.hasRemaining()) {
          throw new AssertionError("piece " + piece.index + " of " + piece.count + " from " + piece.first());
        }
        reassembly.add(piece, in);
      }
    }
    for (int index = 0; index < 2; index++) {
      UnicastPiece.write(room.clear(), index, 2, 4, ByteBuffer.allocate(4), 0, 4);
      UnicastPiece.address(room, LAST + index, false, LIFE, LIFE);
      boolean whole = piece.read(room.flip()) && reassembly.add(piece, room);
      if (whole != (index == 1)) {
        throw new AssertionError("a datagram is not put together behind others");
      }
    }
  }
}
