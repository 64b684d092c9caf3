package org.tutti.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.tutti.sim.mutant.Edit;
import org.tutti.sim.mutant.Edit.Change;
import org.tutti.sim.mutant.Mutant;

/// Campaigns over [IpcSimulation], and planted bugs that its checkers find.
class IpcSimulationTest {
  private static final String PROTOCOL = "org.tutti.ipc.IpcProtocol";
  private static final int SEEDS = Integer.getInteger("ipc.seeds", 50);
  private static final int SEEDS_DEEP = 500;
  private static final int SEEDS_OF_BUG = 240;

  @Test
  void fewSeedsViolateNothing() {
    long first = Long.getLong("ipc.first", Math.floorMod(System.nanoTime(), 1_000_000_000L));
    campaign(first, SEEDS);
  }

  @Test
  @Tag("deep")
  void manySeedsViolateNothing() {
    campaign(Math.floorMod(System.nanoTime(), 1_000_000_000L), SEEDS_DEEP);
  }

  private static void campaign(long first, int seeds) {
    for (long seed = first; seed < first + seeds; seed++) {
      assertThat(IpcSimulation.violated(seed, true)).as("seed " + seed + ", -Dipc.first repeats it").isNull();
    }
  }

  @Test
  void aSeedIsAlwaysTheSameRunAndSeedsMeetEverything() {
    Map<String, Integer> met = new TreeMap<>();
    for (long seed = 1; seed <= 40; seed++) {
      long hash = IpcSimulation.hash(seed, met);
      assertThat(IpcSimulation.hash(seed, new TreeMap<>())).as("seed " + seed).isEqualTo(hash);
    }
    assertThat(met)
        .containsKeys("crash", "one-way cut", "partition", "send", "getreply", "receive", "reply")
        .containsKeys("send NO_COMM", "send NO_MEMBERS", "getreply NO_COMM", "getreply TIMED_OUT")
        .containsKeys("receive NO_COMM", "receive TIMED_OUT", "receive NOT_MEMBER", "reply NO_COMM");
  }

  @TestFactory
  Stream<DynamicTest> plantedBugsAreCaught() {
    return Stream.of(
            bug(
                "sessions-are-not-looked-at",
                "answers and replies count for a later one",
                "find",
                new Change.Fix(2, false)),
            bug(
                "send-waits-for-silent-hosts",
                "the time for acknowledgements has no end",
                "tick",
                new Change.Drop("sent", 0)),
            bug(
                "lost-senders-live-on",
                "members wait for a sender whose host is lost",
                "lost",
                new Change.Drop("ended", 0)),
            bug("replies-are-forgotten", "a reply is dropped, and its member not told", "drop", new Change.Return(0)),
            bug("all-replies-are-queued", "more replies than wanted", "replied", new Change.Fix(2, false)),
            bug(
                "old-messages-are-received",
                "a message is received after a later one came",
                "serve",
                new Change.Fix(4, true)))
        .map(IpcSimulationTest::isCaught);
  }

  private static Mutant bug(String name, String breaks, String method, Change change) {
    return new Mutant(name, breaks, List.of(new Edit(PROTOCOL, method, change)));
  }

  private static DynamicTest isCaught(Mutant mutant) {
    return DynamicTest.dynamicTest(
        mutant.name(),
        () -> {
          Class<?> planted = mutant.plant().loadClass(IpcSimulation.class.getName());
          Method run = planted.getDeclaredMethod("violated", long.class, boolean.class);
          run.setAccessible(true);
          Object violated = null;
          long seed = 0;
          while (violated == null && seed < SEEDS_OF_BUG) {
            violated = run.invoke(null, ++seed, false);
          }
          assertThat(violated).as(mutant.breaks()).isNotNull();
          System.out.println(mutant.name() + " is caught by seed " + seed + " " + violated);
        });
  }
}
