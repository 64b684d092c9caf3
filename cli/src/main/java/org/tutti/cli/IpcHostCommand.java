package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.tutti.ipc.Ipc;
import org.tutti.ipc.Programs.Reason;
import org.tutti.transport.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `tutti ipc host`: a host for processes of other programs.
@Command(
    name = "host",
    customSynopsis = "tutti ipc host --socket PATH --listen HOST:PORT [--join WHERE,...] [OPTION...]",
    description = {
      "Runs a host that only carries processes of other programs on this machine, until Ctrl-C: of `tutti ipc ask`"
          + " and `tutti ipc serve` with the same --socket, and of programs that attach to it. A message to a group"
          + " comes to the machine once then.",
      "Only this user can connect to the socket."
    })
final class IpcHostCommand implements Callable<Integer> {
  private static final long LOOK_MILLIS = 500; // how often it is looked what has become of programs

  @Mixin IpcCommand.HostOptions options = new IpcCommand.HostOptions();

  @Option(
      names = "--socket",
      required = true,
      paramLabel = "PATH",
      description = {
        "Where programs attach: a Unix domain socket in a directory that is there, 103 bytes at most. The file of a"
            + " host that has ended is replaced."
      })
  Path socket = Path.of("");

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "Where other hosts reach this one; port 0: any free port.")
  Address listen = new Address("-");

  @Mixin IpcCommand.Joined others = new IpcCommand.Joined();

  @Spec private CommandSpec spec = CommandSpec.create();

  private final CountDownLatch ended = new CountDownLatch(1);
  private final Map<Reason, Long> told = new HashMap<>();

  @Override
  public Integer call() throws InterruptedException {
    List<Address> hosts = others.join.isEmpty() ? List.of() : others.addresses();
    try (GroupServers.Open server =
            options.servers.servers.isEmpty() ? null : options.servers.open(spec, options.carrier.tls());
        Ipc ipc = options.open("host", listen, hosts, server)) {
      ipc.accept(socket);
      Thread hook = Thread.ofPlatform().name("signal").unstarted(() -> onSignal(ipc));
      Runtime.getRuntime().addShutdownHook(hook);
      try {
        String text = "ready at " + ipc.address() + ", for programs at " + socket;
        options.out.line(text, "ready", "listen", ipc.address().text(), "socket", socket.toString());
        options.out.flush();
        while (!ended.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
          ipc.hosts(); // fails when the host has ended
          tellOf(ipc.programs().disconnected());
        }
      } finally {
        Session.forget(hook);
      }
    } catch (IOException e) {
      throw Failure.ofFile(e);
    } catch (IllegalStateException e) {
      if (ended.getCount() > 0) {
        throw new Failure(String.valueOf(e.getMessage()), e);
      }
    }
    return 0;
  }

  private void tellOf(Map<Reason, Long> disconnected) {
    disconnected.forEach((reason, count) -> {
      if (!count.equals(told.put(reason, count))) {
        String text = "disconnected: " + reason + ", " + count + " since the start";
        options.out.line(text, "disconnected", "reason", reason.toString(), "count", count);
        options.out.flush();
      }
    });
  }

  /// To be stopped is the success of a command that runs until then.
  private void onSignal(Ipc ipc) {
    ended.countDown();
    ipc.close();
    Runtime.getRuntime().halt(0);
  }
}
