package org.tutti.net.udp;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The settings of a [UdpTransport]; start from [#lan] and change what must differ.
///
/// Memory, outside the heap: for each peer frames of at most `queueBytes` and one more, those that fill several
/// datagrams in buffers of 33 KiB each; and two such buffers for what comes of frames in several datagrams.
///
/// @param datagramBytesMax   the largest datagram in bytes, without the headers of UDP and IP; less if the interface's
///                           MTU is smaller, and to peers whose path takes less, as IP is told not to break it
/// @param receiveBufferBytes the socket's receive buffer that the kernel is asked for; what it grants is logged and
///                           counted, and shared by the peers: all together never have more on the way than fits
/// @param sendBufferBytes    the socket's send buffer that the kernel is asked for
/// @param queueBytes         what may wait for one peer, at least two largest datagrams
/// @param peersMax           how many peers are known at a time; who was heard longest ago yields
/// @param backoffMin         the pause after a first greeting without answer; it doubles with each further one
/// @param backoffMax         the longest pause between greetings
/// @param silenceMax         a peer that was written to and said nothing for this long must be greeted again
/// @param keys               seal all datagrams; null for none, which is possible on loopback only
/// @param multicast          where frames for several peers go as one datagram; null for unicast only
/// @param trains             whether several datagrams go to the kernel and come from it at once where it can do that
public record UdpConfig(
    int datagramBytesMax,
    int receiveBufferBytes,
    int sendBufferBytes,
    int queueBytes,
    int peersMax,
    Duration backoffMin,
    Duration backoffMax,
    Duration silenceMax,
    @Nullable UdpKeys keys,
    @Nullable UdpMulticast multicast,
    boolean trains) {
  /// The smallest limit for datagrams: what every network carries in one piece is enough for a frame.
  static final int DATAGRAM_BYTES_MIN = 576;

  /// The largest datagram of UDP over IPv4.
  static final int DATAGRAM_BYTES_LIMIT = 65507;

  /// Checks the ranges.
  public UdpConfig {
    require(
        datagramBytesMax >= DATAGRAM_BYTES_MIN && datagramBytesMax <= DATAGRAM_BYTES_LIMIT,
        "datagramBytesMax is " + DATAGRAM_BYTES_MIN + " to " + DATAGRAM_BYTES_LIMIT + " bytes");
    require(receiveBufferBytes > 0 && sendBufferBytes > 0, "receiveBufferBytes and sendBufferBytes are positive");
    require(queueBytes >= 2 * datagramBytesMax, "queueBytes holds two datagrams");
    require(peersMax > 0, "peersMax is positive");
    require(backoffMin.isPositive() && backoffMin.compareTo(backoffMax) <= 0, "0 < backoffMin <= backoffMax");
    require(silenceMax.isPositive(), "silenceMax is positive");
  }

  /// One segment or one host: datagrams of 8 KiB where the interface carries them, else as large as its MTU allows.
  ///
  /// @return the default settings
  public static UdpConfig lan() {
    return new UdpConfig(
        8 << 10,
        4 << 20,
        1 << 20,
        256 << 10,
        1024,
        Duration.ofMillis(50),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        null,
        null,
        true);
  }

  /// The same settings with other datagrams.
  ///
  /// @param bytes the largest datagram
  /// @return the changed settings
  public UdpConfig withDatagramBytesMax(int bytes) {
    return with(bytes, keys, multicast, trains);
  }

  /// The same settings with multicasts. A member that does not hear them gets datagrams of its own.
  ///
  /// @param where the group and the interface
  /// @return the changed settings
  public UdpConfig withMulticast(UdpMulticast where) {
    return with(datagramBytesMax, keys, where, trains);
  }

  /// The same settings with a key that does not change.
  ///
  /// @param secret what all members of the cluster share
  /// @return the changed settings
  public UdpConfig withKey(UdpKey secret) {
    return withKeys(UdpKeys.of(secret));
  }

  /// The same settings with keys.
  ///
  /// @param secrets what all members of the cluster share; they may change
  /// @return the changed settings
  public UdpConfig withKeys(UdpKeys secrets) {
    return with(datagramBytesMax, secrets, multicast, trains);
  }

  /// The same settings with or without trains of datagrams.
  ///
  /// @param wanted false for one system call for each datagram, as on systems that have nothing else
  /// @return the changed settings
  public UdpConfig withTrains(boolean wanted) {
    return with(datagramBytesMax, keys, multicast, wanted);
  }

  private UdpConfig with(
      int datagramBytesMax, @Nullable UdpKeys keys, @Nullable UdpMulticast multicast, boolean trains) {
    return new UdpConfig(
        datagramBytesMax,
        receiveBufferBytes,
        sendBufferBytes,
        queueBytes,
        peersMax,
        backoffMin,
        backoffMax,
        silenceMax,
        keys,
        multicast,
        trains);
  }

  private static void require(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }
}
