package org.tutti.cli;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.TuttiException;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpKeys;
import org.tutti.net.udp.UdpMulticast;
import org.tutti.net.udp.UdpTransport;
import org.tutti.storage.StorageException;
import org.tutti.store.FileStorage;
import org.tutti.tls.Credentials;
import org.tutti.tls.SecretFile;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Profile;
import picocli.CommandLine.TypeConversionException;

/// Looks at what a member needs of its own host: address and port, certificates, keys, directory, interface, Java.
/// Leaves nothing behind.
final class HostCheck {
  private static final Duration CERTIFICATE_LEFT = Duration.ofDays(30);
  private static final long DATA_BYTES_FEW = 1L << 30;
  private static final long DATA_BYTES_MIN = 64L << 20; // a few files of the log
  private static final double MIB = 1 << 20;
  private static final String AOT = "-XX:AOTCache=";

  private final TransportOption carrier;
  private final String cluster;
  private final List<Finding> findings = new ArrayList<>();

  HostCheck(TransportOption carrier, String cluster) {
    this.carrier = carrier;
    this.cluster = cluster;
  }

  /// What was found so far.
  List<Finding> findings() {
    return findings;
  }

  // ---- the own address -------------------------------------------------------------------------------------------

  /// Opens what a member would listen by, and closes it.
  ///
  /// @return where members reach this one; null when that is not so
  @Nullable Address address(String listen, @Nullable String advertise) {
    String check = "address";
    try {
      Address at = new AddressConverter().convert(listen);
      Address shown = advertise == null ? null : new AddressConverter().convert(advertise);
      if (TransportOption.isEverywhere(shown == null ? at : shown) || (shown != null && shown.text().endsWith(":0"))) {
        findings.add(
            Finding.fail(
                check,
                shown == null ? listen : advertise,
                "members cannot be reached there",
                "give --advertise HOST:PORT, an address of this host"));
        return null;
      }
      Address reached = shown == null ? at : shown;
      try {
        carrier.open(at, shown, cluster, Profile.LAN).close();
      } catch (TuttiException e) {
        String words = String.valueOf(e.getMessage());
        if (!words.contains("in use")) {
          throw e;
        }
        findings.add(Finding.warn(check, listen, words, "right if the member runs, else choose another port"));
        return reached;
      }
      findings.add(Finding.ok(check, listen, "is free; " + reach(reached, listen)));
      return reached;
    } catch (TypeConversionException | Failure | TuttiException e) {
      findings.add(Finding.fail(check, listen, String.valueOf(e.getMessage()), null));
      return null;
    }
  }

  private static String reach(Address reached, String listen) {
    Endpoint endpoint = Endpoint.ofLiteral(reached);
    String by = reached.text().equals(listen) ? "" : " at " + reached;
    return endpoint != null && endpoint.inet().isLoopbackAddress()
        ? "processes of this host reach it" + by + " (loopback)"
        : "other hosts reach it" + by + ", unless a firewall is between";
  }

  /// The port of health checks.
  void health(String at) throws InterruptedException {
    String check = "health";
    try {
      Address address = new AddressConverter().convert(at);
      carrier.guard(address);
      Endpoint endpoint = Endpoint.resolve(address);
      try (var _ = new ServerSocket(endpoint.port(), 1, endpoint.inet())) {
        findings.add(Finding.ok(check, at, "is free"));
      } catch (IOException taken) {
        var member = new HealthClient(address, Health.isLoopback(address) ? null : carrier.tls());
        findings.add(Finding.ok(check, at, "a member answers: " + member.status().get("words")));
      }
    } catch (TypeConversionException | Failure | TuttiException e) {
      findings.add(Finding.fail(check, at, String.valueOf(e.getMessage()), null));
    }
  }

  // ---- certificates and keys -------------------------------------------------------------------------------------

  /// The directory of --tls.
  void certificates(Path directory) {
    String check = "tls";
    String of = directory.toString();
    Credentials credentials;
    try {
      credentials = Credentials.load(directory, Credentials.NODES);
      carrier.check(cluster);
    } catch (IOException | Failure e) {
      findings.add(Finding.fail(check, of, String.valueOf(e.getMessage()), "make one: tutti certs"));
      return;
    }
    exposure(check, directory.resolve("key.pem"));
    X509Certificate[] own = credentials.keyManager().getCertificateChain("");
    String fault = credentials.fault();
    if (fault != null) {
      findings.add(Finding.fail(check, of, "the certificate " + fault, "renew it, or set the clock of this host"));
      return;
    }
    try {
      credentials.trustManager().checkClientTrusted(own, "UNKNOWN");
      credentials.trustManager().checkServerTrusted(own, "UNKNOWN");
    } catch (CertificateException e) {
      String words = "the certificate is not believed by its own ca.pem: " + e.getMessage();
      findings.add(Finding.fail(check, of, words, "put the authority that issued it into ca.pem"));
      return;
    }
    if (credentials.votingObjection() != null) {
      String advice = "right for tutti watch and tutti send; a member needs one for the role member";
      findings.add(Finding.warn(check, of, "the certificate is for observers only", advice));
    }
    Stream.concat(Stream.of(own), Stream.of(credentials.trustManager().getAcceptedIssuers()))
        .filter(one -> left(one).compareTo(CERTIFICATE_LEFT) < 0)
        .forEach(one -> findings.add(Finding.warn(check, of, validity(one), "renew it in time")));
    if (left(own[0]).compareTo(CERTIFICATE_LEFT) >= 0) {
      findings.add(Finding.ok(check, of, validity(own[0]) + ", for cluster " + cluster));
    }
  }

  private static Duration left(X509Certificate certificate) {
    return Duration.between(Instant.now(), certificate.getNotAfter().toInstant());
  }

  private static String validity(X509Certificate certificate) {
    return "%s is valid from %s to %s, %d days more"
        .formatted(
            certificate.getSubjectX500Principal().getName(),
            certificate.getNotBefore().toInstant(),
            certificate.getNotAfter().toInstant(),
            left(certificate).toDays());
  }

  private void exposure(String check, Path file) {
    String exposure = SecretFile.exposure(file);
    if (exposure != null) {
      findings.add(Finding.warn(check, file.toString(), exposure, null));
    }
  }

  /// What UDP is given by properties of Java, and its buffer.
  ///
  /// @param keys      the file of keys; null for none
  /// @param multicast where it multicasts; null for nowhere
  void udp(@Nullable String keys, @Nullable String multicast) {
    if (keys == null) {
      findings.add(Finding.ok("udp", "keys", "none (-Dtutti.udp.key=FILE): nothing is encrypted, on loopback only"));
    } else {
      try {
        int count = UdpKeys.follow(Path.of(keys)).current().size();
        findings.add(Finding.ok("udp", keys, "keys in force: " + count));
        exposure("udp", Path.of(keys));
      } catch (IOException e) {
        findings.add(Finding.fail("udp", keys, String.valueOf(e.getMessage()), "make a key: openssl rand -hex 32"));
      }
    }
    if (multicast != null) {
      try {
        device(multicast, UdpMulticast.parse(multicast).device());
      } catch (IllegalArgumentException e) {
        findings.add(Finding.fail("multicast", multicast, String.valueOf(e.getMessage()), null));
      }
    }
    try (UdpTransport open = UdpTransport.open(new Address("127.0.0.1:0"), UdpConfig.lan())) {
      Map<String, Long> sizes = Metric.byKey(open.metrics());
      long asked = sizes.getOrDefault("udp.buffer.asked.bytes", 0L);
      long granted = sizes.getOrDefault("udp.buffer.granted.bytes{socket=peers}", 0L);
      String words = "the kernel grants %d of %d bytes".formatted(granted, asked);
      findings.add(
          granted < asked
              ? Finding.warn("udp", "receive buffer", words, "sysctl -w net.core.rmem_max=" + asked)
              : Finding.ok("udp", "receive buffer", words));
    } catch (TuttiException e) {
      findings.add(Finding.fail("udp", "receive buffer", String.valueOf(e.getMessage()), null));
    }
  }

  /// An interface for multicasts. Sends none: whether they arrive is seen where members find each other by them.
  void device(String of, String name) {
    String check = "multicast";
    try {
      NetworkInterface device = NetworkInterface.getByName(name);
      if (device == null) {
        findings.add(Finding.fail(check, of, "there is no interface " + name, "ip link shows those there are"));
      } else if (!device.isUp()) {
        findings.add(Finding.fail(check, of, "interface " + name + " is down", "ip link set " + name + " up"));
      } else if (!device.supportsMulticast() && !device.isLoopback()) {
        String words = "interface " + name + " does not support multicast";
        findings.add(Finding.fail(check, of, words, "ip link set " + name + " multicast on"));
      } else {
        findings.add(Finding.ok(check, of, "interface " + name + " is up, MTU " + device.getMTU()));
      }
    } catch (IOException e) {
      findings.add(Finding.fail(check, of, String.valueOf(e.getMessage()), null));
    }
  }

  // ---- storage and Java ------------------------------------------------------------------------------------------

  /// The directory of --data.
  void data(Path directory) {
    String check = "data";
    String of = directory.toString();
    try {
      String found =
          switch (FileStorage.examine(directory)) {
            case NOTHING ->
                Files.isDirectory(directory) ? "empty: the member begins with nothing" : "the member will make it";
            case STORAGE -> "a stored history, all of which can be read";
            case IN_USE -> "in use by a process that runs";
          };
      Path there = directory.toAbsolutePath();
      while (!Files.exists(there) && there.getParent() != null) {
        there = there.getParent();
      }
      if (!Files.isDirectory(there) || !Files.isWritable(there)) {
        String words = there + (Files.isDirectory(there) ? " may not be written" : " is no directory");
        findings.add(Finding.fail(check, of, words, "run as its owner, or: chown"));
        return;
      }
      long free = Files.getFileStore(there).getUsableSpace();
      String words = String.format(Locale.ROOT, "%s; %,.0f MiB free", found, free / MIB);
      if (free < DATA_BYTES_MIN) {
        findings.add(Finding.fail(check, of, words, "make room: a member that cannot write stops"));
      } else {
        findings.add(
            free < DATA_BYTES_FEW ? Finding.warn(check, of, words, "make room") : Finding.ok(check, of, words));
      }
    } catch (StorageException | IOException e) {
      findings.add(Finding.fail(check, of, String.valueOf(e.getMessage()), null));
    }
  }

  /// What runs this command, and so a member that is started in the same way.
  void java() {
    Runtime runtime = Runtime.getRuntime();
    Optional<String[]> arguments = ProcessHandle.current().info().arguments();
    Optional<String> cache =
        arguments.stream()
            .flatMap(Stream::of)
            .filter(one -> one.startsWith(AOT))
            .findFirst()
            .map(one -> one.substring(AOT.length()));
    String warm = "no AOT cache (tutti warm makes one)";
    if (cache.isPresent()) {
      warm = (Files.exists(Path.of(cache.get())) ? "AOT cache " : "no such AOT cache: ") + cache.get();
    }
    String words =
        String.format(
            Locale.ROOT,
            "%d processors, heap up to %,.0f MiB; %s",
            runtime.availableProcessors(),
            runtime.maxMemory() / MIB,
            warm);
    findings.add(Finding.ok("java", Runtime.version().toString(), words));
  }
}
