package org.tutti.corba;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.tutti.tls.Credentials;

/// Bounds and times of an [IiopMiddleware]. What strangers can make a node keep in memory is about
/// `2 * acceptedMax * messageBytesMax`.
///
/// @param messageBytesMax the longest GIOP message, all its fragments together; same at all nodes
/// @param acceptedMax     how many connections of others are kept; a new one takes the place of the oldest that has not
///                        said anything yet, or is closed at once
/// @param greetingMax     how long an accepted connection may take until its first message is complete
/// @param connectTimeout  how long it may take to connect to a peer
/// @param replyTimeout    how long a peer may take to say that it is one
/// @param writeTimeout    how long a peer may take no bytes before it is given up
/// @param tls             encrypts all connections, and both ends prove who they are by what is in it; null for none
public record IiopConfig(
    int messageBytesMax,
    int acceptedMax,
    Duration greetingMax,
    Duration connectTimeout,
    Duration replyTimeout,
    Duration writeTimeout,
    @Nullable Credentials tls) {
  /// What a request needs beside its batch; JacORB's header has about 80 bytes, other ORBs' are not much longer.
  private static final int REQUEST_BYTES = 1024;

  /// Checks the ranges.
  public IiopConfig {
    if (messageBytesMax < REQUEST_BYTES || acceptedMax <= 0) {
      throw new IllegalArgumentException("messageBytesMax is at least " + REQUEST_BYTES + ", acceptedMax at least 1");
    }
    for (Duration time : new Duration[] {greetingMax, connectTimeout, replyTimeout, writeTimeout}) {
      if (time.toMillis() <= 0 || time.toMillis() > Integer.MAX_VALUE) {
        throw new IllegalArgumentException("times are 1 ms to 24 days");
      }
    }
  }

  /// Settings for one data centre or one host, without encryption.
  ///
  /// @param batchBytesMax the longest batch that peers send
  /// @return the default settings
  public static IiopConfig lan(int batchBytesMax) {
    return new IiopConfig(
        REQUEST_BYTES + batchBytesMax,
        256,
        Duration.ofSeconds(2),
        Duration.ofSeconds(2),
        Duration.ofSeconds(3),
        Duration.ofSeconds(15), // longer than a node that does not keep up lets its peers wait
        null);
  }

  /// The same settings with encryption; all nodes need it then.
  ///
  /// @param credentials this node's key and certificate, and whom it trusts: both ends show a certificate
  /// @return the changed settings
  public IiopConfig withTls(Credentials credentials) {
    return new IiopConfig(
        messageBytesMax, acceptedMax, greetingMax, connectTimeout, replyTimeout, writeTimeout, credentials);
  }
}
