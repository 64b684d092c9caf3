package org.tutti.blocks;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.tutti.fixture.Golden;
import org.tutti.replica.Command;

/// The bytes of commands to blocks, of questions, and of their state. What stands behind the action is put together
/// here as the classes of the blocks say, and read by them.
class BlocksGoldenTest {
  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(US_ASCII));
  }

  private static ByteBuffer begin(Blocks.Kind kind, int action) {
    return Message.begin(kind, "x", action, 100);
  }

  private static byte[] taken(ByteBuffer from) {
    byte[] bytes = new byte[from.remaining()];
    from.duplicate().get(bytes);
    return bytes;
  }

  private static byte[] end(ByteBuffer out) {
    return taken(out.flip());
  }

  private static byte[] update(String value) {
    ByteBuffer out = Message.put(begin(Blocks.Kind.MAP, MapBlock.UPDATE).putLong(MapBlock.ANY), bytes("key"));
    return end(Message.put(out.put((byte) 1), bytes(value)));
  }

  private static byte[] enter(Blocks.Kind kind, long ticket) {
    return end(Message.put(begin(kind, LockBlock.ENTER).putLong(ticket).put((byte) 1), bytes("label")));
  }

  private static ByteBuffer apply(Blocks blocks, byte[] command) {
    return blocks.apply(new Command(7, 1, 0, Instant.EPOCH, ByteBuffer.wrap(command)));
  }

  /// One block of each kind, each in use.
  private static Blocks used() {
    var blocks = new Blocks();
    apply(blocks, update("old"));
    apply(blocks, enter(Blocks.Kind.LOCK, 5));
    apply(blocks, enter(Blocks.Kind.LOCK, 6));
    apply(blocks, enter(Blocks.Kind.ELECTION, 5));
    apply(blocks, end(begin(Blocks.Kind.COUNTER, CounterBlock.ADD).putLong(40)));
    apply(blocks, end(begin(Blocks.Kind.BARRIER, BarrierBlock.ARRIVE).putLong(5).putInt(2)));
    return blocks;
  }

  private record Replied(int kind, byte[] reply) {}

  private static Replied replied(byte[] command) {
    return new Replied(command[0], taken(apply(used(), command)));
  }

  private static Replied answered(byte[] question) {
    ByteBuffer answer = used().query(ByteBuffer.wrap(question));
    return new Replied(question[0], answer == null ? bytes("none yet").array() : taken(answer));
  }

  @Test
  void commands() {
    byte[] remove = end(Message.put(begin(Blocks.Kind.MAP, MapBlock.UPDATE).putLong(1), bytes("key")).put((byte) 0));
    Golden golden = new Golden("blocks", "block-command", "commands to blocks in use, and the replies: `Message`");
    golden
        .written("map, update", update("new"), BlocksGoldenTest::replied)
        .written("map, remove", remove, BlocksGoldenTest::replied)
        .written("lock, enter", enter(Blocks.Kind.LOCK, 7), BlocksGoldenTest::replied)
        .written("lock, leave", end(begin(Blocks.Kind.LOCK, LockBlock.LEAVE).putLong(5)), BlocksGoldenTest::replied)
        .written("election, enter", enter(Blocks.Kind.ELECTION, 7), BlocksGoldenTest::replied)
        .written("counter, get", end(begin(Blocks.Kind.COUNTER, CounterBlock.GET)), BlocksGoldenTest::answered)
        .written(
            "counter, add", end(begin(Blocks.Kind.COUNTER, CounterBlock.ADD).putLong(2)), BlocksGoldenTest::replied)
        .written(
            "counter, set", end(begin(Blocks.Kind.COUNTER, CounterBlock.SET).putLong(9)), BlocksGoldenTest::replied)
        .written(
            "barrier, arrive",
            end(begin(Blocks.Kind.BARRIER, BarrierBlock.ARRIVE).putLong(6).putInt(2)),
            BlocksGoldenTest::replied)
        .written(
            "barrier, leave",
            end(begin(Blocks.Kind.BARRIER, BarrierBlock.LEAVE).putLong(5)),
            BlocksGoldenTest::replied);
    Object[] kinds = new Object[Blocks.Kind.values().length];
    Arrays.setAll(kinds, kind -> "kind=" + kind);
    golden.covers(kinds).check();
  }

  @Test
  void questions() {
    new Golden("blocks", "block-question", "questions to blocks in use, and the answers: `Message`")
        .written(
            "map, get",
            end(Message.put(begin(Blocks.Kind.MAP, MapBlock.GET), bytes("key"))),
            BlocksGoldenTest::answered)
        .written("map, list", end(begin(Blocks.Kind.MAP, MapBlock.LIST).put((byte) 0)), BlocksGoldenTest::answered)
        .written("map, watch", end(begin(Blocks.Kind.MAP, MapBlock.WATCH).putLong(0)), BlocksGoldenTest::answered)
        .written("map, size", end(begin(Blocks.Kind.MAP, MapBlock.SIZE)), BlocksGoldenTest::answered)
        .written("lock, granted", ticket(LockBlock.GRANTED, 5), BlocksGoldenTest::answered)
        .written("lock, lost", ticket(LockBlock.LOST, 9), BlocksGoldenTest::answered)
        .written("lock, holds", ticket(LockBlock.HOLDS, 5), BlocksGoldenTest::answered)
        .written("lock, holder", ticket(LockBlock.HOLDER, 0), BlocksGoldenTest::answered)
        .written(
            "barrier, passed",
            end(begin(Blocks.Kind.BARRIER, BarrierBlock.PASSED).putLong(5).putLong(0)),
            BlocksGoldenTest::answered)
        .check();
  }

  private static byte[] ticket(int action, long ticket) {
    return end(begin(Blocks.Kind.LOCK, action).putLong(ticket));
  }

  private static byte[] state(Blocks blocks) throws IOException {
    var out = new ByteArrayOutputStream();
    blocks.snapshot().writeTo(out);
    return out.toByteArray();
  }

  private record Restored(long digest, boolean again) {}

  private static Restored restored(byte[] bytes) throws IOException {
    var blocks = new Blocks();
    blocks.restore(new ByteArrayInputStream(bytes));
    return new Restored(blocks.digest().getAsLong(), Arrays.equals(state(blocks), bytes));
  }

  @Test
  void states() throws IOException {
    new Golden("blocks", "block-state", "the state of all blocks: `Blocks`")
        .written("nothing", state(new Blocks()), BlocksGoldenTest::restored)
        .written("one of each kind", state(used()), BlocksGoldenTest::restored)
        .check();
  }

  @Test
  void aStateOfAnotherVersionIsRefusedWithBothVersions() throws IOException {
    byte[] state = state(used());
    state[1] = 3;
    assertThatThrownBy(() -> restored(state)).hasMessage("the blocks are of version 3, this replica reads version 2");
  }
}
