package org.tutti.verify.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.tutti.Ordering;
import org.tutti.examples.accounts.Demo;
import org.tutti.examples.accounts.DemoOptions;

class DemoTest {
  private static final int TRANSACTIONS = 3000;
  private static final Pattern DIRECTORY = Pattern.compile("data in (\\S+)");

  /// Real processes: the sequencer is killed, started again, killed while it receives the state, started again.
  @Test
  void noAnsweredTransactionIsLostOrDoubledWhenTheSequencerIsKilled() throws IOException, InterruptedException {
    var shown = new ByteArrayOutputStream();
    var options = new DemoOptions(null, TRANSACTIONS, 1, 3, 3, 1, true, Ordering.SEQUENCER, 0, null);
    boolean holds = Demo.run(options, new PrintStream(shown));
    String output = shown.toString();
    assertThat(holds).as(output).isTrue();
    assertThat(output).contains("killed replica-1, the sequencer", "while it received the state", "caught up", "HOLDS");
    Matcher directory = DIRECTORY.matcher(output);
    assertThat(directory.find()).isTrue();
    assertThat(Files.exists(Path.of(directory.group(1)))).as("the temporary directory").isFalse();
    assertThat(ProcessHandle.current().descendants()).as("processes left").isEmpty();
  }
}
