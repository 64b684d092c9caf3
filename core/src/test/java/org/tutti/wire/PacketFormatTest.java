package org.tutti.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.ViewId;
import org.tutti.engine.Input;
import org.tutti.engine.NodeEngine;
import org.tutti.fixture.QuietUser;
import org.tutti.fixture.RawPackets;
import org.tutti.membership.Terms;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Refused;
import org.tutti.transport.Traits;
import org.tutti.user.Report;
import org.tutti.user.Request;

/// The bytes of packets, as version 5 has them: another change of them is another version.
class PacketFormatTest {
  private static final Terms TERMS = Terms.voter(GroupConfig.standard(), MemberConfig.standard());
  private static final MemberId SELF = new MemberId("n", new Address("a:1"), 0x0102030405060708L);
  private static final MemberId PEER = new MemberId("p", new Address("b:2"), 9);
  private static final String TUTTI = "b4d97dd0db3ce7f1";
  private static final String BANK = "9a1adf9baa01f4b7";
  private static final String HEADER_TO_PEER = TUTTI + "0102030405060708" + "0000000000000009";
  private static final String HEADER_TO_ANYBODY = TUTTI + "0102030405060708" + "0000000000000000";
  private static final String SUM_AND_BEAT = "00000000" + "0000000000000001";
  private static final String SUM_AND_SECOND_BEAT = "00000000" + "0000000000000002";
  private static final String IDENTITY = "016e" + "03613a31" + "0505";

  private final List<String> sent = new ArrayList<>();
  private final boolean[] checksum = new boolean[1];
  private final NodeEngine node =
      new NodeEngine(SELF, Node.named("n").contacts("c:3").settings(), new Recording(), new SplittableRandom(1));
  private long now = 1_000_000;

  /// Keeps what is written as hexadecimal digits.
  private final class Recording implements FrameSender {
    private ByteBuffer claimed = ByteBuffer.allocate(0);

    @Override
    public @Nullable ByteBuffer claim(Address to, int length) {
      claimed = ByteBuffer.allocate(length + 3).position(3); // a frame begins anywhere in its buffer
      return claimed;
    }

    @Override
    public void commit() {
      sent.add(HexFormat.of().formatHex(claimed.array(), 3, claimed.array().length));
    }

    @Override
    public Traits traits() {
      return new Traits(1 << 10, Duration.ofMillis(40), checksum[0]);
    }
  }

  private List<String> answersTo(Input input) {
    sent.clear();
    node.step(now, input);
    node.flush(now);
    return List.copyOf(sent);
  }

  private List<String> answersTo(byte[] frame) {
    return answersTo(new Input.Arrived(ByteBuffer.wrap(frame)));
  }

  private List<String> answersLater(long nanos) {
    now += nanos;
    return answersTo(new Input.Expired());
  }

  private static byte[] data(long stream, long seq, long distance) {
    WireWriter out = RawPackets.packet(RawPackets.DATA, "tutti", PEER, SELF.incarnation(), true);
    out.count(stream);
    out.count(seq);
    out.count(distance);
    RawPackets.acknowledge(out, 0, 0);
    return RawPackets.sealed(RawPackets.bytes(out));
  }

  @Test
  void aCallToAnAddressIsADatagramWithIdentityAndWithoutDestination() {
    answersTo(new Input.Requested(new Request.Join("bank", null, TERMS.member(), false, new QuietUser())));
    String view = "00" + "0102030405060708"; // epoch 0, of this node
    assertThat(answersTo(new Input.Expired()))
        .containsExactly(
            "05" + "04" + "01" + HEADER_TO_ANYBODY + SUM_AND_SECOND_BEAT + IDENTITY + "06" + BANK + view + "00");
  }

  @Test
  void anAcknowledgementHasStreamNextWindowAndBitsBeyond() {
    answersTo(data(5, 0, 0));
    assertThat(answersTo(data(5, 2, 2)))
        .containsExactly(
            "05" + "02" + "00" + HEADER_TO_PEER + SUM_AND_BEAT + "05" + "01" + "8008" + "0000000000000001");
  }

  @Test
  void aStreamThatIsNotKnownIsReset() {
    assertThat(answersTo(data(300, 7, 2)))
        .containsExactly("05" + "03" + "00" + HEADER_TO_PEER + SUM_AND_BEAT + "ac02" + "00");
  }

  @Test
  void dataHasStreamNumberAndDistanceThenAnAcknowledgementThenChunks() {
    answersTo(new Input.Requested(new Request.Create("bank", TERMS, new QuietUser(), 0)));
    var call = new WireWriter();
    call.u8(6);
    call.fixed(RawPackets.hash("bank"));
    call.viewId(new ViewId(0, 9));
    call.u8(0); // a stranger's
    String data = answersTo(RawPackets.datagram(PEER, SELF.incarnation(), RawPackets.bytes(call))).getFirst();
    String head = "05" + "01" + "00" + HEADER_TO_PEER + SUM_AND_BEAT + "010000" + "0000" + "8008" + "0".repeat(16);
    assertThat(data).startsWith(head);
    String chunk = data.substring(head.length());
    int length = chunk.length() / 2 - 2;
    assertThat(chunk).startsWith(HexFormat.of().toHexDigits((byte) (length << 2 & 0x7f | 0x83)));
    assertThat(chunk.substring(4)).startsWith("05" + BANK);
  }

  @Test
  void aSignOfLifeIsAnEmptyDatagram() {
    answersTo(new Input.Requested(new Request.Create("bank", TERMS, new QuietUser(), 0)));
    assertThat(answersLater(1)).allMatch(frame -> frame.startsWith("0504"));
  }

  @Test
  void aChecksumIsTheCrc32cOfTheFrameWithoutIt() {
    checksum[0] = true;
    answersTo(data(5, 0, 0));
    String answer = answersLater(Duration.ofMillis(10).toNanos()).getFirst();
    byte[] bytes = HexFormat.of().parseHex(answer);
    assertThat(bytes[2]).isEqualTo((byte) 2);
    assertThat(RawPackets.sealed(bytes.clone())).isEqualTo(bytes);
  }

  /// A call in versions 8 to 9, of which nothing behind the identity is read.
  private static byte[] callOfLaterVersions() {
    return ofLaterVersions(RawPackets.datagram(PEER, 0, new byte[] {99}));
  }

  /// A packet with one byte behind the identity, said by a node of versions 8 to 9.
  private static byte[] ofLaterVersions(byte[] packet) {
    packet[0] = 9;
    packet[packet.length - 3] = 8;
    packet[packet.length - 2] = 9;
    return RawPackets.sealed(packet);
  }

  /// Wants to join.
  ///
  /// @return gets what the user is told from now on
  private List<Report> joining() {
    var told = new ArrayList<Report>();
    var user =
        new QuietUser() {
          @Override
          public void status(Report report) {
            told.add(report);
          }
        };
    answersTo(new Input.Requested(new Request.Join("bank", null, TERMS.member(), false, user)));
    return told;
  }

  @Test
  void whoSpeaksOtherVersionsIsToldWhichAreSpokenHereAndSoArePeople() {
    List<Report> told = joining();
    answersTo(new Input.Expired());
    var answers = answersTo(callOfLaterVersions());
    assertThat(answers)
        .containsExactly("05" + "05" + "01" + HEADER_TO_PEER + "00000000" + "0000000000000002" + IDENTITY + "00");
    assertThat(told.getLast().refused())
        .containsExactly(
            new Refused(
                PEER.address(),
                Refused.Reason.OTHER_VERSION,
                "it speaks versions 8 to 9 of the protocol, this node version 5"));
  }

  @Test
  void aNodeThatIsToldWhichVersionsOthersSpeakTellsPeople() {
    List<Report> told = joining();
    WireWriter refusal = RawPackets.packet(5, "tutti", PEER, SELF.incarnation(), true);
    refusal.text("");
    answersTo(ofLaterVersions(RawPackets.bytes(refusal)));
    assertThat(told.getLast().refused())
        .extracting(Refused::words)
        .containsExactly("it speaks versions 8 to 9 of the protocol, this node version 5");
  }
}
