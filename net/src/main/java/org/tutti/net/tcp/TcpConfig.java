package org.tutti.net.tcp;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The settings of a [TcpTransport]; start from [#lan] or [#wan] and change what must differ.
///
/// Memory: each connection holds at most one send and one receive buffer outside the heap, so accepted connections need
/// at most `acceptedMax * (sendBufferBytes + receiveBufferBytes)`; with TLS, 150 KiB more.
///
/// @param frameBytesMax      the largest frame in bytes
/// @param sendBufferBytes    what may wait for one peer's socket, in bytes; at least two largest frames with their
///                           4-byte prefixes
/// @param receiveBufferBytes what is read from one connection at once, in bytes; at least one largest frame and prefix
/// @param acceptedMax        how many connections of others are kept; more are closed at once
/// @param handshakesMax      how many accepted connections may still owe their preamble; the oldest yields to a new one
/// @param connectTimeout     how long a connection may take until both preambles are exchanged
/// @param backoffMin         the pause after a first failed connection attempt; it doubles with each further failure
/// @param backoffMax         the longest pause between attempts
/// @param silenceMax         a connection is given up when a peer was written to but nothing was heard of it for this
///                           long: after a partition a fresh connection works at once, an old one waits for TCP's timer
/// @param socketDirectory    where the Unix domain sockets of this user's nodes meet, or null for TCP only; created
///                           with mode 0700, and not used when somebody else owns it
/// @param insecure           whether a node without certificates may listen on other addresses than loopback: strangers
///                           who reach it are believed
public record TcpConfig(
    int frameBytesMax,
    int sendBufferBytes,
    int receiveBufferBytes,
    int acceptedMax,
    int handshakesMax,
    Duration connectTimeout,
    Duration backoffMin,
    Duration backoffMax,
    Duration silenceMax,
    @Nullable Path socketDirectory,
    boolean insecure) {

  /// Checks the ranges.
  public TcpConfig {
    require(frameBytesMax >= 512 && frameBytesMax <= 1 << 24, "frameBytesMax is 512 bytes to 16 MiB");
    require(
        sendBufferBytes >= 2 * (frameBytesMax + Connection.SendBuffer.PREFIX_BYTES),
        "sendBufferBytes holds two frames");
    require(
        receiveBufferBytes >= frameBytesMax + Connection.SendBuffer.PREFIX_BYTES, "receiveBufferBytes holds one frame");
    require(acceptedMax > 0 && handshakesMax > 0, "acceptedMax and handshakesMax are positive");
    require(connectTimeout.isPositive() && silenceMax.isPositive(), "timeouts are positive");
    require(backoffMin.isPositive() && backoffMin.compareTo(backoffMax) <= 0, "0 < backoffMin <= backoffMax");
  }

  /// One data centre or one host: frames up to 128 KiB, Unix domain sockets between nodes on the same host.
  ///
  /// @return the default settings
  public static TcpConfig lan() {
    return new TcpConfig(
        1 << 17, // messages up to 100 KiB and more are not put together from pieces
        5 << 16,
        1 << 18,
        256,
        64,
        Duration.ofSeconds(2),
        Duration.ofMillis(50),
        Duration.ofSeconds(1),
        Duration.ofSeconds(10),
        Path.of(System.getProperty("java.io.tmpdir"), "tutti-" + System.getProperty("user.name")),
        false);
  }

  /// Between distant sites: as [#lan], with larger buffers and more patience.
  ///
  /// @return settings for round trips of some hundred milliseconds
  public static TcpConfig wan() {
    TcpConfig lan = lan();
    return new TcpConfig(
        lan.frameBytesMax,
        1 << 20,
        1 << 20,
        64,
        lan.handshakesMax,
        Duration.ofSeconds(5),
        Duration.ofMillis(200),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        lan.socketDirectory,
        false);
  }

  /// The same settings with another meeting place of Unix domain sockets.
  ///
  /// @param directory the directory, or null for TCP only
  /// @return the changed settings
  public TcpConfig withSocketDirectory(@Nullable Path directory) {
    return with(connectTimeout, backoffMin, backoffMax, silenceMax, directory, insecure);
  }

  /// The same settings for a network that only nodes can reach, so that strangers need not be kept out by certificates.
  ///
  /// @return the changed settings
  public TcpConfig withInsecure() {
    return with(connectTimeout, backoffMin, backoffMax, silenceMax, socketDirectory, true);
  }

  /// The same settings with other pauses between attempts to connect.
  ///
  /// @param min the pause after a first failed attempt
  /// @param max the longest pause; a connection that lasted so long is made again at once when it breaks
  /// @return the changed settings
  public TcpConfig withBackoff(Duration min, Duration max) {
    return with(connectTimeout, min, max, silenceMax, socketDirectory, insecure);
  }

  /// The same settings with other time limits.
  ///
  /// @param connect how long a connection may take until both preambles are exchanged
  /// @param silence how long a peer that was written to may say nothing
  /// @return the changed settings
  public TcpConfig withTimeouts(Duration connect, Duration silence) {
    return with(connect, backoffMin, backoffMax, silence, socketDirectory, insecure);
  }

  private TcpConfig with(
      Duration connectTimeout,
      Duration backoffMin,
      Duration backoffMax,
      Duration silenceMax,
      @Nullable Path socketDirectory,
      boolean insecure) {
    return new TcpConfig(
        frameBytesMax,
        sendBufferBytes,
        receiveBufferBytes,
        acceptedMax,
        handshakesMax,
        connectTimeout,
        backoffMin,
        backoffMax,
        silenceMax,
        socketDirectory,
        insecure);
  }

  private static void require(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }
}
