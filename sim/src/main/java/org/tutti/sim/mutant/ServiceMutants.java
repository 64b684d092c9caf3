package org.tutti.sim.mutant;

import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import org.tutti.sim.RunKind;
import org.tutti.sim.mutant.Edit.Change.Drop;
import org.tutti.sim.mutant.Edit.Change.Fix;
import org.tutti.sim.mutant.Edit.Change.Insert;
import org.tutti.sim.mutant.Edit.Change.Redirect;
import org.tutti.sim.mutant.Edit.Change.Return;

/// Bugs that are planted in replicated services: sessions, questions, snapshots, passive replication.
final class ServiceMutants {
  private static final String REPLICA = "org.tutti.replica.protocol.ReplicaProtocol";

  static final List<Mutant> ALL =
      List.of(
          new Mutant(
                  "retry-executed",
                  "a command that comes again is executed again",
                  "replica.protocol.SessionTable",
                  "call",
                  new Fix(2, true))
              .in(RunKind.REPLICA),
          new Mutant(
                  "session-not-in-snapshot",
                  "newcomers do not get the sessions",
                  "replica.protocol.SessionTable",
                  "read",
                  new Drop("Map.put", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "reply-forgotten",
                  "a reply is not kept for clients that ask again",
                  "replica.protocol.SessionTable$Session",
                  "reply",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "reply-kept-too-short",
                  "replies are forgotten before the client has them",
                  "replica.protocol.SessionTable$Session",
                  "acknowledge",
                  new Fix(0, false))
              .in(RunKind.REPLICA),
          new Mutant(
                  "acknowledge-unread",
                  "a client says that it has replies which it has not",
                  "replica.protocol.ClientProtocol",
                  "call",
                  new Redirect("TreeMap.firstKey", "lastKey"))
              .in(RunKind.REPLICA),
          new Mutant(
                  "digests-never-agree",
                  "equal states are reported as different ones",
                  "replica.protocol.StateCheck$Comparison",
                  "differs",
                  new Return(1))
              .in(RunKind.REPLICA),
          new Mutant(
                  "secret-unchecked",
                  "a session is resumed by whoever knows its number",
                  "replica.protocol.SessionTable",
                  "belongs",
                  new Return(1))
              .in(RunKind.REPLICA),
          new Mutant(
                  "session-unbound",
                  "a connection uses a session that it has not resumed",
                  "replica.protocol.ReplicaProtocol",
                  "uses",
                  new Return(1))
              .in(RunKind.REPLICA),
          new Mutant(
                  "hedges-unbounded",
                  "a client asks a second replica as often as the first is late",
                  "replica.protocol.Hedge",
                  "late",
                  new Fix(0, false))
              .in(RunKind.REPLICA),
          new Mutant(
                  "late-copies-unsent",
                  "a replica that a client which sends to all connects to later does not get what has no reply yet",
                  "replica.protocol.ToAll$Copy",
                  "joined",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "copies-to-nobody",
                  "a client that wants to send to all has one connection",
                  "replica.protocol.ToAll$Copy",
                  "chosen",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "suspicion-unsent",
                  "a client that suspects the manager sends only later commands to the others",
                  "replica.protocol.ClientProtocol",
                  "work",
                  new Drop("ToAll.sendUnanswered", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "suspicion-for-ever",
                  "a client that has suspected the manager once goes on to send to all",
                  "replica.protocol.ManagerSuspicion",
                  "answered",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "manager-unheard",
                  "a client suspects a manager that says it is there",
                  "replica.protocol.ManagerSuspicion",
                  "heard",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "departed-awaited",
                  "a client that collects several replies waits for replicas that have left",
                  "replica.protocol.Collecting",
                  "view",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "one-reply-is-all",
                  "a replica says that nobody but itself is to answer",
                  "replica.protocol.Roll",
                  "of",
                  new Drop("String.isEmpty", 1))
              .in(RunKind.REPLICA),
          new Mutant(
                  "bundle-unawaited",
                  "the manager gives what it has gathered without waiting for the other replicas",
                  "replica.protocol.ReplyBundles$Bundle",
                  "isComplete",
                  new Return(1))
              .in(RunKind.REPLICA),
          new Mutant(
                  "gone-gathered",
                  "the manager waits for the replies of replicas that have left",
                  "replica.protocol.ReplyBundles",
                  "viewed",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "missed-replies-untold",
                  "a client that comes back to collect does not get the replies that were lost with its connection",
                  "replica.protocol.ReplicaProtocol",
                  "resumed",
                  new Drop("List.forEach", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "reply-of-another",
                  "each reply counts as that of the first connection's replica",
                  "replica.protocol.ClientProtocol",
                  "replied",
                  new Fix(4, false))
              .in(RunKind.REPLICA),
          new Mutant(
                  "read-unsaid",
                  "a sequential read does not tell the replica what its client has seen",
                  "replica.protocol.ClientProtocol",
                  "query",
                  new Drop("seen", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "read-without-quorum",
                  "a linearizable read asks nobody",
                  "order.ReadIndex",
                  "flush",
                  new Drop("includes", 1))
              .in(RunKind.REPLICA),
          new Mutant(
                  "read-behind",
                  "a linearizable read does not wait for what others hold",
                  "order.ReadIndex",
                  "receive",
                  new Drop("Math.max", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "question-asked-once",
                  "a question that has no answer yet is not asked again",
                  "replica.protocol.ReplicaProtocol",
                  "work",
                  new Drop("Questions.askAgain", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "session-outlives-its-end",
                  "the service is told that a session has expired, and the session goes on",
                  "replica.protocol.SessionTable",
                  "end",
                  new Drop("Map.remove", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "read-older",
                  "a sequential read does not wait for what its client has seen",
                  "replica.protocol.Questions",
                  "ask",
                  new Fix(0, false))
              .in(RunKind.REPLICA),
          new Mutant(
                  "snapshot-unverified",
                  "a replica goes on from a snapshot that is damaged",
                  "replica.protocol.SnapshotStore",
                  "verify",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "snapshot-unforced",
                  "a snapshot has its name before its content is on the disk",
                  "replica.protocol.SnapshotStore",
                  "write",
                  new Drop("SnapshotStore$Disk.force", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "snapshot-name-unforced",
                  "the log is cut off although a power failure may take the snapshot's name",
                  "replica.protocol.SnapshotStore",
                  "write",
                  new Drop("forceNames", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "log-cut-without-snapshot",
                  "the log is cut off for a snapshot that is not there",
                  "replica.protocol.SnapshotStore",
                  "write",
                  new Drop("rename", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "change-of-another-state",
                  "an outcome counts although a session has ended since the command was executed",
                  "replica.protocol.PendingCommands",
                  "changed",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "change-of-an-old-primary",
                  "an outcome counts for whatever command has none, also that of a primary that was replaced",
                  "replica.protocol.PendingCommands",
                  "counts",
                  new Return(1))
              .in(RunKind.REPLICA),
          new Mutant(
                  "pending-not-in-snapshot",
                  "newcomers do not get the commands that have no outcome yet",
                  "replica.protocol.PendingCommands",
                  "restore",
                  new Drop("add", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "pending-outlives-its-session",
                  "a command is executed although its session has ended",
                  "replica.protocol.PendingCommands",
                  "forget",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "expired-by-an-outage",
                  "sessions expire for the time in which no replica served",
                  "replica.protocol.ReplicaProtocol",
                  "caughtUp",
                  new Fix(0, true))
              .in(RunKind.REPLICA),
          new Mutant(
                  "expiry-not-ordered",
                  "a replica ends sessions by its own clock, not where the history tells the time",
                  List.of(
                      new Edit("org.tutti.replica.protocol.SessionTable", "apply", new Drop("expire", 0)),
                      new Edit(REPLICA, "touch", new Insert(ServiceMutants::expireNow))))
              .in(RunKind.REPLICA),
          new Mutant(
                  "time-stands-still",
                  "who joins an idle service takes the time of the last message for the present one",
                  List.of(
                      new Edit(REPLICA, "viewed", new Drop("TimeSchedule.tellSoon", 0)),
                      new Edit(
                          "org.tutti.replica.protocol.SessionTable", "advance", new Drop("SessionTable.pause", 0))))
              .in(RunKind.REPLICA),
          new Mutant(
                  "given-state-is-not-kept",
                  "a replica counts as one that has the state before that is on its disk",
                  "replica.protocol.SnapshotSchedule",
                  "restored",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "comparison-is-not-told",
                  "who asks for a comparison of states is not told what it finds",
                  "replica.protocol.StateCheck",
                  "settle",
                  new Drop("accept", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "passive-reply-before-change",
                  "a reply is kept and sent, and the change that belongs to it is not made",
                  "replica.protocol.SessionTable",
                  "change",
                  new Drop("PassiveStateMachine.change", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "passive-retry-queued",
                  "a command that comes again while it waits for its outcome gets a second place",
                  "replica.protocol.SessionTable$Session",
                  "isPending",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "retry-renumbered",
                  "what has no reply is sent to the next replica under a new number",
                  "replica.protocol.ClientProtocol",
                  "sendAgain",
                  new Redirect("ClientProtocol.send", "request"))
              .in(RunKind.REPLICA),
          new Mutant(
                  "manager-unasked",
                  "who wants the manager is taken by any replica, while the manager is there",
                  "replica.protocol.ReplicaProtocol",
                  "sendsToManager",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "switch-untold",
                  "who has a policy is not told that the replicas have switched their ordering",
                  "replica.protocol.ReplicaProtocol",
                  "tellOrdering",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "group-outlives-its-client",
                  "a server stays in a group that its client has left",
                  "replica.protocol.ServedGroups",
                  "viewed",
                  new Drop("leave", 0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "manager-not-first",
                  "a client that asks the manager through the sequencer has another server's group, not the manager's",
                  "replica.protocol.ClientBinding",
                  "isMisplaced",
                  new Return(0))
              .in(RunKind.REPLICA),
          new Mutant(
                  "passive-executes-on-state",
                  "backups execute commands themselves",
                  "replica.protocol.SessionTable",
                  "isPassive",
                  new Return(0))
              .in(RunKind.REPLICA));

  private ServiceMutants() {}

  /// `table.expire(stamp(), table.positionNext(), machine, answering)`.
  private static void expireNow(CodeBuilder code) {
    ClassDesc replica = ClassDesc.of(REPLICA);
    ClassDesc table = replica("protocol.SessionTable");
    ClassDesc machine = replica("StateMachine");
    code.aload(0).getfield(replica, "table", table);
    code.aload(0).invokevirtual(replica, "stamp", MethodTypeDesc.of(CD_long));
    code.aload(0).getfield(replica, "table", table);
    code.invokevirtual(table, "positionNext", MethodTypeDesc.of(CD_long));
    code.aload(0).getfield(replica, "machine", machine);
    code.aload(0).getfield(replica, "answering", replica("protocol.Answering"));
    ClassDesc answers = replica("protocol.SessionTable$Answers");
    code.invokevirtual(table, "expire", MethodTypeDesc.of(CD_void, CD_long, CD_long, machine, answers));
  }

  private static ClassDesc replica(String name) {
    return ClassDesc.of("org.tutti.replica." + name);
  }
}
