package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Read;

/// What clients of one replicated service did in one run, and what its replicas executed; in the order in which it
/// happened, which is counted and not measured. The service is a few registers.
public final class ServiceHistory {
  /// What is done to a register.
  public enum Kind {
    /// Sets it; the result is its value before.
    SET,
    /// Adds to it; the result is its value after.
    ADD,
    /// Sets it if it has a value; the result is 1 when it had, else 0.
    COMPARE_AND_SET,
    /// Is refused by the service.
    FAIL,
    /// Reads it.
    READ
  }

  /// How a call ended for its client.
  public enum End {
    /// It has not ended.
    OPEN,
    /// With a result.
    REPLIED,
    /// With the service's refusal.
    FAILED,
    /// Nobody knows whether it was executed.
    UNKNOWN,
    /// It was certainly not executed.
    NOT_SENT
  }

  /// A call of a client.
  public static final class Call {
    /// Whose.
    public final int client;

    /// Its number: rises from call to call of a client, and no other client has it.
    public final long id;

    /// What it does.
    public final Kind kind;

    /// How it reads; null for a command.
    public final @Nullable Read read;

    /// To which register.
    public final int key;

    /// What is set, added or compared.
    public final long first;

    /// What is set when it compares equal.
    public final long second;

    /// When it was made.
    public final long invoked;

    private long returned = Long.MAX_VALUE;
    private End end = End.OPEN;
    private long result;
    private long position = -1;

    Call(int client, long id, Kind kind, @Nullable Read read, int key, long first, long second, long invoked) {
      this.client = client;
      this.id = id;
      this.kind = kind;
      this.read = read;
      this.key = key;
      this.first = first;
      this.second = second;
      this.invoked = invoked;
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

    /// The reply.
    ///
    /// @return the result, when it was replied
    public long result() {
      return result;
    }

    /// Where it stands: a command's place; all that a query saw lies before it.
    ///
    /// @return the position, or -1
    public long position() {
      return position;
    }

    @Override
    public String toString() {
      String what = kind + " of register " + key + (read == null ? "" : " " + read);
      return "call " + id + " of client " + client + " (" + what + ", " + end + " " + result + " @" + position + ")";
    }
  }

  /// A command as a replica executed it.
  ///
  /// @param call     the call's number
  /// @param position its place
  /// @param failed   whether it was refused
  /// @param result   the result
  /// @param replica  the first replica that executed it
  public record Execution(long call, long position, boolean failed, long result, String replica) {}

  private final List<Call> calls = new ArrayList<>();
  private final TreeMap<Long, Call> byId = new TreeMap<>();
  private final TreeMap<Long, Execution> executions = new TreeMap<>(); // by position
  private final List<Violation> violations = new ArrayList<>();
  private long moments;

  /// An empty history.
  public ServiceHistory() {}

  /// A client makes a call.
  ///
  /// @param client who
  /// @param id     its number
  /// @param kind   what it does
  /// @param read   how it reads, or null
  /// @param key    to which register
  /// @param first  what is set, added or compared
  /// @param second what is set when it compares equal
  /// @return the call
  public Call invoke(int client, long id, Kind kind, @Nullable Read read, int key, long first, long second) {
    var call = new Call(client, id, kind, read, key, first, second, moments++);
    calls.add(call);
    byId.put(id, call);
    return call;
  }

  /// A call ends for its client.
  ///
  /// @param call     which
  /// @param end      how
  /// @param result   the result, if it was replied
  /// @param position where it stands, or -1
  public void end(Call call, End end, long result, long position) {
    if (call.end != End.OPEN) {
      violations.add(new Violation("OneOutcome", call + " ended again: " + end));
      return;
    }
    call.returned = moments++;
    call.end = end;
    call.result = result;
    call.position = position;
  }

  /// A replica executes a command.
  ///
  /// @param execution what it did
  public void execute(Execution execution) {
    Execution before = executions.putIfAbsent(execution.position, execution);
    boolean equal =
        before == null
            || before.call == execution.call && before.failed == execution.failed && before.result == execution.result;
    if (!equal) {
      violations.add(new Violation("ReplicasAgree", before + " and " + execution));
    }
  }

  /// Something was seen that does not hold.
  ///
  /// @param property the property
  /// @param words    what
  public void violate(String property, String words) {
    violations.add(new Violation(property, words));
  }

  /// What was seen on the way.
  ///
  /// @return violations
  public List<Violation> violations() {
    return violations;
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
