package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.MemberId;
import org.tutti.ViewId;
import org.tutti.replica.Read;
import org.tutti.replica.StateComparison;
import org.tutti.replica.consolidation.Reply;
import org.tutti.transport.Address;

class FrameTest {
  private static final int ROUNDS = 20_000;

  private static ByteBuffer bytes(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length);
    for (int value : values) {
      bytes.put((byte) value);
    }
    return bytes.flip();
  }

  private static Frame live() {
    var a = new MemberId("a", new Address("a:1"), 3);
    var b = new MemberId("ü", new Address("b:1"), 1L << 40);
    return new Frame.Live(new ViewId(4, 5, 6), b, List.of(a, b), List.of(b));
  }

  static Stream<Frame> frames() {
    var reply = new CommandReply(CommandReply.Status.FAILED, 9, bytes(1, 2, 3));
    MemberId one = new MemberId("n1", new Address("n1:1"), 7);
    MemberId other = new MemberId("n2", new Address("n2:1"), 8);
    var said = new CommandReply(CommandReply.Status.DONE, 9, ByteBuffer.wrap(new byte[] {1, 2}));
    return Stream.of(
        new Frame.Bundle(3, 4, List.of(one, other), List.of(one), List.of(new Reply<>(other, said))),
        new Frame.Hello("counter", Frame.NO_POLICY),
        new Frame.Open(-5, new SessionTable.Secret(1, -2)),
        new Frame.Resume(17, new SessionTable.Secret(1, -2), false),
        new Frame.Call(1, 2, 1, true, bytes()),
        new Frame.Call(1, 2, 2, false, bytes(7)),
        new Frame.Query(3, Read.SEQUENTIAL, 12, bytes(4)),
        new Frame.Ping(),
        new Frame.Close(4),
        new Frame.Forget(3),
        new Frame.Compare(3),
        new Frame.Welcome(256, 60_000, Frame.NO_POLICY, List.of("a:1", "ü:2")),
        new Frame.Opened(-5, 17),
        new Frame.Replied(1, 2, reply),
        new Frame.Refused(1, 2, SessionTable.Refusal.FULL),
        new Frame.Answer(3, true, 12, bytes(4, 5)),
        new Frame.Away(List.of()),
        new Frame.Replicas(List.of("a:1")),
        new Frame.Move("a:1"),
        new Frame.Redirected("b:2"),
        live(),
        new Frame.Compared(3, new StateComparison(12, new TreeMap<>(Map.of("n1", -1L, "ü", 7L)), List.of("n3"))),
        new Frame.Agreed(0x01020101),
        new Frame.Pong(),
        new Frame.Wrong("no"));
  }

  @ParameterizedTest
  @MethodSource("frames")
  void whatIsWrittenIsRead(Frame frame) throws Frame.MalformedException {
    ByteBuffer written = frame.encode();
    assertThat(written.getInt()).isEqualTo(written.remaining());
    assertThat(Frame.decode(written)).isEqualTo(frame);
  }

  @ParameterizedTest
  @MethodSource("frames")
  void aFrameThatIsCutShortIsRefusedOrAnother(Frame frame) {
    ByteBuffer written = frame.encode().position(Integer.BYTES).slice();
    for (int length = 0; length < written.limit(); length++) {
      ByteBuffer cut = written.slice(0, length);
      try {
        assertThat(Frame.decode(cut)).isNotEqualTo(frame);
      } catch (Frame.MalformedException refused) {
        assertThat(refused).hasMessageNotContaining("Exception");
      }
    }
  }

  @Test
  void anyBytesAreAFrameOrRefused() {
    var random = new SplittableRandom(1);
    List<Frame> frames = frames().toList();
    for (int round = 0; round < ROUNDS; round++) {
      ByteBuffer bytes = frames.get(random.nextInt(frames.size())).encode().position(Integer.BYTES).slice();
      for (int changes = random.nextInt(1, 5); changes > 0 && bytes.hasRemaining(); changes--) {
        bytes.put(random.nextInt(bytes.limit()), (byte) random.nextInt());
      }
      try {
        Frame.decode(bytes.duplicate()).encode();
      } catch (Frame.MalformedException _) {
        // Any other exception would end the replica.
      }
    }
  }

  @Test
  void aClientOfAnotherVersionIsToldSo() {
    ByteBuffer hello = new Frame.Hello("counter", Frame.NO_POLICY).encode().position(Integer.BYTES).slice();
    hello.putShort(5, (short) 9);
    assertThatThrownBy(() -> Frame.decode(hello))
        .hasMessage("the client speaks version 9 of the clients' protocol, this replica version 2");
  }

  @Test
  void acknowledgingWhatWasNotAnsweredIsRefused() {
    ByteBuffer call = new Frame.Call(1, 2, 3, false, bytes()).encode().position(Integer.BYTES).slice();
    assertThatThrownBy(() -> Frame.decode(call)).hasMessageContaining("acknowledged below 3");
  }
}
