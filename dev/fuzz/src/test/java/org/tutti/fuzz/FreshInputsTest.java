package org.tutti.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Inputs that nobody has tried before: Jazzer looks for them for a while, from the recorded ones on. `-Djazzer.seed=`
/// asks for a seed that was printed, `-Djazzer.seconds=` for another time.
@Tag("deep")
class FreshInputsTest {
  private static final int SECONDS = Integer.getInteger("jazzer.seconds", 45);
  private static final int SEED = Integer.getInteger("jazzer.seed", ThreadLocalRandom.current().nextInt(1, 1 << 30));

  @Test
  void freshInputsKeepThePromise() throws IOException, InterruptedException {
    List<String> targets = Targets.names();
    System.out.println("first seed of FreshInputsTest: -Djazzer.seed=" + SEED);
    List<String> said = new ArrayList<>();
    try (var jazzer = new Jazzer(targets)) {
      for (int which = 0; which < targets.size(); which++) {
        unpack(which, Corpus.of(targets.get(which)).inputs(), jazzer.recorded());
      }
      Jazzer.Outcome outcome = jazzer.fuzz(SECONDS, SEED, said::add);
      String input = outcome.finding().isEmpty() ? "" : told(targets, jazzer.breaking());
      assertThat(outcome.finding()).as("seed " + SEED + " " + input + String.join("\n", said)).isEmpty();
      assertThat(outcome.executions()).isPositive();
      System.out.printf("%,d fresh inputs were tried%n", outcome.executions());
    }
  }

  /// Puts the byte that names the target before each input.
  private static void unpack(int which, List<byte[]> inputs, Path into) throws IOException {
    for (int i = 0; i < inputs.size(); i++) {
      byte[] input = inputs.get(i);
      byte[] named = ByteBuffer.allocate(1 + input.length).put((byte) which).put(input).array();
      Files.write(into.resolve(which + "-" + i), named);
    }
  }

  private static String told(List<String> targets, byte[] named) {
    String target = targets.get(Byte.toUnsignedInt(named[0]) % targets.size());
    return target + " breaks on " + HexFormat.of().formatHex(named, 1, named.length) + "\n";
  }
}
