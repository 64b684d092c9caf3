package org.tutti.bench;

import java.time.Duration;
import java.util.List;

/// What to measure with loss, and how long.
///
/// @param bytes         lengths of messages, the best of which is what the others are compared with
/// @param losses        shares of datagrams that are lost, each 0 to 0.5
/// @param datagramBytes the largest datagram
/// @param rounds        how often everything is measured, in turn over the lengths
/// @param flood         how long one member multicasts as fast as it can
public record LossOptions(List<Integer> bytes, List<Double> losses, int datagramBytes, int rounds, Duration flood) {
  /// What an Ethernet carries in one piece.
  public static final int ETHERNET_BYTES = 1472;

  private static final int BYTES_MAX = 1 << 20;
  private static final double LOSS_MAX = 0.5;
  private static final List<Integer> BYTES =
      List.of(1 << 10, 4 << 10, 16 << 10, 40_000, 64 << 10, 256 << 10, BYTES_MAX);
  private static final List<Double> LOSSES = List.of(0.0, 0.01, 0.05, 0.2);

  /// Checks the ranges.
  public LossOptions {
    bytes = List.copyOf(bytes);
    losses = List.copyOf(losses);
    if (bytes.isEmpty() || bytes.stream().anyMatch(length -> length < 1 || length > BYTES_MAX)) {
      throw new IllegalArgumentException("messages have 1 to " + BYTES_MAX + " bytes, not " + bytes);
    }
    if (losses.isEmpty() || losses.stream().anyMatch(loss -> !(loss >= 0 && loss <= LOSS_MAX))) {
      throw new IllegalArgumentException("loss is 0 to " + LOSS_MAX + ", not " + losses);
    }
    if (rounds < 1) {
      throw new IllegalArgumentException("nothing to measure");
    }
  }

  /// Three minutes.
  ///
  /// @return 1 KiB to 1 MiB at 0, 1, 5 and 20 % loss, with datagrams of Ethernet
  public static LossOptions full() {
    return new LossOptions(BYTES, LOSSES, ETHERNET_BYTES, 5, Duration.ofSeconds(1));
  }

  /// Half a minute.
  ///
  /// @return the same in fewer and shorter rounds
  public static LossOptions quick() {
    return new LossOptions(BYTES, LOSSES, ETHERNET_BYTES, 1, Duration.ofMillis(600));
  }

  /// The same with other messages.
  ///
  /// @param lengths of messages
  /// @return a changed copy
  public LossOptions withBytes(List<Integer> lengths) {
    return new LossOptions(lengths, losses, datagramBytes, rounds, flood);
  }

  /// The same with other losses.
  ///
  /// @param shares of datagrams, 0 to 0.5
  /// @return a changed copy
  public LossOptions withLosses(List<Double> shares) {
    return new LossOptions(bytes, shares, datagramBytes, rounds, flood);
  }

  /// The same with other datagrams.
  ///
  /// @param most the largest one in bytes
  /// @return a changed copy
  public LossOptions withDatagramBytes(int most) {
    return new LossOptions(bytes, losses, most, rounds, flood);
  }
}
