package org.tutti.romiop;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tutti.Metric;
import org.tutti.fixture.Tree;
import org.tutti.transport.Counts;

/// The guide lists every metric of objects in groups, with its unit and its sentence.
class RomiopMetricsTest {
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `[a-z]+(\\.[a-z]+){2,3}.*$");

  private static String row(Metric metric) {
    String unit = metric.unit() + (metric.kind() == Metric.Kind.GAUGE ? ", gauge" : "");
    return "| `" + metric.key() + "` | " + unit + " | " + metric.about() + " |";
  }

  private static List<Metric> metrics() throws Exception {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var gateway = new Gateway(socket, _ -> false, _ -> null, null, Gateway.Limits.usual());
      var nobody = new IiopAddress(InetSocketAddress.createUnresolved("127.0.0.1", 1), "any");
      List<Metric> all = new ArrayList<>(gateway.metrics());
      gateway.close();
      try (var process = new ServantProcess(nobody, "life", Duration.ofSeconds(1), _ -> {})) {
        all.addAll(process.metrics());
      }
      all.addAll(new Counts<>(MemberCount.class).metrics());
      return all.stream().sorted(Metric.ORDER).toList();
    }
  }

  @Test
  void theGuideListsAllMetrics() throws Exception {
    String guide = Files.readString(Tree.root().resolve("docs/guides/metrics-corba.md"));
    Stream<String> rows = ROW.matcher(guide).results().map(MatchResult::group);
    assertThat(rows).containsExactlyInAnyOrderElementsOf(metrics().stream().map(RomiopMetricsTest::row).toList());
  }
}
