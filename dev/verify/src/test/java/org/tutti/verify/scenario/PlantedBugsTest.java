package org.tutti.verify.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.sim.FirstSeed;
import org.tutti.sim.mutant.Mutants;

/// Every scenario can fail: it names planted bugs, and with each of them its trace is another one.
class PlantedBugsTest {
  private static final Pattern NAMED = Pattern.compile("# Planted bugs that change it: ([a-z, -]+)\\.");
  private static final int SAMPLE = 8;
  private static final String COMMANDS = "org.tutti.verify.scenario.Commands";

  static List<Arguments> namesWithBugs() throws IOException {
    List<Arguments> all = new ArrayList<>();
    for (String name : Scenarios.names()) {
      String text = String.join("\n", Scenarios.lines(name));
      Matcher named = NAMED.matcher(text);
      assertThat(named.find()).as(name + " names planted bugs").isTrue();
      for (String bug : named.group(1).split(", ")) {
        all.add(Arguments.of(name, bug));
      }
    }
    return all;
  }

  /// Some of them, others each time.
  static List<Arguments> someNamesWithBugs() throws IOException {
    List<Arguments> all = namesWithBugs();
    Collections.shuffle(all, new Random(FirstSeed.ofTest("PlantedBugsTest")));
    return all.subList(0, SAMPLE);
  }

  @ParameterizedTest
  @MethodSource("someNamesWithBugs")
  void somePlantedBugsChangeTheTrace(String name, String bug) throws Exception {
    changesTheTrace(name, bug);
  }

  @ParameterizedTest
  @MethodSource("namesWithBugs")
  @Tag("deep")
  void aPlantedBugChangesTheTrace(String name, String bug) throws Exception {
    changesTheTrace(name, bug);
  }

  private static void changesTheTrace(String name, String bug) throws Exception {
    Class<?> copy = Mutants.named(bug).plant().loadClass(COMMANDS);
    Method difference = copy.getDeclaredMethod("difference", String.class, List.class);
    difference.setAccessible(true);
    assertThat(found(difference, name)).as(name + " with " + bug).isNotNull();
  }

  /// A run that a bug has stopped, or that does not come to where the script waits for, is another one, too.
  private static @Nullable Object found(Method difference, String name) throws Exception {
    try {
      return difference.invoke(null, name, Scenarios.lines(name));
    } catch (InvocationTargetException stopped) {
      if (stopped.getCause() instanceof LinkageError misfit) {
        throw misfit;
      }
      return stopped.getCause();
    }
  }
}
