package com.example.counter;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;

/// The service of the guide to replicated services.
public final class Counter implements StateMachine {
  private long value;

  @Override
  public ByteBuffer apply(Command command) { // the same commands in the same order at every replica
    value += command.payload().getLong();
    return ByteBuffer.allocate(8).putLong(0, value);
  }

  @Override
  public ByteBuffer query(ByteBuffer request) { // at one replica; changes nothing
    return ByteBuffer.allocate(8).putLong(0, value);
  }

  @Override
  public Snapshot snapshot() { // for replicas that join
    long copy = value;
    return out -> out.write(ByteBuffer.allocate(8).putLong(0, copy).array());
  }

  @Override
  public void restore(InputStream in) throws IOException {
    value = ByteBuffer.wrap(in.readNBytes(8)).getLong();
  }
}
