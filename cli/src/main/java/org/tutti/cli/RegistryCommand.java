package org.tutti.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.tutti.registry.Registry;
import org.tutti.registry.RegistryConfig;
import org.tutti.store.FileStorage;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti registry`: where the members of groups meet.
@Command(
    name = "registry",
    customSynopsis =
        "tutti registry --listen HOST:PORT [--expect N] [--clients N] [--data DIR] [--lease TIME] [--tls DIR]",
    description = {
      "Runs a registry, where the members of groups find each other, until Ctrl-C.",
      "Numbers members by their arrival. When the expected number is there, it tells them the addresses and"
          + " which of them creates the group. Members use it by --join registry:HOST:PORT."
    })
final class RegistryCommand implements Callable<Integer> {
  private static final Duration LEASE_MIN = Duration.ofSeconds(1); // as RegistryConfig has it

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "The address at which members reach the registry; port 0: any free port.")
  Address listen = new Address("-");

  @Option(
      names = "--expect",
      paramLabel = "N",
      defaultValue = "1",
      description = "The number of members that found a group; default: ${DEFAULT-VALUE}.")
  int expected = 1;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "0",
      description = {
        "How many of the expected members are programs that register as clients: they get the numbers from 0,"
            + " servers those behind; default: ${DEFAULT-VALUE}."
      })
  int clients;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Store the registrations in this directory; without it, a restarted registry begins empty.")
  @Nullable Path data;

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = TimeConverter.class,
      description = "A member that does not announce itself for this long is removed; default: ${DEFAULT-VALUE}.")
  Duration lease = Duration.ofSeconds(10);

  @Option(
      names = "--tls",
      paramLabel = "DIR",
      description = "Encrypt, and accept only clients with a certificate of the same authority and cluster.")
  @Nullable Path tls;

  @Option(
      names = "--insecure",
      description = "Without --tls, allow other addresses than loopback: whatever reaches the port is trusted.")
  boolean insecure;

  @Mixin Output out = new Output();

  @Mixin Settings.Options settings = new Settings.Options();

  @Option(names = "--verbose", description = "Print stack traces of errors.")
  boolean verbose;

  @Override
  public Integer call() throws InterruptedException {
    RegistryConfig config = config();
    try (Registry registry = open(config)) {
      Thread hook = Thread.ofPlatform().name("signal").unstarted(() -> onSignal(registry));
      Runtime.getRuntime().addShutdownHook(hook);
      Address address = AddressConverter.of(registry.address().getAddress(), registry.address().getPort());
      tell("registry listens on " + address, "listening", "address", address.text());
      try {
        registry.failure().get();
      } finally {
        Session.forget(hook);
      }
      return 0;
    } catch (ExecutionException e) {
      throw new Failure("the registry stopped: " + e.getCause(), e);
    }
  }

  /// To be stopped is the success of a command that runs until then.
  private static void onSignal(Registry registry) {
    registry.close();
    Runtime.getRuntime().halt(0);
  }

  private RegistryConfig config() {
    if (lease.compareTo(LEASE_MIN) < 0) {
      throw new ParameterException(
          spec.commandLine(), "--lease: a lease lasts a second at least, not " + TimeConverter.show(lease));
    }
    try {
      return RegistryConfig.expecting(expected).withLease(lease).withClients(clients);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private Registry open(RegistryConfig config) {
    String text = listen.text();
    int colon = text.lastIndexOf(':');
    InetAddress host = InetAddress.ofLiteral(text.substring(0, colon).replaceAll("[\\[\\]]", ""));
    var at = new InetSocketAddress(host, Integer.parseInt(text.substring(colon + 1)));
    TransportOption.guard(listen, tls, insecure);
    Credentials credentials = tls == null ? null : TransportOption.credentials(tls, Credentials.NODES);
    SSLContext context = credentials == null ? null : credentials.context();
    FileStorage storage = null;
    try {
      storage = data == null ? null : FileStorage.open(data);
      return Registry.open(at, config, storage, context, news -> tell(news, "registration", "words", news));
    } catch (IOException e) {
      if (storage != null) {
        storage.close();
      }
      throw new Failure("cannot listen on " + text + ": " + e.getMessage(), e);
    }
  }

  /// Registrations are told by the threads that serve them.
  private synchronized void tell(String text, String event, Object... fields) {
    out.line(text, event, fields);
    out.flush();
  }
}
