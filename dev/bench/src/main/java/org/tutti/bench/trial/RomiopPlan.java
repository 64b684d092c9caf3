package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.member.BenchTarget;
import org.tutti.bench.member.BenchTarget.Operation;
import org.tutti.bench.member.BenchTarget.SendingThread;
import org.tutti.bench.trial.RomiopOptions.Part;

/// Trials of a CORBA client that calls a group of servers, beside the same client and one server over plain IIOP. In
/// each process group the last process is the client.
final class RomiopPlan {
  private static final String ORB = "orb";
  private static final String IIOP = "iiop";
  private static final String ORDERED = "ordered";
  private static final String RELIABLE = "reliable";
  private static final String MIOP = "miop";
  private static final int MIOP_BYTES_MAX = 1 << 16; // after longer ones JacORB's servers execute nothing any more
  private static final List<Integer> ORDER_MILLIS = List.of(0, 1, 10, 100); // those of the source, and at once

  /// Rules for replies that differ when there are several servers.
  private static final List<String> RULES = List.of("all", "first", "percent51");

  private final InstrumentOptions options;
  private final RomiopOptions what;
  private final List<ProcessGroup> processGroups;

  /// @param processGroups those of [#groups]
  RomiopPlan(InstrumentOptions options, RomiopOptions what, List<ProcessGroup> processGroups) {
    this.options = options;
    this.what = what;
    this.processGroups = List.copyOf(processGroups);
  }

  /// The processes that [#trialSets] need: IIOP first, as all others are compared with it.
  ///
  /// @param multicasts the beginning of commands that run where multicasts reach the others; null where nothing does
  static List<ProcessGroupPlan> groups(RomiopOptions what, @Nullable List<String> multicasts) {
    var groups = new ArrayList<ProcessGroupPlan>();
    groups.add(group(IIOP, 1, List.of()));
    what.servers().forEach(size -> groups.add(group(ORDERED, size, List.of())));
    if (what.parts().contains(Part.STACKS)) {
      groups.add(group(RELIABLE, what.servers().getLast(), List.of()));
      if (multicasts != null) {
        what.ends().forEach(size -> groups.add(group(MIOP, size, multicasts)));
      }
    }
    return groups;
  }

  private static ProcessGroupPlan group(String stack, int servers, List<String> prefix) {
    return new ProcessGroupPlan(
        named(stack, servers),
        ORB,
        servers + 1,
        List.of("stack=" + stack),
        List.of("-Djava.net.preferIPv4Stack=true"), // for multicasts of JacORB
        Collections.nCopies(servers + 1, new ProcessGroupPlan.Place(prefix, BenchTarget.LOOPBACK)));
  }

  private static String named(String stack, int servers) {
    return stack + "-" + servers;
  }

  /// Has the client be one of a certain kind before it calls.
  ///
  /// @param group  the client is its last process
  /// @param client the rule for replies, and how many milliseconds requests wait for others
  private record AsClient(ProcessGroup group, String client) implements TrialSet.Runner {
    @Override
    public String name() {
      return group.name();
    }

    @Override
    public TrialOutcome run(Task task, List<Long> own) throws InterruptedException {
      group.child(group.size() - 1).ask("client " + client);
      return group.run(task, own);
    }
  }

  private TrialSet.Runner client(String stack, int servers, String rule) {
    return client(stack, servers, rule, 0);
  }

  private TrialSet.Runner client(String stack, int servers, String rule, int gatherMillis) {
    String name = named(stack, servers);
    return new AsClient(
        processGroups.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow(),
        rule + " " + gatherMillis);
  }

  private boolean has(String stack) {
    return processGroups.stream().anyMatch(each -> each.name().startsWith(stack + "-"));
  }

  /// What is compared: each length by itself.
  List<TrialSet> trialSets() {
    var trialSets = new ArrayList<TrialSet>();
    for (int bytes : what.bytes()) {
      if (what.parts().contains(Part.TWO_WAY)) {
        trialSets.add(twoWay(bytes));
      }
      if (what.parts().contains(Part.ORDER_TIME)) {
        trialSets.add(orderTime(bytes));
      }
      if (what.parts().contains(Part.ONE_WAY) || what.parts().contains(Part.STACKS)) {
        trialSets.add(oneWay(bytes));
      }
    }
    return trialSets;
  }

  private TrialSet twoWay(int bytes) {
    var trials = new ArrayList<TrialSet.Trial>();
    trials.add(new TrialSet.Trial("IIOP, 1 server", client(IIOP, 1, "all"), call(1, bytes)));
    for (int servers : what.servers()) {
      for (String rule : servers == 1 ? RULES.subList(0, 1) : RULES) {
        String name = "ROMIOP, " + of(servers) + (servers == 1 ? "" : ", " + rule);
        trials.add(new TrialSet.Trial(name, client(ORDERED, servers, rule), call(servers, bytes)));
      }
    }
    return new TrialSet(
        String.format(Locale.ROOT, "two-way, %,d B, one call at a time", bytes), trials, options.rounds());
  }

  private Task call(int servers, int bytes) {
    var callers = new ArrayList<Integer>();
    for (int rank = 0; rank <= servers; rank++) {
      callers.add(rank == servers ? 1 : 0);
    }
    return new Task.Calls(callers, 1, Operation.CALL, bytes, SendingThread.THREAD, options.time().toNanos());
  }

  private TrialSet orderTime(int bytes) {
    int most = what.servers().getLast();
    var trials = new ArrayList<TrialSet.Trial>();
    trials.add(new TrialSet.Trial("IIOP, 1 server", client(IIOP, 1, "all"), call(1, bytes)));
    for (int millis : ORDER_MILLIS) {
      String name = "ROMIOP, " + of(most) + ", all, order time " + millis + " ms";
      trials.add(new TrialSet.Trial(name, client(ORDERED, most, "all", millis), call(most, bytes)));
    }
    String title = String.format(Locale.ROOT, "two-way, %,d B, by how long requests wait for others", bytes);
    return new TrialSet(title, trials, options.rounds());
  }

  private TrialSet oneWay(int bytes) {
    var trials = new ArrayList<TrialSet.Trial>();
    trials.add(new TrialSet.Trial("IIOP, 1 server", client(IIOP, 1, "all"), flood(1, bytes)));
    for (int servers : what.servers()) {
      trials.add(new TrialSet.Trial("ROMIOP, " + of(servers), client(ORDERED, servers, "all"), flood(servers, bytes)));
    }
    if (what.parts().contains(Part.STACKS)) {
      int most = what.servers().getLast();
      trials.add(new TrialSet.Trial("ReMIOP, " + of(most), client(RELIABLE, most, "all"), flood(most, bytes)));
    }
    if (has(MIOP) && bytes <= MIOP_BYTES_MAX) {
      for (int servers : what.ends()) {
        var task = new Task.Cast(servers, bytes, options.time().toNanos());
        trials.add(new TrialSet.Trial("MIOP of JacORB, " + of(servers), client(MIOP, servers, "all"), task));
      }
    }
    return new TrialSet(
        String.format(Locale.ROOT, "one-way, %,d B, until the slowest server has executed the last", bytes),
        trials,
        options.rounds());
  }

  private Task flood(int servers, int bytes) {
    return new Task.Flood(List.of(servers), bytes, options.time().toNanos());
  }

  private static String of(int servers) {
    return servers + (servers == 1 ? " server" : " servers");
  }
}
