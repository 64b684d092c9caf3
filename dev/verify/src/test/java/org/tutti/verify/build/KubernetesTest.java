package org.tutti.verify.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.tutti.certs.Authority;
import org.tutti.fixture.Tree;
import org.tutti.lab.network.LabNetwork;
import org.tutti.lab.network.Unavailable;
import org.tutti.verify.cli.CommandProcess;

/// What runs a group on Kubernetes, without Kubernetes: this test does what the controller of the stateful set, the
/// kubelet and the cluster's name server would do with the files in `cli/src/main/kubernetes`. Each pod is a container
/// of the image, in a network namespace of its own, and has another address each time that it is started.
@Tag("deep")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KubernetesTest {
  private static final Path FILES = Tree.root().resolve("cli/src/main/kubernetes");
  private static final String SERVICE = "tutti.default.svc.cluster.local";
  private static final Duration READY_MAX = Duration.ofSeconds(90);
  private static final Duration DAY = Duration.ofDays(1);
  private static final int PARALLEL = 3;

  @TempDir private Path directory;

  private final List<Pod> pods = new ArrayList<>(); // those that run, by their number
  private final Map<String, TreeMap<Long, String>> delivered = new HashMap<>(); // by pod, over its lives
  private final TreeMap<Long, String> acknowledged = new TreeMap<>();
  private @Nullable ContainerImage image;
  private @Nullable LabNetwork network;
  private @Nullable CommandProcess names;
  private Path secret;
  private Map<?, ?> set;
  private int started;

  /// One that runs.
  private record Pod(String name, int node, CommandProcess process) {}

  @AfterEach
  void close() throws Exception {
    if (image != null) {
      image.close();
    }
    if (names != null) {
      names.close();
    }
    if (network != null) {
      network.close();
    }
  }

  private static List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(FILES)) {
      return files.filter(file -> !file.endsWith("kustomization.yaml")).sorted().toList();
    }
  }

  private static Map<?, ?> read(String file) throws IOException {
    return (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(Files.readString(FILES.resolve(file)));
  }

  private static Object at(Object within, Object... path) {
    Object found = within;
    for (Object step : path) {
      found = step instanceof Integer index ? ((List<?>) found).get(index) : ((Map<?, ?>) found).get(step);
      assertThat(found).as("%s of %s", step, List.of(path)).isNotNull();
    }
    return found;
  }

  @Test
  void eachFileIsListedAndNoOther() throws IOException {
    List<?> listed = (List<?>) read("kustomization.yaml").get("resources");
    assertThat(listed)
        .map(Object::toString)
        .hasSameElementsAs(files().stream().map(one -> "" + one.getFileName()).toList());
  }

  /// Against the API's own schemas, by kubernetes-validate.
  @Test
  void theFilesAreWhatKubernetesTakes() throws Exception {
    assumeThat(HostProgram.isThere("kubernetes-validate")).as("skipped: no kubernetes-validate here").isTrue();
    for (Path file : files()) {
      assertThat(validated(file)).endsWith("against version 1.34\n").contains(" passed for resource ");
    }
    Path wrong = directory.resolve("wrong.yaml");
    Files.writeString(wrong, Files.readString(FILES.resolve("service.yaml")).replace("clusterIP:", "clusterIp:"));
    assertThat(validated(wrong)).contains("did not validate", "clusterIp");
  }

  private static String validated(Path file) throws IOException {
    List<String> command = List.of("kubernetes-validate", "--strict", "-k", "1.34", file.toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes());
  }

  // ---- the cluster -----------------------------------------------------------------------------------------------

  private void makeCluster() throws Exception {
    image = ContainerImage.unpack(directory);
    for (String program : List.of("dnsmasq", "curl", "openssl")) {
      assumeThat(HostProgram.isThere(program)).as("skipped: no " + program + " here").isTrue();
    }
    try {
      List<String> hosts = IntStream.range(0, LabNetwork.NODES_MAX).mapToObj(node -> "h" + node).toList();
      network = LabNetwork.open(hosts, 1);
    } catch (Unavailable none) {
      assumeThat(false).as("skipped: " + none.getMessage()).isTrue();
    }
    set = read("statefulset.yaml");
    assertThat(at(set, "spec", "podManagementPolicy")).as("they wait for each other").isEqualTo("Parallel");
    secret = mounted(issued());
    Files.writeString(directory.resolve("hosts"), "");
    Files.writeString(directory.resolve("resolv.conf"), "nameserver " + network.addressOf(0) + "\n");
    var server = new ArrayList<>(network.at(0));
    server.addAll(
        List.of("dnsmasq", "--no-daemon", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--pid-file="));
    server.addAll(List.of("--user=root", "--bind-interfaces", "--listen-address=" + network.addressOf(0)));
    server.addAll(List.of("--local=/cluster.local/", "--addn-hosts=" + directory.resolve("hosts")));
    names = CommandProcess.of(server);
    names.errorMatching("dnsmasq: read \\S+/hosts - 0 names"); // before that, a HUP ends it
  }

  /// What cert-manager writes for the certificate of the guide: the key in SEC 1, as its encoding is not set.
  private Map<String, String> issued() throws Exception {
    String guide = Files.readString(Tree.root().resolve("docs/guides/kubernetes.md"));
    String sample = guide.split("```yaml\n")[1].split("```")[0];
    Object spec = at(new Load(LoadSettings.builder().build()).loadFromString(sample), "spec");
    assertThat(at(spec, "secretName")).isEqualTo(at(volume(), "secretName"));
    assertThat((List<?>) at(spec, "usages")).map(Object::toString).contains("server auth", "client auth");
    assertThat(((Map<?, ?>) at(spec, "privateKey")).containsKey("encoding")).isFalse();
    String cluster = at(spec, "uris", 0).toString().replaceFirst("^tutti:cluster:", "");
    Path own = Authority.in(directory.resolve("ca")).issue(at(spec, "commonName").toString(), cluster, DAY);
    Path key = directory.resolve("tls.key");
    HostProgram.run("openssl", "ec", "-in", own.resolve("key.pem").toString(), "-out", key.toString());
    return Map.of(
        "tls.crt", Files.readString(own.resolve("cert.pem")),
        "tls.key", Files.readString(key),
        "ca.crt", Files.readString(own.resolve("ca.pem")));
  }

  private Object volume() {
    Object volume = at(set, "spec", "template", "spec", "volumes", 0);
    assertThat(at(volume, "name")).isEqualTo(at(container(), "volumeMounts", 1, "name"));
    return at(volume, "secret");
  }

  /// Writes a secret as the kubelet does: the entries that are listed, at their paths, which lead over a link that is
  /// replaced when the secret changes; for root, and for the group of the pod.
  private Path mounted(Map<String, String> entries) throws Exception {
    assertThat(entries.get("tls.key")).startsWith("-----BEGIN EC PRIVATE KEY-----");
    Path all = Files.createDirectory(directory.resolve("secret"));
    Path first = Files.createDirectory(all.resolve("..2026_11_29_12_00_00.1"));
    Files.createSymbolicLink(all.resolve("..data"), first.getFileName());
    for (Object item : (List<?>) at(volume(), "items")) {
      Path file = first.resolve(at(item, "path").toString());
      Files.writeString(file, at(entries, at(item, "key")).toString());
      HostProgram.run("chmod", at(volume(), "defaultMode").toString(), file.toString());
      Files.createSymbolicLink(all.resolve(file.getFileName()), Path.of("..data").resolve(file.getFileName()));
    }
    Object group = at(set, "spec", "template", "spec", "securityContext", "fsGroup");
    HostProgram.run("chown", "-R", "0:" + group, all.toString());
    return all;
  }

  /// Tells the name server who is there, ready or not.
  private void publish() throws Exception {
    var text = new StringBuilder();
    pods.forEach(pod -> text.append(network.addressOf(pod.node)).append(' ').append(SERVICE).append('\n'));
    Files.writeString(directory.resolve("hosts"), text);
    names.signal("HUP");
  }

  private Object container() {
    return at(set, "spec", "template", "spec", "containers", 0);
  }

  /// Starts a container in a network of its own, which sees the certificates.
  private CommandProcess launch(String id, int node, List<ContainerImage.Mount> more, List<String> args)
      throws Exception {
    List<ContainerImage.Mount> mounts = new ArrayList<>(more);
    mounts.add(new ContainerImage.Mount(secret, at(container(), "volumeMounts", 1, "mountPath").toString(), false));
    mounts.add(new ContainerImage.Mount(directory.resolve("resolv.conf"), "/etc/resolv.conf", false));
    Path namespace = Path.of("/run/netns", network.at(node).getLast());
    return image.start(id, namespace, mounts, args);
  }

  /// A host that has been nobody's.
  private int host() {
    int node = 1 + started++;
    assertThat(node).isLessThan(LabNetwork.NODES_MAX);
    return node;
  }

  /// Starts a pod, on the volume that it had before.
  private void start(int number) throws Exception {
    String name = at(set, "metadata", "name") + "-" + number;
    int node = host();
    Path volume = directory.resolve("volume-" + number);
    if (Files.notExists(volume)) {
      Files.createDirectory(volume);
      HostProgram.run("chown", "65532:65532", volume.toString());
    }
    Map<String, String> fields =
        Map.of("POD_NAME", name, "POD_NAMESPACE", "default", "POD_IP", network.addressOf(node));
    List<String> args = new ArrayList<>();
    for (Object arg : (List<?>) at(container(), "args")) {
      String text = arg.toString();
      for (var field : fields.entrySet()) {
        text = text.replace("$(" + field.getKey() + ")", field.getValue());
      }
      args.add(text);
    }
    args.add("--json");
    var data = new ContainerImage.Mount(volume, at(container(), "volumeMounts", 0, "mountPath").toString(), true);
    pods.add(new Pod(name, node, launch("pod" + node, node, List.of(data), args)));
    publish();
  }

  /// What the kubelet's probe gets.
  private boolean isReady(Pod pod) throws Exception {
    Object probe = at(container(), "readinessProbe", "httpGet");
    assertThat(at(probe, "port")).isEqualTo(at(container(), "ports", 1, "name"));
    String url =
        at(probe, "scheme").toString().toLowerCase(Locale.ROOT)
            + "://"
            + network.addressOf(pod.node)
            + ":"
            + at(container(), "ports", 1, "containerPort")
            + at(probe, "path");
    var command = new ArrayList<>(network.at(0));
    command.addAll(List.of("curl", "--insecure", "--silent", "--max-time", "3", "--output", "/dev/null"));
    command.addAll(List.of("--write-out", "%{http_code}", url));
    Process curl = new ProcessBuilder(command).start();
    String code = new String(curl.getInputStream().readAllBytes());
    curl.waitFor();
    return code.equals("200");
  }

  private void awaitReady() throws Exception {
    Instant end = Instant.now().plus(READY_MAX);
    for (Pod pod : pods) {
      while (!isReady(pod)) {
        if (Instant.now().isAfter(end)) {
          pod.process.close();
          throw new AssertionError(pod.name + " is not ready: " + pod.process.lines() + pod.process.errors());
        }
      }
    }
  }

  /// A pod has ended; what it said stays.
  private void ended(Pod pod) throws Exception {
    pods.remove(pod);
    pod.process.exitCode();
    read(pod);
  }

  private void read(Pod pod) throws Exception {
    TreeMap<Long, String> its = delivered.computeIfAbsent(pod.name, _ -> new TreeMap<>());
    for (String line : pod.process.lines()) {
      Map<String, Object> said = JSON.std.mapFrom(line);
      if ("delivery".equals(said.get("event")) && said.get("position") instanceof Number position) {
        String before = its.put(position.longValue(), (String) said.get("text"));
        assertThat(before == null || before.equals(said.get("text"))).as("%s: %s", pod.name, line).isTrue();
      }
    }
  }

  private void stop(Pod pod) throws Exception {
    pod.process.signal("TERM");
    ended(pod);
    publish();
  }

  // ---- the load --------------------------------------------------------------------------------------------------

  /// Multicasts one line after the other, each when the one before is acknowledged.
  private final class Writer extends Thread {
    private final CommandProcess send;
    private volatile boolean ends;
    private volatile @Nullable Throwable failure;
    private volatile int count;

    Writer(String name) throws Exception {
      int node = host();
      String join = "--join=dns:" + SERVICE + ":7400";
      String listen = "--listen=" + network.addressOf(node) + ":0";
      List<String> args = List.of("send", "--json", "--group=bank", "--name=" + name, join, listen, "--tls=/etc/tutti");
      send = launch(name, node, List.of(), args);
      setName(name);
      setDaemon(true);
    }

    @Override
    public void run() {
      try {
        while (!ends) {
          String text = getName() + " " + count;
          send.type(text + "\n");
          Map<String, Object> said = JSON.std.mapFrom(send.line());
          assertThat(said).containsEntry("event", "sent").containsEntry("line", count + 1);
          acknowledged.put(((Number) said.get("position")).longValue(), text);
          count++;
        }
        send.endInput();
        assertThat(send.exitCode()).isZero();
      } catch (Throwable wrong) {
        failure = wrong;
      }
    }

    /// Goes on until so many more lines were acknowledged.
    void write(int more) {
      int until = count + more;
      while (count < until && failure == null) {
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(failure).isNull();
    }

    void end() throws Exception {
      ends = true;
      join();
      assertThat(failure).isNull();
    }
  }

  // ---- what an operator does -------------------------------------------------------------------------------------

  @Test
  void noAcknowledgedWriteIsLostByWhatAnOperatorDoes() throws Exception {
    makeCluster();
    for (int number = 0; number < PARALLEL; number++) {
      start(number);
    }
    awaitReady();
    var writer = new Writer("first");
    writer.start();
    writer.write(20);

    for (int number = PARALLEL; number-- > 0; ) { // a rolling update: the last one first
      int which = number;
      stop(pods.stream().filter(pod -> pod.name.endsWith("-" + which)).findFirst().orElseThrow());
      writer.write(20);
      start(number);
      awaitReady();
      writer.write(20);
    }

    Pod lost = pods.getFirst(); // with its host: what comes in its place has its volume
    image.kill("pod" + lost.node);
    ended(lost);
    publish();
    writer.write(20);
    start(Integer.parseInt(lost.name.substring(lost.name.lastIndexOf('-') + 1)));
    awaitReady();

    start(PARALLEL); // scaled up
    awaitReady();
    writer.write(20);
    stop(pods.getLast()); // and down
    writer.write(20);
    writer.end();

    long last = acknowledged.lastKey();
    for (Pod pod : List.copyOf(pods)) { // all at once
      image.kill("pod" + pod.node);
      ended(pod);
    }
    for (int number = 0; number < PARALLEL; number++) {
      start(number);
    }
    awaitReady();
    var second = new Writer("second");
    second.start();
    second.write(1);
    second.end();
    assertThat(acknowledged.tailMap(last, false)).as("the same history goes on").isNotEmpty();
    for (Pod pod : List.copyOf(pods)) {
      read(pod);
    }
    Map<Long, String> history = new TreeMap<>();
    delivered
        .values()
        .forEach(its ->
            its.forEach((position, text) -> {
              String before = history.put(position, text);
              assertThat(before == null || before.equals(text)).as("%s: %s and %s", position, before, text).isTrue();
            }));
    assertThat(history).as("acknowledged in all: %s", acknowledged.size()).containsAllEntriesOf(acknowledged);
  }
}
