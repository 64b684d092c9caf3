package org.tutti.verify.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.fixture.Tree;
import org.tutti.verify.build.HostProgram;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.cli.CommandProcesses;

/// What the dashboard asks a real Prometheus, which asks three members, has an answer.
@Tag("socket")
@Tag("deep")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DashboardTest {
  @RegisterExtension private final CommandProcesses processes = new CommandProcesses();

  private final HttpClient http = HttpClient.newHttpClient();
  private String prometheus = "";

  @Test
  void eachPanelShowsAllMembers(@TempDir Path directory) throws Exception {
    assumeTrue(HostProgram.isThere("prometheus"), "skipped: no prometheus here");
    List<String> targets = members(directory);
    askBy(directory, targets);
    assertThat(instances("tutti_loop_turns_made_total")).containsExactlyInAnyOrderElementsOf(targets);
    Map<String, TreeSet<String>> empty = new LinkedHashMap<>();
    for (String query : queries()) {
      if (query.contains("_malformed_") || query.contains("_damaged_")) {
        continue; // nothing was, so these have no samples yet
      }
      TreeSet<String> found = instances(query);
      if (!found.containsAll(targets)) {
        empty.put(query, found);
      }
    }
    assertThat(empty).as("queries that do not show all members").isEmpty();
  }

  private List<String> members(Path directory) throws Exception {
    List<String> targets = new ArrayList<>();
    List<String> contacts = new ArrayList<>();
    for (String name : List.of("n1", "n2", "n3")) {
      List<String> how = new ArrayList<>(List.of("member", "--group=bank", "--name=" + name, "--listen=127.0.0.1:0"));
      how.addAll(List.of("--health=127.0.0.1:0", "--data=" + directory.resolve(name)));
      how.add(contacts.isEmpty() ? "--create" : "--join=" + contacts.getFirst());
      CommandProcess member = processes.run(how.toArray(String[]::new));
      contacts.add(member.lineMatching(name + " listens on .*").replaceFirst(".* on ", ""));
      targets.add(member.lineMatching("health at .*").replaceFirst(".* at ", ""));
      member.lineMatching("view \\S+ primary: .*" + name);
    }
    return targets;
  }

  private void askBy(Path directory, List<String> targets) throws IOException {
    Path config = directory.resolve("prometheus.yml");
    Files.writeString(
        config,
        """
        global: {scrape_interval: 200ms, scrape_timeout: 200ms}
        scrape_configs:
          - job_name: tutti
            static_configs: [{targets: [%s]}]
        """
            .formatted(String.join(", ", targets.stream().map(target -> '"' + target + '"').toList())));
    prometheus = LoopbackPorts.address();
    processes.start(
        List.of(
            "prometheus",
            "--config.file=" + config,
            "--storage.tsdb.path=" + directory.resolve("samples"),
            "--web.listen-address=" + prometheus));
  }

  /// Of the panels, as Grafana would send them.
  private static List<String> queries() throws IOException {
    List<String> queries = new ArrayList<>();
    Path file = Tree.root().resolve("docs/guides/grafana.json");
    for (Object panel : (List<?>) JSON.std.mapFrom(file.toFile()).get("panels")) {
      for (Object target : (List<?>) ((Map<?, ?>) panel).get("targets")) {
        String query = String.valueOf(((Map<?, ?>) target).get("expr"));
        queries.add(query.replace("$__rate_interval", "5s").replace("$instance", ".*"));
      }
    }
    assertThat(queries).hasSizeGreaterThan(15);
    return queries;
  }

  /// The members of which a query has samples; waits until that are three, or no more come for some scrapes.
  private TreeSet<String> instances(String query) throws Exception {
    TreeSet<String> found = new TreeSet<>();
    long end = System.nanoTime() + 20_000_000_000L;
    while (found.size() < 3 && System.nanoTime() < end) {
      Map<String, Object> answer = ask(query);
      assertThat(answer).as(query).containsEntry("status", "success");
      for (Object series : (List<?>) ((Map<?, ?>) answer.get("data")).get("result")) {
        found.add(String.valueOf(((Map<?, ?>) ((Map<?, ?>) series).get("metric")).get("instance")));
      }
    }
    return found;
  }

  private Map<String, Object> ask(String query) throws Exception {
    URI uri = URI.create("http://" + prometheus + "/api/v1/query?query=" + URLEncoder.encode(query, UTF_8));
    while (true) {
      try {
        HttpResponse<String> response =
            http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 503) { // it is starting
          return JSON.std.mapFrom(response.body());
        }
      } catch (ConnectException _) {
        Thread.onSpinWait(); // it does not listen yet
      }
    }
  }
}
