package org.tutti.examples.accounts;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.function.Consumer;

/// Ties a process to the one that started it: when its standard input ends, so does the process.
///
/// It also makes every thread that fails end the process loudly, instead of leaving it half alive.
final class ParentWatch {
  /// Exit code of a process whose starter has gone.
  static final int ORPHAN = 3;

  /// Exit code of a process in which a thread failed.
  static final int BROKEN = 70;

  private ParentWatch() {}

  static void hold(Consumer<String> commands) {
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
      System.err.println("in thread '" + thread.getName() + "':");
      failure.printStackTrace();
      Runtime.getRuntime().halt(BROKEN);
    });
    Thread.ofPlatform()
        .daemon()
        .name("standard input")
        .start(() -> {
          try (var lines = new BufferedReader(new InputStreamReader(System.in))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
              commands.accept(line);
            }
          } catch (IOException _) {
            // As good as an end.
          }
          Runtime.getRuntime().halt(ORPHAN);
        });
  }
}
