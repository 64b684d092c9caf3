package org.tutti.examples.accounts;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;

/// Runs the accounts service as processes of the operating system, does something to its replicas while clients write,
/// and audits what is left.
///
/// 1. Replicas start and form the group; clients start and send their shares of a file of transactions.
/// 2. The [Scenario] is played: replicas are killed, cut off, restarted, added and removed.
/// 3. When all is answered and every replica has reached the same position, the replicas leave the group and end.
/// 4. The databases are compared with each other, with the clients' logs and with the file; see [Audit].
public final class Demo {
  private Demo() {}

  /// Runs a demo to its end.
  ///
  /// @param options what to do
  /// @param out     where to show it
  /// @return whether everything that was promised holds
  /// @throws IOException          when a file cannot be read or written, or what is in it is wrong
  /// @throws InterruptedException when interrupted; all processes are ended
  public static boolean run(DemoOptions options, PrintStream out) throws IOException, InterruptedException {
    ProgressDisplay display = new ProgressDisplay(out);
    try (Relay relay = new Relay();
        Fleet fleet = new Fleet(options.keep())) {
      Path input = options.input();
      if (input == null) {
        input = fleet.directory().resolve("transactions.csv");
        TransactionFile.make(input, options.transactions(), options.seed());
      }
      var workload = new ReplicaSet.Workload(input, TransactionFile.read(input));
      if (workload.transactions().isEmpty()) {
        throw new IOException(input + " holds no transactions");
      }
      var demoLog = new DemoLog(display);
      var replicaSet = new ReplicaSet(options, fleet, relay, demoLog, workload);
      replicaSet.begin();
      switch (options.scenario()) {
        case Scenario.Kill kill -> new Killing(kill, replicaSet, demoLog).play();
        case Scenario.Split split -> new Splitting(split, replicaSet, demoLog, relay).play();
        case Scenario.Rolling rolling -> new RollingRestart(rolling, replicaSet, demoLog).play();
        case Scenario.Resize resize -> new Resizing(resize, replicaSet, demoLog).play();
        case Scenario.TotalFailure _ -> new TotalRestart(options.seed(), replicaSet, demoLog).play();
      }
      return replicaSet.end();
    } catch (Fleet.Broken e) {
      display.result("verdict", "BROKEN: " + e.getMessage());
      return false;
    } catch (SQLException e) {
      display.result("verdict", "BROKEN: a database cannot be read: " + e.getMessage());
      return false;
    }
  }
}
