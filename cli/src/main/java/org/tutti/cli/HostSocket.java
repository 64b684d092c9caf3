package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.Attachment;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.Ipc;
import org.tutti.ipc.IpcProcess;
import org.tutti.ipc.Status;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// The option by which commands use the host of `tutti ipc host` instead of one of their own.
final class HostSocket {
  private static final String SOCKET = "--socket";

  /// What only a command has that has a host.
  private static final List<String> OF_HOSTS =
      List.of(
          "--listen",
          "--join",
          "--name",
          "--cluster",
          "--servers",
          "--servers-timeout",
          "--transport",
          "--tls",
          "--insecure");

  /// Besides, of one that takes it for other hosts than its own only.
  private static final Map<String, String> MORE_OF_HOSTS = Map.of("destroy", "--timeout");

  @Option(
      names = SOCKET,
      paramLabel = "PATH",
      description = {
        "Use the host that listens at this Unix domain socket, such as that of `tutti ipc host`, instead of an own one;"
            + " options of hosts cannot be given then."
      })
  @Nullable Path socket;

  /// A host for one command, of its own or of another program.
  ///
  /// @param name    the host's
  /// @param process begins a process there
  /// @param end     ends what the command has there
  record At(String name, Supplier<IpcProcess> process, Runnable end) implements AutoCloseable {
    static At own(Ipc host, String name) {
      return new At(name, host::process, host::close);
    }

    @Override
    public void close() {
      end.run();
    }
  }

  /// Whether an option is not heard, as a stronger source than that which says it has decided between an own host and
  /// that of another program.
  ///
  /// @param given what stronger sources have said, names without `--`
  static boolean excludes(CommandSpec command, OptionSpec option, Set<String> given) {
    return command.findOption(SOCKET) != null
        && (option.longestName().equals(SOCKET)
            ? ofHosts(command).anyMatch(one -> given.contains(one.substring(2)))
            : given.contains(SOCKET.substring(2)) && ofHosts(command).anyMatch(option.longestName()::equals));
  }

  private static Stream<String> ofHosts(CommandSpec command) {
    return Stream.concat(OF_HOSTS.stream(), Stream.ofNullable(MORE_OF_HOSTS.get(command.name())));
  }

  /// Whether the host of another program is to be used.
  ///
  /// @throws ParameterException when options of hosts are given, too
  boolean isGiven(CommandSpec spec) {
    for (String option : ofHosts(spec).toList()) {
      if (socket != null && spec.commandLine().getParseResult().hasMatchedOption(option)) {
        throw new ParameterException(
            spec.commandLine(), option + " is of hosts, and the one at --socket has its own: give one of the two");
      }
    }
    return socket != null;
  }

  At attach() {
    try {
      Attachment attached = Ipc.attach(Path.of(where()));
      return new At(attached.host().name(), () -> process(attached), attached::close);
    } catch (IOException e) {
      throw Failure.ofFile(e);
    }
  }

  private static IpcProcess process(Attachment attached) {
    try {
      return attached.process();
    } catch (IllegalStateException e) {
      throw new Failure(String.valueOf(e.getMessage()), e);
    }
  }

  String where() {
    return String.valueOf(socket);
  }

  /// Why a call on a group came to nothing.
  Failure failure(GroupServers servers, String what, @Nullable GroupId group, Status status) {
    if (status == Status.HOST_DEAD) {
      return new Failure("the host at " + where() + " has ended");
    }
    if (status == Status.HARDWARE_FAIL) {
      return new Failure("the host has failed: " + what);
    }
    return status == Status.NO_SERVER && socket != null
        ? new Failure("the host at " + where() + " has no server of ids, or that one does not answer")
        : servers.failure(what, group, status);
  }
}
