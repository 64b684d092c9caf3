package org.tutti.ipc.protocol;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.fixture.Golden;
import org.tutti.fixture.RawPackets;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.SendKey;
import org.tutti.transport.Address;
import org.tutti.wire.WireWriter;

/// The bytes of messages between hosts.
class IpcGoldenTest {
  private static final MemberId HOST = new MemberId("b\u00e9", new Address("[::1]:65535"), 9);
  private static final IpcMessage.Key KEY = new IpcMessage.Key(300, GroupId.wellKnown(7), 1L << 33);
  private static final PairMessage.Pair PAIR = new PairMessage.Pair(300, 2, 1L << 33);

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(US_ASCII));
  }

  /// How messages of a kind are read.
  private interface Reading<T> {
    T of(ByteBuffer bytes) throws Exception;
  }

  private static <T> Golden.Format<T> format(BiConsumer<WireWriter, T> writing, Reading<T> reading) {
    return new Golden.Format<>() {
      @Override
      public byte[] write(T message) {
        var out = new WireWriter();
        writing.accept(out, message);
        return RawPackets.bytes(out);
      }

      @Override
      public T read(byte[] bytes) throws Exception {
        return reading.of(ByteBuffer.wrap(bytes));
      }
    };
  }

  @Test
  void messagesToGroups() {
    Golden.Format<IpcMessage> format = format(IpcMessage::write, IpcMessage::read);
    var deliver = new IpcMessage.Deliver(KEY, -7, bytes("hello"));
    byte[] code = new SendKey(new byte[SendKey.BYTES]).code(IpcMessage.Coded.signed(HOST, deliver));
    new Golden("ipc", "ipc-message", "between hosts, to groups of processes: `IpcMessage`")
        .example("deliver", deliver, format)
        .example("delivered", new IpcMessage.Delivered(KEY, 3, true), format)
        .example("reply", new IpcMessage.Reply(KEY, 4, bytes("answer")), format)
        .example("taken", new IpcMessage.Taken(KEY, 4), format)
        .example("probe", new IpcMessage.Probe(KEY, 4, true), format)
        .example("wanted", new IpcMessage.Wanted(KEY, 4), format)
        .example("ended", new IpcMessage.Ended(KEY), format)
        .example("destroyed", new IpcMessage.Destroyed(KEY), format)
        .example("gone", new IpcMessage.Gone(KEY), format)
        .example("coded, with a key of zeros", new IpcMessage.Coded(deliver, ByteBuffer.wrap(code)), format)
        .covers(IpcMessage.class)
        .check();
  }

  @Test
  void messagesOfMemberships() {
    Golden.Format<MembershipMessage> format = format(MembershipMessage::write, MembershipMessage::read);
    var groups = List.of(GroupId.wellKnown(7), GroupId.named("printers"));
    new Golden("ipc", "membership-message", "between hosts, which groups have members: `MembershipMessage`")
        .example("whole, asking", new MembershipMessage.Whole(300, true, true, groups), format)
        .example("whole, too much to list", new MembershipMessage.Whole(300, false, false, List.of()), format)
        .example("first", new MembershipMessage.First(301, GroupId.wellKnown(7)), format)
        .example("last", new MembershipMessage.Last(302, GroupId.wellKnown(7)), format)
        .example("known", new MembershipMessage.Known(302), format)
        .covers(MembershipMessage.class)
        .check();
  }

  @Test
  void messagesToProcesses() {
    Golden.Format<PairMessage> format = format(PairMessage::write, PairMessage::read);
    Golden golden = new Golden("ipc", "pair-message", "between hosts, to a process: `PairMessage`");
    golden
        .example("offer", new PairMessage.Offer(PAIR, true, -7, 300, bytes("hello")), format)
        .example("more", new PairMessage.More(PAIR, false, 5, 300), format)
        .example("part", new PairMessage.Part(PAIR, true, 5, bytes("rest")), format)
        .example("queued", new PairMessage.Queued(PAIR), format)
        .example("reply taken", new PairMessage.ReplyTaken(PAIR), format)
        .example("over", new PairMessage.Over(PAIR, true), format)
        .example("ask", new PairMessage.Ask(PAIR, true), format);
    for (PairMessage.Why why : PairMessage.Why.values()) {
      golden.example("gone, " + why, new PairMessage.Gone(PAIR, why), format);
    }
    for (PairMessage.Wait wait : PairMessage.Wait.values()) {
      var edge = new PairMessage.Edge(wait, PAIR);
      golden.example(
          "chase, " + wait, new PairMessage.Chase(new ProcessId(HOST, 5), List.of(1L, 1L << 60), 1, edge), format);
    }
    golden.covers(PairMessage.class).check();
  }
}
