package org.tutti.bench;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.tutti.Dissemination;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberConfig;
import org.tutti.Ordering;
import org.tutti.sim.CostMeasurement;
import org.tutti.sim.Traffic;

/// The cost model beside what the simulator counts: the production engine with its links and orderings, nothing
/// failing. What is counted is the same in every run.
public final class CostTable {
  private static final int N_MIN = 2;
  private static final int N_MAX = 8;
  private static final int BYTES = 100;
  private static final int MESSAGES = 1000;
  private static final int REPEATED = 3;
  private static final MemberConfig SINGLE = MemberConfig.builder().batchBytesMax(1 << 16).batchMessagesMax(1).build();

  private final PrintWriter out;
  private boolean equal = true;

  private CostTable(PrintWriter out) {
    this.out = out;
  }

  /// Counts and prints.
  ///
  /// @param orderings which orderings
  /// @param out       where to print
  /// @return whether everything that was counted equals its formula
  public static boolean print(List<Ordering> orderings, PrintWriter out) {
    var table = new CostTable(out);
    table.single(orderings);
    table.relayed(orderings);
    table.packed(orderings);
    out.println();
    out.println(table.equal ? "counted equals formula everywhere" : "COUNTED DIFFERS FROM FORMULA");
    out.flush();
    return table.equal;
  }

  static String name(Ordering ordering) {
    return ordering.name().toLowerCase(Locale.ROOT);
  }

  private void single(List<Ordering> orderings) {
    out.println(
        """
        One multicast of 100 bytes, batching off, nothing else under way, nothing fails, uniform delivery.
        Counted by the simulator, beside the formula (table 1 of the thesis; symmetric: ours).
          steps     longest chain of batches and ordering messages until the last member knows the place
          messages  batches and ordering messages, each once per destination; the formula is for any sender
          senior    steps when the sender is the most senior member, who is sequencer and coordinator: its first
                    word goes out with the message. Else the sender is the most junior member, as in the thesis.
        Of two members the most senior one alone is a quorum, so a coordinator of two decides as it proposes: two
        steps less than table 1, as many messages.
        Beside it, what reliable links and uniform delivery cost on top:
          progress  who holds how much, per destination    acks    frames that only acknowledge
          frames    all frames, several messages in one    bytes   of all frames
          uniform   steps until the last member delivers, progress included
          alive/s   heartbeats of the group per second while nobody multicasts (heartbeat 100 ms)
        """);
    out.println("                   steps           messages             senior         | beside it");
    out.println(
        "ordering   n  counted formula  counted formula           counted formula | progress acks frames bytes uniform"
            + " alive/s");
    for (Ordering ordering : orderings) {
      for (int n = N_MIN; n <= N_MAX; n++) {
        row(ordering, n);
      }
    }
  }

  private void row(Ordering ordering, int n) {
    GroupConfig config = GroupConfig.builder().ordering(ordering).build();
    // Agreed delivery waits for nothing but the place, so the chain that ends in it is the cost model's.
    var agreed = new CostMeasurement(n, config.toBuilder().guarantee(Guarantee.AGREED).build(), SINGLE);
    var uniform = new CostMeasurement(n, config, SINGLE);
    CostModel model = CostModel.of(ordering, n, false);
    CostModel seniors = CostModel.of(ordering, n, true);
    CostMeasurement.Cost cost = uniform.multicast(n - 1, 1, BYTES);
    int steps = 0;
    int seniorSteps = 0;
    for (int i = 0; i < REPEATED; i++) { // not only the first multicast of a view
      steps = agreed.multicast(n - 1, 1, BYTES).steps();
      seniorSteps = agreed.multicast(0, 1, BYTES).steps();
      long messages = uniform.multicast(n - 1, 1, BYTES).traffic().protocol();
      long seniorMessages = uniform.multicast(0, 1, BYTES).traffic().protocol();
      equal &= steps == model.steps() && messages == model.messages();
      equal &= seniorSteps == seniors.steps() && seniorMessages == seniors.messages();
    }
    Traffic traffic = cost.traffic();
    equal &= traffic.protocol() == model.messages();
    out.printf(
        Locale.ROOT,
        "%-10s %d  %7d %7d  %7d %7d = %-8s %7d %7d | %8d %4d %6d %5d %7d %7d%n",
        name(ordering),
        n,
        steps,
        model.steps(),
        traffic.protocol(),
        model.messages(),
        model.formula(),
        seniorSteps,
        seniors.steps(),
        traffic.progress(),
        traffic.acknowledgements(),
        traffic.frames() - traffic.datagrams(),
        traffic.bytes(),
        cost.deliverySteps(),
        uniform.idle(Duration.ofSeconds(10)).datagrams() / 10);
  }

  private void relayed(List<Ordering> orderings) {
    out.println(
        """

        The same multicast of the most junior member, through the most senior one (dissemination: relay).
          copies    batches that the sender itself sends; as a star n - 1
        """);
    out.println("                   steps           messages             copies");
    out.println("ordering   n  counted formula  counted formula           counted formula");
    for (Ordering ordering : orderings) {
      for (int n = N_MIN; n <= N_MAX; n++) {
        relayedRow(ordering, n);
      }
    }
  }

  private void relayedRow(Ordering ordering, int n) {
    GroupConfig config = GroupConfig.builder().ordering(ordering).build();
    MemberConfig one = SINGLE.toBuilder().dissemination(Dissemination.RELAY).build();
    var agreed = new CostMeasurement(n, config.toBuilder().guarantee(Guarantee.AGREED).build(), one);
    var uniform = new CostMeasurement(n, config, one);
    CostModel model = CostModel.relayed(ordering, n);
    int steps = 0;
    CostMeasurement.Cost cost = uniform.multicast(n - 1, 1, BYTES);
    for (int i = 0; i < REPEATED; i++) {
      steps = agreed.multicast(n - 1, 1, BYTES).steps();
      cost = uniform.multicast(n - 1, 1, BYTES);
      equal &= steps == model.steps() && cost.traffic().protocol() == model.messages() && cost.copies() == 1;
    }
    out.printf(
        Locale.ROOT,
        "%-10s %d  %7d %7d  %7d %7d = %-8s %7d %7d%n",
        name(ordering),
        n,
        steps,
        model.steps(),
        cost.traffic().protocol(),
        model.messages(),
        model.formula(),
        cost.copies(),
        1);
  }

  private void packed(List<Ordering> orderings) {
    out.println();
    out.printf(
        Locale.ROOT,
        "%d multicasts of %d bytes by the most junior member, at once (the window has room), batching on.%n",
        MESSAGES,
        BYTES);
    out.println("ordering   n  batches ordering progress acks frames     bytes  bytes per message and destination");
    for (Ordering ordering : orderings) {
      for (int n = N_MIN; n <= N_MAX; n++) {
        var group = new CostMeasurement(n, GroupConfig.builder().ordering(ordering).build());
        Traffic traffic = group.multicast(n - 1, MESSAGES, BYTES).traffic();
        out.printf(
            Locale.ROOT,
            "%-10s %d  %7d %8d %8d %4d %6d %9d  %.1f%n",
            name(ordering),
            n,
            traffic.batches(),
            traffic.orders(),
            traffic.progress(),
            traffic.acknowledgements(),
            traffic.frames() - traffic.datagrams(),
            traffic.bytes(),
            (double) traffic.bytes() / MESSAGES / (n - 1));
      }
    }
  }
}
