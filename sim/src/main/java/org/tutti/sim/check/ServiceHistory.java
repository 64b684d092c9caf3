package org.tutti.sim.check;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Command;
import org.tutti.replica.Read;

/// What clients of one replicated service did in one run, and what its replicas executed; in the order in which it
/// happened, which is counted and not measured. Of what service, it does not know: calls and replies are bytes.
public final class ServiceHistory {
  /// How a call ended for its client.
  public enum End {
    /// It has not ended.
    OPEN,
    /// With a reply.
    REPLIED,
    /// With the service's refusal.
    FAILED,
    /// Nobody knows whether it was executed.
    UNKNOWN,
    /// It was certainly not executed.
    NOT_SENT
  }

  /// A call of a client.
  public final class Call {
    /// Whose.
    public final int client;

    /// Its number: rises from call to call of a client, and no other client has it.
    public final long id;

    /// How it reads; null for a command.
    public final @Nullable Read read;

    /// When it was made.
    public final long invoked;

    private final ByteBuffer payload;
    private long returned = Long.MAX_VALUE;
    private End end = End.OPEN;
    private ByteBuffer reply = ByteBuffer.allocate(0);
    private long position = -1;

    private Call(int client, long id, @Nullable Read read, ByteBuffer payload, long invoked) {
      this.client = client;
      this.id = id;
      this.read = read;
      this.payload = payload;
      this.invoked = invoked;
    }

    /// What the client asked.
    ///
    /// @return the service's bytes, another buffer each time
    public ByteBuffer payload() {
      return payload.duplicate();
    }

    /// When it ended; [Long#MAX_VALUE] when it did not.
    ///
    /// @return a moment, as [#invoked]
    public long returned() {
      return returned;
    }

    /// How it ended.
    ///
    /// @return the end
    public End end() {
      return end;
    }

    /// Whether the client knows what became of it.
    ///
    /// @return whether it has a reply or a refusal
    public boolean isTold() {
      return end == End.REPLIED || end == End.FAILED;
    }

    /// What the client was told.
    ///
    /// @return the reply, when it was replied; another buffer each time
    public ByteBuffer reply() {
      return reply.duplicate();
    }

    /// Where it stands: a command's place; all that a query saw lies before it.
    ///
    /// @return the position, or -1
    public long position() {
      return position;
    }

    @Override
    public String toString() {
      String what = words.apply(payload()) + (read == null ? "" : ", " + read);
      String how = end + (end == End.REPLIED ? " " + text(reply()) : "") + (position < 0 ? "" : " @" + position);
      return "call " + id + " of client " + client + " (" + what + "; " + how + ")";
    }
  }

  /// A command as a replica executed it.
  ///
  /// @param call    the call's number
  /// @param command what the service was given
  /// @param failed  whether the service refused it
  /// @param reply   the reply, or the words of the refusal; never changed
  /// @param replica the first replica that executed it
  public record Execution(long call, Command command, boolean failed, ByteBuffer reply, String replica) {
    /// Its place.
    ///
    /// @return the position
    public long position() {
      return command.position();
    }

    /// What the service said.
    ///
    /// @return in words
    public String said() {
      return (failed ? "refuses with " : "replies ") + text(reply);
    }

    private boolean isSame(Execution other) {
      return call == other.call && failed == other.failed && reply.equals(other.reply);
    }
  }

  /// A session has ended.
  ///
  /// @param session  which
  /// @param position where
  /// @param time     the agreed time
  public record SessionEnd(long session, long position, Instant time) {}

  /// A service's state as a replica wrote it.
  ///
  /// @param replica the first replica that was there
  /// @param bytes   a snapshot
  public record State(String replica, byte[] bytes) {}

  private static final int SHOWN_BYTES = 40;

  private final Function<ByteBuffer, String> words;
  private final List<Call> calls = new ArrayList<>();
  private final TreeMap<Long, Call> byId = new TreeMap<>();
  private final TreeMap<Long, Execution> executions = new TreeMap<>(); // by position
  private final TreeMap<Long, List<SessionEnd>> ends = new TreeMap<>(); // by position
  private final TreeMap<Long, State> states = new TreeMap<>(); // by the position of the command before
  private final List<Violation> violations = new ArrayList<>();
  private long moments;

  /// An empty history.
  ///
  /// @param words says what a call asks
  public ServiceHistory(Function<ByteBuffer, String> words) {
    this.words = words;
  }

  /// Bytes for people: as text if they are one, else as hexadecimal numbers.
  ///
  /// @param bytes from position to limit
  /// @return a short text
  public static String text(ByteBuffer bytes) {
    byte[] all = new byte[Math.min(SHOWN_BYTES, bytes.remaining())];
    bytes.duplicate().get(all);
    boolean readable = all.length > 0;
    var hex = new StringBuilder();
    for (byte one : all) {
      readable &= one >= ' ' && one <= '~';
      hex.append(String.format("%02x", one));
    }
    String more = bytes.remaining() > all.length ? "... (" + bytes.remaining() + " bytes)" : "";
    return (readable ? "\"" + new String(all, UTF_8) + "\"" : "0x" + hex) + more;
  }

  /// What a client is told of a refusal.
  ///
  /// @param refusal what the service threw
  /// @return its message in UTF-8
  public static ByteBuffer words(RuntimeException refusal) {
    String message = refusal.getMessage();
    return UTF_8.encode(message == null ? refusal.getClass().getSimpleName() : message);
  }

  /// A client makes a call.
  ///
  /// @param client  who
  /// @param id      its number
  /// @param read    how it reads, or null
  /// @param payload what it asks; never changed
  /// @return the call
  public Call invoke(int client, long id, @Nullable Read read, ByteBuffer payload) {
    var call = new Call(client, id, read, payload, moments++);
    calls.add(call);
    byId.put(id, call);
    return call;
  }

  /// A call ends for its client.
  ///
  /// @param call     which
  /// @param end      how
  /// @param reply    the reply, if it was replied; never changed
  /// @param position where it stands, or -1
  public void end(Call call, End end, @Nullable ByteBuffer reply, long position) {
    if (call.end != End.OPEN) {
      violations.add(new Violation("OneOutcome", call + " ended again: " + end));
      return;
    }
    call.returned = moments++;
    call.end = end;
    call.reply = reply == null ? call.reply : reply;
    call.position = position;
  }

  /// A replica executes a command.
  ///
  /// @param execution what it did
  public void execute(Execution execution) {
    Execution before = executions.putIfAbsent(execution.position(), execution);
    if (before != null && !before.isSame(execution)) {
      String words = before.replica + " " + before.said() + ", " + execution.replica + " " + execution.said();
      violations.add(
          new Violation("ReplicasAgree", "at position " + execution.position() + " " + what(execution) + ": " + words));
    }
  }

  /// A replica is told that a session has ended.
  ///
  /// @param end which, and where
  public void end(SessionEnd end) {
    List<SessionEnd> there = ends.computeIfAbsent(end.position, _ -> new ArrayList<>());
    if (!there.contains(end)) {
      there.add(end);
    }
  }

  /// Which sessions have ended.
  ///
  /// @return ends by position
  public TreeMap<Long, List<SessionEnd>> ends() {
    return ends;
  }

  /// What was executed, in words.
  ///
  /// @param execution one of this history
  /// @return command and client
  public String what(Execution execution) {
    Call call = byId.get(execution.call);
    String asked = call == null ? "of nobody" : words.apply(call.payload()) + " of client " + call.client;
    return "command " + execution.command.number() + " of session " + execution.command.session() + ", " + asked;
  }

  /// A replica is in a state.
  ///
  /// @param position of the command that it has executed last
  /// @param state    its state
  /// @return the state in which another one was there, if one was
  public @Nullable State stateAt(long position, State state) {
    return states.putIfAbsent(position, state);
  }

  /// Says that two replicas are in different states.
  ///
  /// @param execution the command behind which they are
  /// @param one       the state of one
  /// @param other     the state of the other
  public void differ(Execution execution, State one, State other) {
    int from = Math.max(0, Arrays.mismatch(one.bytes, other.bytes));
    String where =
        "behind position " + execution.position() + ", " + what(execution) + ", the states differ from byte ";
    violations.add(new Violation("EqualStates", where + from + " on: " + shown(one, from) + ", " + shown(other, from)));
  }

  private static String shown(State state, int from) {
    int at = Math.min(from, state.bytes.length);
    return state.replica + " has " + text(ByteBuffer.wrap(state.bytes, at, state.bytes.length - at));
  }

  /// Something was seen that does not hold.
  ///
  /// @param property the property
  /// @param words    what
  public void violate(String property, String words) {
    violations.add(new Violation(property, words));
  }

  /// What was seen on the way: of each property the first time, as the others often follow from it.
  ///
  /// @return violations
  public List<Violation> violations() {
    var first = new LinkedHashMap<String, Violation>();
    violations.forEach(violation -> first.putIfAbsent(violation.property(), violation));
    return List.copyOf(first.values());
  }

  /// All calls in the order in which they were made.
  ///
  /// @return the calls
  public List<Call> calls() {
    return calls;
  }

  /// A call.
  ///
  /// @param id its number
  /// @return the call, or null
  public @Nullable Call call(long id) {
    return byId.get(id);
  }

  /// What was executed.
  ///
  /// @return executions by position
  public TreeMap<Long, Execution> executions() {
    return executions;
  }
}
