package org.tutti.bench.trial;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.tutti.bench.member.BenchTarget.Operation;
import org.tutti.bench.member.BenchTarget.SendingThread;
import org.tutti.bench.trial.ReplicaOptions.Part;

/// Trials of a replicated service's clients beside members that multicast, other toolkits, and plain sockets.
final class ReplicaPlan {
  static final String REPLICA = "replica";
  static final String JGROUPS_PEER = "jgroups-";
  static final String AERON_PEER = "aeron-";

  private static final int BYTES = 100;
  private static final int PING_PROCESSES = 2;

  private final InstrumentOptions options;
  private final ReplicaOptions what;
  private final List<ProcessGroup> processGroups;

  /// @param processGroups those of [#groups]
  ReplicaPlan(InstrumentOptions options, ReplicaOptions what, List<ProcessGroup> processGroups) {
    this.options = options;
    this.what = what;
    this.processGroups = List.copyOf(processGroups);
  }

  /// The processes that [#trialSets] need.
  ///
  /// @param scratch for files of other toolkits
  static List<ProcessGroupPlan> groups(InstrumentOptions options, ReplicaOptions what, Path scratch) {
    var groups = new ArrayList<ProcessGroupPlan>();
    if (what.parts().contains(Part.CALLS)) {
      groups.add(ProcessGroupPlan.raw(options.members() + 1));
    } else if (what.parts().contains(Part.LATENCY)) {
      groups.add(ProcessGroupPlan.raw(PING_PROCESSES));
    }
    groups.add(service(options.members(), 1, "suspect=long"));
    if (what.parts().contains(Part.CALLS)) {
      groups.addAll(ProcessGroupPlan.tutti(options.members(), options.orderings()));
      for (String peer : what.peers()) {
        groups.add(
            peer.startsWith(AERON_PEER)
                ? ProcessGroupPlan.aeron(options.members(), peer.substring(AERON_PEER.length()), scratch)
                : ProcessGroupPlan.jgroupsCalls(options.members(), peer.substring(JGROUPS_PEER.length())));
      }
    }
    return groups;
  }

  /// Replicas, and processes that have clients.
  static ProcessGroupPlan service(int replicas, int clientProcesses, String... settings) {
    var all = new ArrayList<>(List.of(settings));
    all.add("replicas=" + replicas);
    return new ProcessGroupPlan(REPLICA, REPLICA, replicas + clientProcesses, all);
  }

  private ProcessGroup group(String name) {
    return processGroups.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }

  /// What is compared.
  List<TrialSet> trialSets() {
    var trialSets = new ArrayList<TrialSet>();
    if (what.parts().contains(Part.CALLS)) {
      trialSets.add(calls());
      if (what.open() > 1) {
        trialSets.add(openCalls());
      }
    }
    if (what.parts().contains(Part.LATENCY)) {
      trialSets.add(latency());
    }
    return trialSets;
  }

  private TrialSet calls() {
    ProcessGroup replica = group(REPLICA);
    ProcessGroup members = group(Instrument.TUTTI);
    int clients = what.clients();
    var trials = new ArrayList<TrialSet.Trial>();
    for (SendingThread sendingThread : List.of(SendingThread.LISTENER, SendingThread.THREAD)) {
      trials.add(client(replica, clients, 1, Operation.CALL, sendingThread));
      trials.add(client(replica, clients, 1, Operation.READ, sendingThread));
      trials.add(client(replica, 1, clients, Operation.CALL, sendingThread));
      trials.add(spread(members, "multicast with futures", clients, sendingThread));
    }
    trials.add(client(replica, 1, clients, Operation.READ, SendingThread.LISTENER));
    trials.add(echo(clients, 1));
    for (ProcessGroup group : processGroups) {
      if (group.name().startsWith(JGROUPS_PEER)) {
        trials.add(spread(group, group.name() + " RpcDispatcher", clients, SendingThread.THREAD));
      } else if (group.name().startsWith(AERON_PEER)) {
        trials.add(aeron(group, clients));
      }
    }
    String title = String.format(Locale.ROOT, "%d callers, %d B, one call of each at a time", clients, BYTES);
    return new TrialSet(title, trials, options.rounds());
  }

  /// Clients that have several calls open each.
  private TrialSet openCalls() {
    ProcessGroup replica = group(REPLICA);
    int callers = what.clients() * what.open();
    var trials = new ArrayList<TrialSet.Trial>();
    trials.add(client(replica, what.clients(), what.open(), Operation.CALL, SendingThread.LISTENER));
    trials.add(client(replica, what.clients(), what.open(), Operation.READ, SendingThread.LISTENER));
    trials.add(spread(group(Instrument.TUTTI), "multicast with futures", callers, SendingThread.LISTENER));
    trials.add(echo(what.clients(), what.open()));
    for (ProcessGroup group : processGroups) {
      if (group.name().startsWith(AERON_PEER)) {
        trials.add(aeron(group, callers));
      }
    }
    String title =
        String.format(Locale.ROOT, "%d clients, %d B, %d calls of each at a time", what.clients(), BYTES, what.open());
    return new TrialSet(title, trials, options.rounds());
  }

  private TrialSet latency() {
    ProcessGroup raw = group(Instrument.RAW);
    ProcessGroup replica = group(REPLICA);
    var ping = new Task.Closed(0, BYTES, SendingThread.LISTENER, nanos());
    return new TrialSet(
        String.format(Locale.ROOT, "one client, %d B", BYTES),
        List.of(
            new TrialSet.Trial("raw ping", raw, ping),
            client(replica, 1, 1, Operation.CALL, SendingThread.LISTENER),
            client(replica, 1, 1, Operation.CALL, SendingThread.THREAD),
            client(replica, 1, 1, Operation.READ, SendingThread.LISTENER),
            client(replica, 1, 1, Operation.READ, SendingThread.THREAD)),
        options.rounds());
  }

  private long nanos() {
    return options.time().toNanos();
  }

  private Task.Calls task(List<Integer> callers, int perClient, Operation operation, SendingThread sendingThread) {
    return new Task.Calls(callers, perClient, operation, BYTES, sendingThread, nanos());
  }

  /// Callers in one process only.
  static List<Integer> only(ProcessGroup group, int rank, int callers) {
    var all = new ArrayList<>(Collections.nCopies(group.size(), 0));
    all.set(rank, callers);
    return all;
  }

  /// Ends the name of a trial.
  static String how(SendingThread sendingThread) {
    return sendingThread == SendingThread.LISTENER ? ", callbacks" : ", threads wait";
  }

  /// Clients, which are in the last process.
  private TrialSet.Trial client(
      ProcessGroup replica, int clients, int perClient, Operation operation, SendingThread sendingThread) {
    String name = operation == Operation.READ ? "linearizable reads" : "calls";
    boolean shared = clients == 1 && perClient > 1;
    List<Integer> callers = only(replica, replica.size() - 1, clients * perClient);
    return new TrialSet.Trial(
        name + (shared ? " of one client" : "") + how(sendingThread),
        replica,
        task(callers, perClient, operation, sendingThread));
  }

  /// Over plain sockets from one process to the others, which send back what they get: what the clients' connections
  /// cost by themselves.
  private TrialSet.Trial echo(int clients, int perClient) {
    ProcessGroup raw = group(Instrument.RAW);
    Task task = task(only(raw, 0, clients * perClient), perClient, Operation.CALL, SendingThread.LISTENER);
    return new TrialSet.Trial("raw echo", raw, task);
  }

  /// As many callers at each member as at the others, or one more.
  private TrialSet.Trial spread(ProcessGroup group, String name, int all, SendingThread sendingThread) {
    int members = group.size();
    List<Integer> callers = IntStream.range(0, members).mapToObj(rank -> (all + members - 1 - rank) / members).toList();
    return new TrialSet.Trial(name + how(sendingThread), group, task(callers, 1, Operation.CALL, sendingThread));
  }

  /// Calls of the one client that it has, in the process of the leader.
  private TrialSet.Trial aeron(ProcessGroup group, int callers) {
    Task task = task(only(group, 0, callers), 1, Operation.CALL, SendingThread.LISTENER);
    return new TrialSet.Trial(group.name() + ", the leader's client", group, task);
  }
}
