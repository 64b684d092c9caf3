package org.tutti.cli;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.tutti.registry.GroupState;
import org.tutti.registry.RegistryDiscovery;

/// A member's registration at a registry, which decides whether the member creates the group or joins it.
final class Registration {
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final String text;
  private final String group;
  private final RegistryDiscovery registry;
  private final Output out;

  Registration(String text, String group, RegistryDiscovery registry, Output out) {
    this.text = text;
    this.group = group;
    this.registry = registry;
    this.out = out;
  }

  /// Waits until the registry says that this member is the founder, or that the group exists.
  ///
  /// @return whether this member creates the group
  boolean founds(Duration timeout) throws InterruptedException {
    long startNanos = System.nanoTime();
    long told = -1;
    while (true) {
      GroupState state = null;
      String problem = null;
      try {
        state = registry.ask();
      } catch (IOException e) {
        problem = e.getMessage();
      }
      if (state != null && state.id() != told) {
        told = state.id();
        out.line("number " + told + " at " + text, "registered", "number", told, "registry", text);
        out.flush();
      }
      if (state != null && (state.founder() || state.founded())) {
        return state.founder();
      }
      if (System.nanoTime() - startNanos > timeout.toNanos()) {
        registry.close();
        throw new Failure(text + ": " + reason(state, problem) + " (waited " + TimeConverter.show(timeout) + ")");
      }
      Thread.sleep(PAUSE);
    }
  }

  private String reason(@Nullable GroupState state, @Nullable String problem) {
    if (state == null) {
      return String.valueOf(problem);
    }
    return state.complete()
        ? "group \"" + group + "\" is to be created by " + state.members().getFirst().name() + ", which is not in it"
        : state.present() + " of " + state.expected() + " members of group \"" + group + "\" are there";
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
