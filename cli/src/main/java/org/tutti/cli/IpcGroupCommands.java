package org.tutti.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.Ipc;
import org.tutti.ipc.IpcProcess;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.Status;
import org.tutti.transport.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The subcommands of `tutti ipc` that create and destroy groups.
final class IpcGroupCommands {
  private IpcGroupCommands() {}

  /// `tutti ipc create`: a group with an id that no other group has.
  @Command(
      name = "create",
      customSynopsis = {
        "tutti ipc create --servers HOST:PORT,... [--password-file FILE] [OPTION...]",
        "       tutti ipc create --socket PATH [--password-file FILE] [OPTION...]"
      },
      description = {
        "Has the group-id server create a group without members, and prints its id. With --socket it is the server of"
            + " the host there.",
        "Without a password anybody may join, and destroy the group; without a send password anybody may send to it."
      })
  static final class Create implements Callable<Integer> {
    @Mixin GroupServers servers = new GroupServers();

    @Option(
        names = "--password-file",
        paramLabel = "FILE",
        description = "The control password, for who joins, leaves or destroys the group: up to 64 characters.")
    @Nullable Path password;

    @Option(
        names = "--send-password-file",
        paramLabel = "FILE",
        description = "The send password, for who sends to the group: up to 64 characters.")
    @Nullable Path sendPassword;

    @Option(
        names = "--tls",
        paramLabel = "DIR",
        description = "Encrypt and show a certificate; DIR has its cert.pem, key.pem and ca.pem.")
    @Nullable Path tls;

    @Mixin HostSocket shared = new HostSocket();

    @Mixin Output out = new Output();

    @Mixin Settings.Options settings = new Settings.Options();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
      String control = GroupServers.password(password);
      String send = GroupServers.password(sendPassword);
      switch (created(control, send)) {
        case Done(GroupId id) -> out.line(id.toString(), "created", "id", id.toString());
        case Aborted(Status status) ->
            throw status == Status.NO_BUFF
                ? new Failure("not created: the server has as many groups as it can have")
                : shared.failure(servers, "not created", null, status);
      }
      out.flush();
      return 0;
    }

    private Result<GroupId> created(String control, String send) {
      if (shared.isGiven(spec)) {
        try (HostSocket.At host = shared.attach()) {
          return host.process().get().create(control, send).join();
        }
      }
      try (GroupServers.Open open = servers.open(spec, tls)) {
        return open.ids().create(control, send).join();
      }
    }
  }

  /// `tutti ipc destroy`: the end of a group.
  @Command(
      name = "destroy",
      customSynopsis = {
        "tutti ipc destroy --id ID --servers HOST:PORT,... [OPTION...]",
        "       tutti ipc destroy --id ID --socket PATH [OPTION...]"
      },
      description = {
        "Has the group-id server destroy a group. Hosts with members notice it when they ask the server again, within"
            + " 10 s of hearing it; those at --join, or those that the host at --socket hears, are told, and counted.",
        "The id is never given out again."
      })
  static final class Destroy implements Callable<Integer> {
    @Mixin IpcCommand.HostOptions options = new IpcCommand.HostOptions();

    @Option(
        names = "--id",
        required = true,
        paramLabel = "ID",
        converter = GroupServers.IdConverter.class,
        description = "The group, as `tutti ipc create` has printed it.")
    GroupId id = GroupId.issued(0);

    @Option(
        names = "--password-file",
        paramLabel = "FILE",
        description = "The group's control password; without it: the empty one.")
    @Nullable Path password;

    @Mixin IpcCommand.Hosts hosts = new IpcCommand.Hosts();
    @Mixin HostSocket shared = new HostSocket();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
      String control = GroupServers.password(password);
      if (shared.isGiven(spec)) {
        try (HostSocket.At host = shared.attach()) {
          destroyed(host.process().get(), control);
        }
        return 0;
      }
      try (GroupServers.Open open = options.servers.open(spec, options.carrier.tls())) {
        if (hosts.others.join.isEmpty()) {
          printed(open.ids().destroy(id, control).join(), null);
        } else {
          List<Address> all = hosts.others.addresses();
          try (Ipc ipc = options.open("destroy", hosts.own(all), all, open)) {
            hosts.await(ipc, all.size());
            destroyed(ipc.process(), control);
          }
        }
      }
      return 0;
    }

    private void destroyed(IpcProcess process, String control) {
      Result<Integer> count = process.destroy(id, control).join();
      printed(count, count instanceof Done<Integer>(Integer gone) ? gone : null);
    }

    private void printed(Result<?> result, @Nullable Integer gone) {
      if (result instanceof Aborted(Status status)) {
        throw shared.failure(options.servers, "not destroyed", id, status);
      }
      String text = id + " is destroyed" + (gone == null ? "" : "; hosts that have ended it: " + gone);
      options.out.line(text, "destroyed", "id", id.toString(), "hosts", gone);
      options.out.flush();
    }
  }
}
