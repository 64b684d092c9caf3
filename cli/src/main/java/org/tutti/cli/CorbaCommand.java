package org.tutti.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Client;
import org.tutti.replica.ServiceException;
import org.tutti.replica.spi.PortProvider;
import org.tutti.transport.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti corba`: replicated services for clients of any ORB, and members for servants of any ORB.
@Command(
    name = "corba",
    customSynopsis = "tutti corba delegate|groups|group-service|names|naming-service [OPTION...]",
    description = {
      "Runs the service that keeps groups of CORBA objects, and a naming service, both replicated and for clients of"
          + " any ORB, and shows what they have; and members of groups for servants of any ORB.",
      "`tutti corba groups --help` and so on have the options."
    },
    subcommands = {
      CorbaDelegateCommand.class,
      CorbaCommand.Groups.class,
      CorbaCommand.GroupService.class,
      CorbaCommand.NamesShown.class,
      CorbaCommand.Naming.class
    })
final class CorbaCommand implements Runnable {
  private static final String GROUPS = "corba-groups";
  private static final String NAMES = "corba-names";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "delegate, groups, group-service, names or naming-service is missing");
  }

  private static PortProvider provider(String name) {
    PortProvider provider = PortProvider.installed().get(name);
    if (provider == null) {
      throw new Failure("this installation has no CORBA: the module tutti-romiop is not there");
    }
    return provider;
  }

  /// The options of commands that show what a service has.
  static final class Question {
    @Option(
        names = "--servers",
        required = true,
        split = ",",
        paramLabel = "HOST:PORT",
        converter = AddressConverter.class,
        description = "Where the replicas answer clients: their --clients; one that answers is enough.")
    List<Address> servers = List.of();

    @Option(
        names = "--servers-timeout",
        paramLabel = "TIME",
        defaultValue = "10s",
        converter = TimeConverter.class,
        description = "How long to wait for an answer: 500ms, 10s, 2m; default: ${DEFAULT-VALUE}.")
    Duration timeout = Duration.ofSeconds(10);

    @Option(
        names = "--tls",
        paramLabel = "DIR",
        description = "Encrypt and show a certificate; DIR has its cert.pem, key.pem and ca.pem.")
    @Nullable Path tls;

    @Mixin Output out = new Output();

    @Mixin Settings.Options settings = new Settings.Options();

    @Option(names = "--verbose", description = "Print stack traces of errors.")
    boolean verbose;

    /// Prints all that the service has.
    Integer show(String service, String event) throws InterruptedException {
      PortProvider provider = provider(service);
      String[] at = servers.stream().map(Address::text).toArray(String[]::new);
      Client.Builder settings = Client.of(provider.name()).at(at).deadline(timeout);
      if (tls != null) {
        settings.tls(TransportOption.credentials(tls));
      }
      try (Client client = settings.connect()) {
        for (PortProvider.Entry each : provider.entries(client)) {
          List<Object> fields = new ArrayList<>();
          each.fields().forEach((name, value) -> fields.addAll(List.of(name, value)));
          out.line(each.text(), event, fields.toArray());
        }
      } catch (ServiceException e) {
        String waited = " (waited " + TimeConverter.show(timeout) + ")";
        throw new Failure("no server answers at " + String.join(", ", at) + waited, e);
      } catch (UncheckedIOException e) {
        throw new Failure(String.valueOf(e.getMessage()), e);
      }
      out.flush();
      return 0;
    }
  }

  /// `tutti corba groups`: what the group service has.
  @Command(
      name = "groups",
      customSynopsis = "tutti corba groups --servers HOST:PORT,... [--tls DIR] [--json]",
      description = {
        "Prints the groups of CORBA objects that the group service keeps, one a line: cluster, group and key, the"
            + " interface, and each member with its address. With --json also the reference."
      })
  static final class Groups implements Callable<Integer> {
    @Mixin Question question = new Question();

    @Override
    public Integer call() throws InterruptedException {
      return question.show(GROUPS, "group");
    }
  }

  /// `tutti corba names`: what the naming service has.
  @Command(
      name = "names",
      customSynopsis = "tutti corba names --servers HOST:PORT,... [--tls DIR] [--json]",
      description = {
        "Prints what is bound in the naming service, one name a line: a context with a stroke at its end, an object"
            + " with its interface. A context that is bound twice is gone into once."
      })
  static final class NamesShown implements Callable<Integer> {
    @Mixin Question question = new Question();

    @Override
    public Integer call() throws InterruptedException {
      return question.show(NAMES, "name");
    }
  }

  /// The options of a port for ORBs.
  static final class PortOptions {
    @Option(
        names = "--iiop",
        required = true,
        paramLabel = "HOST:PORT",
        converter = AddressConverter.class,
        description = {
          "Where ORBs reach this replica; port 0: any free port. It has no TLS: whoever reaches it may call, so other"
              + " addresses than loopback need --insecure."
        })
    Address iiop = new Address("-");

    @Option(
        names = "--iiop-all",
        split = ",",
        paramLabel = "HOST:PORT",
        converter = AddressConverter.class,
        description =
            "The --iiop of all replicas as ORBs reach them, for the reference, the same at all; default: this"
                + " one's only.")
    List<Address> all = List.of();

    @Option(
        names = "--reference",
        paramLabel = "FILE",
        description = "Write the reference of the service, an IOR, to this file; --json prints it, too.")
    @Nullable Path reference;

    /// Opens the port of a service.
    private PortProvider.Port open(PortProvider provider, Client client) throws IOException {
      PortProvider.Port port;
      try {
        port = provider.open(iiop, all, client);
      } catch (IllegalArgumentException e) {
        throw new Failure("--iiop: " + e.getMessage(), e);
      }
      if (reference != null) {
        try {
          Files.writeString(reference, port.reference() + "\n", StandardCharsets.US_ASCII);
        } catch (IOException e) {
          port.close();
          throw new Failure("cannot write " + reference + ": " + Failure.reason(e), e);
        }
      }
      return port;
    }
  }

  /// Runs a replica of a service.
  private static Integer run(String service, ReplicaOptions replica, PortOptions port) throws InterruptedException {
    PortProvider provider = provider(service);
    replica.carrier.guardPlain(port.iiop);
    return replica.run(provider.name(), provider.machine(), client -> port.open(provider, client));
  }

  /// `tutti corba group-service`: one replica of the group service.
  @Command(
      name = "group-service",
      customSynopsis =
          "tutti corba group-service --name N --listen HOST:PORT --clients HOST:PORT --iiop HOST:PORT --iiop-all"
              + " HOST:PORT,... --join HOST:PORT,... --expect NAMES --data DIR [OPTION...]",
      description = {
        "Runs one replica of the service that keeps groups of CORBA objects and makes references to them, until"
            + " Ctrl-C. ORBs call it as object-groups.idl says.",
        "Three of them, each with --data and with the names of all three, go on when one has crashed, and lose nothing"
            + " when all have ended. The same line starts a replica the first time and later."
      })
  static final class GroupService implements Callable<Integer> {
    @Mixin ReplicaOptions replica = new ReplicaOptions();

    @Mixin PortOptions port = new PortOptions();

    @Override
    public Integer call() throws InterruptedException {
      return run(GROUPS, replica, port);
    }
  }

  /// `tutti corba naming-service`: one replica of the naming service.
  @Command(
      name = "naming-service",
      customSynopsis =
          "tutti corba naming-service --name N --listen HOST:PORT --clients HOST:PORT --iiop HOST:PORT --iiop-all"
              + " HOST:PORT,... --join HOST:PORT,... --expect NAMES --data DIR [OPTION...]",
      description = {
        "Runs one replica of a naming service of CORBA (CosNaming), until Ctrl-C. Its object key is NameService.",
        "Three of them, each with --data and with the names of all three, go on when one has crashed, and lose nothing"
            + " when all have ended. The same line starts a replica the first time and later."
      })
  static final class Naming implements Callable<Integer> {
    @Mixin ReplicaOptions replica = new ReplicaOptions();

    @Mixin PortOptions port = new PortOptions();

    @Override
    public Integer call() throws InterruptedException {
      return run(NAMES, replica, port);
    }
  }
}
