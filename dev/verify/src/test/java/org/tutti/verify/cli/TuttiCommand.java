package org.tutti.verify.cli;

import java.io.File;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.tutti.certs.Authority;
import org.tutti.verify.SharedFile;

/// The `tutti` command, as an installed one is started: from the module path. Some hundred processes are started by a
/// build, so they share an ahead-of-time cache of their classes, which takes half of the time off each start.
public final class TuttiCommand {
  private static final String MODULE = "org.tutti.workshop";
  private static final String MAIN = MODULE + "/org.tutti.workshop.Workshop";

  private static final List<Path> MODULES = modules();
  private static final List<String> CACHE =
      SharedFile.cacheOptions("tutti.aot", MODULES, TuttiCommand::training, "view ");

  private TuttiCommand() {}

  /// The command's line.
  ///
  /// @param java options for Java
  /// @param args arguments
  /// @return a new list
  public static List<String> of(List<String> java, String... args) {
    var command = new ArrayList<>(java());
    command.addAll(CACHE);
    command.addAll(java);
    command.addAll(main());
    command.addAll(List.of(args));
    return command;
  }

  private static List<String> java() {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    // The tests' modules, unlike the command's, have SLF4J without a listener, which would say so.
    command.add("-Dslf4j.internal.verbosity=ERROR");
    command.add("-Djava.util.logging.config.file=" + Path.of("src/test/resources/logging.properties").toAbsolutePath());
    return command;
  }

  private static List<String> main() {
    String path = String.join(File.pathSeparator, MODULES.stream().map(Path::toString).toList());
    return List.of("--enable-native-access=org.tutti.lab,org.tutti.net", "-p", path, "-m", MAIN);
  }

  /// The command, what it requires, and what provides services to these, such as transports.
  private static List<Path> modules() {
    Path[] entries =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter(entry -> entry.toFile().exists())
            .filter(entry -> !entry.endsWith("test-classes"))
            .toArray(Path[]::new);
    Configuration jdk = ModuleLayer.boot().configuration();
    return jdk.resolveAndBind(ModuleFinder.of(entries), ModuleFinder.of(), Set.of(MODULE)).modules().stream()
        .map(module -> Path.of(module.reference().location().orElseThrow()))
        .sorted()
        .toList();
  }

  /// What a member with a certificate loads until its first view is put into the cache.
  private static List<String> training() throws IOException {
    Path authority = Path.of("target", "tutti.aot.ca").toAbsolutePath();
    Path own = Authority.in(authority).issue("n1", "tutti", Duration.ofDays(1));
    var command = new ArrayList<>(java());
    command.addAll(main());
    command.addAll(List.of("member", "--name=n1", "--group=training", "--create", "--listen=127.0.0.1:0"));
    command.addAll(List.of("--health=127.0.0.1:0", "--tls=" + own));
    return command;
  }
}
