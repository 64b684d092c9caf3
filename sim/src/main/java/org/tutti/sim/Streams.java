package org.tutti.sim;

import java.util.SplittableRandom;

/// Independent streams of random numbers from one seed: what one part draws does not move what another part draws, so
/// that a run without one kind of fault stays as near as possible to the run with it.
final class Streams {
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private final long seed;

  Streams(long seed) {
    this.seed = seed;
  }

  /// Opens a stream.
  ///
  /// @param purpose what it is for; equal purposes and numbers give equal streams
  /// @param number  tells streams of one purpose apart
  SplittableRandom open(Purpose purpose, long number) {
    return new SplittableRandom(mix(seed * GOLDEN + purpose.ordinal() * 0x632be59bd9b4e019L + number + 1));
  }

  /// What a stream is for.
  enum Purpose {
    PLAN,
    LINK,
    FAULT,
    WORKLOAD,
    ENGINE,
    APPLICATION,
    NODE,
    ORDERING,
    OVERLAP,
    SERVICE,
    ELECTORATE,
    SUBSET,
    SPLIT,
    PARTITIONS,
    EXCHANGE,
    STORAGE,
    PACKING,
    NAMES,
    SETTINGS,
    ROLE,
    REPLICA,
    LINE,
    SERVICE_SETTINGS,
    CONNECTION,
    CALLS,
    FORCE,
    UPGRADE,
    RETURNING,
    SPILL
  }

  /// Spreads a number over all bits (after Stafford's variant 13).
  static long mix(long value) {
    long z = value;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
