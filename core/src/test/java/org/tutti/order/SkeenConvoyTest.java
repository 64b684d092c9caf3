package org.tutti.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.order.TimedView.Fate;

/// What Skeen's algorithm costs one batch alone, and how long decided batches wait for pending ones with an
/// earlier timestamp: the convoy effect. The figures are those of its page, and come out the same on every machine.
class SkeenConvoyTest {
  private static final long MILLI = 1_000_000;

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8})
  void aBatchAloneTakesThreeStepsAndThreeMessagesPerOtherMember(int members) {
    for (int sender = 0; sender < members; sender++) {
      var view = new TimedView(members, (_, _) -> MILLI);
      view.multicast(0, sender);
      view.run();
      assertThat(view.messages()).isEqualTo(3L * (members - 1));
      for (int rank = 0; rank < members; rank++) {
        int steps = rank == sender ? 2 : 3; // the sender decides
        assertThat(view.fates(rank)).containsExactly(new Fate(0, steps * MILLI, steps * MILLI));
      }
    }
  }

  /// A busy member stamps a batch high. Elsewhere clocks are behind, so what arrives there later can come before it.
  @Test
  void aBatchWaitsForOneThatArrivesWhenItIsAlmostDecided() {
    var view = new TimedView(4, (_, _) -> MILLI);
    view.multicast(0, 3);
    for (int i = 0; i < 3; i++) {
      view.multicast(MILLI - 1, 1);
    }
    view.multicast(2 * MILLI - 2, 2);
    view.run();
    int place = view.places(0).indexOf("3/0");
    assertThat(view.fates(0).get(place)).isEqualTo(new Fate(0, 3 * MILLI, 5 * MILLI - 2));
  }

  /// With equal delays, a batch is placed five delays after it was sent at most: what can come before it arrived here
  /// before its decision did, so was sent two delays after it at most, and is itself decided here three delays later.
  @ParameterizedTest
  @CsvSource({"2, 1", "3, 2", "5, 3", "7, 4"})
  void withEqualDelaysNoBatchWaitsLongerThanTwoOfThem(int members, long seed) {
    var view = new TimedView(members, (_, _) -> MILLI);
    load(view, 200 * MILLI, 0, MILLI / 5, new SplittableRandom(seed));
    view.run();
    List<Fate> fates = all(view);
    long waited = fates.stream().mapToLong(Fate::waited).max().orElseThrow();
    long took = fates.stream().mapToLong(Fate::took).max().orElseThrow();
    assertThat(waited).isBetween(MILLI / 2, 2 * MILLI - 1);
    assertThat(took).isLessThan(5 * MILLI);
    for (int rank = 1; rank < members; rank++) {
      assertThat(view.places(rank)).isEqualTo(view.places(0));
    }
  }

  /// By members, how many of them multicast, the distance of one member (a silent one if any is), and how often a
  /// member multicasts on average.
  @Test
  void thePageShowsTheConvoyEffect() throws IOException {
    List<String> table = new ArrayList<>();
    for (int members : new int[] {3, 7}) {
      for (double every : new double[] {100, 10, 2, 0.5}) {
        table.add(row(members, members, 1, every));
      }
    }
    table.add(row(5, 4, 1, 10));
    table.add(row(5, 4, 10, 10));
    table.add(row(5, 5, 10, 10));
    String page = Files.readString(Path.of("../docs/protocols/skeen.md"));
    assertThat(page).contains(table);
  }

  private static String row(int members, int senders, int slow, double everyMillis) {
    var random = new SplittableRandom(1);
    // Links take 0.5 to 1.5 ms; those of the first member so many times more.
    TimedView.Delay delay = (from, to) -> (MILLI / 2 + random.nextLong(MILLI)) * (Math.min(from, to) == 0 ? slow : 1);
    var view = new TimedView(members, delay);
    load(view, 2_000 * MILLI, members - senders, (long) (everyMillis * MILLI), random);
    view.run();
    List<Fate> fates = all(view);
    long[] waits = fates.stream().mapToLong(Fate::waited).sorted().toArray();
    double decided = mean(fates.stream().mapToLong(fate -> fate.decidedAt() - fate.sentAt()).toArray());
    double placed = mean(fates.stream().mapToLong(Fate::took).toArray());
    long waiting = fates.stream().filter(fate -> fate.waited() > 0).count();
    return String.format(
        Locale.ROOT,
        "| %d | %d | %s | %s | %.2f | %.2f | %.2f | %.0f %% | %.2f | %.2f |",
        members,
        senders,
        slow == 1 ? "like all" : slow + " times",
        everyMillis < 1 ? String.valueOf(everyMillis) : String.valueOf((int) everyMillis),
        decided / MILLI,
        placed / MILLI,
        (placed - decided) / MILLI,
        100.0 * waiting / fates.size(),
        (double) waits[waits.length * 99 / 100] / MILLI,
        (double) waits[waits.length - 1] / MILLI);
  }

  /// Multicasts of all members but the first few, at random times.
  private static void load(TimedView view, long until, int silent, long everyNanos, SplittableRandom random) {
    for (int rank = silent; rank < view.members(); rank++) {
      for (long time = random.nextLong(2 * everyNanos); time < until; time += 1 + random.nextLong(2 * everyNanos)) {
        view.multicast(time, rank);
      }
    }
  }

  private static List<Fate> all(TimedView view) {
    List<Fate> fates = new ArrayList<>();
    for (int rank = 0; rank < view.members(); rank++) {
      fates.addAll(view.fates(rank));
    }
    return fates;
  }

  private static double mean(long[] values) {
    long sum = 0;
    for (long value : values) {
      sum += value;
    }
    return (double) sum / values.length;
  }
}
