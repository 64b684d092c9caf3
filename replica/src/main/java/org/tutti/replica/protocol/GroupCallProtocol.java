package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.replica.Answer;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.consolidation.Consolidation;
import org.tutti.replica.consolidation.Consolidator;
import org.tutti.wire.Malformed;

/// Calls from a member of a group to its members: one member's side, as caller and as one that answers.
///
/// ```
///  n1 ==== CALL 7 ====> n1, n2, n3     totally ordered: all execute it at one place of the history
///     <--- REPLY n1 7 -- n2            multicast in no order; only n1 reads it
///  n2 leaves: the view says it        n1 does not wait for a reply that has not come
///     <=== SKIPPED 0 12 ==== n3        n3 took the state of position 12: it never answers what lies before
/// ```
///
/// Asked are the voters of the view in which the call is delivered at its caller. A member answers what is delivered to
/// it, and nothing else; so one that gets a state instead of deliveries says, in the order of the history, which
/// positions it never answers, and so does one that comes back to the primary view, whose answers may have been lost.
/// Whoever is asked therefore answers, leaves, or says that it does not.
///
/// **Threads**: none, and no clock: calls come from one at a time. A handler runs between [#delivered] and [#answered].
public final class GroupCallProtocol {
  /// What the protocol asks of its host.
  public interface Port {
    /// Multicasts, in no order.
    ///
    /// @param message a reply
    void reply(ByteBuffer message);

    /// Multicasts, totally ordered.
    ///
    /// @param message which positions are skipped
    void announce(ByteBuffer message);
  }

  /// A call that is to be executed here.
  ///
  /// @param caller   who made it
  /// @param number   of its calls, or 0 when no answer is wanted
  /// @param position its place in the history, or -1 in a branch
  /// @param request  what to execute
  public record Execution(MemberId caller, long number, long position, ByteBuffer request) {}

  private static final class Open {
    final long number;
    final Consolidator<Answer> replies;
    final Consumer<Consolidated<Answer>> then;
    long position = -1; // until it is delivered here, and in a branch

    Open(long number, Consolidator<Answer> replies, Consumer<Consolidated<Answer>> then) {
      this.number = number;
      this.replies = replies;
      this.then = then;
    }

    long due() {
      return replies.deadlineNanos();
    }

    static int compareDue(Open one, Open other) {
      long later = one.due() - other.due(); // the clock may pass from the largest number to the smallest
      return later != 0 ? Long.signum(later) : Long.compare(one.number, other.number);
    }
  }

  private final MemberId self;
  private final Port port;
  private final TreeMap<Long, Open> open = new TreeMap<>(); // by number
  private final TreeSet<Open> dues = new TreeSet<>(Open::compareDue);
  private @Nullable View view;
  private long last; // call
  private long next; // position to be delivered here
  private long malformed;

  /// Makes a member that has called nobody.
  ///
  /// @param self who it is
  /// @param port its host
  public GroupCallProtocol(MemberId self, Port port) {
    this.self = self;
    this.port = port;
  }

  // ---- the caller's side -------------------------------------------------------------------------------------------

  /// Begins a call, which the host then multicasts.
  ///
  /// @param rule by which the replies become one outcome
  /// @param now  the time, in nanoseconds
  /// @param then gets the outcome, once, in a later input
  /// @return the call's number
  public long begin(Consolidation rule, long now, Consumer<Consolidated<Answer>> then) {
    last++;
    var call = new Open(last, new Consolidator<>(rule, now), then);
    open.put(last, call);
    dues.add(call);
    return last;
  }

  /// Nobody wants the outcome any more.
  ///
  /// @param number the call's
  /// @return whether it was open
  public boolean cancel(long number) {
    Open call = open.remove(number);
    return call != null && dues.remove(call);
  }

  /// How many calls have no outcome.
  ///
  /// @return calls
  public int open() {
    return open.size();
  }

  /// When [#tick] is wanted next.
  ///
  /// @return the time, in nanoseconds; null while no call is open
  public @Nullable Long deadline() {
    return dues.isEmpty() ? null : dues.first().due();
  }

  /// Time has passed.
  ///
  /// @param now the time, in nanoseconds
  public void tick(long now) {
    while (!dues.isEmpty() && now - dues.first().due() >= 0) {
      Open call = dues.first();
      call.replies.tick(now);
      conclude(call);
    }
  }

  private void conclude(Open call) {
    Consolidated<Answer> outcome = call.replies.outcome();
    if (outcome != null && cancel(call.number)) {
      call.then.accept(outcome);
    }
  }

  private void concludeAll(Consumer<Open> how) {
    for (Open call : List.copyOf(open.values())) {
      how.accept(call);
      conclude(call);
    }
  }

  // ---- what happens to the member ----------------------------------------------------------------------------------

  /// A view was installed.
  ///
  /// A call in a branch has no position, and who was in the branch may have gone from it to other views before, and may
  /// be in this view all the same: nobody knows whether it executed the call. So the next view ends the call.
  ///
  /// In the same way an answer that this member gave outside of the primary view may have been lost to a caller that
  /// was elsewhere, and that sees this member in each of its own views. So a member that comes back says that it does
  /// not answer again what it has executed.
  ///
  /// And a caller that comes back may have been elsewhere when others answered, and when they said so. So nobody is
  /// waited for any more in calls that it executed before.
  ///
  /// @param installed the view
  public void installed(View installed) {
    View before = view;
    boolean returns = before != null && !before.primary() && installed.primary();
    boolean elsewhere = before != null && wasElsewhere(before, installed);
    view = installed;
    if (returns && next > 0) {
      announce(0, next);
    }
    List<MemberId> answering = elsewhere ? List.of(self) : installed.members();
    concludeAll(call -> call.replies.live(call.position < 0 ? List.of() : answering));
  }

  /// Whether there may have been a primary view between these two, without this member.
  private static boolean wasElsewhere(View before, View now) {
    return now.primary() && !(before.primary() && now.predecessors().contains(before.id()));
  }

  /// Deliveries go on at a position: the application has a state that contains what lies before, or it takes part from
  /// here on.
  ///
  /// @param position of the next delivery that has one
  public void resumed(long position) {
    if (position > next) {
      announce(next, position);
      next = position;
    }
  }

  private void announce(long from, long to) {
    if (view == null || !view.isObserver(self)) {
      port.announce(new GroupCallMessage.Skipped(from, to).encode());
    }
  }

  /// A message was delivered. A newcomer to a group without states gets some before it is said to have caught up; what
  /// lies before the first of them is skipped.
  ///
  /// @param sender   who multicast it
  /// @param position its place in the history, or -1
  /// @param payload  the message; what is returned refers to it
  /// @return what is to be executed here, and then said to [#answered]; null for nothing
  public @Nullable Execution delivered(MemberId sender, long position, ByteBuffer payload) {
    resumed(position);
    next = Math.max(next, position + 1);
    try {
      switch (GroupCallMessage.read(payload)) {
        case GroupCallMessage.Call(long number, ByteBuffer request) -> {
          if (sender.equals(self)) {
            reached(number, position);
          }
          return new Execution(sender, number, position, request);
        }
        case GroupCallMessage.Reply(MemberId caller, long number, Answer answer) -> {
          if (caller.equals(self)) {
            replied(sender, number, answer);
          }
        }
        case GroupCallMessage.Skipped(long from, long to) ->
            concludeAll(call -> {
              if (call.position >= from && call.position < to) {
                call.replies.silent(sender);
              }
            });
      }
    } catch (Malformed _) {
      malformed++;
    }
    return null;
  }

  /// This member's own call is delivered: all voters of the view execute it, now or when they have got so far.
  private void reached(long number, long position) {
    Open call = open.get(number);
    View in = view;
    if (call != null && in != null) {
      call.position = position;
      call.replies.asked(in.members().subList(0, in.voting()));
      conclude(call);
    }
  }

  private void replied(MemberId by, long number, Answer answer) {
    Open call = open.get(number);
    if (call != null) {
      call.replies.reply(by, answer);
      conclude(call);
    }
  }

  /// A call was executed here.
  ///
  /// @param execution what was executed
  /// @param answer    what came of it; kept
  public void answered(Execution execution, Answer answer) {
    if (execution.number == 0 || view == null || view.rankOf(self) >= view.voting()) {
      return;
    }
    if (execution.caller.equals(self)) {
      replied(self, execution.number, answer);
    } else {
      port.reply(new GroupCallMessage.Reply(execution.caller, execution.number, answer).encode());
    }
  }

  /// How many messages were none of this protocol.
  ///
  /// @return messages that were dropped
  public long malformed() {
    return malformed;
  }
}
