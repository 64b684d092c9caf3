package org.tutti.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Every recorded input is decoded or refused as it is promised.
class CorpusTest {
  private static final int INPUTS_MIN = 10;

  @Test
  void everyRecordedInputKeepsThePromise() throws IOException {
    for (String target : Targets.names()) {
      var trial = new Trial(Targets.make(target));
      List<byte[]> inputs = Corpus.of(target).inputs();
      assertThat(inputs).as("recorded for " + target).hasSizeGreaterThan(INPUTS_MIN);
      for (byte[] input : inputs) {
        try {
          trial.take(input);
        } catch (Throwable broken) {
          throw new AssertionError(target + " breaks on " + HexFormat.of().formatHex(input), broken);
        }
      }
    }
  }
}
