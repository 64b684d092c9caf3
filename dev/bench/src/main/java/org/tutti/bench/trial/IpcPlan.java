package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.tutti.bench.member.BenchTarget.Operation;
import org.tutti.bench.member.BenchTarget.SendingThread;

/// Trials of questions that the first process asks the members in all others, beside calls of other toolkits.
final class IpcPlan {
  private static final String IPC = "ipc";
  private static final int BYTES = 32;

  private final InstrumentOptions options;
  private final IpcOptions what;
  private final List<ProcessGroup> processGroups;

  /// @param processGroups those of [#groups]
  IpcPlan(InstrumentOptions options, IpcOptions what, List<ProcessGroup> processGroups) {
    this.options = options;
    this.what = what;
    this.processGroups = List.copyOf(processGroups);
  }

  /// The processes that [#trialSets] need: others first, as Tutti is compared with them.
  static List<ProcessGroupPlan> groups(InstrumentOptions options, IpcOptions what) {
    var groups = new ArrayList<ProcessGroupPlan>();
    for (String peer : what.peers()) {
      String stack = peer.substring(ReplicaPlan.JGROUPS_PEER.length());
      groups.add(ProcessGroupPlan.jgroupsQuestions(options.members(), stack));
    }
    groups.add(new ProcessGroupPlan(IPC, IPC, options.members(), List.of("provider=" + what.transport())));
    return groups;
  }

  /// What is compared: one asker, and many.
  List<TrialSet> trialSets() {
    return IntStream.of(1, what.askers()).distinct().mapToObj(this::questions).toList();
  }

  private TrialSet questions(int askers) {
    var trials = new ArrayList<TrialSet.Trial>();
    for (ProcessGroup group : processGroups) {
      String name = group.name().equals(IPC) ? "ipc over " + what.transport() : group.name() + " RpcDispatcher";
      for (SendingThread sendingThread : List.of(SendingThread.LISTENER, SendingThread.THREAD)) {
        List<Integer> callers = ReplicaPlan.only(group, 0, askers);
        var task = new Task.Calls(callers, 1, Operation.CALL, BYTES, sendingThread, options.time().toNanos());
        trials.add(new TrialSet.Trial(name + ReplicaPlan.how(sendingThread), group, task));
      }
    }
    String title =
        String.format(
            Locale.ROOT,
            "questions of %d B to %d members in other processes, all replies, asked by %d at a time",
            BYTES,
            options.members() - 1,
            askers);
    return new TrialSet(title, trials, options.rounds());
  }
}
