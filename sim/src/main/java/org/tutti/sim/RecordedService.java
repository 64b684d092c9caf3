package org.tutti.sim;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Command;
import org.tutti.replica.PassiveStateMachine;
import org.tutti.replica.StateMachine;
import org.tutti.sim.check.ServiceHistory;
import org.tutti.sim.check.ServiceHistory.Execution;
import org.tutti.sim.check.ServiceHistory.SessionEnd;
import org.tutti.sim.check.ServiceHistory.State;

/// The service of one replica, between the replica and what is tested: tells the history what it executes and in which
/// state it is. Each command begins with the number of its call.
///
/// What is lent to the service is taken back: when a method has returned, the bytes that it was given change.
///
/// Where it is replicated passively, a command is executed on a copy of the service, and the change is the whole state
/// of that copy. The replica that executes it draws a random number, which goes into the state and, with all that were
/// drawn before, into the reply: so two executions of one command differ, and only one of them may ever be seen. A
/// change also says in which state it was made, and has to be applied in that state.
final class RecordedService implements PassiveStateMachine {
  /// At the end of each reply, where the service is replicated passively.
  static final int DRAWN_BYTES = Long.BYTES;

  private static final int STATE_BYTES_MAX = 64 << 10; // longer ones are compared at rest only
  private static final byte TAKEN_BACK = (byte) 0xEE;

  private final String replica;
  private final ServiceHistory history;
  private final TestedService tested;
  private final @Nullable Consumer<String> trace;
  private final @Nullable SplittableRandom draws; // where it is replicated passively
  private final StateMachine machine;
  private long drawn; // all that was drawn, in one number; part of the state
  private Instant time = Instant.MIN;
  private boolean compares;

  /// @param draws what a primary draws from; null where the service is replicated actively
  /// @param trace gets what is executed, if anybody reads it
  RecordedService(
      String replica,
      ServiceHistory history,
      TestedService tested,
      @Nullable SplittableRandom draws,
      @Nullable Consumer<String> trace) {
    this.replica = replica;
    this.history = history;
    this.tested = tested;
    this.draws = draws;
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
    agreed(command);
    if (draws != null) {
      history.violate("BackupsExecuteNothing", replica + " executed command " + call + ", as if it were primary");
    }
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

  @Override
  public Outcome execute(Command command) {
    long call = command.payload().getLong();
    byte[] lent = copy(command.payload());
    byte[] asked = lent.clone();
    byte[] before = TestedService.bytes(snapshot());
    StateMachine copy = tested.machine();
    restored(copy, picture());
    boolean failed = false;
    ByteBuffer reply;
    long next = 0;
    try {
      ByteBuffer said = copy.apply(with(command, lent));
      next = 31 * drawn + Objects.requireNonNull(draws).nextLong();
      reply = ByteBuffer.allocate(said.remaining() + DRAWN_BYTES).put(said.duplicate()).putLong(next).flip();
    } catch (RuntimeException refusal) {
      failed = true;
      next = drawn;
      reply = ServiceHistory.words(refusal);
    } finally {
      Arrays.fill(lent, TAKEN_BACK);
    }
    if (!Arrays.equals(before, TestedService.bytes(snapshot()))) {
      history.violate("ExecuteChangesNothing", "command " + call + " was executed on the state of " + replica);
    }
    var kept = new Command(command.session(), command.number(), command.position(), command.time(), wrap(asked));
    var execution = new Execution(call, kept, failed, ByteBuffer.wrap(copy(reply.duplicate())), replica);
    byte[] state = TestedService.bytes(copy.snapshot());
    ByteBuffer change = new RecordedChange(Arrays.hashCode(before), execution, next, state).encode();
    return failed ? new Outcome(true, reply, change) : Outcome.done(reply, change);
  }

  @Override
  public void change(long position, ByteBuffer change) {
    byte[] lent = copy(change);
    RecordedChange made = RecordedChange.decode(ByteBuffer.wrap(lent), position, replica);
    if (made.on() != Arrays.hashCode(TestedService.bytes(snapshot()))) {
      String of = "the change at " + position + " by " + history.what(made.execution());
      history.violate("ChangeOfThisState", of + " was made in another state than that of " + replica);
    }
    agreed(made.execution().command());
    restored(machine, made.state());
    drawn = made.drawn();
    record(made.execution());
  }

  private void agreed(Command command) {
    if (command.time().isBefore(time)) {
      history.violate("AgreedTime", "the time went back at " + replica + " at position " + command.position());
    }
    time = command.time();
  }

  private static void restored(StateMachine machine, byte[] state) {
    try {
      machine.restore(new ByteArrayInputStream(state));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private static ByteBuffer wrap(byte[] bytes) {
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }

  private static Command with(Command command, byte[] payload) {
    return new Command(command.session(), command.number(), command.position(), command.time(), wrap(payload));
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
  public OptionalLong digest() {
    OptionalLong its = machine.digest();
    return its.isEmpty() ? its : OptionalLong.of(31 * its.getAsLong() + drawn);
  }

  @Override
  public Snapshot snapshot() {
    Snapshot its = machine.snapshot();
    if (draws == null) {
      return its;
    }
    long all = drawn;
    return out -> {
      new DataOutputStream(out).writeLong(all);
      its.writeTo(out);
    };
  }

  @Override
  public void restore(InputStream in) throws IOException {
    if (draws != null) {
      drawn = new DataInputStream(in).readLong();
    }
    machine.restore(in);
  }

  @Override
  public String toString() {
    return tested.words(machine);
  }

  /// The change that a [RecordedService] makes, where it is replicated passively.
  ///
  /// @param on        a hash of the state in which it was made
  /// @param execution what was executed; at the position of the change, once that is known
  /// @param drawn     all that was drawn, in one number
  /// @param state     the state behind it
  record RecordedChange(int on, Execution execution, long drawn, byte[] state) {
    ByteBuffer encode() {
      Command command = execution.command();
      ByteBuffer asked = command.payload();
      ByteBuffer reply = execution.reply().duplicate();
      int length = 6 * Long.BYTES + 3 * Integer.BYTES + 1 + asked.remaining() + reply.remaining() + state.length;
      return ByteBuffer.allocate(length)
          .putInt(on)
          .putLong(execution.call())
          .putLong(command.session())
          .putLong(command.number())
          .putLong(command.time().getEpochSecond())
          .putLong(command.time().getNano())
          .put((byte) (execution.failed() ? 1 : 0))
          .putInt(asked.remaining())
          .put(asked.duplicate())
          .putInt(reply.remaining())
          .put(reply)
          .putLong(drawn)
          .put(state)
          .flip();
    }

    /// @param position of the change
    /// @param replica  who applies it
    static RecordedChange decode(ByteBuffer in, long position, String replica) {
      int on = in.getInt();
      long call = in.getLong();
      long session = in.getLong();
      long number = in.getLong();
      Instant time = Instant.ofEpochSecond(in.getLong(), in.getLong());
      boolean failed = in.get() != 0;
      ByteBuffer asked = ByteBuffer.wrap(bytes(in, in.getInt())).asReadOnlyBuffer();
      ByteBuffer reply = ByteBuffer.wrap(bytes(in, in.getInt()));
      long drawn = in.getLong();
      var execution = new Execution(call, new Command(session, number, position, time, asked), failed, reply, replica);
      return new RecordedChange(on, execution, drawn, bytes(in, in.remaining()));
    }

    private static byte[] bytes(ByteBuffer in, int length) {
      byte[] bytes = new byte[length];
      in.get(bytes);
      return bytes;
    }
  }
}
