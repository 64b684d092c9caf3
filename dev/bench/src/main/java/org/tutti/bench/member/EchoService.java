package org.tutti.bench.member;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;

/// The least that a replicated service does: it counts commands, and answers each with what it says.
final class EchoService implements StateMachine {
  private final AtomicLong count = new AtomicLong(); // written by the one thread that executes

  long count() {
    return count.get();
  }

  @Override
  public ByteBuffer apply(Command command) {
    count.lazySet(count.getPlain() + 1);
    return copy(command.payload());
  }

  @Override
  public ByteBuffer query(ByteBuffer question) {
    return copy(question);
  }

  /// What is read may be used for something else afterwards.
  private static ByteBuffer copy(ByteBuffer payload) {
    return ByteBuffer.allocate(payload.remaining()).put(payload).flip();
  }

  @Override
  public Snapshot snapshot() {
    long copy = count.get();
    return out -> out.write(ByteBuffer.allocate(Long.BYTES).putLong(0, copy).array());
  }

  @Override
  public void restore(InputStream in) throws IOException {
    count.set(ByteBuffer.wrap(in.readNBytes(Long.BYTES)).getLong());
  }
}
