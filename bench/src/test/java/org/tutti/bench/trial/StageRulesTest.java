package org.tutti.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Which stage code belongs to.
class StageRulesTest {
  static Iterable<String> names() {
    return StageRules.standard().names();
  }

  /// Whoever renames something that a rule names finds out here.
  @ParameterizedTest
  @MethodSource("names")
  void whatARuleNamesExists(String name) throws ClassNotFoundException {
    if (name.endsWith(".*")) {
      String wanted = name.substring(0, name.length() - 2);
      assertThat(ModuleLayer.boot().modules()).anyMatch(module -> module.getPackages().contains(wanted));
      return;
    }
    String[] parts = name.split("#");
    Class<?> type = Class.forName(parts[0], false, getClass().getClassLoader());
    if (parts.length > 1) {
      assertThat(Arrays.stream(type.getDeclaredMethods())).anyMatch(method -> method.getName().equals(parts[1]));
    }
  }

  @Test
  void theMostPreciseRuleCounts() {
    var rules =
        new StageRules(
            """
            order    a.*
            pack     a.B
            encode   a.B#write
            """);
    assertThat(rules.of("a.B", "write")).isEqualTo(Stage.ENCODE);
    assertThat(rules.of("a.B", "read")).isEqualTo(Stage.PACK);
    assertThat(rules.of("a.B$C", "write")).as("nested").isEqualTo(Stage.PACK);
    assertThat(rules.of("a.B$$Lambda.0x7f01.12", "accept")).as("a lambda's class").isEqualTo(Stage.PACK);
    assertThat(rules.of("a.D$E", "write")).isEqualTo(Stage.ORDER);
    assertThat(rules.of("a.b.F", "write")).as("another package").isNull();
  }

  @Test
  void aTableWithMistakesIsRefused() {
    assertThatThrownBy(() -> new StageRules("order a.B#c d")).hasMessageContaining("a.B#c d");
    assertThatThrownBy(() -> new StageRules("order a.B\npack a.B")).hasMessageContaining("pack a.B");
    assertThatThrownBy(() -> new StageRules("nothing a.B")).hasMessageContaining("NOTHING");
  }

  @Test
  void threadsOfTheJvmAreKnownByTheirNames() {
    for (String name : new String[] {"GC Thread#0", "G1 Service", "ZWorkerYoung#1", "ZDriverMinor"}) {
      assertThat(Stage.ofThread(name)).as(name).isEqualTo(Stage.GC);
    }
    assertThat(Stage.ofThread("C2 CompilerThre")).isEqualTo(Stage.JIT);
    assertThat(Stage.ofThread("JFR Recorder Th")).isEqualTo(Stage.RECORDING);
    assertThat(Stage.ofThread("VM Thread")).isEqualTo(Stage.JVM);
    for (String name : new String[] {"java", "tutti-n0", "commands"}) {
      assertThat(Stage.ofThread(name)).as(name).isNull();
    }
  }
}
