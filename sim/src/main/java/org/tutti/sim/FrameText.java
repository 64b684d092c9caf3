package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.ViewId;
import org.tutti.membership.Knowledge;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.ViewMessage;
import org.tutti.order.FixedSequencer;
import org.tutti.order.Stability;
import org.tutti.order.SubsetMessage;
import org.tutti.pack.MessageBlock;
import org.tutti.transport.Address;
import org.tutti.user.Request;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// Words for frames and requests, for people who read a trace. A frame is described as far as it can be read; what
/// cannot be read, because it was damaged or is the middle of a long message, is only measured.
public final class FrameText {
  private static final MemberId NOBODY = new MemberId("nobody", new Address("nobody:1"), 1);
  private static final int KIND_AT = 1;
  private static final int DATA = 1;
  private static final int ACK = 2;
  private static final int DATAGRAM = 4;
  private static final int DATA_COUNTS = 6; // stream, number, distance; the acknowledgement's stream, number, window
  private static final int IDENTITY = 1;
  private static final int VIEW_CHANNEL = 5;
  private static final int ANNOUNCEMENT_AT = 1 + Long.BYTES; // behind channel and group
  private static final int ANNOUNCEMENT = 6;

  private FrameText() {}

  /// A frame in one line: packet, stream and number, what is acknowledged, messages. The hash at its end is equal where
  /// the frame is sent and where it arrives.
  static String describe(ByteBuffer frame) {
    var text = new StringBuilder();
    try {
      packet(new WireReader(frame.duplicate()), text);
    } catch (Malformed | RuntimeException e) {
      text.append(" unreadable");
    }
    return text.append(" (").append(frame.remaining()).append(" bytes ").append(tag(frame)).append(')').toString();
  }

  /// Takes what is in a frame of a living member, as a listener on the wire would.
  public interface Reader {
    /// A packet of messages.
    ///
    /// @param whole whether the bytes are a whole message
    /// @param first whether they begin one
    /// @param bytes the message, or a piece of it
    void chunk(boolean whole, boolean first, ByteBuffer bytes);

    /// A packet that only acknowledges.
    default void acknowledgement() {}

    /// A message beside the channel: a sign of life, or a call to other views.
    default void datagram() {}
  }

  /// Finds the announcements of agreed views in a frame.
  static void announcements(ByteBuffer frame, Consumer<ViewId> found) {
    read(
        frame,
        (whole, first, bytes) -> {
          if (whole && bytes.remaining() > ANNOUNCEMENT_AT && isAnnouncement(bytes)) {
            found.accept(announced(bytes));
          }
        });
  }

  private static ViewId announced(ByteBuffer message) {
    try {
      return new WireReader(message.duplicate().position(message.position() + ANNOUNCEMENT_AT + 1)).viewId();
    } catch (Malformed e) {
      throw new IllegalStateException("a member sends what it could not read", e);
    }
  }

  /// Reads a frame that was not damaged.
  ///
  /// @param frame  from position to limit
  /// @param reader is told what is in it
  public static void read(ByteBuffer frame, Reader reader) {
    int start = frame.position();
    switch (frame.get(start + KIND_AT)) {
      case DATA -> chunks(frame.duplicate().position(start + 2), reader);
      case ACK -> reader.acknowledgement();
      case DATAGRAM -> reader.datagram();
      default -> {} // resets
    }
  }

  private static void chunks(ByteBuffer behindKind, Reader reader) {
    try {
      var in = new WireReader(behindKind);
      boolean identity = (in.u8() & IDENTITY) != 0;
      in.fixed();
      long source = in.fixed();
      in.fixed();
      in.bytesSkipped(Integer.BYTES + Long.BYTES);
      if (identity) {
        in.member(source);
        in.bytesSkipped(2); // the versions that it understands
      }
      for (int i = 0; i < DATA_COUNTS; i++) {
        in.count();
      }
      in.fixed();
      while (in.remaining() > 0) {
        long header = in.count();
        ByteBuffer bytes = in.raw((int) (header >>> 2));
        reader.chunk((header & 3) == 3, (header & 1) != 0, bytes);
      }
    } catch (Malformed e) {
      throw new IllegalStateException("a member sends what it could not read", e);
    }
  }

  private static boolean isAnnouncement(ByteBuffer message) {
    int start = message.position();
    return message.get(start) == VIEW_CHANNEL && message.get(start + ANNOUNCEMENT_AT) == ANNOUNCEMENT;
  }

  private static void packet(WireReader in, StringBuilder text) throws Malformed {
    in.u8();
    int kind = in.u8();
    int flags = in.u8();
    in.fixed();
    long source = in.fixed();
    in.fixed();
    in.bytesSkipped(Integer.BYTES + Long.BYTES);
    if ((flags & IDENTITY) != 0) {
      in.member(source);
      in.bytesSkipped(2); // the versions that it understands
    }
    switch (kind) {
      case 1 -> {
        text.append("data ").append(in.count()).append('/').append(in.count());
        in.count();
        acknowledgement(in, text);
        chunks(in, text);
      }
      case 2 -> {
        acknowledgement(in, text.append("ack"));
        while (in.remaining() > 0) {
          text.append('+').append(Long.toBinaryString(in.fixed()));
        }
      }
      case 3 -> text.append("reset ").append(in.count()).append('/').append(in.count());
      case 4 -> text.append(in.remaining() == 0 ? "alive" : "hello");
      default -> text.append("unknown packet");
    }
  }

  private static void acknowledgement(WireReader in, StringBuilder text) throws Malformed {
    text.append(" ack ").append(in.count()).append('/').append(in.count());
    in.count();
    long beyond = in.fixed();
    if (beyond != 0) {
      text.append('+').append(Long.toBinaryString(beyond));
    }
  }

  private static void chunks(WireReader in, StringBuilder text) throws Malformed {
    while (in.remaining() > 0) {
      long header = in.count();
      ByteBuffer bytes = in.raw((int) (header >>> 2));
      text.append(" | ");
      if ((header & 3) == 3) {
        message(new WireReader(bytes), text);
      } else {
        text.append((header & 1) != 0 ? "first" : (header & 2) != 0 ? "last" : "next");
        text.append(" piece of ").append(bytes.remaining()).append(" bytes");
      }
    }
  }

  private static void message(WireReader in, StringBuilder text) throws Malformed {
    int channel = in.u8();
    in.fixed();
    switch (channel) {
      case 1 -> text.append("Batch[").append(in.viewId()).append(" seq=").append(in.count()).append(']');
      case 2 -> text.append(in.viewId()).append(' ').append(FixedSequencer.CODEC.read(in));
      case 3 -> text.append(in.viewId()).append(' ').append(Stability.CODEC.read(in));
      case 4 -> text.append(describe(StateTransfer.CODEC.read(in)));
      case 5 -> text.append(describe(ViewMessage.CODEC.read(in)));
      case 8 -> text.append(in.viewId()).append(' ').append(describe(new SubsetMessage.Encoding(NOBODY).read(in)));
      default -> text.append("channel ").append(channel);
    }
  }

  private static String describe(SubsetMessage message) {
    return message instanceof SubsetMessage.SubsetMulticast(var destinations, var batch)
        ? "Subset[" + batch.seq() + " to " + destinations + ']'
        : message.toString();
  }

  private static String describe(StateTransfer.Message message) {
    return switch (message) {
      case StateTransfer.Message.Header header ->
          "StateHeader[" + header.since() + " index=" + header.start().index() + ']';
      case StateTransfer.Message.Chunk chunk ->
          "StateChunk["
              + chunk.since()
              + " "
              + chunk.bytes().remaining()
              + " bytes"
              + (chunk.end() != null ? ", last]" : "]");
      case StateTransfer.Message.Known known ->
          "StateKnown[" + known.since() + " " + known.token().remaining() + " bytes]";
      case StateTransfer.Message.Taken taken -> "StateTaken[" + taken.since() + ']';
      case StateTransfer.Message.Cancelled cancelled -> "StateCancelled[" + cancelled.since() + ']';
    };
  }

  private static String describe(ViewMessage message) {
    return switch (message) {
      case ViewMessage.Wedged(var ballot, Knowledge known) ->
          "Wedged["
              + ballot
              + " in "
              + known.view().id()
              + " primary="
              + (known.primary() == null ? "none" : known.primary().id())
              + " history="
              + (known.history() == null ? "none" : known.history().view())
              + " accepted="
              + (known.accepted() == null ? "none" : known.accepted().proposal().view().id())
              + " synced="
              + known.synced()
              + ']';
      case ViewMessage.Accept(var ballot, var proposal) ->
          "Accept[" + ballot + " " + proposal.view() + " cuts=" + proposal.cuts() + ']';
      case ViewMessage.Supply supply -> "Supply[" + supply.view() + " seq=" + supply.batch().seq() + ']';
      default -> message.toString();
    };
  }

  private static String tag(ByteBuffer bytes) {
    return HexFormat.of().toHexDigits(Hash.of(bytes), 6);
  }

  private static String measure(ByteBuffer bytes) {
    return bytes.remaining() + " bytes " + tag(bytes);
  }

  private static ByteBuffer message(MessageBlock block) {
    ByteBuffer message = block.seal().duplicate();
    while (message.get() < 0) {} // the prefix; the simulator's blocks have one message
    return message;
  }

  /// A request in a few words.
  static String describe(Request request) {
    return switch (request) {
      case Request.Create create -> "create " + create.group();
      case Request.Found found -> "found " + found.group() + " with " + found.founding();
      case Request.Join join -> "join " + join.group();
      case Request.Multicast(_, MessageBlock block) ->
          "multicast " + block.kind().service() + " " + measure(message(block));
      case Request.SubsetMulticast subset ->
          "subset " + subset.number() + " to " + subset.destinations() + " " + measure(subset.payload());
      case Request.Propagate(_, ByteBuffer payload) -> "propagate " + measure(payload);
      case Request.Whiteboard _ -> "whiteboard";
      case Request.LocalCall(_, var call) -> "local call " + call;
      case Request.Confirm _ -> "confirm the position";
      case Request.Leave _ -> "leave";
      case Request.Switch(_, Ordering to) -> "switch to " + to;
      case Request.StateChunk(_, long transfer, ByteBuffer chunk, var end) ->
          "state " + transfer + ": " + chunk.remaining() + " bytes" + (end != null ? ", the last" : "");
      case Request.StateFailed(_, long transfer) -> "state " + transfer + ": failed";
      case Request.StateKnown(_, long transfer, ByteBuffer token) ->
          "state " + transfer + ": " + token.remaining() + " bytes known";
      case Request.StateTaken(_, long transfer) -> "state " + transfer + ": piece taken";
      case Request.Persisted(var _, var position) -> "request: durable up to " + position.getAsLong();
      case Request.Consumed _ -> "consumed";
      case Request.Packed _ -> "packed";
      case Request.Suspect(MemberId member) -> "suspect " + member;
      case Request.Contacts(var addresses) -> "contacts " + addresses;
    };
  }
}
