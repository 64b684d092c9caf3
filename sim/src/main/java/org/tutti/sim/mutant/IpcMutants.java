package org.tutti.sim.mutant;

import java.util.List;
import java.util.stream.Stream;
import org.tutti.sim.RunKind;
import org.tutti.sim.mutant.Edit.Change;
import org.tutti.sim.mutant.Edit.Change.Drop;
import org.tutti.sim.mutant.Edit.Change.Fix;
import org.tutti.sim.mutant.Edit.Change.Redirect;
import org.tutti.sim.mutant.Edit.Change.Return;

/// Bugs that are planted in group interprocess communication.
final class IpcMutants {
  static final List<Mutant> ALL =
      Stream.of(
              in(
                  "Deliveries",
                  "ipc-sent-is-reached",
                  "a message counts that is in no queue",
                  "add",
                  new Drop("Map.put", 0)),
              bug(
                  "ipc-everybody-is-a-member",
                  "a message is put into the queues of all processes",
                  "deliver",
                  new Drop("Set.contains", 1)),
              joins(
                  "ipc-join-told-early",
                  "a join is told before other hosts know",
                  "whenKnown",
                  new Drop("Set.isEmpty", 1)),
              joins("ipc-first-untold", "nobody is told that a group has members", "joined", new Drop("send", 0)),
              joins("ipc-first-unheard", "a host forgets that a group has members", "arrived", new Drop("Set.add", 0)),
              joins(
                  "ipc-last-too-early",
                  "one member leaves, and the others get nothing any more",
                  "left",
                  new Fix(0, true)),
              joins("ipc-newcomer-untold", "who is heard anew is told nothing", "heard", new Drop("send", 0)),
              bug("ipc-queue-unbounded", "a full queue takes more", "deliver", new Fix(3, true)),
              bug("ipc-unanswered-unbounded", "a host that is silent is sent more", "sendFault", new Fix(5, true)),
              bug(
                  "ipc-session-unread",
                  "answers and replies of an old communication count for a later one",
                  "find",
                  new Fix(2, false)),
              bug(
                  "ipc-larger-number-counts",
                  "more replies are wanted than was said first",
                  "totreply",
                  new Redirect("Math.min", "max")),
              bug("ipc-all-replies-queued", "more replies than wanted", "replied", new Fix(2, false)),
              bug(
                  "ipc-waits-for-silent-hosts",
                  "the time for acknowledgements has no end",
                  "expire",
                  new Drop("sent", 0)),
              bug("ipc-never-probes", "a member asks nobody whether it goes on", "expire", new Drop("post", 0)),
              in(
                  "Delivery",
                  "ipc-probes-what-is-over",
                  "a member asks for ever about what is over",
                  "probeAt",
                  new Fix(0, false)),
              bug(
                  "ipc-probe-unanswered",
                  "who asks about a communication that is over is not told",
                  "probed",
                  new Drop("post", 0)),
              bug(
                  "ipc-lost-senders-live-on",
                  "members wait for a sender whose host is lost",
                  "lost",
                  new Drop("ended", 0)),
              bug(
                  "ipc-untaken-is-told",
                  "a member that asks is told that its reply was taken",
                  "probed",
                  new Drop("Set.contains", 1)),
              bug("ipc-reply-forgotten", "a reply is dropped, and its member not told", "drop", new Return(0)),
              bug(
                  "ipc-superseded-lives-on",
                  "a later message of a sender does not end the one before it",
                  "deliver",
                  new Drop("forEach", 0)),
              bug("ipc-old-is-received", "a message is received after a later one came", "serve", new Fix(6, true)),
              bug(
                  "ipc-members-of-nothing",
                  "members of a destroyed group stay its members",
                  "destroyed",
                  new Drop("Set.remove", 0)),
              ofIds(
                  "ipc-destroyed-lives-on",
                  "a host asks whether its groups exist, and does not listen",
                  "looked",
                  new Drop("heard", 0)),
              ofIds(
                  "ipc-asks-once",
                  "a host with members does not ask again whether their group exists",
                  "isNeeded",
                  new Drop("IpcProtocol.hasMembers", 0)),
              ofIds(
                  "ipc-old-answer-counts",
                  "what was asked before the end of a group makes members after it",
                  "learn",
                  new Fix(0, true)),
              ofIds("ipc-code-unread", "a message is taken with any code", "pass", new Drop("SendKey.made", 1)),
              pair("ipc-pair-part-lost", "the parts of a message do not come", "parts", new Drop("post", 0)),
              in(
                  "Incoming",
                  "ipc-pair-torn",
                  "a message is received before all of it is there",
                  "isWhole",
                  new Return(1)),
              pair(
                  "ipc-pair-known-told-lost",
                  "a host says that it has forgotten what it knows",
                  "asked",
                  new Drop("letter", 0)),
              pair("ipc-pair-timeless", "the time of a call has no end", "expire", new Return(0)),
              pair(
                  "ipc-pair-queued-dropped",
                  "a message in the queue is lost when its sender goes on",
                  "finish",
                  new Fix(0, true)),
              in("PairProtocol$End", "ipc-pair-queue-unbounded", "a full queue takes more", "hasRoom", new Return(1)),
              pair("ipc-pair-buffer-unbounded", "a host takes more than it has room for", "admit", new Fix(2, true)),
              in("Deadlocks", "ipc-deadlock-untold", "nobody in a cycle is told", "arrived", new Drop("found", 0)))
          .toList();

  private IpcMutants() {}

  private static Mutant bug(String name, String breaks, String method, Change change) {
    return in("IpcProtocol", name, breaks, method, change);
  }

  private static Mutant pair(String name, String breaks, String method, Change change) {
    return in("PairProtocol", name, breaks, method, change);
  }

  /// In what hosts say of their members.
  private static Mutant joins(String name, String breaks, String method, Change change) {
    return in("Memberships", name, breaks, method, change);
  }

  private static Mutant in(String owner, String name, String breaks, String method, Change change) {
    return new Mutant(name, breaks, "ipc.protocol." + owner, method, change).in(RunKind.IPC);
  }

  /// In what a host does with the answers of a group-id server.
  private static Mutant ofIds(String name, String breaks, String method, Change change) {
    return new Mutant(name, breaks, "ipc.protocol.IssuedGroups", method, change).in(RunKind.IPC);
  }
}
