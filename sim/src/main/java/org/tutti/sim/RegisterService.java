package org.tutti.sim;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.TreeMap;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;
import org.tutti.sim.check.ServiceHistory;
import org.tutti.sim.check.ServiceHistory.Execution;
import org.tutti.sim.check.ServiceHistory.Kind;

/// The service that is replicated in simulated runs: a few registers, and the time.
///
/// It tells the history what it executes. Its state has ballast, so that a snapshot is longer than a piece of it.
final class RegisterService implements StateMachine {
  static final int REGISTERS = 4;

  private static final Kind[] KINDS = Kind.values();
  private static final int COMMAND_BYTES = Long.BYTES + 2 + 2 * Long.BYTES;

  private final String replica;
  private final ServiceHistory history;
  private final int ballast;
  private final TreeMap<Integer, Long> registers = new TreeMap<>();
  private long executed;
  private long timeMillis;

  RegisterService(String replica, ServiceHistory history, int ballast) {
    this.replica = replica;
    this.history = history;
    this.ballast = ballast;
  }

  static ByteBuffer command(ServiceHistory.Call call) {
    return command(call.id, call.kind, call.key, call.first, call.second);
  }

  static ByteBuffer command(long id, Kind kind, int key, long first, long second) {
    return ByteBuffer.allocate(COMMAND_BYTES)
        .putLong(id)
        .put((byte) kind.ordinal())
        .put((byte) key)
        .putLong(first)
        .putLong(second)
        .flip();
  }

  @Override
  public ByteBuffer apply(Command command) {
    ByteBuffer in = command.payload();
    long id = in.getLong();
    Kind kind = KINDS[in.get()];
    int key = in.get();
    long first = in.getLong();
    long second = in.getLong();
    if (command.time().toEpochMilli() < timeMillis) {
      history.violate("AgreedTime", "the time went back at " + replica + " with command " + id);
    }
    timeMillis = command.time().toEpochMilli();
    executed++;
    if (kind == Kind.FAIL) {
      history.execute(new Execution(id, command.position(), true, 0, replica));
      throw new IllegalArgumentException("refused");
    }
    long before = registers.getOrDefault(key, 0L);
    long result =
        switch (kind) {
          case SET, READ, FAIL -> before;
          case ADD -> before + first;
          case COMPARE_AND_SET -> before == first ? 1 : 0;
        };
    switch (kind) {
      case SET -> registers.put(key, first);
      case ADD -> registers.put(key, result);
      case COMPARE_AND_SET -> registers.put(key, before == first ? second : before);
      case READ, FAIL -> {}
    }
    history.execute(new Execution(id, command.position(), false, result, replica));
    return ByteBuffer.allocate(Long.BYTES).putLong(0, result);
  }

  @Override
  public ByteBuffer query(ByteBuffer request) {
    return ByteBuffer.allocate(Long.BYTES).putLong(0, registers.getOrDefault((int) request.get(), 0L));
  }

  @Override
  public Snapshot snapshot() {
    var copy = new TreeMap<>(registers);
    long count = executed;
    long time = timeMillis;
    return out -> {
      var data = new DataOutputStream(out);
      data.writeLong(count);
      data.writeLong(time);
      data.writeInt(copy.size());
      for (var entry : copy.entrySet()) {
        data.writeInt(entry.getKey());
        data.writeLong(entry.getValue());
      }
      data.writeInt(ballast);
      data.write(new byte[ballast]);
      data.flush();
    };
  }

  @Override
  public void restore(InputStream in) throws IOException {
    var data = new DataInputStream(in);
    executed = data.readLong();
    timeMillis = data.readLong();
    registers.clear();
    for (int left = data.readInt(); left > 0; left--) {
      registers.put(data.readInt(), data.readLong());
    }
    data.readNBytes(data.readInt());
  }

  /// All that must be equal at all replicas.
  @Override
  public String toString() {
    return executed + " executed, " + registers + " at " + timeMillis + " ms";
  }
}
