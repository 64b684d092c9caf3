package org.tutti.micro;

import java.nio.ByteBuffer;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;
import org.tutti.pack.Prefix;
import org.tutti.transport.Address;
import org.tutti.wire.WireWriter;

/// What is measured with.
final class Sample {
  /// The length of a batch, as [org.tutti.MemberConfig] has it by default.
  static final int BATCH_BYTES = MemberConfig.standard().batchBytesMax();

  private static final long SEQ = 123_456; // three bytes, as most numbers of batches have

  private Sample() {}

  static MemberId member(int number) {
    return new MemberId("n" + number, new Address("127.0.0.1:" + (4000 + number)), 1_000_000_000_000L + number);
  }

  /// A full batch of messages of one length.
  static Batch batch(int bytes) {
    int count = BATCH_BYTES / (Prefix.bytes(bytes) + bytes);
    ByteBuffer payload = ByteBuffer.allocate(BATCH_BYTES);
    for (int i = 0; i < count; i++) {
      Prefix.put(payload, bytes);
      payload.position(payload.position() + bytes);
    }
    return new Batch(member(0), SEQ, Batch.Kind.TOTAL, SEQ, CausalPast.NONE, count, payload.flip());
  }

  /// As it arrives: in memory outside of the heap, as sockets' buffers are.
  static ByteBuffer encoded(Batch batch) {
    var out = new WireWriter();
    batch.write(out);
    out.raw(batch.payload().duplicate());
    return ByteBuffer.allocateDirect(out.length()).put(out.copy()).flip();
  }
}
