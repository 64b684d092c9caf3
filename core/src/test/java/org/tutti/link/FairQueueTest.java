package org.tutti.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.wire.Encoded;

class FairQueueTest {
  private final FairQueue queue = new FairQueue();

  private static Encoded message(MemberId sender, int number, int bytes) {
    return new Encoded(ByteBuffer.allocate(4).putInt(0, number), ByteBuffer.allocate(bytes - 4), sender, false);
  }

  private void add(MemberId sender, int messages, int bytes) {
    for (int i = 0; i < messages; i++) {
      queue.add(message(sender, i, bytes));
    }
  }

  private Encoded take() {
    Encoded next = Objects.requireNonNull(queue.peek());
    queue.poll();
    return next;
  }

  private static String name(Encoded message) {
    return Objects.requireNonNull(message.sender()).name() + message.head().getInt(0);
  }

  private List<String> take(int messages) {
    var taken = new ArrayList<String>();
    for (int i = 0; i < messages; i++) {
      taken.add(name(take()));
    }
    return taken;
  }

  @Test
  void sendersTakeTurns() {
    add(A, 4, 100);
    add(B, 2, 100);
    assertThat(queue.bytes()).isEqualTo(600);
    assertThat(queue.bytes(B)).isEqualTo(200);
    assertThat(take(6)).containsExactly("a0", "b0", "a1", "b1", "a2", "a3");
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.peek()).isNull();
    assertThat(queue.bytes()).isZero();
    assertThat(queue.bytes(B)).isZero();
  }

  @Test
  void eachGetsAsManyBytesAndNotAsManyMessages() {
    add(A, 10, 1000);
    add(B, 100, 100);
    take(22);
    assertThat(queue.bytes(A)).isEqualTo(8000);
    assertThat(queue.bytes(B)).isEqualTo(8000);
  }

  @Test
  void whoComesLaterWaitsForOneMessageAndMakesUpForNothing() {
    add(A, 100, 100);
    take(50);
    add(B, 50, 100);
    assertThat(take(4)).containsExactlyInAnyOrder("b0", "a50", "b1", "a51");
    take(46);
    assertThat(queue.bytes(A)).isEqualTo(queue.bytes(B));
  }

  @Test
  void whatIsPutBackIsNext() {
    add(A, 3, 100);
    add(B, 1, 300);
    add(C, 2, 100);
    var taken = List.of(take(), take(), take(), take());
    taken.reversed().forEach(queue::putBack);
    assertThat(queue.bytes()).isEqualTo(800);
    assertThat(take(3)).startsWith("a0").contains("b0", "c0");
    assertThat(take(3)).containsExactly("a1", "c1", "a2");
  }

  @Test
  void whoIsRefusedGainsNothing() {
    add(A, 100, 100);
    add(B, 100, 100);
    for (int i = 0; i < 100; i++) {
      Encoded taken = take();
      for (int refused = 0; refused < 5; refused++) {
        queue.putBack(taken);
        assertThat(take()).isSameAs(taken);
      }
    }
    assertThat(queue.bytes(A)).isEqualTo(5000);
    assertThat(queue.bytes(B)).isEqualTo(5000);
  }

  @Test
  void nothingIsLeftOfWhatIsCleared() {
    add(A, 2, 100);
    add(B, 2, 100);
    queue.clear();
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.bytes()).isZero();
    add(B, 1, 100);
    assertThat(take(1)).containsExactly("b0");
  }

  @Test
  void allAreSeenEachSendersInTheirOrder() {
    add(A, 2, 100);
    add(B, 2, 100);
    var seen = new ArrayList<String>();
    queue.forEach(message -> seen.add(name(message)));
    assertThat(seen).containsSubsequence("a0", "a1").containsSubsequence("b0", "b1").hasSize(4);
  }
}
