package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Read;
import org.tutti.sim.check.ServiceHistory.Call;
import org.tutti.sim.check.ServiceHistory.End;
import org.tutti.sim.check.ServiceHistory.Execution;
import org.tutti.sim.check.ServiceHistory.Kind;

/// Clients see one service: what each was told is what happens when the commands are executed one by one, each once, in
/// the order of their positions; that order is the order of each client, and nothing comes before what had ended when
/// it was made. Queries see what they may see.
///
/// Positions say in which order it was, so this is checked in time that grows no faster than the history. That there
/// *is* an order, [Linearizability] looks for without positions.
public final class ServiceOrder {
  private final ServiceHistory history;
  private final List<Violation> found = new ArrayList<>();

  private ServiceOrder(ServiceHistory history) {
    this.history = history;
  }

  /// Looks for what no single service would have done.
  ///
  /// @param history what happened
  /// @return what did not hold
  public static List<Violation> check(ServiceHistory history) {
    var check = new ServiceOrder(history);
    check.executions();
    check.realTime();
    check.reads();
    return check.found.subList(0, Math.min(5, check.found.size()));
  }

  /// Every command is executed once at most, in its client's order, with the result that follows; and its client was
  /// told that.
  private void executions() {
    var lastOf = new TreeMap<Integer, Long>(); // by client
    var placed = new TreeMap<Long, Execution>(); // by call
    var registers = new TreeMap<Integer, Long>();
    for (Execution execution : history.executions().values()) {
      Call call = history.call(execution.call());
      if (call == null || call.read != null) {
        violate("Integrity", execution + " of nobody's command");
        continue;
      }
      Execution before = placed.put(call.id, execution);
      if (before != null) {
        violate("ExactlyOnce", call + " was executed at " + before.position() + " and at " + execution.position());
      }
      long last = lastOf.merge(call.client, call.id, Math::max);
      if (last != call.id) {
        violate("ClientOrder", call + " was executed after call " + last + " of the same client");
      }
      long expected = apply(registers, call);
      if (execution.failed() != (call.kind == Kind.FAIL) || !execution.failed() && execution.result() != expected) {
        violate("Deterministic", execution + " of " + call + ", expected was " + expected);
      }
      if (call.end() == End.NOT_SENT) {
        violate("NotExecuted", call + " was executed at " + execution.position());
      }
    }
    for (Call call : history.calls()) {
      Execution execution = placed.get(call.id);
      boolean told = call.read == null && (call.end() == End.REPLIED || call.end() == End.FAILED);
      if (told && (execution == null || call.position() != execution.position())) {
        violate("ReplyIsOfExecution", call + " was executed as " + execution);
      } else if (told && call.end() == End.REPLIED && call.result() != execution.result()) {
        violate("ReplyIsOfExecution", call + " had the result " + execution.result());
      }
    }
  }

  /// What a command does to the registers.
  ///
  /// @return its result
  static long apply(Map<Integer, Long> registers, Call call) {
    long before = registers.getOrDefault(call.key, 0L);
    return switch (call.kind) {
      case SET -> {
        registers.put(call.key, call.first);
        yield before;
      }
      case ADD -> {
        registers.put(call.key, before + call.first);
        yield before + call.first;
      }
      case COMPARE_AND_SET -> {
        if (before == call.first) {
          registers.put(call.key, call.second);
        }
        yield before == call.first ? 1 : 0;
      }
      case FAIL -> 0;
      case READ -> before;
    };
  }

  /// Nothing is placed before what had ended when it was made.
  private void realTime() {
    Call latest = null; // of those with lower positions the one that was made last
    for (Execution execution : history.executions().values()) {
      Call call = history.call(execution.call());
      if (call == null) {
        continue;
      }
      boolean told = call.end() == End.REPLIED || call.end() == End.FAILED;
      if (latest != null && told && call.returned() < latest.invoked) {
        violate("RealTime", call + " had ended when " + latest + " was made, which was executed before it");
      }
      latest = latest == null || call.invoked > latest.invoked ? call : latest;
    }
  }

  private void reads() {
    List<Call> told = new ArrayList<>(); // in the order of their ends
    history.calls().stream().filter(call -> call.end() == End.REPLIED || call.end() == End.FAILED).forEach(told::add);
    told.sort((one, other) -> Long.compare(one.returned(), other.returned()));
    long seen = 0; // by anybody who was told
    var seenBy = new TreeMap<Integer, Long>(); // by client
    int next = 0;
    for (Call read : history.calls()) {
      while (next < told.size() && told.get(next).returned() < read.invoked) {
        Call before = told.get(next++);
        long behind = before.read == null ? before.position() + 1 : before.position();
        if (before.read == null || before.read == Read.LINEARIZABLE) {
          seen = Math.max(seen, behind);
        }
        if (before.read != Read.LOCAL) {
          seenBy.merge(before.client, behind, Math::max);
        }
      }
      if (read.read == null || read.end() != End.REPLIED) {
        continue;
      }
      if (read.read == Read.LINEARIZABLE && read.position() < seen) {
        violate("LinearizableRead", read + " does not see all before " + seen + ", which somebody had been told of");
      }
      long own = seenBy.getOrDefault(read.client, 0L);
      if (read.read != Read.LOCAL && read.position() < own) {
        violate("SequentialRead", read + " does not see all before " + own + ", which its client had seen");
      }
      values(read);
    }
  }

  /// A read sees the state at its position, and nothing that was made when it had ended.
  private void values(Call read) {
    var registers = new TreeMap<Integer, Long>();
    @Nullable Call last = null;
    for (Execution execution : history.executions().headMap(read.position()).values()) {
      Call call = history.call(execution.call());
      if (call != null) {
        apply(registers, call);
        last = last == null || call.invoked > last.invoked ? call : last;
      }
    }
    if (apply(registers, read) != read.result()) {
      violate("ReadValue", read + ", the register had " + registers.getOrDefault(read.key, 0L));
    }
    if (last != null && last.invoked > read.returned()) {
      violate("ReadValue", read + " saw " + last + ", which was made later");
    }
  }

  private void violate(String property, String words) {
    found.add(new Violation(property, words));
  }
}
