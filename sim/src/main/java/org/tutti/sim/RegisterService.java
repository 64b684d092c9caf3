package org.tutti.sim;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;
import org.tutti.sim.check.Linearizability;
import org.tutti.sim.check.RegisterCall;
import org.tutti.sim.check.RegisterCall.Kind;
import org.tutti.sim.check.ServiceHistory;
import org.tutti.sim.check.Violation;

/// The service that is replicated in campaigns: a few registers, and the time. Its state has ballast, so that a
/// snapshot is longer than a piece of it.
final class RegisterService implements StateMachine {
  private static final int REGISTERS = 4;

  private final int ballast;
  private final TreeMap<Integer, Long> registers = new TreeMap<>();
  private long executed;
  private long ended; // sessions
  private long timeMillis;

  RegisterService(int ballast) {
    this.ballast = ballast;
  }

  @Override
  public ByteBuffer apply(Command command) {
    timeMillis = command.time().toEpochMilli();
    executed++;
    return ByteBuffer.allocate(Long.BYTES).putLong(0, RegisterCall.decode(command.payload()).apply(registers));
  }

  @Override
  public @Nullable ByteBuffer query(ByteBuffer request) {
    RegisterCall asked = RegisterCall.decode(request);
    long value = asked.apply(registers);
    return asked.kind() == Kind.AWAIT && value == asked.first()
        ? null
        : ByteBuffer.allocate(Long.BYTES).putLong(0, value);
  }

  @Override
  public void sessionEnded(long session, long position, Instant time) {
    ended++;
  }

  @Override
  public OptionalLong digest() {
    return OptionalLong.of(Objects.hash(registers, executed, ended, timeMillis));
  }

  @Override
  public Snapshot snapshot() {
    var copy = new TreeMap<>(registers);
    long count = executed;
    long sessions = ended;
    long time = timeMillis;
    return out -> {
      var data = new DataOutputStream(out);
      data.writeLong(count);
      data.writeLong(sessions);
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
    ended = data.readLong();
    timeMillis = data.readLong();
    registers.clear();
    for (int left = data.readInt(); left > 0; left--) {
      registers.put(data.readInt(), data.readLong());
    }
    data.readNBytes(data.readInt());
  }

  @Override
  public String toString() {
    return executed + " executed, " + ended + " sessions ended, " + registers + " at " + timeMillis + " ms";
  }

  /// Replicates it, and asks it everything.
  ///
  /// @param ballast how many bytes of it are of no use
  record Tested(int ballast) implements TestedService {
    private static final int PASSIVE_BALLAST_MAX = 10_000; // it is part of each change
    private static final Kind[] QUESTIONS = {Kind.READ, Kind.READ, Kind.READ, Kind.AWAIT};
    private static final Kind[] COMMANDS = {Kind.SET, Kind.ADD, Kind.ADD, Kind.COMPARE_AND_SET, Kind.FAIL};

    @Override
    public StateMachine machine() {
      return new RegisterService(ballast);
    }

    @Override
    public StateMachine model() {
      return machine();
    }

    @Override
    public boolean mayBePassive() {
      return ballast <= PASSIVE_BALLAST_MAX;
    }

    @Override
    public ByteBuffer command(int client, RandomGenerator random) {
      return call(COMMANDS, random).encode();
    }

    @Override
    public ByteBuffer question(int client, RandomGenerator random) {
      return call(QUESTIONS, random).encode();
    }

    private static RegisterCall call(Kind[] of, RandomGenerator random) {
      int key = random.nextInt(REGISTERS);
      Kind kind = of[random.nextInt(of.length)];
      return new RegisterCall(kind, key, random.nextInt(-3, 4), random.nextInt(-3, 4));
    }

    @Override
    public String words(ByteBuffer payload) {
      return RegisterCall.decode(payload).toString();
    }

    @Override
    public String words(StateMachine machine) {
      return machine.toString();
    }

    /// Each register by itself.
    @Override
    public List<Violation> check(ServiceHistory history) {
      return Linearizability.check(history);
    }
  }
}
