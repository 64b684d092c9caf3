package org.tutti.membership;

import java.nio.ByteBuffer;
import java.util.TreeMap;
import org.tutti.MemberId;
import org.tutti.StateSource;
import org.tutti.ViewId;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// The bytes of [StateTransfer.Message]: `view id, u8 kind, ...`.
final class StateCodec implements Codec<StateTransfer.Message> {
  private static final int MARK_BYTES_MIN = 13;

  @Override
  public void write(StateTransfer.Message message, WireWriter out) {
    out.viewId(message.since());
    switch (message) {
      case StateTransfer.Message.Header(ViewId _, long transfer, StateTransfer.Start start, boolean state) -> {
        out.u8(1);
        out.count(transfer);
        out.count(start.index());
        out.count(start.position());
        out.count(start.marks().size());
        start
            .marks()
            .forEach((sender, next) -> {
              out.member(sender);
              out.count(next);
            });
        out.flag(state);
      }
      case StateTransfer.Message.Chunk(ViewId _, long transfer, StateChecksum.Sum end, ByteBuffer _) -> {
        out.u8(2);
        out.count(transfer);
        out.flag(end != null);
        if (end != null) {
          out.count(end.length());
          out.fixed(end.crc());
        }
      }
      case StateTransfer.Message.Taken(ViewId _, long transfer) -> {
        out.u8(3);
        out.count(transfer);
      }
      case StateTransfer.Message.Cancelled _ -> out.u8(4);
      case StateTransfer.Message.Known(ViewId _, long transfer, ByteBuffer token) -> {
        out.u8(5);
        out.count(transfer);
        out.bytes(token);
      }
    }
  }

  @Override
  public ByteBuffer tail(StateTransfer.Message message) {
    return message instanceof StateTransfer.Message.Chunk chunk ? chunk.bytes() : NOTHING;
  }

  @Override
  public StateTransfer.Message read(WireReader in) throws Malformed {
    ViewId since = in.viewId();
    StateTransfer.Message message =
        switch (in.u8()) {
          case 1 -> header(since, in);
          case 2 -> {
            long transfer = in.count();
            StateChecksum.Sum end = in.flag() ? new StateChecksum.Sum(in.count(), crc(in)) : null;
            ByteBuffer lent = in.rest();
            yield new StateTransfer.Message.Chunk(
                since, transfer, end, ByteBuffer.allocate(lent.remaining()).put(lent).flip());
          }
          case 3 -> new StateTransfer.Message.Taken(since, in.count());
          case 4 -> new StateTransfer.Message.Cancelled(since);
          case 5 -> known(since, in);
          default -> throw new Malformed("state message");
        };
    in.end();
    return message;
  }

  private static int crc(WireReader in) throws Malformed {
    long crc = in.fixed();
    if (crc != (int) crc) {
      throw new Malformed("state message");
    }
    return (int) crc;
  }

  private static StateTransfer.Message known(ViewId since, WireReader in) throws Malformed {
    long transfer = in.count();
    ByteBuffer lent = in.bytes(StateSource.TOKEN_BYTES_MAX);
    ByteBuffer token = ByteBuffer.allocate(lent.remaining()).put(lent).flip();
    return new StateTransfer.Message.Known(since, transfer, token);
  }

  private static StateTransfer.Message header(ViewId since, WireReader in) throws Malformed {
    long transfer = in.count();
    long index = in.count();
    long position = in.count();
    var marks = new TreeMap<MemberId, Long>();
    for (Mark mark : in.list(MARK_BYTES_MIN, from -> new Mark(from.member(), from.count()))) {
      marks.put(mark.sender, mark.next);
    }
    return new StateTransfer.Message.Header(
        since, transfer, new StateTransfer.Start(index, position, marks), in.flag());
  }

  private record Mark(MemberId sender, long next) {}
}
