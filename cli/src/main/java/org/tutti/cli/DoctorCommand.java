package org.tutti.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// `tutti doctor`: what would keep a member from running here.
@Command(
    name = "doctor",
    customSynopsis = "tutti doctor --group NAME [--join WHERE...] [--listen HOST:PORT] [OPTION...]",
    description = {
      "Checks from this host what a member with these options needs, before it runs or while it does.",
      "Each contact is asked as a member would ask, by a node that never becomes one: no view changes. One line for"
          + " each check: ok, warn or FAIL, and what to do. Fails when a check does."
    })
final class DoctorCommand implements Callable<Integer> {
  private static final long GRACE_MILLIS = 1000; // to close what has been opened

  @Option(
      names = "--group",
      required = true,
      paramLabel = "NAME",
      converter = MemberOptions.NameConverter.class,
      description = "The group.")
  String group = "";

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "tutti",
      converter = MemberOptions.NameConverter.class,
      description = "The cluster of the member; default: ${DEFAULT-VALUE}.")
  String cluster = "tutti";

  @Option(
      names = "--join",
      arity = "1..*",
      split = ",",
      paramLabel = "WHERE",
      description = {"Whom to ask: all addresses, each of which should answer. " + Contact.FORMS})
  List<String> join = List.of();

  @Option(names = "--listen", paramLabel = "HOST:PORT", description = "Where the member listens.")
  @Nullable String listen;

  @Option(
      names = "--advertise",
      paramLabel = "HOST:PORT",
      description = "With --listen: the address that others use, if it is another one.")
  @Nullable String advertise;

  @Mixin TransportOption carrier = new TransportOption();

  @Option(names = "--data", paramLabel = "DIR", description = "The member's stable storage. Nothing in it is changed.")
  @Nullable Path data;

  @Option(names = "--health", paramLabel = "HOST:PORT", description = "Where the member answers health checks.")
  @Nullable String health;

  @Option(
      names = "--ask",
      arity = "1..*",
      split = ",",
      paramLabel = "HOST:PORT",
      description = {
        "Members that run: where they answer health checks, their --health. Each is asked how it stands, which build it"
            + " runs and what its clock says; over HTTPS with --tls."
      })
  List<String> ask = List.of();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "5s",
      converter = TimeConverter.class,
      description = "How long to wait for all that are asked: 500ms, 10s, 2m; default: ${DEFAULT-VALUE}.")
  Duration timeout = Duration.ofSeconds(5);

  @Mixin Output out = new Output();

  @Mixin Settings.Options settings = new Settings.Options();

  @Option(names = "--verbose", description = "Print stack traces of errors.")
  boolean verbose;

  /// What is found of the paths to the contacts' hosts, by these.
  final ConcurrentMap<String, CompletableFuture<List<Finding>>> paths = new ConcurrentHashMap<>();

  private int checks;
  private int failed;

  @Override
  public Integer call() throws InterruptedException {
    var host = new HostCheck(carrier, cluster);
    host.java();
    Set<Address> own = new HashSet<>();
    if (listen != null) {
      Address reached = host.address(listen, advertise);
      if (reached != null) {
        own.add(reached);
      }
    }
    long endNanos = System.nanoTime() + timeout.toNanos() + TimeUnit.MILLISECONDS.toNanos(GRACE_MILLIS);
    Map<String, CompletableFuture<List<Finding>>> contacts = new LinkedHashMap<>();
    for (String text : join) {
      var contact = new ContactCheck(this, own, text);
      contacts.computeIfAbsent(text, _ -> begin(contact::find));
    }
    Map<String, CompletableFuture<List<Finding>>> members = new LinkedHashMap<>();
    for (String text : ask) {
      var member = new MemberCheck(this, text);
      members.computeIfAbsent(text, _ -> begin(member::find));
    }
    examine(host);
    print(host.findings());
    for (Map.Entry<String, CompletableFuture<List<Finding>>> contact : contacts.entrySet()) {
      print(result(contact.getValue(), Finding.late(ContactCheck.CHECK, contact.getKey(), timeout), endNanos));
    }
    for (Map.Entry<String, CompletableFuture<List<Finding>>> path : new TreeMap<>(paths).entrySet()) {
      print(result(path.getValue(), PathCheck.late(path.getKey()), endNanos));
    }
    for (Map.Entry<String, CompletableFuture<List<Finding>>> member : members.entrySet()) {
      print(result(member.getValue(), Finding.late(MemberCheck.CHECK, member.getKey(), timeout), endNanos));
    }
    if (failed > 0) {
      throw new Failure(failed + " of " + checks + " checks failed");
    }
    return 0;
  }

  private void examine(HostCheck host) throws InterruptedException {
    if (health != null) {
      host.health(health);
    }
    Path tls = carrier.tls();
    if (tls != null) {
      host.certificates(tls);
    }
    if (carrier.transport().equals("udp")) {
      host.udp(System.getProperty("tutti.udp.key"), System.getProperty("tutti.udp.multicast"));
    }
    for (String text : join) {
      try {
        if (text.startsWith("multicast:") && new Contact.Converter().convert(text) instanceof Contact.Multicast at) {
          host.device(text, at.device());
        }
      } catch (TypeConversionException told) {
        // As the contact is.
      }
    }
    if (data != null) {
      host.data(data);
    }
  }

  private static CompletableFuture<List<Finding>> begin(Supplier<List<Finding>> check) {
    return CompletableFuture.supplyAsync(check, ContactCheck::start);
  }

  private List<Finding> result(CompletableFuture<List<Finding>> findings, Finding late, long endNanos)
      throws InterruptedException {
    try {
      return findings.get(Math.max(0, endNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return List.of(late);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private void print(List<Finding> findings) {
    for (Finding finding : findings) {
      checks++;
      failed += finding.grade() == Finding.Grade.FAIL ? 1 : 0;
      finding.print(out);
    }
    out.flush();
  }
}
