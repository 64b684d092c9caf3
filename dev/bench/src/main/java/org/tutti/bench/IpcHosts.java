package org.tutti.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.member.IpcTarget;
import org.tutti.bench.member.Scratch;
import org.tutti.ipc.Attachment;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.Ipc;
import org.tutti.ipc.IpcProcess;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Result;
import org.tutti.transport.Address;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Hosts of group interprocess communication in this process, all of which hear each other: the first one is where
/// senders and local members are, each other one has a remote member of every group.
final class IpcHosts implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final List<Ipc> hosts = new ArrayList<>();
  private @Nullable Scratch scratch; // where the first host's socket is
  private @Nullable Attachment attached; // to the first host, as another program is

  /// @param size      how many hosts there are
  /// @param transport by which they talk, on loopback
  IpcHosts(int size, TransportProvider transport) throws InterruptedException {
    var addresses = new ArrayList<Address>();
    try {
      for (int number = 0; number < size; number++) {
        var opened = transport.open(TransportSettings.at(LocalGroup.ANYWHERE));
        hosts.add(Ipc.open("h" + number, opened, addresses));
        addresses.add(opened.address());
      }
      for (Ipc host : hosts) {
        host.heard(size - 1).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (ExecutionException | TimeoutException failure) {
      close();
      throw new IllegalStateException("the hosts do not hear each other", failure);
    }
  }

  /// A process that sends: at the first host.
  IpcProcess sender() {
    return hosts.getFirst().process();
  }

  /// A process that sends: of a program that is attached to the first host by a Unix domain socket. Here that program
  /// is this one.
  ///
  /// @throws UncheckedIOException when there can be no such socket
  IpcProcess attachedSender() {
    try {
      if (attached == null) {
        scratch = Scratch.create();
        Path socket = scratch.path().resolve("host");
        hosts.getFirst().accept(socket);
        attached = Ipc.attach(socket);
      }
      return attached.process();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Members at hosts other than the first, one at each.
  ///
  /// @param group   whose
  /// @param count   at how many hosts
  /// @param replies whether they reply with what they get
  void remote(GroupId group, int count, boolean replies) {
    for (int host = 1; host <= count; host++) {
      member(hosts.get(host), group, replies);
    }
  }

  /// Members at the first host, which do not reply.
  void local(GroupId group, int count) {
    for (int number = 0; number < count; number++) {
      member(hosts.getFirst(), group, false);
    }
  }

  /// A process at the second host that receives what is sent to it.
  ProcessId receiver() {
    IpcProcess process = hosts.get(1).process();
    receive(process, false);
    return process.id();
  }

  /// A process at the second host that replies to what is sent to it.
  ProcessId replier() {
    IpcProcess process = hosts.get(1).process();
    receive(process, true);
    return process.id();
  }

  private void member(Ipc host, GroupId group, boolean replies) {
    IpcProcess process = host.process();
    if (!(process.join(group).join() instanceof Result.Done)) {
      throw new IllegalStateException("a process cannot join " + group);
    }
    receive(process, replies);
  }

  /// On the host's thread: one of its own would take a processor from those that are measured.
  private static void receive(IpcProcess process, boolean replies) {
    IpcTarget.receive(
        process,
        message -> {
          if (replies) {
            message.reply(message.payload()); // to wait until it is taken would be to serve one at a time
          }
        });
  }

  @Override
  public void close() {
    if (attached != null) {
      attached.close();
    }
    hosts.forEach(Ipc::close);
    if (scratch != null) {
      scratch.close();
    }
  }
}
