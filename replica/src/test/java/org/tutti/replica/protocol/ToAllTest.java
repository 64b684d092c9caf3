package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.Ordering;
import org.tutti.replica.Policy;
import org.tutti.replica.Replication;
import org.tutti.replica.ServiceException;

/// A client that sends its commands to all of three replicas, whose words the test says.
class ToAllTest {
  private static final long SESSION = 7;
  private static final List<String> REPLICAS = List.of("r0:1", "r1:1", "r2:1");
  private static final Policy POLICY =
      new Policy(Policy.Dissemination.ALL, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER);

  private final SplittableRandom random = new SplittableRandom(1);
  private final List<Line> lines = new ArrayList<>(); // beside the first
  private final Line first = new Line(null);
  private final ClientProtocol client = new ClientProtocol("service", REPLICAS, 1_000_000_000, new Host());
  private long now;
  private int outcomes;

  private final class Line implements ClientProtocol.Line {
    final @Nullable QuietConnection of;
    final List<Frame> said = new ArrayList<>();
    @Nullable String at;

    Line(@Nullable QuietConnection of) {
      this.of = of;
    }

    @Override
    public void connect(String address) {
      at = address;
    }

    @Override
    public void disconnect() {
      at = null;
    }

    @Override
    public void send(ByteBuffer frame) {
      try {
        said.add(Frame.decode(frame.duplicate().position(Integer.BYTES).slice()));
      } catch (Frame.MalformedException e) {
        throw new IllegalStateException(e);
      }
    }

    void welcome() {
      if (of == null) {
        client.connected();
      } else {
        of.connected();
      }
      hears(new Frame.Welcome(100, 60_000, POLICY.code(), REPLICAS));
    }

    void hears(Frame frame) {
      ByteBuffer bytes = frame.encode().position(Integer.BYTES).slice();
      if (of == null) {
        client.received(bytes);
      } else {
        of.received(bytes);
      }
      client.work();
    }

    List<Long> calls() {
      return said.stream().filter(Frame.Call.class::isInstance).map(frame -> ((Frame.Call) frame).number()).toList();
    }
  }

  private final class Host implements ClientProtocol.Host {
    @Override
    public void connect(String address) {
      first.connect(address);
    }

    @Override
    public void disconnect() {
      first.disconnect();
    }

    @Override
    public void send(ByteBuffer frame) {
      first.send(frame);
    }

    @Override
    public ClientProtocol.Line beside(QuietConnection of) {
      var line = new Line(of);
      lines.add(line);
      return line;
    }

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public RandomGenerator random() {
      return random;
    }
  }

  private final class Call extends ClientProtocol.Request {
    Call() {
      super(ByteBuffer.allocate(1), null, Long.MAX_VALUE);
    }

    @Override
    protected void replied(ByteBuffer reply, long position) {
      outcomes++;
    }

    @Override
    protected void failed(ServiceException why) {
      throw new IllegalStateException(why);
    }
  }

  @BeforeEach
  void begin() {
    client.wish(POLICY);
    client.work();
    first.welcome();
    call();
    Frame opens = first.said.getLast();
    assertThat(opens).isInstanceOf(Frame.Open.class);
    first.hears(new Frame.Opened(((Frame.Open) opens).nonce(), SESSION));
    assertThat(lines).hasSize(2);
  }

  private void call() {
    client.request(new Call());
    client.work();
  }

  private static Frame reply(long number) {
    return new Frame.Replied(
        SESSION, number, new CommandReply(CommandReply.Status.DONE, number, ByteBuffer.allocate(0)));
  }

  @Test
  void aCommandGoesToAllUnderOneNumberAndTheFirstReplyCounts() {
    lines.forEach(Line::welcome);
    call();
    assertThat(lines).extracting(line -> line.at).doesNotContainNull().doesNotContain(first.at).doesNotHaveDuplicates();
    assertThat(first.calls()).containsExactly(1L, 2L);
    assertThat(lines).allSatisfy(line -> assertThat(line.calls()).containsExactly(1L, 2L));
    lines.getFirst().hears(reply(1));
    assertThat(outcomes).isEqualTo(1);
    first.hears(reply(1));
    lines.getLast().hears(reply(1));
    assertThat(outcomes).as("the others' replies are nothing new").isEqualTo(1);
  }

  @Test
  void aReplicaThatComesLaterGetsWhatHasNoReplyInOrder() {
    lines.forEach(Line::welcome);
    call();
    call();
    first.hears(reply(1));
    first.hears(new Frame.Replicas(List.of("r0:1", "r1:1", "r2:1", "r3:1")));
    assertThat(lines).hasSize(3);
    Line late = lines.getLast();
    assertThat(late.at).isEqualTo("r3:1");
    late.welcome();
    assertThat(late.calls()).containsExactly(2L, 3L);
  }

  @Test
  void aReplicaThatHasGoneIsLeft() {
    lines.forEach(Line::welcome);
    Line gone = lines.getFirst();
    String address = gone.at;
    first.hears(new Frame.Replicas(REPLICAS.stream().filter(each -> !each.equals(address)).toList()));
    assertThat(gone.at).isNull();
    call();
    assertThat(gone.calls()).containsExactly(1L);
    assertThat(lines.getLast().calls()).containsExactly(1L, 2L);
  }

  @Test
  void aCommandIsAnsweredByAnotherReplicaWhenTheFirstOneSaysNothing() {
    lines.forEach(Line::welcome);
    client.disconnected("reset");
    lines.getLast().hears(reply(1));
    assertThat(outcomes).isEqualTo(1);
  }
}
