package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Runs `tutti ipc` for a test, whose end is that of all that it has launched.
final class IpcCommands implements AfterEachCallback {
  private final List<CommandProcess> launched = new ArrayList<>();

  CommandProcess run(String... args) throws Exception {
    launched.add(CommandProcess.tutti(ipc(args)));
    return launched.getLast();
  }

  private static String[] ipc(String... args) {
    return Stream.concat(Stream.of("ipc"), Stream.of(args)).toArray(String[]::new);
  }

  /// A command ends with a code and one message.
  static void fails(int code, String message, CommandProcess command) throws Exception {
    assertThat(command.exitCode()).as(message).isEqualTo(code);
    assertThat(command.rest()).isEmpty();
    assertThat(command.errors()).containsExactly(message);
  }

  /// The same in this process, which is quicker.
  static void refuses(int code, String message, String... args) {
    Refusal refusal = Refusal.of(ipc(args));
    assertThat(refusal.errors()).containsExactly(message);
    assertThat(refusal.exitCode()).isEqualTo(code);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    launched.forEach(CommandProcess::close);
  }
}
