package org.tutti.orbs;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.tutti.orbs.idl.CountedPOA;

/// An ordinary servant, which counts its calls.
final class CountedServant extends CountedPOA {
  private final AtomicLong calls = new AtomicLong();

  long count() {
    return calls.get();
  }

  @Override
  public int call(byte[] what) {
    calls.incrementAndGet();
    return what.length;
  }

  @Override
  public void tell(byte[] what) {
    calls.incrementAndGet();
  }

  @Override
  public byte[] get_state() {
    return ByteBuffer.allocate(Long.BYTES).putLong(calls.get()).array();
  }

  @Override
  public void set_state(byte[] what) {
    calls.set(ByteBuffer.wrap(what).getLong());
  }
}
