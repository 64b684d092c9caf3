package org.tutti.engine;

import java.nio.ByteBuffer;
import org.tutti.MemberId;
import org.tutti.pack.Batch;
import org.tutti.pack.Payloads;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// The bytes of a batch on its way from its sender, whom the link names.
///
/// @param sender   who made the batches that are read; any member when only writing
/// @param payloads gets their payloads
record BatchCodec(MemberId sender, Payloads payloads) implements Codec<Batch> {
  @Override
  public void write(Batch batch, WireWriter out) {
    batch.write(out);
  }

  @Override
  public ByteBuffer tail(Batch batch) {
    return batch.payload();
  }

  @Override
  public Batch read(WireReader in) throws Malformed {
    return Batch.copy(sender, in, payloads::copy);
  }
}
