package org.tutti.grpc;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.tutti.middleware.MiddlewareConfig;
import org.tutti.tls.Credentials;

/// Bounds and times of a [GrpcTransport].
///
/// @param common         queues, inbox and pauses
/// @param acceptedMax    how many connections of others are kept; when there are more, the oldest one without a stream
///                       yields
/// @param connectTimeout how long it may take until a peer greets; also how long a connection of others may take until
///                       its first stream begins
/// @param sendTimeout    how long a peer may take nothing; longer than its inbox makes a stream wait
/// @param silenceMax     a connection is given up when a peer does not answer a ping for this long, at least a second;
///                       so is one of others that has no stream any more for this long
/// @param tls            encrypts all connections, and both ends prove who they are by what is in it; null for none
public record GrpcConfig(
    MiddlewareConfig common,
    int acceptedMax,
    Duration connectTimeout,
    Duration sendTimeout,
    Duration silenceMax,
    @Nullable Credentials tls) {

  /// Checks the ranges.
  public GrpcConfig {
    require(acceptedMax > 0, "acceptedMax is positive");
    require(connectTimeout.isPositive(), "connectTimeout is positive");
    require(sendTimeout.compareTo(common.inboxWait()) > 0, "sendTimeout is longer than inboxWait");
    require(silenceMax.compareTo(Duration.ofSeconds(1)) >= 0, "silenceMax is at least a second");
  }

  /// One data centre or one host, without encryption.
  ///
  /// @return the default settings
  public static GrpcConfig lan() {
    return new GrpcConfig(
        MiddlewareConfig.lan(), 256, Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofSeconds(10), null);
  }

  /// The same settings with other bounds of queues and inbox.
  ///
  /// @param value the bounds
  /// @return the changed settings
  public GrpcConfig withCommon(MiddlewareConfig value) {
    return new GrpcConfig(value, acceptedMax, connectTimeout, sendTimeout, silenceMax, tls);
  }

  /// The same settings with encryption; all nodes need it then.
  ///
  /// @param credentials this node's key and certificate, and whom it trusts: both ends show a certificate
  /// @return the changed settings
  public GrpcConfig withTls(Credentials credentials) {
    return new GrpcConfig(common, acceptedMax, connectTimeout, sendTimeout, silenceMax, credentials);
  }

  private static void require(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }
}
