package org.tutti.cli;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Client;
import org.tutti.replica.ServiceException;
import org.tutti.replica.StateComparison;
import org.tutti.transport.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `tutti verify`: whether all replicas of a service have the same state.
@Command(
    name = "verify",
    customSynopsis = "tutti verify --service NAME [--tls DIR] [--timeout TIME] [--json] HOST:PORT...",
    description = {
      "Has all replicas of a service compare their states at one position of the history, by the digests that the"
          + " service gives, and prints each replica's digest, one a line.",
      "Ends with 0 when all in the view have the same state, otherwise with 1 and a line that says what was found."
    })
final class VerifyCommand implements Callable<Integer> {
  @Mixin Output out = new Output();

  @Mixin Settings.Options settings = new Settings.Options();

  @Option(names = "--service", required = true, paramLabel = "NAME", description = "The service's name.")
  String service = "";

  @Parameters(
      arity = "1..*",
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "Where replicas answer clients; the others are learned from one that answers.")
  List<Address> replicas = List.of();

  @Option(
      names = "--tls",
      paramLabel = "DIR",
      description = "Encrypt and show a certificate, as clients do; DIR has its cert.pem, key.pem and ca.pem.")
  @Nullable Path tls;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = TimeConverter.class,
      description = "How long to wait for the outcome: 500ms, 10s, 2m; default: ${DEFAULT-VALUE}.")
  Duration timeout = Duration.ofSeconds(10);

  @Override
  public Integer call() throws InterruptedException {
    StateComparison found = compared();
    found
        .digests()
        .forEach((replica, digest) -> {
          String hex = String.format("%016x", digest);
          out.line(replica + " " + hex, "digest", "replica", replica, "digest", hex, "position", found.position());
        });
    found.silent().forEach(replica -> out.line(replica + " says nothing", "silent", "replica", replica));
    out.flush();
    if (!found.isEqual()) {
      throw new Failure(words(found));
    }
    return 0;
  }

  private StateComparison compared() throws InterruptedException {
    Client.Builder settings = Client.of(service).at(replicas.stream().map(Address::text).toArray(String[]::new));
    if (tls != null) {
      settings.tls(TransportOption.credentials(tls));
    }
    try (Client client = settings.connect()) {
      return client.compareStates(timeout).get();
    } catch (UncheckedIOException e) {
      throw new Failure(String.valueOf(e.getMessage()), e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ServiceException why) {
        throw new Failure(String.valueOf(why.getMessage()), why);
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private static String words(StateComparison found) {
    if (found.digests().isEmpty() && found.silent().isEmpty()) {
      return "the service gives no digest of its state";
    }
    List<String> words = new ArrayList<>();
    if (found.differs()) {
      words.add("the states differ at position " + found.position());
    }
    if (!found.silent().isEmpty()) {
      words.add("nothing was said by " + String.join(", ", found.silent()));
    }
    return String.join("; ", words);
  }
}
