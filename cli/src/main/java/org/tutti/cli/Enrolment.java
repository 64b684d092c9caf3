package org.tutti.cli;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.tutti.registry.RegistryDiscovery;
import org.tutti.registry.Standing;

/// A member's registration at a registry, which decides whether the member creates the group or joins it.
final class Enrolment {
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final String text;
  private final String group;
  private final RegistryDiscovery registry;
  private final Output out;

  Enrolment(String text, String group, RegistryDiscovery registry) {
    this.text = text;
    this.group = group;
    this.registry = registry;
    this.out = new Output();
  }

  /// Waits until the registry says that this member is the founder, or that the group exists.
  ///
  /// @return whether this member creates the group
  boolean founds(Duration timeout) throws InterruptedException {
    long startNanos = System.nanoTime();
    long told = -1;
    while (true) {
      Standing standing = null;
      String problem = null;
      try {
        standing = registry.ask();
      } catch (IOException e) {
        problem = e.getMessage();
      }
      if (standing != null && standing.id() != told) {
        told = standing.id();
        out.line("number " + told + " at " + text);
        out.flush();
      }
      if (standing != null && (standing.founder() || standing.founded())) {
        return standing.founder();
      }
      if (System.nanoTime() - startNanos > timeout.toNanos()) {
        registry.close();
        throw new Failure(text + ": " + reason(standing, problem) + " (waited " + TimeConverter.show(timeout) + ")");
      }
      Thread.sleep(PAUSE);
    }
  }

  private String reason(@Nullable Standing standing, @Nullable String problem) {
    if (standing == null) {
      return String.valueOf(problem);
    }
    return standing.complete()
        ? "group \"" + group + "\" is to be created by " + standing.members().getFirst().name() + ", which is not in it"
        : standing.present() + " of " + standing.expected() + " members of group \"" + group + "\" are there";
  }

  /// This member is in the group: others need not wait any longer.
  void entered() throws InterruptedException {
    registry.entered();
    try {
      registry.ask();
    } catch (IOException _) {
      // It is told a second later again.
    }
  }
}
