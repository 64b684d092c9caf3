package org.tutti.verify.build;

import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.fixture.Tree;
import org.tutti.verify.cli.CommandProcess;

/// The image that `-Pdist,image` builds, unpacked by umoci and run by runc, as an orchestrator does: as another user,
/// on a file system that is read only, without capabilities.
final class ContainerImage {
  private final Path directory;
  private final Path bundle;
  private final Map<String, Object> config;
  private final List<String> started = new ArrayList<>();

  private ContainerImage(Path directory, Path bundle) throws IOException {
    this.directory = directory;
    this.bundle = bundle;
    this.config = JSON.std.mapFrom(Files.readString(bundle.resolve("config.json")));
  }

  /// Skips the test where there is no image, or nothing to run it.
  ///
  /// @param directory for all that is written
  static ContainerImage unpack(Path directory) throws Exception {
    Path target = Tree.root().resolve("cli/target");
    List<Path> archives;
    try (Stream<Path> files = Files.isDirectory(target) ? Files.list(target) : Stream.empty()) {
      archives = files.filter(file -> file.toString().endsWith("-image.tar")).toList();
    }
    assumeThat(archives).as("run `./mvnw package -Pdist,image` first: it packs the image").isNotEmpty();
    for (String program : List.of("runc", "umoci")) {
      assumeThat(HostProgram.isThere(program)).as("skipped: no " + program + " here").isTrue();
    }
    assumeThat(System.getProperty("user.name")).as("skipped: containers are run by root here").isEqualTo("root");
    Path layout = Files.createDirectories(directory.resolve("layout"));
    HostProgram.run("tar", "xf", archives.getFirst().toString(), "-C", layout.toString());
    String tag = tag(layout);
    Path bundle = directory.resolve("bundle");
    HostProgram.run("umoci", "unpack", "--image", layout + ":" + tag, bundle.toString());
    var image = new ContainerImage(directory, bundle);
    CommandProcess probe = image.probe();
    assumeThat(probe.exitCode()).as("skipped: this machine runs no containers: %s", probe.errors()).isZero();
    return image;
  }

  /// Runs a program of this machine in a container: where that fails, the image is not to blame.
  private CommandProcess probe() throws Exception {
    Path root = Files.createDirectories(directory.resolve("machine"));
    List<Mount> mounts = new ArrayList<>();
    for (String part : List.of("/usr", "/lib", "/lib64")) {
      if (Files.isDirectory(Path.of(part))) {
        Files.createDirectory(root.resolve(part.substring(1)));
        mounts.add(new Mount(Path.of(part), part, false));
      }
    }
    return start("probe", root, null, mounts, List.of("/usr/bin/true"));
  }

  private static String tag(Path layout) throws IOException {
    Map<String, Object> index = JSON.std.mapFrom(Files.readString(layout.resolve("index.json")));
    Map<?, ?> manifest = (Map<?, ?>) ((List<?>) index.get("manifests")).getFirst();
    return (String) ((Map<?, ?>) manifest.get("annotations")).get("org.opencontainers.image.ref.name");
  }

  /// What a process of the image is, as umoci has it from the image.
  Map<?, ?> process() {
    return (Map<?, ?>) config.get("process");
  }

  /// Where its files are.
  Path root() {
    return bundle.resolve("rootfs");
  }

  /// Something that a container sees at one of its paths.
  record Mount(Path of, String at, boolean writable) {}

  /// Runs a container.
  ///
  /// @param id      of this one alone
  /// @param network the file of a network namespace; null for the host's
  /// @param mounts  what it sees
  /// @param args    of the image's program
  CommandProcess start(String id, @Nullable Path network, List<Mount> mounts, List<String> args) throws Exception {
    var all = new ArrayList<String>();
    ((List<?>) process().get("args")).forEach(arg -> all.add((String) arg));
    all.addAll(args);
    return start(id, root(), network, mounts, all);
  }

  private CommandProcess start(String id, Path root, @Nullable Path network, List<Mount> mounts, List<String> command)
      throws Exception {
    Path own = Files.createDirectories(directory.resolve(id));
    var changed = new LinkedHashMap<>(config);
    var process = new LinkedHashMap<Object, Object>(process());
    process.put("args", command);
    var variables = new ArrayList<Object>((List<?>) process.get("env"));
    variables.add("TUTTI_SUSPECT_AFTER=5s"); // containers that run side by side may stop for seconds
    process.put("env", variables);
    process.put("terminal", false);
    process.put("noNewPrivileges", true);
    process.put("capabilities", Map.of());
    changed.put("process", process);
    changed.put("root", Map.of("path", root.toString(), "readonly", true));
    var seen = new ArrayList<Object>((List<?>) config.get("mounts"));
    for (Mount mount : mounts) {
      List<String> options = List.of("bind", mount.writable ? "rw" : "ro");
      seen.add(Map.of("destination", mount.at, "type", "bind", "source", mount.of.toString(), "options", options));
    }
    changed.put("mounts", seen);
    var linux = new LinkedHashMap<Object, Object>((Map<?, ?>) config.get("linux"));
    List<Object> namespaces = new ArrayList<>((List<?>) linux.get("namespaces"));
    namespaces.removeIf(one -> "network".equals(((Map<?, ?>) one).get("type")));
    if (network != null) {
      namespaces.add(Map.of("type", "network", "path", network.toString()));
    }
    linux.put("namespaces", namespaces);
    changed.put("linux", linux);
    Files.writeString(own.resolve("config.json"), JSON.std.asString(changed));
    started.add(name(id));
    return CommandProcess.of(List.of("runc", "run", "--bundle", own.toString(), name(id)));
  }

  /// Kills one as the kernel does when a host is lost.
  void kill(String id) throws Exception {
    HostProgram.run("runc", "kill", name(id), "KILL");
  }

  private static String name(String id) {
    return "tutti-" + ProcessHandle.current().pid() + "-" + id;
  }

  /// Removes what still runs.
  void close() throws Exception {
    for (String one : started) {
      new ProcessBuilder("runc", "delete", "--force", one).start().waitFor();
    }
  }
}
