package org.tutti.sim.ipc;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.protocol.PairProtocol;
import org.tutti.ipc.protocol.PairProtocol.Sizes;
import org.tutti.sim.check.Violation;

/// What is promised of communications of two processes, each of which has one call at a time, checked while a run goes
/// on. It is told what programs do and are told; messages and replies have numbers of the run.
///
/// | property | what holds |
/// | --- | --- |
/// | `PairOnceInOrder` | a message is received at most once, by its receiver, as sent, and in order of its sender |
/// | `PairQueuedReceived` | what a send says to be in the queue is received |
/// | `PairReplyInItsSession` | a reply that is taken was made by the receiver of this message, and is taken once |
/// | `PairTakenTold` | who is told that its reply was taken is told the truth |
/// | `PairDead` | who is told that a process or a host is dead is told the truth |
/// | `PairDeadlock` | who is told of a deadlock has waited in a cycle, of which nobody else was told |
/// | `PairDeadlockTold` | while all hear each other, one of a cycle is told soon |
/// | `PairArrives` | while all hear each other, what has room arrives soon, and nobody replies to one that has ended |
/// | `PairBuffersBounded` | nothing is kept beyond its bound |
final class PairChecks {
  /// What a process waits for.
  enum Kind {
    SEND,
    REPLY,
    RECEIVE
  }

  /// A message, and what became of it.
  static final class Message {
    final long number;
    final ProcessId sender;
    final ProcessId to;
    final int length;
    final long sentAt;
    private boolean isQueued;
    private boolean isReceived;
    private boolean isTaken;
    private @Nullable ByteBuffer reply;
    private long repliedAt;

    private Message(long number, ProcessId sender, ProcessId to, int length, long sentAt) {
      this.number = number;
      this.sender = sender;
      this.to = to;
      this.length = length;
      this.sentAt = sentAt;
    }

    ByteBuffer payload() {
      return bytes(number, length);
    }

    /// Since when it is replied to, or not yet.
    long repliedAt() {
      return reply == null ? Long.MAX_VALUE : repliedAt;
    }
  }

  /// A call that waits for another process.
  static final class Wait {
    private final ProcessId caller;
    private final ProcessId target;
    private final Kind kind;
    private final @Nullable Message message;
    private final List<List<Wait>> cycles = new ArrayList<>(); // that it was in
    private boolean hasEnded;
    private boolean isTold; // of a deadlock
    private boolean isBesides; // the caller has begun to wait with a reply meanwhile

    private Wait(ProcessId caller, ProcessId target, Kind kind, @Nullable Message message) {
      this.caller = caller;
      this.target = target;
      this.kind = kind;
      this.message = message;
    }
  }

  private record Line(ProcessId sender, ProcessId to) {}

  private final Map<Long, Message> messages = new TreeMap<>();
  private final Map<Line, Long> last = new LinkedHashMap<>(); // received
  private final Map<ProcessId, Wait> waits = new LinkedHashMap<>();
  private final Map<ProcessId, Set<Message>> replying = new LinkedHashMap<>(); // to which, and wait until it is taken
  private final Map<ProcessId, Long> ended = new LinkedHashMap<>(); // when
  private final List<Violation> violations;
  private long next = 1;

  PairChecks(List<Violation> violations) {
    this.violations = violations;
  }

  /// Bytes that say which they are.
  static ByteBuffer bytes(long number, int length) {
    var bytes = ByteBuffer.allocate(length).putLong(number);
    while (bytes.hasRemaining()) {
      bytes.put((byte) (number * 31 + bytes.position() / 7));
    }
    return bytes.flip().asReadOnlyBuffer();
  }

  // ---- messages and replies ----------------------------------------------------------------------------------------

  Message sent(ProcessId sender, ProcessId to, int length, long now) {
    var message = new Message(next++, sender, to, length, now);
    messages.put(message.number, message);
    return message;
  }

  void queued(Message message) {
    message.isQueued = true;
  }

  /// A process has received bytes.
  ///
  /// @return which message they are
  @Nullable Message received(ProcessId receiver, ProcessId sender, ByteBuffer payload) {
    long number = payload.remaining() < Long.BYTES ? 0 : payload.getLong(payload.position());
    Message message = messages.get(number);
    boolean isOne = message != null && message.sender.equals(sender) && message.to.equals(receiver);
    require(isOne && message.payload().equals(payload), "PairOnceInOrder", receiver + " receives what was not sent");
    if (!isOne) {
      return null;
    }
    long before = last.getOrDefault(new Line(sender, receiver), 0L);
    require(number > before, "PairOnceInOrder", receiver + " receives " + number + " after " + before);
    last.put(new Line(sender, receiver), number);
    message.isReceived = true;
    return message;
  }

  /// A process has received what was in its queue.
  void isEmpty(ProcessId process) {
    for (Message message : messages.values()) {
      require(
          !message.to.equals(process) || !message.isQueued || message.isReceived,
          "PairQueuedReceived",
          process + " has not received " + message.number + " of " + message.sender);
    }
  }

  /// A process waits with no reply for a sender that has ended while all heard each other, or before.
  ///
  /// @param before when it would have been told
  void endsIts(ProcessId process, long before) {
    for (Message message : replying.getOrDefault(process, Set.of())) {
      require(
          ended.getOrDefault(message.sender, Long.MAX_VALUE) > before,
          "PairArrives",
          process + " still waits with its reply to " + message.sender + ", which has ended");
    }
  }

  ByteBuffer replies(Message message, int length, long now) {
    if (message.reply == null) {
      message.reply = bytes(-message.number, length);
      message.repliedAt = now;
    }
    return message.reply;
  }

  /// There was no room for a reply: the sender still waits for one.
  void repliesNot(Message message) {
    message.reply = null;
  }

  void took(Message message, ProcessId member, ByteBuffer reply) {
    require(
        message.to.equals(member) && message.reply != null && message.reply.equals(reply) && !message.isTaken,
        "PairReplyInItsSession",
        message.sender + " takes of " + member + " another reply to " + message.number + ", or again");
    message.isTaken = true;
  }

  void takenTold(Message message) {
    require(
        message.isTaken, "PairTakenTold", message.to + " is told that its reply to " + message.number + " is taken");
  }

  // ---- who is dead -------------------------------------------------------------------------------------------------

  void ended(ProcessId process, long now) {
    ended.putIfAbsent(process, now);
    if (waits.containsKey(process)) {
      goesOn(waits.get(process));
    }
  }

  /// Of a host, and of all its processes, nothing is left.
  void crashed(MemberId host) {
    for (Wait wait : List.copyOf(waits.values())) {
      if (wait.caller.host().equals(host)) {
        goesOn(wait);
      }
    }
  }

  boolean hasEnded(ProcessId process) {
    return ended.containsKey(process);
  }

  void toldProcessDead(ProcessId who, ProcessId of) {
    require(ended.containsKey(of), "PairDead", who + " is told that " + of + " has ended");
  }

  /// @param isLost whether one of their hosts has not heard the other at some time
  void toldHostDead(ProcessId who, ProcessId of, boolean isLost) {
    require(isLost, "PairDead", who + " is told that the host of " + of + " is dead");
  }

  // ---- who waits for whom ------------------------------------------------------------------------------------------

  Wait waits(ProcessId caller, ProcessId target, Kind kind, @Nullable Message message) {
    var wait = new Wait(caller, target, kind, message);
    waits.put(caller, wait);
    List<Wait> cycle = cycle(wait);
    cycle.forEach(one -> one.cycles.add(cycle));
    return wait;
  }

  /// The cycle that this closes, or nothing.
  private List<Wait> cycle(Wait first) {
    List<Wait> passed = new ArrayList<>();
    for (Wait wait = first; wait != null && stands(wait) && !passed.contains(wait); wait = waits.get(wait.target)) {
      passed.add(wait);
      if (wait.target.equals(first.caller)) {
        return passed;
      }
    }
    return List.of();
  }

  private boolean stands(Wait wait) {
    return !wait.hasEnded && (wait.kind != Kind.REPLY || wait.message.reply == null);
  }

  /// Whether what a process waits to receive is sent just now; when there is room for it, it comes.
  private boolean isServed(Wait wait) {
    Wait other = waits.get(wait.target);
    return wait.kind == Kind.RECEIVE
        && other != null
        && other.target.equals(wait.caller)
        && other.message != null
        && !other.message.isReceived;
  }

  void goesOn(Wait wait) {
    wait.hasEnded = true;
    waits.remove(wait.caller, wait);
  }

  void toldDeadlock(Wait wait) {
    wait.isTold = true;
    require(
        wait.cycles.stream().anyMatch(cycle -> cycle.stream().filter(one -> one.isTold).count() == 1),
        "PairDeadlock",
        wait.caller + " is told of a deadlock, and waits for " + wait.target);
  }

  /// A process waits with a reply. When it waits for another process besides, it is in no cycle any more: the sender
  /// may take the reply.
  void replies(Message message) {
    Wait wait = waits.get(message.to);
    if (wait != null) {
      wait.isBesides = true;
    }
    replying.computeIfAbsent(message.to, _ -> new LinkedHashSet<>()).add(message);
  }

  void repliesNoMore(Message message) {
    replying.get(message.to).remove(message);
  }

  /// The cycle that a new call closes, unless somebody in it waits for room, as whether there is some cannot be said
  /// here, or with a reply besides.
  List<Wait> closes(Wait wait) {
    boolean isOne =
        !wait.cycles.isEmpty()
            && wait.cycles.getLast().stream()
                .noneMatch(one ->
                    one.kind == Kind.SEND || isServed(one) || !replying.getOrDefault(one.caller, Set.of()).isEmpty());
    return isOne ? wait.cycles.getLast() : List.of();
  }

  /// All have heard each other for a while since a call has closed a cycle.
  void isOld(List<Wait> cycle) {
    require(
        !cycle.stream().allMatch(one -> stands(one) && !one.isBesides),
        "PairDeadlockTold",
        cycle.getFirst().caller + " and " + (cycle.size() - 1) + " others wait for each other");
  }

  // ---- calls, bounds -----------------------------------------------------------------------------------------------

  void isLate(Message message, String what) {
    violations.add(new Violation("PairArrives", what + " " + message.number + " of " + message.sender + " is late"));
  }

  void keeps(Object host, Sizes sizes, PairProtocol.Settings settings) {
    boolean bounded =
        sizes.queue() <= PairProtocol.QUEUE_MAX
            && sizes.received() <= PairProtocol.RECEIVED_MAX
            && sizes.offers() <= PairProtocol.OFFERS_MAX
            && sizes.calls() <= PairProtocol.CALLS_MAX
            && sizes.in() <= settings.bufferBytes()
            && sizes.replies() <= settings.bufferBytes()
            && sizes.out() <= settings.bufferBytes();
    require(bounded, "PairBuffersBounded", host + " keeps " + sizes);
  }

  private void require(boolean condition, String property, String otherwise) {
    if (!condition) {
      violations.add(new Violation(property, otherwise));
    }
  }
}
