package org.tutti.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ThreadLocalRandom;

/// Where a campaign begins: at seeds that nobody has run before, so that each campaign looks at something new. What
/// was drawn is written down, as a violation is worth nothing that cannot be seen again.
public final class FirstSeed {
  /// The system property that names the first seed instead, for a replay: `-Dsim.first=4711`.
  public static final String PROPERTY = "sim.first";

  private static final long FRESH_MIN = 1_000_000; // below are those that all regressions use
  private static final long FRESH_MAX = 1_000_000_000_000L;
  private static final Path DIRECTORY = Path.of("target");
  private static final String FILE = "first-seeds.txt";

  private FirstSeed() {}

  /// Draws a first seed.
  ///
  /// @return another one each time
  public static long fresh() {
    return ThreadLocalRandom.current().nextLong(FRESH_MIN, FRESH_MAX);
  }

  /// The first seed of a test's campaign: the system property if it is set, otherwise a fresh one, which is written
  /// down.
  ///
  /// @param campaign what it is for
  /// @return the seed
  public static long ofTest(String campaign) {
    String given = System.getProperty(PROPERTY);
    long first = given == null ? fresh() : Long.parseLong(given);
    System.out.println(campaign + ": first seed " + first + "; the same again: -D" + PROPERTY + "=" + first);
    record(campaign, first);
    return first;
  }

  /// Writes a first seed down in `target/first-seeds.txt`, unless there is no directory `target` here.
  ///
  /// @param campaign what it is for
  /// @param first    the seed
  public static void record(String campaign, long first) {
    if (Files.isDirectory(DIRECTORY)) {
      String line = Instant.now().truncatedTo(ChronoUnit.SECONDS) + " " + campaign + " first=" + first + "\n";
      try {
        Files.writeString(DIRECTORY.resolve(FILE), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
