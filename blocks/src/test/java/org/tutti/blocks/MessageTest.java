package org.tutti.blocks;

import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.tutti.replica.Command;

/// What no client and no replica of ours says is refused, and leaves a state that can be given to newcomers.
class MessageTest {
  private final Blocks blocks = new Blocks();

  @Test
  void aNameThatWouldNotFitIntoASnapshotIsRefused() throws IOException {
    byte[] name = new byte[40_000]; // a zero takes two bytes in a snapshot, which has room for 65535
    ByteBuffer message = ByteBuffer.allocate(name.length + 12).put((byte) Blocks.Kind.COUNTER.ordinal());
    message.putShort((short) name.length).put(name).put((byte) CounterBlock.ADD).putLong(1).flip();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> blocks.apply(new Command(1, 1, 0, Instant.EPOCH, message)))
        .withMessageContaining("up to 1024 bytes, not 40000");
    blocks.snapshot().writeTo(new ByteArrayOutputStream());
    blocks.digest();
  }

  @Test
  void aStateThatNoReplicaHasWrittenIsRefused() throws IOException {
    var negative = new ByteArrayOutputStream();
    var out = new DataOutputStream(negative);
    out.writeShort(2);
    out.writeInt(1);
    out.writeUTF("a map");
    out.writeLong(1);
    out.writeInt(1);
    out.writeInt(-1); // bytes of a key
    assertThatIOException().isThrownBy(() -> blocks.restore(new ByteArrayInputStream(negative.toByteArray())));

    var nobody = new ByteArrayOutputStream();
    out = new DataOutputStream(nobody);
    out.writeShort(2);
    out.writeInt(0);
    out.writeLong(1);
    out.writeInt(1);
    out.writeUTF("a lock");
    out.writeLong(1);
    out.writeInt(0); // places
    assertThatIOException()
        .isThrownBy(() -> blocks.restore(new ByteArrayInputStream(nobody.toByteArray())))
        .withMessageContaining("nobody holds");
  }
}
