package org.tutti.sim;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;
import org.tutti.sim.check.ServiceHistory;
import org.tutti.sim.check.ServiceHistory.Execution;
import org.tutti.sim.check.ServiceHistory.SessionEnd;
import org.tutti.sim.check.ServiceHistory.State;

/// The service of one replica, between the replica and what is tested: tells the history what it executes and in which
/// state it is. Each command begins with the number of its call.
///
/// What is lent to the service is taken back: when a method has returned, the bytes that it was given change.
final class RecordedService implements StateMachine {
  private static final int STATE_BYTES_MAX = 64 << 10; // longer ones are compared at rest only
  private static final byte TAKEN_BACK = (byte) 0xEE;

  private final String replica;
  private final ServiceHistory history;
  private final TestedService tested;
  private final @Nullable Consumer<String> trace;
  private final StateMachine machine;
  private Instant time = Instant.MIN;
  private boolean compares;

  /// @param trace gets what is executed, if anybody reads it
  RecordedService(String replica, ServiceHistory history, TestedService tested, @Nullable Consumer<String> trace) {
    this.replica = replica;
    this.history = history;
    this.tested = tested;
    this.trace = trace;
    this.machine = tested.machine();
    this.compares = tested.comparesStates();
  }

  /// A command as it is sent.
  static ByteBuffer command(long call, ByteBuffer payload) {
    return ByteBuffer.allocate(Long.BYTES + payload.remaining()).putLong(call).put(payload.duplicate()).flip();
  }

  @Override
  public ByteBuffer apply(Command command) {
    long call = command.payload().getLong();
    byte[] lent = copy(command.payload());
    Command kept = with(command, lent.clone());
    if (command.time().isBefore(time)) {
      history.violate("AgreedTime", "the time went back at " + replica + " with command " + call);
    }
    time = command.time();
    try {
      ByteBuffer reply = machine.apply(with(command, lent));
      record(new Execution(call, kept, false, ByteBuffer.wrap(copy(reply.duplicate())), replica));
      return reply;
    } catch (RuntimeException refusal) {
      record(new Execution(call, kept, true, ServiceHistory.words(refusal), replica));
      throw refusal;
    } finally {
      Arrays.fill(lent, TAKEN_BACK);
    }
  }

  private static Command with(Command command, byte[] payload) {
    ByteBuffer bytes = ByteBuffer.wrap(payload).asReadOnlyBuffer();
    return new Command(command.session(), command.number(), command.position(), command.time(), bytes);
  }

  private static byte[] copy(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }

  private void record(Execution execution) {
    history.execute(execution);
    if (trace != null) {
      trace.accept("executes @" + execution.position() + " " + history.what(execution) + ": " + execution.said());
    }
    if (!compares) {
      return;
    }
    var here = new State(replica, picture());
    State there = history.stateAt(execution.position(), here);
    if (there != null && !tested.areEqual(here.bytes(), there.bytes())) {
      history.differ(execution, there, here);
      compares = false; // they remain different
    }
    compares &= here.bytes().length <= STATE_BYTES_MAX;
  }

  @Override
  public void sessionEnded(long session, long position, Instant now) {
    history.end(new SessionEnd(session, position, now));
    machine.sessionEnded(session, position, now);
  }

  @Override
  public @Nullable ByteBuffer query(ByteBuffer request) {
    byte[] lent = copy(request);
    byte[] before = compares ? picture() : new byte[0];
    try {
      return machine.query(ByteBuffer.wrap(lent).asReadOnlyBuffer());
    } finally {
      Arrays.fill(lent, TAKEN_BACK);
      if (compares && !Arrays.equals(before, picture())) {
        history.violate("QueryChangesNothing", "a query has changed the state of " + replica);
      }
    }
  }

  /// The state as bytes.
  byte[] picture() {
    return TestedService.bytes(machine.snapshot());
  }

  @Override
  public Snapshot snapshot() {
    return machine.snapshot();
  }

  @Override
  public void restore(InputStream in) throws IOException {
    machine.restore(in);
  }

  @Override
  public String toString() {
    return tested.words(machine);
  }
}
