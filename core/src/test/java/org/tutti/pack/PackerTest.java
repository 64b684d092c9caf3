package org.tutti.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Ordering;
import org.tutti.Packing;
import org.tutti.Service;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

class PackerTest {
  private static final int BYTES_MAX = 1000;
  private static final int MESSAGES_MAX = 8;
  private static final long DELAY = PackingPolicies.begin(Packing.natural()).delayNanosMax();

  private final Packer packer = new Packer(A, BYTES_MAX, MESSAGES_MAX, Packing.natural());

  private void add(long now, int... sizes) {
    for (int size : sizes) {
      packer.add(now, MessageBlock.of(Batch.Kind.TOTAL, ByteBuffer.allocate(size)));
    }
  }

  private static List<Integer> sizes(Batch batch) {
    List<Integer> sizes = new ArrayList<>();
    for (Batch.Messages messages = batch.messages(); messages.hasNext(); ) {
      sizes.add(messages.next().remaining());
    }
    return sizes;
  }

  @Test
  void nothingMakesNoBatch() {
    assertThat(packer.next(0, 0, 0)).isNull();
    assertThat(packer.isEmpty()).isTrue();
    assertThat(packer.deadline()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aMessageGoesAtOnceWhenNothingIsOnTheWay() {
    add(5, 3);
    assertThat(sizes(packer.next(5, 0, 0))).containsExactly(3);
    assertThat(packer.isEmpty()).isTrue();
  }

  @Test
  void aBatchEndsWhereTheServiceChanges() {
    packer.add(0, MessageBlock.of(Batch.Kind.FIFO, ByteBuffer.allocate(1)));
    packer.add(0, MessageBlock.of(Batch.Kind.FIFO, ByteBuffer.allocate(2)));
    packer.add(0, MessageBlock.of(Batch.Kind.CAUSAL, ByteBuffer.allocate(3)));
    packer.add(0, MessageBlock.of(Batch.Kind.FIFO, ByteBuffer.allocate(4)));
    Batch first = packer.next(0, 1, 0);
    assertThat(sizes(first)).as("nothing can join them any more").containsExactly(1, 2);
    assertThat(first.kind()).isEqualTo(Batch.Kind.FIFO);
    Batch second = packer.next(0, 1, 0);
    assertThat(sizes(second)).containsExactly(3);
    assertThat(second.kind().service()).isEqualTo(Service.CAUSAL);
    assertThat(packer.next(0, 1, 0)).isNull();
    assertThat(sizes(packer.next(0, 0, 0))).containsExactly(4);
    assertThat(packer.isEmpty()).isTrue();
  }

  @Test
  void messagesWaitForCompanyWhileABatchIsOnTheWay() {
    add(0, 3);
    assertThat(packer.next(0, 1, 0)).isNull();
    add(1, 4);
    assertThat(packer.next(1, 1, 0)).isNull();
    assertThat(sizes(packer.next(2, 0, 0))).containsExactly(3, 4);
  }

  @Test
  void noMessageWaitsLongerThanTheDelay() {
    add(100, 3);
    assertThat(packer.deadline()).isEqualTo(100 + DELAY);
    assertThat(packer.next(99 + DELAY, 7, 0)).isNull();
    assertThat(sizes(packer.next(100 + DELAY, 7, 0))).containsExactly(3);
  }

  @Test
  void aFullBatchGoesWhateverIsOnTheWay() {
    add(0, 400, 400, 400);
    assertThat(sizes(packer.next(0, 9, 0))).containsExactly(400, 400);
    assertThat(packer.next(0, 9, 0)).isNull();
    assertThat(sizes(packer.next(0, 0, 0))).containsExactly(400);
  }

  @Test
  void aBatchHasNoMoreMessagesThanAllowed() {
    add(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    assertThat(sizes(packer.next(0, 9, 0))).hasSize(MESSAGES_MAX);
    assertThat(packer.next(0, 9, 0)).isNull();
  }

  @Test
  void aLargerMessageIsABatchOfItsOwn() {
    add(0, 10, 5 * BYTES_MAX, 20);
    assertThat(sizes(packer.next(0, 9, 0))).containsExactly(10);
    assertThat(sizes(packer.next(0, 9, 0))).containsExactly(5 * BYTES_MAX);
    assertThat(packer.next(0, 9, 0)).isNull();
    assertThat(sizes(packer.next(0, 0, 0))).containsExactly(20);
  }

  @Test
  void theLastBlockGrowsUntilItIsTaken() {
    var open = new Growing();
    open.add(3);
    packer.add(0, open);
    assertThat(packer.next(0, 1, 0)).isNull();
    open.add(4);
    Batch batch = packer.next(1, 0, 0);
    assertThat(sizes(batch)).containsExactly(3, 4);
    assertThat(batch.payload()).as("not copied").isSameAs(open.seal());
  }

  @Test
  void aBlockThatGrowsIsFullWithoutAnother() {
    var open = new Growing();
    open.add(3);
    packer.add(0, open);
    open.add(BYTES_MAX);
    assertThat(sizes(packer.next(0, 9, 0))).containsExactly(3, BYTES_MAX);
  }

  /// A block under its user's hand.
  private static final class Growing implements MessageBlock {
    private ByteBuffer packed = ByteBuffer.allocate(2 * BYTES_MAX);
    private int count;
    private boolean sealed;
    private int messagesBound = Integer.MAX_VALUE;
    private int bytesBound = Integer.MAX_VALUE;

    void add(int size) {
      Prefix.put(packed, size);
      packed.put(new byte[size]);
      count++;
    }

    @Override
    public Batch.Kind kind() {
      return Batch.Kind.TOTAL;
    }

    @Override
    public int count() {
      return count;
    }

    @Override
    public int bytes() {
      return sealed ? packed.remaining() : packed.position();
    }

    @Override
    public boolean bound(int messages, int bytes) {
      messagesBound = messages;
      bytesBound = bytes;
      return count >= messages || bytes() >= bytes;
    }

    @Override
    public ByteBuffer seal() {
      if (!sealed) {
        packed = packed.flip();
      }
      sealed = true;
      return packed;
    }
  }

  @Test
  void theTimeInThePackerCountsFromTheMessageOnAndNotFromTheBatchBefore() {
    add(0, 600);
    add(DELAY / 2, 600);
    assertThat(sizes(packer.next(DELAY - 1, 9, 0))).as("full").containsExactly(600);
    assertThat(packer.deadline()).isEqualTo(DELAY / 2 + DELAY);
  }

  @Test
  void aBatchHasTheNumberThatItIsGiven() {
    add(0, 1);
    assertThat(packer.next(0, 0, 7).seq()).isEqualTo(7);
    assertThat(packer.toSwitch(8, Ordering.SKEEN).seq()).isEqualTo(8);
  }

  @Test
  void theSizeCountsThePrefixes() {
    add(0, 498, 498); // two bytes of length each
    assertThat(packer.next(0, 9, 0).payload().remaining()).isEqualTo(BYTES_MAX);
    add(0, 499, 498);
    assertThat(sizes(packer.next(0, 9, 0))).containsExactly(499);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 16 << 20})
  void whatIsPackedIsReadByTheReceiver(int size) throws Malformed {
    byte[] message = new byte[size];
    if (size > 0) {
      message[size - 1] = 7;
    }
    packer.add(0, MessageBlock.of(Batch.Kind.TOTAL, ByteBuffer.wrap(message)));
    Batch batch = packer.next(0, 0, 0);
    var out = new WireWriter();
    batch.write(out);
    out.raw(batch.payload());
    Batch read = Batch.copy(A, new WireReader(out.copy()));
    assertThat(read).isEqualTo(batch);
    assertThat(read.messages().next()).isEqualTo(ByteBuffer.wrap(message));
  }
}
