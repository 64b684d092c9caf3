package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberId;
import org.tutti.Partitions;
import org.tutti.View;
import org.tutti.replica.Answer;
import org.tutti.replica.consolidation.Consistency;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.consolidation.Consolidation;
import org.tutti.replica.consolidation.Quorum;
import org.tutti.replica.consolidation.Reply;
import org.tutti.replica.protocol.GroupCallMessage;
import org.tutti.replica.protocol.GroupCallProtocol.Execution;
import org.tutti.sim.check.Violation;
import org.tutti.wire.Malformed;

/// Whether the outcomes of calls in a [CallGroup] are true, by what its members have executed and which views they saw.
final class CallOutcomes {
  private static final int VIOLATIONS_MAX = 5;
  private static final long LATE_NANOS = 1_000_000_000;

  private record Key(MemberId caller, long number) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int first = caller.compareTo(other.caller);
      return first != 0 ? first : Long.compare(number, other.number);
    }

    @Override
    public String toString() {
      return caller.name() + "'s call " + number;
    }
  }

  private record Range(long from, long to) {}

  private static final class Call {
    final Consolidation rule;
    final long begunAt;
    final Map<MemberId, Set<Answer>> answers = new TreeMap<>();
    @Nullable View reached; // in which its caller has executed it
    long position = -1;
    boolean ended;

    Call(Consolidation rule, long begunAt) {
      this.rule = rule;
      this.begunAt = begunAt;
    }
  }

  private final GroupConfig config;
  private final boolean answersAgree;
  private final Map<Key, Call> calls = new TreeMap<>();
  private final Map<Long, Key> places = new TreeMap<>(); // by position
  private final Map<MemberId, List<View>> views = new TreeMap<>();
  private final Map<MemberId, Map<Key, Long>> executed = new TreeMap<>(); // at which position, and not to be again
  private final Map<MemberId, List<Range>> skipped = new TreeMap<>();
  private final List<Violation> violations = new ArrayList<>();

  CallOutcomes(GroupConfig config) {
    this.config = config;
    answersAgree =
        config.guarantee() == Guarantee.UNIFORM && config.stateTransfer() && config.partitions() == Partitions.SUSPEND;
  }

  // ---- what happens ------------------------------------------------------------------------------------------------

  void begun(MemberId caller, long number, Consolidation rule, long now) {
    calls.put(new Key(caller, number), new Call(rule, now));
  }

  /// A member is shown a view. With agreed delivery, what one that was cut off has executed may have another place in
  /// the history of the others, where it executes it when it is back.
  void installed(MemberId member, View view) {
    List<View> seen = views.computeIfAbsent(member, _ -> new ArrayList<>());
    seen.add(view);
    boolean returns = seen.size() > 1 && missesViews(seen.subList(seen.size() - 2, seen.size()));
    if (returns && config.guarantee() == Guarantee.AGREED) {
      executed.getOrDefault(member, new TreeMap<>()).values().removeIf(position -> position >= 0);
    }
  }

  void skipped(MemberId member, long from, long to) {
    skipped.computeIfAbsent(member, _ -> new ArrayList<>()).add(new Range(from, to));
  }

  /// A message comes to a member, which has done nothing about it so far.
  void delivered(MemberId member, @Nullable View in, MemberId sender, long position, ByteBuffer message) {
    try {
      if (sender.equals(member) && GroupCallMessage.read(message) instanceof GroupCallMessage.Call own) {
        Call call = calls.get(new Key(member, own.number()));
        if (call != null) {
          call.reached = in;
          call.position = position;
        }
      }
    } catch (Malformed malformed) {
      violate("CallIntegrity", sender + " says what nobody understands: " + malformed.reason());
    }
  }

  void executed(MemberId member, Execution execution, Answer answer) {
    var key = new Key(execution.caller(), execution.number());
    Call call = calls.get(key);
    if (call == null) {
      violate("CallIntegrity", member + " executes " + key + ", which nobody has made");
      return;
    }
    call.answers.computeIfAbsent(member, _ -> new HashSet<>()).add(answer);
    if (executed.computeIfAbsent(member, _ -> new TreeMap<>()).put(key, execution.position()) != null) {
      violate("CallIntegrity", member + " executes " + key + " twice");
    }
    Key other = execution.position() < 0 ? null : places.putIfAbsent(execution.position(), key);
    if (other != null && !other.equals(key) && answersAgree) {
      violate("CallOrder", member + " executes " + key + " at @" + execution.position() + ", where others " + other);
    }
  }

  /// A caller is told an outcome.
  ///
  /// @param in  the view that it knows of
  /// @param now on its clock
  void ended(MemberId caller, long number, Consolidated<Answer> outcome, @Nullable View in, long now) {
    var key = new Key(caller, number);
    Call call = calls.get(key);
    if (call == null || call.ended) {
      violate("CallIntegrity", key + " ends, which is not open");
      return;
    }
    call.ended = true;
    String wrong = untrue(key, call, outcome, in, now);
    if (wrong != null) {
      violate("CallOutcome", key + " by " + call.rule + " ends with " + outcome + ": " + wrong);
    }
  }

  private @Nullable String untrue(Key key, Call call, Consolidated<Answer> outcome, @Nullable View in, long now) {
    Set<MemberId> repliers = new TreeSet<>();
    for (Reply<Answer> reply : outcome.replies()) {
      Set<Answer> given = call.answers.getOrDefault(reply.member(), Set.of());
      if (!repliers.add(reply.member()) || !given.contains(reply.value())) {
        return reply.member() + " has not answered so";
      }
    }
    View reached = call.reached;
    boolean late = now - call.begunAt >= call.rule.deadline().toNanos();
    if (reached == null) {
      boolean isTimeout = outcome instanceof Consolidated.Timeout<Answer> timeout && timeout.silent().isEmpty();
      return isTimeout && late ? null : "it has not reached anybody, as far as its caller knows";
    }
    Set<MemberId> asked = new TreeSet<>(reached.members().subList(0, reached.voting()));
    if (!asked.containsAll(repliers)) {
      return "others than " + asked + " count";
    }
    return switch (outcome) {
      case Consolidated.Success<Answer> _ -> enough(call, outcome, asked.size());
      case Consolidated.ReducedMembership<Answer> less -> {
        String gone = present(key, call, less.departed());
        boolean isEqual = call.rule.quorum() instanceof Quorum.Equal;
        yield gone != null || isEqual ? gone : enough(call, outcome, asked.size() - less.departed().size());
      }
      case Consolidated.Timeout<Answer> timeout -> {
        if (!late) {
          yield "it is not late";
        }
        for (MemberId member : timeout.silent()) {
          if (repliers.contains(member) || in == null || !in.contains(member)) {
            yield "it waits for " + member + ", which is gone or has answered";
          }
        }
        yield null;
      }
      case Consolidated.InsufficientQuorum<Answer> few -> {
        boolean tooFewEqual = call.rule.quorum() instanceof Quorum.Equal;
        boolean nobody = few.departed().containsAll(asked);
        yield tooFewEqual || nobody ? present(key, call, few.departed()) : "others may still answer";
      }
      case Consolidated.Inconsistent<Answer> _ ->
          answersAgree
                  && outcome.replies().stream().map(Reply::value).distinct().count() <= 1
                  && call.rule.consistency() != Consistency.ALL_DIFFERENT
              ? "all that came are equal"
              : null;
      case Consolidated.KeyMemberMissing<Answer> missing ->
          missing.missing().stream().anyMatch(name -> repliers.stream().anyMatch(one -> one.name().equals(name)))
              ? "it has answered"
              : null;
    };
  }

  /// Whether somebody who saw these views may have missed a primary one, and what was said in it.
  private static boolean missesViews(List<View> seen) {
    for (int i = 1; i < seen.size(); i++) {
      View before = seen.get(i - 1);
      View now = seen.get(i);
      if (now.primary() && !(before.primary() && now.predecessors().contains(before.id()))) {
        return true;
      }
    }
    return false;
  }

  private static @Nullable String enough(Call call, Consolidated<Answer> outcome, int members) {
    Quorum quorum = call.rule.quorum();
    long most =
        quorum instanceof Quorum.Equal
            ? outcome.replies().stream()
                .mapToLong(one -> outcome.replies().stream().filter(other -> other.value().equals(one.value())).count())
                .max()
                .orElse(0)
            : outcome.replies().size();
    return most >= quorum.of(members) ? null : "these are not enough of " + members;
  }

  /// Who of those that are said to be gone is there, and answers.
  private @Nullable String present(Key key, Call call, Set<MemberId> gone) {
    List<View> all = views.getOrDefault(key.caller, List.of());
    List<View> seen = all.subList(all.indexOf(call.reached), all.size());
    boolean elsewhere = call.position < 0 ? seen.size() > 1 : missesViews(seen);
    for (MemberId member : gone) {
      boolean left = seen.stream().anyMatch(one -> !one.contains(member));
      boolean skips =
          skipped.getOrDefault(member, List.of()).stream()
              .anyMatch(range -> range.from <= call.position && call.position < range.to);
      if (!left && !skips && !elsewhere) {
        return member + " has neither left nor skipped @" + call.position;
      }
    }
    return null;
  }

  private void violate(String property, String words) {
    if (violations.size() < VIOLATIONS_MAX) {
      violations.add(new Violation(property, words));
    }
  }

  // ---- what is found -----------------------------------------------------------------------------------------------

  List<Violation> violations() {
    return violations;
  }

  /// Calls of a member at rest that have no outcome: those that it has executed itself, as all who were asked have
  /// answered by now, have left, or have said that they do not; and those whose time is over.
  ///
  /// @param now on its clock
  List<Violation> open(MemberId caller, long now) {
    List<Violation> found = new ArrayList<>();
    calls.forEach((key, call) -> {
      boolean late = now - call.begunAt > call.rule.deadline().toNanos() + LATE_NANOS;
      if (key.caller.equals(caller) && !call.ended && (call.reached != null || late)) {
        found.add(
            new Violation("CallsEnd", key + " by " + call.rule + " is open; executed by " + call.answers.keySet()));
      }
    });
    return found.subList(0, Math.min(VIOLATIONS_MAX, found.size()));
  }
}
