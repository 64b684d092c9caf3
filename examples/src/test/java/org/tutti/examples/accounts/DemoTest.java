package org.tutti.examples.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Durability;
import org.tutti.Ordering;

class DemoTest {
  private static final int TRANSACTIONS = 3000;
  private static final int CLIENTS = 2;
  private static final int RATE = 300; // per second
  private static final Pattern DIRECTORY = Pattern.compile("data in (\\S+)");

  /// Real processes: the sequencer is killed, started again, killed while it receives the state, started again.
  @Test
  void noAnsweredTransactionIsLostOrDoubledWhenTheSequencerIsKilled() throws IOException, InterruptedException {
    String output = play(new Scenario.Kill(3, 1, true), Ordering.SEQUENCER);
    // On a busy machine another one may have become the most senior before.
    assertThat(output)
        .containsPattern("killed replica-\\d, the sequencer")
        .contains("while it received the state", "caught up", "HOLDS");
  }

  /// The network between the replicas is cut: nothing that the sequencer is asked meanwhile is acknowledged there, the
  /// others go on, and all are equal when it is mended.
  @Test
  @Tag("deep")
  void noAnsweredTransactionIsLostOrDoubledWhenTheSequencerIsCutOff() throws IOException, InterruptedException {
    String output = play(new Scenario.Split(3, true, false), Ordering.SYMMETRIC);
    assertThat(output).contains("(not primary)", "turns clients away", "mended the network", "caught up", "HOLDS");
  }

  @Test
  @Tag("deep")
  void noAnsweredTransactionIsLostOrDoubledWhenEveryReplicaIsRestarted() throws IOException, InterruptedException {
    String output = play(new Scenario.Rolling(3, false), Ordering.SEQUENCER);
    assertThat(output).contains("replica-1 leaves", "replica-2 leaves", "replica-3 leaves", "HOLDS");
  }

  @Test
  @Tag("deep")
  void noAnsweredTransactionIsLostOrDoubledWhenTheGroupGrowsAndShrinks() throws IOException, InterruptedException {
    String output = play(new Scenario.Resize(List.of(1, 3, 2)), Ordering.SKEEN);
    assertThat(output).contains("leaves for good", "started replica-4", "HOLDS");
  }

  /// All replicas are killed at once and started again; then one that knows less is started alone.
  @Test
  @Tag("deep")
  void noAnsweredTransactionIsLostOrDoubledWhenAllReplicasDieAtOnce() throws IOException, InterruptedException {
    String output = play(new Scenario.TotalFailure(3), Ordering.SEQUENCER, Durability.VIEWS);
    assertThat(output).contains("killed replica-3, all at once", "to create the group", "waiting for", "HOLDS");
  }

  @ParameterizedTest
  @Tag("deep")
  @ValueSource(strings = {"udp", "rmi", "grpc"})
  void noAnsweredTransactionIsLostOrDoubledOverAnyTransportWhenAReplicaIsKilled(String transport)
      throws IOException, InterruptedException {
    String output = play(options(new Scenario.Kill(3, 1, false), Ordering.SEQUENCER, Durability.NONE, transport));
    assertThat(output).containsPattern("killed replica-\\d, the sequencer").contains("caught up", "HOLDS");
  }

  private static String play(Scenario scenario, Ordering order) throws IOException, InterruptedException {
    return play(scenario, order, Durability.NONE);
  }

  private static String play(Scenario scenario, Ordering order, Durability durability)
      throws IOException, InterruptedException {
    return play(options(scenario, order, durability, "tcp"));
  }

  private static DemoOptions options(Scenario scenario, Ordering order, Durability durability, String transport) {
    return new DemoOptions(null, TRANSACTIONS, 1, CLIENTS, scenario, RATE, order, transport, null, durability, 0, null);
  }

  private static String play(DemoOptions options) throws IOException, InterruptedException {
    var shown = new ByteArrayOutputStream();
    boolean holds = Demo.run(options, new PrintStream(shown));
    String output = shown.toString();
    assertThat(holds).as(output).isTrue();
    Matcher directory = DIRECTORY.matcher(output);
    assertThat(directory.find()).isTrue();
    assertThat(Files.exists(Path.of(directory.group(1)))).as("the temporary directory").isFalse();
    assertThat(ProcessHandle.current().descendants()).as("processes left").isEmpty();
    return output;
  }
}
