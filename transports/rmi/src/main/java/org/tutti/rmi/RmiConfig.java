package org.tutti.rmi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.tutti.middleware.MiddlewareConfig;
import org.tutti.tls.Credentials;

/// Bounds and times of an [RmiTransport].
///
/// @param common         queues, inbox and pauses
/// @param acceptedMax    how many connections of others are kept, each with a thread; when there are more, the oldest
///                       that has not called yet yields
/// @param greetingMax    how long a connection of others may take until its first call is answered, or, with TLS, until
///                       its handshake is complete
/// @param idleMax        how long a connection of others may be without calls
/// @param connectTimeout how long a connection may take
/// @param callTimeout    how long a peer may take to answer; longer than its inbox makes a call wait
/// @param tls            encrypts all connections, and both ends prove who they are by what is in it; null for none
public record RmiConfig(
    MiddlewareConfig common,
    int acceptedMax,
    Duration greetingMax,
    Duration idleMax,
    Duration connectTimeout,
    Duration callTimeout,
    @Nullable Credentials tls) {

  /// Checks the ranges.
  public RmiConfig {
    require(acceptedMax > 0, "acceptedMax is positive");
    require(connectTimeout.isPositive(), "connectTimeout is positive");
    require(greetingMax.isPositive() && idleMax.isPositive(), "greetingMax and idleMax are positive");
    require(idleMax.compareTo(Duration.ofDays(1)) <= 0, "idleMax is at most a day");
    require(callTimeout.compareTo(common.inboxWait()) > 0, "callTimeout is longer than inboxWait");
    require(callTimeout.compareTo(Duration.ofSeconds(50)) <= 0, "callTimeout is at most 50 s");
  }

  /// One data centre or one host, without encryption.
  ///
  /// @return the default settings
  public static RmiConfig lan() {
    return new RmiConfig(
        MiddlewareConfig.lan(),
        256,
        Duration.ofSeconds(2),
        Duration.ofMinutes(1), // a node closes a connection that it does not use after 15 s
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        null);
  }

  /// The same settings with other bounds of queues and inbox.
  ///
  /// @param value the bounds
  /// @return the changed settings
  public RmiConfig withCommon(MiddlewareConfig value) {
    return new RmiConfig(value, acceptedMax, greetingMax, idleMax, connectTimeout, callTimeout, tls);
  }

  /// The same settings with encryption; all nodes need it then.
  ///
  /// @param credentials this node's key and certificate, and whom it trusts: both ends show a certificate
  /// @return the changed settings
  public RmiConfig withTls(Credentials credentials) {
    return new RmiConfig(common, acceptedMax, greetingMax, idleMax, connectTimeout, callTimeout, credentials);
  }

  private static void require(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }
}
