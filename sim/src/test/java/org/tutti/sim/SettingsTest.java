package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tutti.GroupConfig;
import org.tutti.membership.Terms;
import org.tutti.spi.NodeSettings;
import org.tutti.transport.Address;

/// Every setting of a group and of a node is drawn by the plans of the simulator: a user who writes it down is in a
/// configuration that campaigns have been in. A new setting that nobody draws fails here.
class SettingsTest {
  private static final int PLANS = 600;
  private static final double RANGE_MIN = 4; // the largest number against the smallest one
  private static final double TIMES_RANGE_MIN = 1.2; // within one run they are alike enough for nobody to be suspected

  private static final Set<String> NO_SETTINGS = Set.of("toBuilder", "hashCode", "toString");

  /// What makes no sense to draw, and why.
  private static final Map<String, String> NOT_DRAWN =
      Map.of(
          "NodeSettings.spin", "how an engine thread waits for input; the simulator has no such thread",
          "NodeSettings.discovery", "a thread that may block asks it; the simulator has only contacts",
          "NodeSettings.transport", "the simulator's network",
          "NodeSettings.transportName", "as before",
          "NodeSettings.transportSettings", "as before",
          "NodeSettings.storage", "the simulator's disks",
          "NodeSettings.data", "as before",
          "NodeSettings.spillTo", "the simulated application reports what it takes as if it had files",
          "MemberConfig.listener", "the simulated application stands in the place of the host, which calls it",
          "MemberConfig.position", "the application says it at each start, from what it has on its disk, if anything");

  @Test
  void everySettingTakesValuesOfAllKinds() throws Exception {
    Map<String, Set<Object>> drawn = new TreeMap<>();
    Map<String, Class<?>> types = new TreeMap<>();
    for (long seed = 1; seed <= PLANS; seed++) {
      Plan plan = Plan.draw(seed);
      var settings = new Settings(plan);
      List<Address> addresses = addresses(plan);
      for (int place = 0; place < plan.nodes(); place++) {
        add(settings.terms(place, place == 0), drawn, types);
        add(settings.node(place, addresses), drawn, types);
      }
    }
    NOT_DRAWN.keySet().forEach(name -> assertThat(drawn.remove(name)).as(name + " is no setting any more").isNotNull());
    drawn.forEach((name, values) -> {
      Class<?> type = types.get(name);
      if (type.isEnum()) {
        assertThat(values).as(name).containsExactlyInAnyOrder(type.getEnumConstants());
      } else if (type == int.class || type == long.class || type == double.class) {
        assertThat(range(values)).as("largest against smallest " + name).isGreaterThan(RANGE_MIN);
      } else {
        assertThat(values).as(name).hasSizeGreaterThan(1);
      }
    });
  }

  @Test
  void membersOfOneRunDiffer() throws Exception {
    var differing = new HashSet<String>();
    var expected = new HashSet<String>();
    double times = 1;
    for (long seed = 1; seed <= PLANS; seed++) {
      Plan plan = Plan.draw(seed);
      var settings = new Settings(plan);
      Map<String, Set<Object>> drawn = new TreeMap<>();
      for (int place = 1; place < plan.nodes(); place++) {
        add(settings.terms(place, false), drawn, new TreeMap<>());
        add(settings.node(place, addresses(plan)), drawn, new TreeMap<>());
        GroupConfig said = settings.expected(place);
        String difference = said == null ? "silent" : said.difference("g", plan.config());
        expected.add(difference == null ? "right" : difference.split(" ")[0]);
      }
      drawn.forEach((name, values) -> {
        if (values.size() > 1) {
          differing.add(name);
        }
      });
      times = Math.max(times, plan.nodes() < 2 ? 1 : range(drawn.get("NodeSettings.suspectAfter")));
    }
    assertThat(differing)
        .contains(
            "MemberConfig.windowBytes",
            "MemberConfig.batchBytesMax",
            "MemberConfig.batchMessagesMax",
            "MemberConfig.catchUpBytesMax",
            "MemberConfig.packing",
            "MemberConfig.suspicion",
            "NodeSettings.contacts",
            "NodeSettings.heartbeat",
            "NodeSettings.suspectAfter");
    assertThat(expected).containsExactlyInAnyOrder("silent", "right", "guarantee", "ordering", "stateTransfer");
    assertThat(times).isGreaterThan(TIMES_RANGE_MIN);
  }

  /// Who is found by nobody and knows nobody would stay alone.
  @Test
  void ofAnyTwoNodesOneKnowsTheOther() {
    for (long seed = 1; seed <= PLANS; seed++) {
      Plan plan = Plan.draw(seed);
      var settings = new Settings(plan);
      List<Address> addresses = addresses(plan);
      for (int a = 0; a < plan.nodes(); a++) {
        for (int b = 0; b < a; b++) {
          boolean there = settings.node(a, addresses).contacts().contains(addresses.get(b));
          boolean back = settings.node(b, addresses).contacts().contains(addresses.get(a));
          assertThat(there || back).as("seed " + seed).isTrue();
        }
      }
    }
  }

  private static List<Address> addresses(Plan plan) {
    List<Address> addresses = new ArrayList<>();
    for (int place = 0; place < plan.nodes(); place++) {
      addresses.add(new Address("n" + place + ":1"));
    }
    return addresses;
  }

  private static void add(Terms terms, Map<String, Set<Object>> drawn, Map<String, Class<?>> types)
      throws ReflectiveOperationException {
    for (Object config : List.of(terms.group(), terms.member())) {
      for (Method method : config.getClass().getDeclaredMethods()) {
        boolean reads = Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
        if (reads && method.getParameterCount() == 0 && !NO_SETTINGS.contains(method.getName())) {
          add(config, method, drawn, types);
        }
      }
    }
    drawn.computeIfAbsent("Terms.observer", _ -> new HashSet<>()).add(terms.observer());
    types.put("Terms.observer", boolean.class);
  }

  private static void add(NodeSettings config, Map<String, Set<Object>> drawn, Map<String, Class<?>> types)
      throws ReflectiveOperationException {
    for (Method method : NodeSettings.class.getDeclaredMethods()) {
      add(config, method, drawn, types);
    }
  }

  private static void add(Object config, Method reader, Map<String, Set<Object>> drawn, Map<String, Class<?>> types)
      throws ReflectiveOperationException {
    String name = reader.getDeclaringClass().getSimpleName() + "." + reader.getName();
    types.put(name, reader.getReturnType());
    Object value = reader.invoke(config);
    drawn.computeIfAbsent(name, _ -> new HashSet<>()).add(value == null ? "none" : value);
  }

  private static double range(Collection<Object> values) {
    List<Double> numbers = values.stream().map(SettingsTest::number).sorted().toList();
    return numbers.getLast() / Math.max(1, numbers.getFirst());
  }

  private static double number(Object value) {
    return value instanceof Duration duration ? duration.toNanos() : ((Number) value).doubleValue();
  }
}
