package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.tutti.Durability;
import org.tutti.MemberConfig;
import org.tutti.Ordering;
import org.tutti.membership.Founding;
import org.tutti.replica.Client;
import org.tutti.replica.Policy;
import org.tutti.replica.Replica;
import org.tutti.replica.Replication;

/// Every setting of a replica and of a client is drawn for the services that the simulator replicates. A new setting
/// that nobody draws fails here.
class ServiceSettingsTest {
  private static final int PLANS = 600;
  private static final double RANGE_MIN = 4; // the largest number against the smallest one

  /// What makes no sense to draw, and why.
  private static final Map<String, String> NOT_DRAWN =
      Map.of(
          "Replica.clients", "an address of a real port; the simulator has its own",
          "Replica.advertise", "as before",
          "Replica.insecure", "the simulator's connections are not encrypted, and nobody listens to them",
          "Replica.tls", "as before",
          "Replica.withoutClientCertificates", "as before",
          "Replica.connectionsMax", "the port refuses who is too many before there is a connection of the protocol",
          "Replica.watch", "hears what the replica's thread does, and does nothing itself",
          "Client.tls", "as Replica.tls");

  /// The settings of a member that are no settings of a replica's.
  private static final Map<String, String> NOT_OF_REPLICAS =
      Map.of(
          "listener", "the events are the replica's",
          "position", "the replica says it, from what it has on its disk",
          "takesState", "a replica without the service's state serves nobody");

  private final Map<String, Set<Object>> drawn = new TreeMap<>();

  @Test
  void everySettingIsDrawn() throws Exception {
    for (long seed = 1; seed <= PLANS; seed++) {
      Plan plan = Plan.draw(seed);
      var settings = new ServiceSettings(plan, true, 0);
      ofAll(settings);
      for (int place = 0; place < plan.nodes(); place++) {
        ofMember(settings.member(place));
      }
      for (int client = 0; client < settings.clients(); client++) {
        ofClient(plan, settings.client(client));
      }
      add("Replica.clientGroups", settings.groupClients() > 0);
      for (int place = plan.nodes() - settings.groupClients(); place < plan.nodes(); place++) {
        add("Client.group", String.valueOf(settings.groupClient(place).kind()));
      }
    }
    var names = new TreeSet<String>();
    drawn.keySet().forEach(name -> names.add(name.replaceAll("\\(.*", "")));
    names.addAll(NOT_DRAWN.keySet());
    var settings = new TreeSet<String>();
    settings.addAll(settings("Replica", Replica.Builder.class));
    settings.addAll(settings("Client", Client.Builder.class));
    assertThat(names).isEqualTo(settings);
    drawn.keySet().forEach(name -> assertThat(NOT_DRAWN).doesNotContainKey(name));
    drawn.forEach((name, values) -> {
      if (values.iterator().next() instanceof Number) {
        assertThat(range(values)).as("largest against smallest " + name).isGreaterThan(RANGE_MIN);
      } else {
        assertThat(values).as(name).hasSizeGreaterThan(1);
      }
    });
  }

  /// Choices of a few are all made.
  @Test
  void allChoicesAreMade() throws Exception {
    everySettingIsDrawn();
    assertThat(drawn.get("Replica.ordering")).containsExactlyInAnyOrder((Object[]) Ordering.values());
    assertThat(drawn.get("Replica.replication")).containsExactlyInAnyOrder((Object[]) Replication.values());
    assertThat(drawn.get("Replica.durability")).containsExactlyInAnyOrder(Durability.VIEWS, Durability.EACH);
    assertThat(drawn.get("Replica.expecting(names or number)")).containsExactlyInAnyOrder("names", "number");
    assertThat(drawn.get("Client.policy(dissemination)"))
        .containsExactlyInAnyOrder((Object[]) Policy.Dissemination.values());
    assertThat(drawn.get("Client.policy(collection)")).containsExactlyInAnyOrder((Object[]) Policy.Collection.values());
  }

  /// Replicas and clients of one run differ in what they decide for themselves.
  @Test
  void thoseOfOneRunDiffer() {
    boolean members = false;
    boolean contacts = false;
    for (long seed = 1; seed <= PLANS; seed++) {
      Plan plan = Plan.draw(seed);
      var settings = new ServiceSettings(plan, true, 0);
      var windows = new HashSet<Integer>();
      for (int place = 1; place < plan.nodes(); place++) {
        windows.add(settings.member(place).windowBytes());
      }
      var known = new HashSet<List<String>>();
      for (int client = 0; client < settings.clients(); client++) {
        assertThat(settings.client(client).contacts().isEmpty()).isIn(false, settings.client(client).discovers());
        known.add(settings.client(client).contacts());
      }
      members |= windows.size() > 1;
      contacts |= known.size() > 1;
    }
    assertThat(members).isTrue();
    assertThat(contacts).isTrue();
  }

  /// Programs of clients end, unless a user has written what they call.
  @Test
  void clientsEnd() {
    var ends = new HashSet<Integer>();
    for (long seed = 1; seed <= PLANS; seed++) {
      Plan plan = Plan.draw(seed);
      ends.add(new ServiceSettings(plan, true, 0).ends());
      assertThat(new ServiceSettings(plan, true, 3).ends()).isZero();
    }
    assertThat(ends).contains(0).hasSizeGreaterThan(3);
  }

  private void ofAll(ServiceSettings settings) {
    Founding joint = settings.founding();
    add("Replica.founding", joint == null);
    if (joint != null) {
      add("Replica.expecting(names or number)", joint.names().isEmpty() ? "number" : "names");
    }
    add("Replica.ordering", settings.group().ordering());
    add("Replica.replication", settings.replication());
    if (settings.compareNanos() < Long.MAX_VALUE) {
      add("Replica.compareEvery", settings.compareNanos());
    }
    boolean durable = settings.group().durability() != Durability.NONE;
    add("Replica.data", durable);
    if (durable) {
      add("Replica.durability", settings.group().durability());
      add("Replica.snapshotEvery", settings.snapshotEvery());
    }
    add("Replica.session", settings.limits().sessionMillis());
    add("Replica.sessionsMax(sessions)", settings.limits().sessionsMax());
    add("Replica.sessionsMax(commands)", settings.limits().window());
    add("Replica.sessionsMax(replyBytes)", settings.limits().replyBytesMax());
  }

  private void ofMember(MemberConfig member) throws ReflectiveOperationException {
    for (Method setting : MemberConfig.Builder.class.getDeclaredMethods()) {
      String name = setting.getName();
      if (setting.getReturnType() == MemberConfig.Builder.class && !NOT_OF_REPLICAS.containsKey(name)) {
        Object value = MemberConfig.class.getMethod(name).invoke(member);
        add("Replica.member(" + name + ")", value instanceof Duration time ? time.toNanos() : value);
      }
    }
  }

  private void ofClient(Plan plan, ServiceSettings.Client client) {
    add("Client.at", client.contacts().size() == plan.nodes() ? "all" : "some");
    add("Client.discover", client.discovers());
    add("Client.silence", client.silenceNanos());
    add("Client.deadline", client.deadlineNanos());
    add("Client.callsMax", client.callsMax());
    add("Client.hedged", client.hedged());
    add("Client.bundled", client.bundled());
    add("Client.allOnSuspicion(there)", client.suspectsNanos() > 0);
    if (client.suspectsNanos() > 0) {
      assertThat(client.suspectsNanos()).isLessThan(client.silenceNanos());
      add("Client.allOnSuspicion(silence)", client.suspectsNanos());
    }
    Policy policy = client.policy();
    add("Client.policy(there)", policy != null);
    if (policy != null) {
      add("Client.policy(dissemination)", policy.dissemination());
      add("Client.policy(collection)", policy.collection());
      add("Client.policy(replication)", policy.replication());
      add("Client.policy(ordering)", policy.ordering());
    }
  }

  private void add(String name, Object value) {
    drawn.computeIfAbsent(name, _ -> new HashSet<>()).add(value);
  }

  private static Set<String> settings(String whose, Class<?> builder) {
    var names = new TreeSet<String>();
    for (Method method : builder.getDeclaredMethods()) {
      if (Modifier.isPublic(method.getModifiers()) && method.getReturnType() == builder) {
        names.add(whose + "." + method.getName());
      }
    }
    return names;
  }

  private static double range(Collection<Object> values) {
    List<Double> numbers = values.stream().map(value -> ((Number) value).doubleValue()).sorted().toList();
    return numbers.getLast() / Math.max(1, numbers.getFirst());
  }
}
