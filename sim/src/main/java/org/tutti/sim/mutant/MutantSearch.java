package org.tutti.sim.mutant;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.tutti.sim.exhaustive.BoundedModel;

/// Looks for a seed that finds a planted bug.
public final class MutantSearch {
  private static final Duration CPU_MAX = Duration.ofSeconds(20); // of one seed, which takes a tenth of a second
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final String RUN = "org.tutti.sim.SeedRun";
  private static final String EXHAUSTIVE = "org.tutti.sim.exhaustive.ExhaustiveCheck";

  private MutantSearch() {}

  /// What came of a hunt.
  ///
  /// @param mutant    the planted bug
  /// @param seed      the first seed that found it, or -1
  /// @param violation what it found, beginning with the property; null when nothing was found
  public record Result(Mutant mutant, long seed, @Nullable String violation) {
    /// Whether it was found.
    ///
    /// @return whether a seed found it
    public boolean caught() {
      return violation != null;
    }

    /// The property that it violated.
    ///
    /// @return the checker's name, or `not caught`
    public String property() {
      return violation == null ? "not caught" : violation.substring(0, violation.indexOf(':'));
    }
  }

  /// Runs seeds until one finds the bug.
  ///
  /// @param mutant the planted bug
  /// @param first  the first seed
  /// @param count  how many seeds at most
  /// @return what came of it
  /// @throws IllegalStateException when the code that the mutant changes is not there any more
  public static Result search(Mutant mutant, long first, long count) {
    ClassLoader loader = mutant.plant();
    Method run;
    try {
      Class<?> runs = loader.loadClass(RUN);
      run =
          mutant.fault() == null
              ? runs.getMethod("violations", long.class, String.class, String.class)
              : runs.getMethod("recovery", long.class, String.class);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
    for (long seed = first; seed < first + count; seed++) {
      List<?> violations = limited(run, mutant, seed);
      if (!violations.isEmpty()) {
        return new Result(mutant, seed, String.valueOf(violations.getFirst()));
      }
    }
    return new Result(mutant, -1, null);
  }

  /// Looks for a planted bug in every state of a small group.
  ///
  /// @param mutant   the planted bug
  /// @param scenario the group
  /// @return the violation and the shortest way to it; nothing when there is none
  /// @throws IllegalStateException when the code that the mutant changes is not there any more
  public static List<String> explore(Mutant mutant, BoundedModel scenario) {
    ClassLoader loader = mutant.plant();
    try {
      Object words =
          loader
              .loadClass(EXHAUSTIVE)
              .getMethod("violation", String.class, int.class, int.class, String.class, String.class)
              .invoke(
                  null,
                  scenario.ordering().name(),
                  scenario.members(),
                  scenario.messages(),
                  scenario.fault().name(),
                  scenario.ways().name());
      return ((List<?>) words).stream().map(String::valueOf).toList();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /// A planted bug may make a step that never ends; that is a way to be caught, too. Its thread is left behind. What
  /// counts is the time that the run has computed, as a busy machine makes every run long.
  private static List<?> limited(Method run, Mutant mutant, long seed) {
    var done = new CompletableFuture<List<?>>();
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("mutant")
            .start(() -> {
              try {
                done.complete(violations(run, mutant, seed));
              } catch (Throwable error) {
                done.completeExceptionally(error);
              }
            });
    try {
      while (THREADS.getThreadCpuTime(thread.threadId()) < CPU_MAX.toNanos()) {
        try {
          return done.get(1, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
          // still within its time
        }
      }
      return List.of("NeverEnds: a step takes for ever");
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static List<?> violations(Method run, Mutant mutant, long seed) {
    try {
      if (mutant.fault() != null) {
        return (List<?>) run.invoke(null, seed, mutant.fault().name());
      }
      String ordering = mutant.ordering() == null ? null : mutant.ordering().name();
      return (List<?>) run.invoke(null, seed, ordering, mutant.runs().name());
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof LinkageError) {
        throw new IllegalStateException("the planted bug does not fit the code", e.getCause());
      }
      // The mutant broke the simulator itself, for example by an endless recursion: that is a way to be caught.
      return List.of("Crash: " + e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
