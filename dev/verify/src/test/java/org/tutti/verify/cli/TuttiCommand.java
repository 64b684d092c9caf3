package org.tutti.verify.cli;

import java.io.File;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.certs.Authority;

/// The `tutti` command, as an installed one is started: from the module path. Some hundred processes are started by a
/// build, so they share an ahead-of-time cache of their classes, which takes half of the time off each start.
public final class TuttiCommand {
  private static final String MODULE = "org.tutti.workshop";
  private static final String MAIN = MODULE + "/org.tutti.workshop.Workshop";
  private static final long TRAINING_SECONDS_MAX = 60;
  private static final Path CACHE = Path.of("target", "tutti.aot");

  private static final List<Path> MODULES = modules();
  private static final List<String> JAVA = java(cache());

  private TuttiCommand() {}

  /// The command's line.
  ///
  /// @param java options for Java
  /// @param args arguments
  /// @return a new list
  public static List<String> of(List<String> java, String... args) {
    var command = new ArrayList<>(JAVA);
    command.addAll(java);
    command.addAll(main());
    command.addAll(List.of(args));
    return command;
  }

  private static List<String> java(@Nullable Path cache) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    // The tests' modules, unlike the command's, have SLF4J without a listener, which would say so.
    command.add("-Dslf4j.internal.verbosity=ERROR");
    command.add("-Djava.util.logging.config.file=" + Path.of("src/test/resources/logging.properties").toAbsolutePath());
    if (cache != null) {
      command.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:aot=off", "-Xlog:cds=off"));
    }
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

  /// The cache, made anew when it is older than what it is of, by one of the JVMs that need it.
  ///
  /// @return null where there can be none: of directories of classes, as an IDE has them, Java makes no cache
  private static @Nullable Path cache() {
    Path cache = CACHE.toAbsolutePath();
    if (!Files.isDirectory(cache.getParent()) || MODULES.stream().anyMatch(Files::isDirectory)) {
      return null;
    }
    Path guard = cache.resolveSibling("tutti.aot.lock");
    try (var channel = FileChannel.open(guard, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var lock = channel.lock()) {
      if (lock.isValid() && !isCurrent(cache)) {
        train(cache);
      }
      return isCurrent(cache) ? cache : null;
    } catch (IOException e) {
      throw new IllegalStateException("no cache " + cache, e);
    }
  }

  private static boolean isCurrent(Path cache) throws IOException {
    if (!Files.exists(cache)) {
      return false;
    }
    for (Path module : MODULES) {
      if (Files.getLastModifiedTime(module).compareTo(Files.getLastModifiedTime(cache)) > 0) {
        return false;
      }
    }
    return true;
  }

  /// What a member with a certificate loads until its first view is put into the cache.
  private static void train(Path cache) throws IOException {
    Path authority = cache.resolveSibling("tutti.aot.ca");
    Path own = Authority.in(authority).issue("n1", "tutti", Duration.ofDays(1));
    Path next = cache.resolveSibling("tutti.aot.next");
    var command = new ArrayList<>(java(null));
    command.add("-XX:AOTCacheOutput=" + next);
    command.addAll(main());
    command.addAll(List.of("member", "--name=n1", "--group=training", "--create", "--listen=127.0.0.1:0"));
    command.addAll(List.of("--health=127.0.0.1:0", "--tls=" + own));
    Process member = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (var output = member.inputReader()) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith("view ")) {
          member.toHandle().destroy(); // in order; what is in use then is written
        }
      }
      if (member.waitFor(TRAINING_SECONDS_MAX, TimeUnit.SECONDS) && Files.exists(next)) {
        Files.move(next, cache, StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      member.destroyForcibly();
    }
  }
}
