package org.tutti.sim.check;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Command;
import org.tutti.replica.Read;
import org.tutti.replica.StateMachine;
import org.tutti.sim.check.ServiceHistory.Call;
import org.tutti.sim.check.ServiceHistory.End;
import org.tutti.sim.check.ServiceHistory.Execution;
import org.tutti.sim.check.ServiceHistory.SessionEnd;

/// Clients see one service: what each was told is what happens when the commands are executed one by one, each once, in
/// the order of their positions; that order is the order of each client, and nothing comes before what had ended when
/// it was made. Queries see what they may see.
///
/// What is executed one by one is a *model*: the service itself, in one more instance, or another one that is simpler.
///
/// Positions say in which order it was, so this is checked in time that grows no faster than the history; and when
/// nothing is found, that order is one as [linearizability][Linearizability] asks for: commands at their positions,
/// each query behind the commands that it saw.
public final class ServiceOrder {
  private static final int SHOWN_MAX = 5;

  private final ServiceHistory history;
  private final StateMachine model;
  private final boolean sameWords;
  private final int drawnBytes;
  private long endedBefore; // position
  private final List<Violation> found = new ArrayList<>();

  private ServiceOrder(ServiceHistory history, StateMachine model, boolean sameWords, int drawnBytes) {
    this.history = history;
    this.model = model;
    this.sameWords = sameWords;
    this.drawnBytes = drawnBytes;
  }

  /// Looks for what no single service would have done.
  ///
  /// @param history    what happened
  /// @param model      the service that should have been seen; has executed nothing
  /// @param sameWords  whether it refuses in the same words, too
  /// @param drawnBytes how many bytes at the end of a reply to a command are random, and not the model's
  /// @return what did not hold
  public static List<Violation> check(ServiceHistory history, StateMachine model, boolean sameWords, int drawnBytes) {
    var check = new ServiceOrder(history, model, sameWords, drawnBytes);
    check.executions();
    check.sessions();
    check.realTime();
    check.reads();
    check.replies();
    return check.found.subList(0, Math.min(SHOWN_MAX, check.found.size()));
  }

  /// Every command is executed once at most, in its client's order; and its client was told that.
  private void executions() {
    var lastOf = new TreeMap<Integer, Long>(); // by client
    var placed = new TreeMap<Long, Execution>(); // by call
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
      if (call.end() == End.NOT_SENT) {
        violate("NotExecuted", call + " was executed at " + execution.position());
      }
    }
    for (Call call : history.calls()) {
      Execution execution = placed.get(call.id);
      boolean told = call.read == null && call.isTold();
      if (told && (execution == null || call.position() != execution.position())) {
        violate("ReplyIsOfExecution", call + " was executed as " + execution);
      } else if (told && call.end() == End.REPLIED && !call.reply().equals(execution.reply())) {
        violate("ReplyIsOfExecution", call + " had the reply " + ServiceHistory.text(execution.reply()));
      }
    }
  }

  /// A session ends once, and none of its commands is executed later.
  private void sessions() {
    var ended = new TreeMap<Long, SessionEnd>();
    history.ends().values().stream()
        .flatMap(List::stream)
        .forEach(end -> {
          SessionEnd before = ended.putIfAbsent(end.session(), end);
          if (before != null) {
            violate("SessionEndsOnce", before + " and " + end);
          }
        });
    for (Execution execution : history.executions().values()) {
      SessionEnd end = ended.get(execution.command().session());
      if (end != null && end.position() < execution.position()) {
        violate("SessionEndsOnce", history.what(execution) + " was executed behind " + end);
      }
    }
  }

  /// Nothing is placed before what had ended when it was made.
  private void realTime() {
    Call latest = null; // of those with lower positions the one that was made last
    for (Execution execution : history.executions().values()) {
      Call call = history.call(execution.call());
      if (call == null) {
        continue;
      }
      if (latest != null && call.isTold() && call.returned() < latest.invoked) {
        violate("RealTime", call + " had ended when " + latest + " was made, which was executed before it");
      }
      latest = latest == null || call.invoked > latest.invoked ? call : latest;
    }
  }

  /// A query sees no less than it must.
  private void reads() {
    List<Call> told = new ArrayList<>(history.calls().stream().filter(Call::isTold).toList());
    told.sort(Comparator.comparingLong(Call::returned));
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
    }
  }

  /// The model gives the same replies at the same places, and to queries the same answers from the state that they saw;
  /// no query saw what was made when it had ended. Ends at the first difference: others follow from it.
  private void replies() {
    List<Call> reads = new ArrayList<>();
    history.calls().stream().filter(call -> call.read != null && call.end() == End.REPLIED).forEach(reads::add);
    reads.sort(Comparator.comparingLong(Call::position));
    Iterator<Execution> commands = history.executions().values().iterator();
    @Nullable Execution next = commands.hasNext() ? commands.next() : null;
    @Nullable Call last = null;
    for (Call read : reads) {
      while (next != null && next.position() < read.position()) {
        if (!executes(next)) {
          return;
        }
        Call call = history.call(next.call());
        last = call != null && (last == null || call.invoked > last.invoked) ? call : last;
        next = commands.hasNext() ? commands.next() : null;
      }
      if (last != null && last.invoked > read.returned()) {
        violate("QueryAnswer", read + " saw " + last + ", which was made later");
      }
      endSessions(read.position());
      Outcome expected = Outcome.of(() -> model.query(read.payload().asReadOnlyBuffer()));
      if (expected.failed || !expected.says(read.reply())) {
        violate("QueryAnswer", read + " was answered from another state; the answer there is " + expected);
        return;
      }
    }
    for (; next != null && executes(next); next = commands.hasNext() ? commands.next() : null) {}
  }

  /// The model is told of the sessions that ended before a position.
  private void endSessions(long position) {
    for (List<SessionEnd> some : history.ends().subMap(endedBefore, Math.max(endedBefore, position)).values()) {
      some.forEach(end -> model.sessionEnded(end.session(), end.position(), end.time()));
    }
    endedBefore = Math.max(endedBefore, position);
  }

  private boolean executes(Execution execution) {
    endSessions(execution.position());
    Command was = execution.command();
    var command = new Command(was.session(), was.number(), was.position(), was.time(), was.payload().duplicate());
    Outcome expected = Outcome.of(() -> model.apply(command));
    boolean same =
        expected.failed == execution.failed() && (expected.failed && !sameWords || expected.says(followed(execution)));
    if (!same) {
      String said = (execution.failed() ? "refused with " : "answered ") + ServiceHistory.text(execution.reply());
      violate(
          "AsModel",
          "at position "
              + execution.position()
              + " "
              + history.what(execution)
              + ": "
              + said
              + ", executed one by one it is "
              + expected);
    }
    return same;
  }

  /// The part of the reply that follows from the commands.
  private ByteBuffer followed(Execution execution) {
    ByteBuffer reply = execution.reply();
    return execution.failed() ? reply : reply.slice(reply.position(), reply.remaining() - drawnBytes);
  }

  /// What the model says.
  private record Outcome(boolean failed, @Nullable ByteBuffer words) {
    static Outcome of(Supplier<@Nullable ByteBuffer> step) {
      try {
        return new Outcome(false, step.get());
      } catch (RuntimeException refusal) {
        return new Outcome(true, ServiceHistory.words(refusal));
      }
    }

    boolean says(ByteBuffer reply) {
      return words != null && words.equals(reply);
    }

    @Override
    public String toString() {
      return words == null ? "none yet" : (failed ? "refused with " : "") + ServiceHistory.text(words);
    }
  }

  private void violate(String property, String words) {
    found.add(new Violation(property, words));
  }
}
