package org.tutti.cli;

import java.util.concurrent.Callable;
import org.tutti.ipc.ids.GroupIdClient;
import org.tutti.ipc.ids.GroupIdServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `tutti ipc ids`: one replica of the server that gives out ids of groups.
@Command(
    name = "ids",
    customSynopsis =
        "tutti ipc ids --name N --listen HOST:PORT --clients HOST:PORT --join HOST:PORT,... --expect NAMES --data DIR"
            + " [OPTION...]",
    description = {
      "Runs one replica of the server that gives out ids of groups and keeps what their passwords come to, until"
          + " Ctrl-C.",
      "Three of them, each with --data and with the names of all three, go on when one has crashed, and lose nothing"
          + " when all have ended. The same line starts a replica the first time and later."
    })
final class IpcIdsCommand implements Callable<Integer> {
  @Mixin ReplicaOptions replica = new ReplicaOptions();

  @Override
  public Integer call() throws InterruptedException {
    return replica.run(GroupIdClient.SERVICE, new GroupIdServer(), null);
  }
}
