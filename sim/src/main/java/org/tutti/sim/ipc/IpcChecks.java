package org.tutti.sim.ipc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.sim.check.Violation;

/// What is promised of communications, checked while a run goes on. It is told what programs do and are told, and what
/// is in the queues after each step.
///
/// | property | what holds |
/// | --- | --- |
/// | `CountReached` | a send counts no more members than have had the message in their queues |
/// | `MembersOnly` | only members of the group get a message |
/// | `JoinedReached` | who was told that it has joined gets what is sent afterwards, where hosts hear each other |
/// | `JoinTold` | while all hear each other, a join is told before the time for answers is over |
/// | `LatestReceived` | no message is received after a later one of its sender to the group has come |
/// | `ReplyInItsSession` | a reply that is taken was made, by that member, in this communication |
/// | `RepliesWanted` | none is taken twice, never more than wanted, and a larger number later does not count |
/// | `TakenTold` | who is told that its reply was taken is told the truth |
/// | `ReplyArrives` | while all hear each other, a reply that has room is taken soon |
/// | `Termination` | each call ends once, within its time; nobody waits for ever |
/// | `BuffersBounded` | nothing is kept beyond its bound |
/// | `Quiet` | when all communications are over, hosts say nothing more about them |
/// | `RightPassword` | who is in a group with a password has said it |
/// | `SendPassword` | members get messages of other hosts from those only that have said the group's send password |
/// | `DestroyedIsOver` | where it is known that a group is destroyed, nobody is in it or communicates with it |
/// | `DestroyedEverywhere` | a destroyed group has no members some time after all hear each other and the server |
final class IpcChecks {
  /// One communication, among all of the run.
  record Line(ProcessId sender, GroupId group, long session) {
    /// What the simulated member replies: it says where it belongs.
    String text(ProcessId member) {
      return named(sender) + "/" + group + "/" + session + "/" + named(member);
    }

    private static String named(ProcessId process) {
      return process + "#" + process.host().incarnation();
    }
  }

  /// A call that has not ended.
  static final class Wait {
    private final Object host;
    private final String what;
    private final long limit;
    private boolean ended;

    private Wait(Object host, String what, long limit) {
      this.host = host;
      this.what = what;
      this.limit = limit;
    }
  }

  record Membership(ProcessId member, GroupId group) {}

  private record Source(ProcessId member, ProcessId sender, GroupId group) {}

  private final Set<Membership> memberships = new LinkedHashSet<>();
  private final Map<Line, Set<ProcessId>> reached = new LinkedHashMap<>();
  private final Map<Source, Long> latest = new LinkedHashMap<>(); // session that has come
  private final Map<Line, Integer> wanted = new LinkedHashMap<>();
  private final Map<Line, Set<String>> taken = new LinkedHashMap<>();
  private final Set<String> replies = new LinkedHashSet<>();
  private final Map<Line, Set<ProcessId>> waiting = new LinkedHashMap<>(); // with a reply
  private final Set<Wait> waits = new LinkedHashSet<>();
  private final Set<Membership> admitted = new LinkedHashSet<>(); // who has said the control password
  private final Set<Membership> authorized = new LinkedHashSet<>(); // who has said the send password
  private final Set<GroupId> guarded = new LinkedHashSet<>(); // groups with a send password
  private final List<Violation> violations = new ArrayList<>();

  // ---- members and messages ----------------------------------------------------------------------------------------

  void joined(ProcessId member, GroupId group) {
    memberships.add(new Membership(member, group));
  }

  void left(ProcessId member, GroupId group) {
    memberships.remove(new Membership(member, group));
  }

  /// A member has a message.
  void queued(Line line, ProcessId member) {
    if (reached.computeIfAbsent(line, _ -> new LinkedHashSet<>()).add(member)) {
      latest.merge(new Source(member, line.sender, line.group), line.session, Math::max);
      require(
          memberships.contains(new Membership(member, line.group)),
          "MembersOnly",
          member + " is not in " + line.group + " and has a message of " + line);
      require(
          !guarded.contains(line.group)
              || member.host().equals(line.sender.host())
              || authorized.contains(new Membership(line.sender, line.group)),
          "SendPassword",
          member + " has a message of " + line + ", whose sender has not said the send password");
    }
  }

  /// A send has returned because all hosts that were asked have answered.
  ///
  /// @param expected who was told before it that it has joined, and has had no reason since to miss the message
  void sent(Line line, Set<ProcessId> expected) {
    for (ProcessId member : expected) {
      require(
          reached.getOrDefault(line, Set.of()).contains(member),
          "JoinedReached",
          member + " has joined " + line.group + " before, and has no message of " + line);
    }
  }

  /// A join was told.
  ///
  /// @param inTime whether it was because all who are heard know
  void joinTold(ProcessId member, GroupId group, boolean inTime) {
    require(inTime, "JoinTold", "not all hosts answer " + member + ", which joins " + group);
  }

  /// How many members have had a message.
  int reached(Line line) {
    return reached.getOrDefault(line, Set.of()).size();
  }

  void counted(Line line, int count) {
    require(count <= reached(line), "CountReached", line + " counts " + count + ", but reached " + reached(line));
  }

  void received(Line line, ProcessId member) {
    queued(line, member); // it may be over, and gone, before the step ends
    long last = latest.getOrDefault(new Source(member, line.sender, line.group), 0L);
    require(line.session >= last, "LatestReceived", member + " receives " + line + " after " + last + " has come");
  }

  // ---- replies -----------------------------------------------------------------------------------------------------

  /// A send says how many replies are wanted; 0 leaves it open.
  void began(Line line, int replies) {
    wanted.put(line, replies);
  }

  /// A later number was answered with the one that counts now; 0 says that the communication is over.
  void wanted(Line line, int now) {
    int before = wanted.getOrDefault(line, 0);
    require(before == 0 || now <= before, "RepliesWanted", line + " wanted " + before + " and now wants " + now);
    wanted.merge(line, now, (old, next) -> next == 0 ? old : next);
  }

  void replied(Line line, ProcessId member) {
    replies.add(line.text(member));
    waiting.computeIfAbsent(line, _ -> new LinkedHashSet<>()).add(member);
  }

  void took(Line line, ProcessId member, String text) {
    require(
        text.equals(line.text(member)) && replies.contains(text),
        "ReplyInItsSession",
        line + " takes of " + member + " the reply " + text);
    Set<String> all = taken.computeIfAbsent(line, _ -> new LinkedHashSet<>());
    require(all.add(text), "RepliesWanted", "the reply " + text + " is taken twice");
    int most = wanted.getOrDefault(line, 0);
    require(all.size() <= most, "RepliesWanted", line + " takes " + all.size() + " replies and wants " + most);
  }

  /// A member does not wait with its reply any more.
  ///
  /// @param isTold whether it was told that the reply was taken
  void goesOn(Line line, ProcessId member, boolean isTold) {
    waiting.getOrDefault(line, new LinkedHashSet<>()).remove(member);
    require(
        !isTold || taken.getOrDefault(line, Set.of()).contains(line.text(member)),
        "TakenTold",
        member + " is told that its reply in " + line + " was taken");
  }

  /// All have heard each other for a while, and the sender of a communication takes what comes.
  void isOpenAfterAWhile(Line line) {
    Set<String> all = taken.getOrDefault(line, Set.of());
    for (ProcessId member : waiting.getOrDefault(line, Set.of())) {
      require(
          all.contains(line.text(member)) || all.size() >= wanted.getOrDefault(line, 0),
          "ReplyArrives",
          "the reply of " + member + " does not come in " + line + ", which wants " + wanted.get(line));
    }
  }

  // ---- groups whose ids a server gives out --------------------------------------------------------------------------

  void guarded(GroupId group) {
    guarded.add(group);
  }

  void saidTheSendPassword(ProcessId sender, GroupId group) {
    authorized.add(new Membership(sender, group));
  }

  void saidTheRightPassword(ProcessId process, GroupId group) {
    admitted.add(new Membership(process, group));
  }

  void isMember(ProcessId process, GroupId group) {
    require(
        admitted.contains(new Membership(process, group)),
        "RightPassword",
        process + " is in " + group + " and has not said its password");
  }

  /// @param isUsed whether somebody is in the group there, or communicates with it
  void knowsThatItIsDestroyed(Object host, GroupId group, boolean isUsed) {
    require(!isUsed, "DestroyedIsOver", group + " is used at " + host + ", which knows that it is destroyed");
  }

  /// All hear each other and the server for a while.
  void isGone(GroupId group, boolean isAlive) {
    require(!isAlive, "DestroyedEverywhere", group + " is destroyed, and has members");
  }

  // ---- calls, bounds, the end --------------------------------------------------------------------------------------

  /// A call begins.
  ///
  /// @param host  whose end ends it, too
  /// @param limit until when it has to end
  Wait begins(Object host, String what, long limit) {
    var wait = new Wait(host, what, limit);
    waits.add(wait);
    return wait;
  }

  void ends(Wait wait, long now) {
    require(!wait.ended, "Termination", wait.what + " ends twice");
    require(now <= wait.limit, "Termination", wait.what + " ends " + (now - wait.limit) + " ns too late");
    wait.ended = true;
    waits.remove(wait);
  }

  /// Of a host, and of all its processes, nothing is left.
  void crashed(Object host) {
    waits.removeIf(wait -> wait.host == host);
    waiting.values().forEach(members -> members.removeIf(member -> member.host().equals(host)));
  }

  void keeps(Object host, IpcProtocol.Sizes sizes) {
    boolean bounded =
        sizes.processes() <= IpcProtocol.PROCESSES_MAX
            && sizes.groups() <= IpcProtocol.GROUPS_MAX
            && sizes.queue() <= IpcProtocol.QUEUE_MAX
            && sizes.communications() <= IpcProtocol.GROUPS_MAX
            && sizes.replies() <= IpcProtocol.REPLIES_MAX
            && sizes.unanswered() <= IpcProtocol.UNANSWERED_MAX;
    require(bounded, "BuffersBounded", host + " keeps " + sizes);
  }

  /// For a while no communication was open.
  ///
  /// @param messages how many hosts have sent meanwhile
  void nothingIsOpen(long messages) {
    require(messages == 0, "Quiet", messages + " messages although all communications are over");
  }

  /// The run has come to rest.
  void rests() {
    for (Wait wait : waits) {
      violations.add(new Violation("Termination", wait.what + " of " + wait.host + " waits for ever"));
    }
  }

  void broke(Object host, Throwable error) {
    violations.add(new Violation("NoBrokenInvariant", host + ": " + error + " at " + error.getStackTrace()[0]));
  }

  void endless(String what) {
    violations.add(new Violation("Bounded", what));
  }

  private void require(boolean condition, String property, String otherwise) {
    if (!condition) {
      violations.add(new Violation(property, otherwise));
    }
  }

  /// What did not hold.
  List<Violation> violations() {
    return violations;
  }
}
