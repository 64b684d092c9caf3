package org.tutti.wire;

import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;

/// Ways to spoil bytes.
enum Mutation {
  BITS {
    @Override
    byte[] apply(SplittableRandom random, byte[] bytes, byte[] other) {
      for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
      }
      return bytes;
    }
  },
  BYTES {
    @Override
    byte[] apply(SplittableRandom random, byte[] bytes, byte[] other) {
      for (int stomps = random.nextInt(1, 4); stomps > 0; stomps--) {
        bytes[random.nextInt(bytes.length)] = STOMPS[random.nextInt(STOMPS.length)];
      }
      return bytes;
    }
  },
  SHORTER {
    @Override
    byte[] apply(SplittableRandom random, byte[] bytes, byte[] other) {
      return Arrays.copyOf(bytes, random.nextInt(bytes.length));
    }
  },
  LONGER {
    @Override
    byte[] apply(SplittableRandom random, byte[] bytes, byte[] other) {
      byte[] longer = Arrays.copyOf(bytes, bytes.length + random.nextInt(1, 40));
      for (int i = bytes.length; i < longer.length; i++) {
        longer[i] = (byte) random.nextInt();
      }
      return longer;
    }
  },
  /// A count of up to nine bytes instead of one byte.
  COUNTS {
    @Override
    byte[] apply(SplittableRandom random, byte[] bytes, byte[] other) {
      int at = random.nextInt(bytes.length);
      int size = random.nextInt(1, 10);
      byte[] changed = new byte[bytes.length + size - 1];
      System.arraycopy(bytes, 0, changed, 0, at);
      for (int i = 0; i < size; i++) {
        int digit = random.nextBoolean() ? 0x7f : random.nextInt(0x80);
        changed[at + i] = (byte) (i == size - 1 ? digit : digit | 0x80);
      }
      System.arraycopy(bytes, at + 1, changed, at + size, bytes.length - at - 1);
      return changed;
    }
  },
  SPLICE {
    @Override
    byte[] apply(SplittableRandom random, byte[] bytes, byte[] other) {
      int head = random.nextInt(bytes.length);
      int from = random.nextInt(other.length);
      byte[] spliced = Arrays.copyOf(bytes, head + other.length - from);
      System.arraycopy(other, from, spliced, head, other.length - from);
      return spliced;
    }
  };

  private static final byte[] STOMPS = {0, 1, 2, 3, 0x7f, (byte) 0x80, (byte) 0xff, 9, 12};
  private static final Mutation[] ALL = values();

  abstract byte[] apply(SplittableRandom random, byte[] bytes, byte[] other);

  String title() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Mutation any(SplittableRandom random) {
    return ALL[random.nextInt(ALL.length)];
  }
}
