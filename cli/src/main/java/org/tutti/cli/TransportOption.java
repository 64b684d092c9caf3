package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.tutti.tls.Credentials;
import org.tutti.tls.Role;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Profile;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// The option by which commands choose what carries frames between members.
public final class TransportOption {
  /// The names of those that are there, for `--help`.
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return TransportProvider.installed().navigableKeySet().iterator();
    }
  }

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      defaultValue = "tcp",
      converter = Converter.class,
      completionCandidates = Names.class,
      description = "The transport, the same at all members: ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
  private String transport = "tcp";

  @Option(
      names = "--tls",
      paramLabel = "DIR",
      description = {
        "Encrypt, and accept only members with a certificate of the same authority and cluster. The "
            + "directory has cert.pem, key.pem and ca.pem of this member, as `tutti certs` writes them; changed files "
            + "take effect without a restart."
      })
  private @Nullable Path tls;

  @Option(
      names = "--insecure",
      description = "Without --tls, allow other addresses than loopback: whatever reaches the port is trusted.")
  private boolean insecure;

  /// The options as they are when none is given.
  public TransportOption() {}

  /// The directory of the own certificate.
  ///
  /// @return null for no TLS
  public @Nullable Path tls() {
    return tls;
  }

  /// For connections to a registry; null for no TLS.
  @Nullable SSLContext context() {
    return tls == null ? null : credentials(tls).context();
  }

  /// For a port at which operators ask; null for no TLS.
  @Nullable SSLContext operatorsContext() {
    return tls == null ? null : credentials(tls, Set.of(Role.OPERATOR, Role.MEMBER)).context();
  }

  /// Refuses what cannot be protected as it was asked for.
  ///
  /// @param cluster the name of the members' cluster
  /// @throws Failure when the transport has no TLS, or the certificate is none for this cluster
  public void check(String cluster) {
    try {
      if (tls != null) {
        TransportProvider.named(transport).requireCertificates(tls, cluster);
      }
    } catch (TransportException | IllegalArgumentException e) {
      throw new Failure(String.valueOf(e.getMessage()), e);
    }
  }

  /// Reads what is in a directory, to connect to members.
  static Credentials credentials(Path directory) {
    return credentials(directory, Set.of(Role.MEMBER));
  }

  /// Reads what is in a directory, for a port or for connections of one's own.
  static Credentials credentials(Path directory, Set<Role> peers) {
    try {
      return Credentials.load(directory, peers);
    } catch (IOException e) {
      throw new Failure("no TLS: " + e.getMessage(), e);
    }
  }

  /// Refuses to be open to strangers at an address unless that is wanted.
  void guard(Address listen) {
    guard(listen, tls, insecure);
  }

  /// Refuses to be open to strangers unless that is wanted.
  static void guard(Address listen, @Nullable Path tls, boolean insecure) {
    Endpoint endpoint = Endpoint.ofLiteral(listen);
    if (tls == null && !insecure && endpoint != null && !endpoint.inet().isLoopbackAddress()) {
      throw new Failure(
          "cannot listen on "
              + listen
              + ": without certificates on loopback only; give --tls DIR (tutti certs makes one), or --insecure where"
              + " only members can reach it");
    }
  }

  /// Refuses to be open to strangers at an address that has no TLS unless that is wanted.
  void guardPlain(Address listen) {
    Endpoint endpoint = Endpoint.ofLiteral(listen);
    if (!insecure && endpoint != null && !endpoint.inet().isLoopbackAddress()) {
      throw new Failure(
          "cannot listen on " + listen + ": there is no TLS for it; give --insecure where only clients can reach it");
    }
  }

  /// The chosen provider's name.
  ///
  /// @return the name of one that is installed
  public String transport() {
    return transport;
  }

  /// Opens the chosen transport.
  Transport open(Address listen, @Nullable Address advertised, String cluster, Profile profile) {
    check(cluster);
    guard(listen);
    return TransportProvider.named(transport).open(new TransportSettings(listen, advertised, tls, insecure, profile));
  }

  /// Whether a node is to multicast.
  boolean multicasts() {
    return transport.equals("udp") && System.getProperty("tutti.udp.multicast") != null;
  }

  /// Whether an address stands for all interfaces, so that it leads nobody anywhere.
  static boolean isEverywhere(Address address) {
    Endpoint endpoint = Endpoint.ofLiteral(address);
    return endpoint != null && endpoint.inet().isAnyLocalAddress();
  }

  /// Takes the names of installed providers only.
  static final class Converter implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      try {
        return TransportProvider.named(text).name();
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
