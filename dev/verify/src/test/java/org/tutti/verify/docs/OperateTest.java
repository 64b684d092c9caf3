package org.tutti.verify.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.counter.Counter;
import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.GroupMetrics;
import org.tutti.LatencyHistogram;
import org.tutti.MemberId;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.Status;
import org.tutti.certs.Authority;
import org.tutti.effect.Counters;
import org.tutti.fixture.Tree;
import org.tutti.net.discovery.MulticastDiscovery;
import org.tutti.registry.Registry;
import org.tutti.registry.RegistryConfig;
import org.tutti.replica.Client;
import org.tutti.replica.Replica;
import org.tutti.store.FileStorage;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;
import org.tutti.transport.memory.InProcess;

/// The guides list every metric that there is, with its unit and its sentence.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OperateTest {
  private static final Address ANYWHERE = new Address("127.0.0.1:0");
  private static final String NAME = "`[a-z]+(\\.[a-z]+){2,3}";
  private static final Pattern ROW = Pattern.compile("(?m)^\\| " + NAME + ".*$");

  private static final Set<String> GROUPS =
      Set.of(
          "client.groups.formed",
          "client.managers.suspected",
          "replica.bundles.sent",
          "replica.clients.groups",
          "replica.groups.joined",
          "replica.groups.refused",
          "replica.messages.dropped",
          "replica.replies.dropped");

  /// What a node tells over all transports, what has to happen first included, and what its surroundings tell.
  private static List<Metric> metrics(Path directory) throws Exception {
    var all = new ArrayList<Metric>();
    try (Node node = Node.named("n1").transport(new InProcess().open(new Address("n1"))).start()) {
      all.addAll(node.metrics());
    }
    var rare = new Counters();
    rare.damaged("any");
    rare.malformed("any");
    all.addAll(group().list());
    all.addAll(rare.metrics().stream().filter(metric -> "any".equals(metric.tag("reason"))).toList());
    Path certificate = Authority.in(directory.resolve("ca")).issue("n1", "tutti", Duration.ofDays(1));
    for (TransportProvider provider : TransportProvider.installed().values()) {
      TransportSettings settings = TransportSettings.at(ANYWHERE).withTls(tls(provider, certificate), false);
      try (Transport transport = provider.open(settings)) {
        all.addAll(transport.metrics());
      }
    }
    var anywhere = new InetSocketAddress("127.0.0.1", 0);
    try (var registry = Registry.open(anywhere, RegistryConfig.expecting(1), null, null, _ -> {});
        var storage = FileStorage.open(directory.resolve("data"));
        var discovery = MulticastDiscovery.onlooker(new Address("239.192.0.8:7400"), "lo", "tutti")) {
      all.addAll(storage.metrics());
      all.addAll(registry.metrics());
      all.addAll(discovery.metrics());
    }
    all.addAll(groupsWithClients());
    // Several transports tell of TLS, and how long a certificate is valid changes meanwhile.
    return all.stream().map(each -> each.with(0)).distinct().sorted(Metric.ORDER).toList();
  }

  /// What replicas and clients of a service tell of the groups that they are in together.
  private static List<Metric> groupsWithClients() {
    var all = new ArrayList<Metric>();
    try (Node node = Node.named("n1").transport(new InProcess().open(new Address("n1"))).start();
        Replica replica = Replica.of("any", new Counter()).clientGroups().founding().start(node);
        Client client = Client.of("any").at(replica.clients()).connect()) {
      all.addAll(replica.metrics());
      all.addAll(client.metrics());
    }
    return all.stream().filter(metric -> GROUPS.contains(metric.name())).toList();
  }

  /// What a membership tells when all is known.
  private static GroupMetrics group() {
    var none = new GroupMetrics.Traffic(0, 0);
    var peer = new MemberId("any", ANYWHERE, 1);
    OptionalLong position = OptionalLong.of(0);
    Duration zero = Duration.ZERO;
    var speaks = new GroupMetrics.Versions(1, 1);
    var its = new GroupMetrics.Peer(peer, position, none, 0, zero, zero, 0, 0, speaks);
    var latency = new LatencyHistogram(Collections.nCopies(LatencyHistogram.bounds().size() + 1, 0L), zero);
    var spilled = Status.Spilled.NOTHING;
    return new GroupMetrics(
        "any", none, none, position, 0, 0, 0, 0, 0, zero, zero, zero, latency, spilled, List.of(its));
  }

  private static @Nullable Path tls(TransportProvider provider, Path certificate) {
    try {
      provider.requireCertificates(certificate, "tutti");
      return certificate;
    } catch (IllegalArgumentException noTls) {
      return null;
    }
  }

  private static String guide(String page) throws IOException {
    return Files.readString(Tree.root().resolve("docs/guides").resolve(page));
  }

  private static String row(Metric metric) {
    String key = metric.key().replace("=any", "=...").replaceFirst("le=[^}]*", "le=...");
    String unit = metric.unit() + (metric.kind() == Metric.Kind.GAUGE ? ", gauge" : "");
    return "| `" + key + "` | " + unit + " | " + metric.about() + " |";
  }

  @Test
  void theGuideListsAllMetrics(@TempDir Path directory) throws Exception {
    List<String> rows =
        ROW.matcher(guide("metrics.md") + guide("metrics-transports.md")).results().map(MatchResult::group).toList();
    List<String> found = metrics(directory).stream().map(OperateTest::row).distinct().toList();
    assertThat(rows).containsExactlyInAnyOrderElementsOf(found);
  }

  /// What the advice names is in the tables.
  @Test
  void whatTheGuideNamesExists(@TempDir Path directory) throws Exception {
    List<String> named =
        Pattern.compile(NAME)
            .matcher(guide("operate.md") + guide("troubleshooting.md"))
            .results()
            .map(found -> found.group().substring(1))
            .toList();
    assertThat(named).hasSizeGreaterThan(15);
    assertThat(metrics(directory)).extracting(Metric::name).containsAll(named);
  }

  /// Names as Prometheus has them, and labels as they are tags.
  @Test
  void theDashboardShowsMetricsThatExist(@TempDir Path directory) throws Exception {
    String text = guide("grafana.json");
    assertThat(JSON.std.mapFrom(text)).containsKeys("title", "panels", "templating");
    List<Metric> all = metrics(directory);
    List<String> known = all.stream().map(OperateTest::prometheus).distinct().toList();
    assertThat(Pattern.compile("tutti_[a-z_]+").matcher(text).results().map(MatchResult::group).distinct())
        .hasSizeGreaterThan(15)
        .isSubsetOf(known);
    for (MatchResult target :
        Pattern.compile("(?s)(tutti_[a-z_]+)\\{.*?legendFormat\": \"(.*?)\"").matcher(text).results().toList()) {
      List<String> labels =
          Pattern.compile("\\{\\{(\\w+)}}").matcher(target.group(2)).results().map(found -> found.group(1)).toList();
      List<String> tags =
          all.stream()
              .filter(metric -> prometheus(metric).equals(target.group(1)))
              .flatMap(metric -> metric.tags().stream().map(Metric.Tag::name))
              .filter(tag -> !tag.equals("le")) // of a histogram, which is shown by quantiles
              .distinct()
              .toList();
      assertThat(labels.subList(1, labels.size())).as(target.group(1)).isEqualTo(tags);
    }
  }

  private static String prometheus(Metric metric) {
    boolean counts = metric.kind() == Metric.Kind.COUNTER;
    return "tutti_" + metric.name().replace('.', '_') + (counts ? "_total" : "");
  }

  @Test
  void sentencesAreSentencesAndKeysAreThereOnce(@TempDir Path directory) throws Exception {
    List<Metric> all = metrics(directory);
    assertThat(all).extracting(Metric::key).doesNotHaveDuplicates();
    assertThat(all).extracting(Metric::about).allMatch(about -> about.matches("[A-Z].*\\.") && !about.contains("|"));
  }
}
