package org.tutti.transport;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// What whoever runs a node tells any [TransportProvider]; all else is the provider's own choice.
///
/// @param listen     where the node listens, in the transport's form; mostly `host:port`, where port 0 lets the kernel
///                   choose
/// @param advertised the address that peers use when something between passes their connections on; null for the one
///                   listened on
/// @param tls        the directory with the node's certificate, its key and the authority's certificate (`cert.pem`,
///                   `key.pem`, `ca.pem`); null for no TLS
/// @param insecure   whether, without TLS, other addresses than loopback may be listened on
/// @param profile    what lies between the nodes
public record TransportSettings(
    Address listen, @Nullable Address advertised, @Nullable Path tls, boolean insecure, Profile profile) {
  /// Without TLS, and so on loopback only, for a local network.
  ///
  /// @param listen     where the node listens
  /// @param advertised the address that peers use, or null
  public TransportSettings(Address listen, @Nullable Address advertised) {
    this(listen, advertised, null, false, Profile.LAN);
  }

  /// Listening on an address that peers can use themselves.
  ///
  /// @param listen where the node listens
  /// @return the settings
  public static TransportSettings at(Address listen) {
    return new TransportSettings(listen, null);
  }

  /// Refuses to listen where strangers could come in: without certificates, elsewhere than on loopback, when that was
  /// not allowed. The host is looked up once, here.
  ///
  /// @return the same with the literal address that was checked
  /// @throws TransportException when it is so, or when the host is not known
  public TransportSettings refuseStrangers() {
    return tls == null ? refuseStrangers(Endpoint.WITHOUT_CERTIFICATES) : literal(Endpoint.resolve(listen, advertised));
  }

  /// As [#refuseStrangers()], for a transport that keeps nobody out by itself.
  ///
  /// @param rule why only loopback will do
  /// @return the same with the literal address that was checked
  /// @throws TransportException when the host is another one and that was not allowed, or when it is not known
  public TransportSettings refuseStrangers(String rule) {
    Endpoint found = Endpoint.resolve(listen, advertised);
    if (!insecure) {
      found.requireLoopback(listen, rule);
    }
    return literal(found);
  }

  private TransportSettings literal(Endpoint found) {
    return new TransportSettings(found.at(found.port()), advertised, tls, insecure, profile);
  }

  /// Changes how strangers are kept out.
  ///
  /// @param directory  the node's certificate and what belongs to it, or null for no TLS
  /// @param everywhere whether, without TLS, other addresses than loopback may be listened on
  /// @return a changed copy
  public TransportSettings withTls(@Nullable Path directory, boolean everywhere) {
    return new TransportSettings(listen, advertised, directory, everywhere, profile);
  }
}
