package org.tutti.net;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.tutti.transport.Counts;

/// Finds out which multicasts are missing here, asks the group for them, and says again what others miss.
///
/// ```
///   a                b                c               all to the group
///   | -- MULTICAST 7 > |  --x           |
///   | -- MULTICAST 8 > | -------------> |  its share says that 7 had one, too: missing
///   |                |                |  waits a random time; who hears the same question meanwhile does not ask
///   | <------------- | <- NAK(a, 7) - |
///   | REPAIR(a, 7) > | -------------> |  at once by a; b would have done it a little later, had it not heard this
/// ```
///
/// A promise to nobody: what is not repaired after a few questions is left to the links. Everything is bounded: what is
/// kept, what is asked for, how often each multicast is said again, and how many bytes of repairs there are to how many
/// of multicasts. Time is passed in, and chance comes from a seed. Engine thread only.
final class Repairs {
  /// Questions wait for at most so long, to hear whether somebody else asks.
  static final long ASK_WITHIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /// After a question so long for a repair, then twice as long, and so on: longer than others wait with theirs.
  static final long ASK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /// Others than the sender wait at least so long with a repair, so that they hear the sender's.
  static final long HELP_FROM_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  static final long HELP_WITHIN_NANOS = TimeUnit.MILLISECONDS.toNanos(8);

  /// Who asks so soon after a repair has not heard it yet.
  static final long REPAIRED_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  /// How often a node says a multicast again.
  static final int REPAIRS_MAX = 4;

  private static final int WANTED_MAX = 1024; // waiting repairs
  private static final long NUMBER_MAX = 1L << 62; // what is beyond is nobody's
  private static final int ASKS_PER_SECOND = 2000;
  private static final int ASKS_AT_ONCE = 100;
  private static final int REPAIR_BYTES_PER_SECOND = 256 << 10;
  private static final int REPAIR_BYTES_AT_ONCE = 256 << 10;
  private static final int MULTICASTS_PER_REPAIR = 2; // bytes that were multicast for each byte of repairs
  private static final long NEVER = Long.MAX_VALUE;

  /// What leaves.
  interface Out {
    void ask(long life, long first, long bits);

    /// @return false when the socket is full: then it is lost
    boolean repair(MulticastStore.Kept multicast);
  }

  private final long life;
  private final Out out;
  private final Counts<UdpCount> counters;
  private final SplittableRandom random;
  private final MulticastStore store = new MulticastStore();
  private final Map<Long, Gaps> gaps = new HashMap<>();
  private final ArrayDeque<MulticastStore.Kept> wanted = new ArrayDeque<>();
  private final TokenBucket asks;
  private final TokenBucket repairs;
  private int company = 1;
  private long askAt = NEVER;
  private long repairAt = NEVER;
  private long ageAt;

  Repairs(long now, long life, long seed, Out out, Counts<UdpCount> counters) {
    this.life = life;
    this.out = out;
    this.counters = counters;
    this.random = new SplittableRandom(seed);
    this.asks = new TokenBucket(now, ASKS_PER_SECOND, ASKS_AT_ONCE);
    this.repairs = new TokenBucket(now, REPAIR_BYTES_PER_SECOND, REPAIR_BYTES_AT_ONCE);
    this.ageAt = now + MulticastStore.KEPT_NANOS;
  }

  /// How many others there are: the more, the longer most of them wait with a question.
  void company(int others) {
    company = Math.max(1, others);
  }

  // ---- multicasts ---------------------------------------------------------------------------------------------------

  /// A multicast was sent by this node, or by another one, whether it concerns this one or not.
  void keep(long now, long from, long number, byte[] datagram) {
    if (number > 0 && number < NUMBER_MAX) {
      store.keep(new MulticastStore.Kept(from, number, datagram, now));
      repairs.earn(datagram.length / MULTICASTS_PER_REPAIR);
    }
  }

  /// A multicast came with a share for this node.
  ///
  /// @param before which ones before it had one, too: bit i for the multicast i + 1 before it
  /// @return false when a repair of it has come before
  boolean came(long now, long from, long number, long before) {
    if (number <= 0 || number >= NUMBER_MAX) {
      return true;
    }
    Gaps those = gaps.get(from);
    if (those == null) {
      gaps.put(from, new Gaps(number));
      return true;
    }
    boolean fresh = those.came(number);
    named(now, those, number, before);
    return fresh;
  }

  /// A peer tells which multicast with a share for this node was its last one, and which ones before.
  void last(long now, long from, long number, long before) {
    Gaps those = gaps.get(from);
    if (those != null && number > 0 && number < NUMBER_MAX) {
      named(now, those, number + 1, 1);
      named(now, those, number, before);
    }
  }

  private void named(long now, Gaps those, long number, long before) {
    int more = those.named(number, before, now + pauseNanos());
    counters.add(UdpCount.CASTS_MISSED, more);
    askAt = Math.min(askAt, those.askAt());
  }

  /// A random time; the larger the company the rarer are short ones (Nonnenmacher and Biersack), so that few ask.
  private long pauseNanos() {
    double steep = Math.log(company) + 1;
    return (long) (ASK_WITHIN_NANOS * Math.log1p(random.nextDouble() * Math.expm1(steep)) / steep);
  }

  // ---- what others ask and say -----------------------------------------------------------------------------------

  /// Another node asks for multicasts of some life: the first one, and bit i for the one i + 1 after it.
  void asked(long now, long of, long first, long bits) {
    counters.add(UdpCount.NAKS_RECEIVED);
    if (first <= 0 || first >= NUMBER_MAX) {
      counters.add(UdpCount.NAKS_IN_VAIN);
      return;
    }
    suppress(now, of, first, bits);
    boolean any = want(now, of, first);
    for (long rest = bits; rest != 0; rest &= rest - 1) {
      any |= want(now, of, first + 1 + Long.numberOfTrailingZeros(rest));
    }
    if (!any) {
      counters.add(UdpCount.NAKS_IN_VAIN);
    }
  }

  /// What another node asks for need not be asked for here.
  private void suppress(long now, long of, long first, long bits) {
    Gaps those = gaps.get(of);
    if (those != null && those.asked(now, first, bits, againNanos()) > 0) {
      counters.add(UdpCount.NAKS_SUPPRESSED);
    }
  }

  private long againNanos() {
    return ASK_AGAIN_NANOS + pauseNanos();
  }

  /// @return whether it is kept here
  private boolean want(long now, long of, long number) {
    MulticastStore.Kept kept = store.get(of, number);
    if (kept == null) {
      return false;
    }
    boolean onTheWay = kept.heard && now - kept.repairedNanos < REPAIRED_NANOS;
    if (!kept.wanted && !onTheWay && kept.repairs < REPAIRS_MAX && wanted.size() < WANTED_MAX) {
      kept.wanted = true;
      kept.repairAt = of == life ? now : now + random.nextLong(HELP_FROM_NANOS, HELP_WITHIN_NANOS);
      repairAt = Math.min(repairAt, kept.repairAt);
      wanted.add(kept);
    }
    return true;
  }

  /// Another node has said a multicast again.
  ///
  /// @return whether it is missing here, so that a share in it is to be taken
  boolean repaired(long now, long of, long number, byte[] datagram) {
    if (of == life) {
      heardRepair(now, number);
      return false;
    }
    Gaps those = gaps.get(of);
    if (those == null || number <= 0 || number >= NUMBER_MAX) {
      return false;
    }
    MulticastStore.Kept kept = store.get(of, number);
    if (kept == null) {
      kept = new MulticastStore.Kept(of, number, datagram, now);
      store.keep(kept);
    }
    kept.heard = true;
    kept.repairedNanos = now;
    if (kept.wanted) {
      leave(kept);
    }
    return those.lacks(number);
  }

  /// Another node was faster.
  private void leave(MulticastStore.Kept kept) {
    kept.wanted = false;
    wanted.remove(kept);
    counters.add(UdpCount.REPAIRS_SUPPRESSED);
  }

  private void heardRepair(long now, long number) {
    MulticastStore.Kept kept = store.get(life, number);
    if (kept != null) {
      kept.heard = true;
      kept.repairedNanos = now;
    }
  }

  /// What was known of a peer's life does not matter any more.
  void forget(long of) {
    gaps.remove(of);
    store.forget(of);
    wanted.removeIf(kept -> kept.life == of);
  }

  // ---- time ------------------------------------------------------------------------------------------------------

  /// How long until [#tend] has something to do.
  long pauseNanos(long now) {
    return Math.min(ageAt, Math.min(askAt, repairAt)) - now;
  }

  /// Asks and says again what is due.
  void tend(long now) {
    if (now >= repairAt) {
      repairDue(now);
    }
    if (now >= askAt) {
      askDue(now);
    }
    if (now >= ageAt) {
      store.age(now);
      ageAt = now + MulticastStore.KEPT_NANOS;
    }
  }

  private void repairDue(long now) {
    repairAt = NEVER;
    Iterator<MulticastStore.Kept> all = wanted.iterator();
    while (all.hasNext()) {
      MulticastStore.Kept kept = all.next();
      if (kept.repairAt > now) {
        repairAt = Math.min(repairAt, kept.repairAt);
        continue;
      }
      all.remove();
      kept.wanted = false;
      repair(now, kept);
    }
  }

  private void repair(long now, MulticastStore.Kept kept) {
    if (!repairs.spend(now, kept.datagram.length)) {
      counters.add(UdpCount.REPAIRS_WITHHELD);
      return;
    }
    kept.repairs++;
    kept.heard = true;
    kept.repairedNanos = now;
    if (out.repair(kept)) {
      counters.add(kept.life == life ? UdpCount.REPAIRS_SENT : UdpCount.REPAIRS_SENT_FOR_OTHERS);
    }
  }

  private void askDue(long now) {
    askAt = NEVER;
    for (Map.Entry<Long, Gaps> entry : gaps.entrySet()) {
      Gaps those = entry.getValue();
      counters.add(UdpCount.CASTS_GIVEN_UP, those.giveUp(now));
      for (long first = those.first(now); first != 0; first = those.first(now)) {
        long bits = those.bits(now, first);
        those.asked(now, first, bits, againNanos());
        if (asks.spend(now, 1)) {
          counters.add(UdpCount.NAKS_SENT);
          out.ask(entry.getKey(), first, bits);
        } else {
          counters.add(UdpCount.NAKS_WITHHELD);
        }
      }
      askAt = Math.min(askAt, those.askAt());
    }
  }

  // ---- how much is kept ------------------------------------------------------------------------------------------

  long keptBytes() {
    return store.bytes();
  }

  /// How many multicasts of a life are missing.
  int missing(long of) {
    Gaps those = gaps.get(of);
    return those == null ? 0 : those.missing();
  }
}
