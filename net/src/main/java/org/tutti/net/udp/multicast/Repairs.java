package org.tutti.net.udp.multicast;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
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
public final class Repairs {
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
  public interface Out {
    /// Asks the group for multicasts.
    ///
    /// @param life  of who sent them
    /// @param first the first one that is missing
    /// @param bits  bit i: the multicast i + 1 after the first one is missing, too
    void ask(long life, long first, long bits);

    /// Says a multicast again.
    ///
    /// @param life     of who sent it first
    /// @param number   of the multicast
    /// @param datagram the repair
    /// @return false when the socket is full: then it is lost
    boolean repair(long life, long number, byte[] datagram);
  }

  private final long life;
  private final Out out;
  private final Counts<MulticastCount> counters;
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

  /// Begins without knowing any multicast.
  ///
  /// @param now      the time, in nanoseconds as everywhere here
  /// @param life     this node's
  /// @param seed     of the random pauses
  /// @param out      sends to the group
  /// @param counters what happens is counted here
  public Repairs(long now, long life, long seed, Out out, Counts<MulticastCount> counters) {
    this.life = life;
    this.out = out;
    this.counters = counters;
    this.random = new SplittableRandom(seed);
    this.asks = new TokenBucket(now, ASKS_PER_SECOND, ASKS_AT_ONCE);
    this.repairs = new TokenBucket(now, REPAIR_BYTES_PER_SECOND, REPAIR_BYTES_AT_ONCE);
    this.ageAt = now + MulticastStore.KEPT_NANOS;
  }

  /// How many others there are: the more, the longer most of them wait with a question.
  ///
  /// @param others how many
  public void company(int others) {
    company = Math.max(1, others);
  }

  // ---- multicasts ---------------------------------------------------------------------------------------------------

  /// A multicast was sent by this node, or by another one, whether it concerns this one or not.
  ///
  /// @param now      the time
  /// @param from     the sender's life
  /// @param number   of the multicast
  /// @param datagram the repair that it would be
  public void keep(long now, long from, long number, byte[] datagram) {
    keep(now, from, number, datagram.length, () -> datagram);
  }

  /// The same, of a multicast that is a part of a longer one and need not be cut out of it before somebody misses it.
  ///
  /// @param now      the time
  /// @param from     the sender's life
  /// @param number   of the multicast
  /// @param length   of the repair, or a little more
  /// @param datagram the repair that it would be
  public void keep(long now, long from, long number, int length, Supplier<byte[]> datagram) {
    if (number > 0 && number < NUMBER_MAX) {
      store.keep(new MulticastStore.Kept(from, number, length, datagram, now));
      repairs.earn(length / MULTICASTS_PER_REPAIR);
    }
  }

  /// A multicast came with a share for this node.
  ///
  /// @param now    the time
  /// @param from   the sender's life
  /// @param number of the multicast
  /// @param before which ones before it had one, too: bit i for the multicast i + 1 before it
  /// @return false when a repair of it has come before
  public boolean came(long now, long from, long number, long before) {
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
  ///
  /// @param now    the time
  /// @param from   the peer's life
  /// @param number of the multicast
  /// @param before bit i for the multicast i + 1 before it
  public void last(long now, long from, long number, long before) {
    Gaps those = gaps.get(from);
    if (those != null && number > 0 && number < NUMBER_MAX) {
      named(now, those, number + 1, 1);
      named(now, those, number, before);
    }
  }

  private void named(long now, Gaps those, long number, long before) {
    int more = those.named(number, before, now + pauseNanos());
    counters.add(MulticastCount.CASTS_MISSED, more);
    askAt = Math.min(askAt, those.askAt());
  }

  /// A random time; the larger the company the rarer are short ones (Nonnenmacher and Biersack), so that few ask.
  private long pauseNanos() {
    double steep = Math.log(company) + 1;
    return (long) (ASK_WITHIN_NANOS * Math.log1p(random.nextDouble() * Math.expm1(steep)) / steep);
  }

  // ---- what others ask and say -----------------------------------------------------------------------------------

  /// Another node asks for multicasts of some life: the first one, and bit i for the one i + 1 after it.
  ///
  /// @param now   the time
  /// @param of    the life of who sent them
  /// @param first number
  /// @param bits  of the 64 after it
  public void asked(long now, long of, long first, long bits) {
    counters.add(MulticastCount.NAKS_RECEIVED);
    if (first <= 0 || first >= NUMBER_MAX) {
      counters.add(MulticastCount.NAKS_IN_VAIN);
      return;
    }
    suppress(now, of, first, bits);
    boolean any = want(now, of, first);
    for (long rest = bits; rest != 0; rest &= rest - 1) {
      any |= want(now, of, first + 1 + Long.numberOfTrailingZeros(rest));
    }
    if (!any) {
      counters.add(MulticastCount.NAKS_IN_VAIN);
    }
  }

  /// What another node asks for need not be asked for here.
  private void suppress(long now, long of, long first, long bits) {
    Gaps those = gaps.get(of);
    if (those != null && those.asked(now, first, bits, againNanos()) > 0) {
      counters.add(MulticastCount.NAKS_SUPPRESSED);
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
  /// @param now      the time
  /// @param of       the life of who sent it first
  /// @param number   of the multicast
  /// @param datagram the repair
  /// @return whether it is missing here, so that a share in it is to be taken
  public boolean repaired(long now, long of, long number, byte[] datagram) {
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
      kept = new MulticastStore.Kept(of, number, datagram.length, () -> datagram, now);
      kept.repaired = true;
      store.keep(kept);
    }
    kept.heard = true;
    kept.repairedNanos = now;
    if (kept.wanted) {
      leave(kept);
    }
    return those.lacks(number);
  }

  /// Several multicasts with successive numbers that make one: the pieces of a long one.
  ///
  /// @param of    the life of who sent them
  /// @param first the number of the first one
  /// @param count how many
  /// @return all of them, as they would be said again; none while some are missing
  public List<byte[]> whole(long of, long first, int count) {
    List<byte[]> pieces = new ArrayList<>(count);
    for (int i = count - 1; i >= 0; i--) { // the last one comes last, mostly
      MulticastStore.Kept kept = store.get(of, first + i);
      if (kept == null) {
        return List.of();
      }
      pieces.add(kept.datagram());
    }
    return pieces.reversed();
  }

  /// How many of some multicasts came because they were said again: they are not what the network has carried.
  ///
  /// @param of    the life of who sent them
  /// @param first the number of the first one
  /// @param count how many multicasts
  /// @return how many of these
  public int repaired(long of, long first, int count) {
    int repaired = 0;
    for (int i = 0; i < count; i++) {
      MulticastStore.Kept kept = store.get(of, first + i);
      repaired += kept != null && kept.repaired ? 1 : 0;
    }
    return repaired;
  }

  /// Another node was faster.
  private void leave(MulticastStore.Kept kept) {
    kept.wanted = false;
    wanted.remove(kept);
    counters.add(MulticastCount.REPAIRS_SUPPRESSED);
  }

  private void heardRepair(long now, long number) {
    MulticastStore.Kept kept = store.get(life, number);
    if (kept != null) {
      kept.heard = true;
      kept.repairedNanos = now;
    }
  }

  /// What was known of a peer's life does not matter any more.
  ///
  /// @param of that life
  public void forget(long of) {
    gaps.remove(of);
    store.forget(of);
    wanted.removeIf(kept -> kept.life == of);
  }

  // ---- time ------------------------------------------------------------------------------------------------------

  /// How long until [#tend] has something to do.
  ///
  /// @param now the time
  /// @return nanoseconds
  public long pauseNanos(long now) {
    return Math.min(ageAt, Math.min(askAt, repairAt)) - now;
  }

  /// Asks and says again what is due.
  ///
  /// @param now the time
  public void tend(long now) {
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
    if (!repairs.spend(now, kept.length)) {
      counters.add(MulticastCount.REPAIRS_WITHHELD);
      return;
    }
    kept.repairs++;
    kept.heard = true;
    kept.repairedNanos = now;
    if (out.repair(kept.life, kept.number, kept.datagram())) {
      counters.add(kept.life == life ? MulticastCount.REPAIRS_SENT : MulticastCount.REPAIRS_SENT_FOR_OTHERS);
    }
  }

  private void askDue(long now) {
    askAt = NEVER;
    for (Map.Entry<Long, Gaps> entry : gaps.entrySet()) {
      Gaps those = entry.getValue();
      counters.add(MulticastCount.CASTS_GIVEN_UP, those.giveUp(now));
      for (long first = those.first(now); first != 0; first = those.first(now)) {
        long bits = those.bits(now, first);
        those.asked(now, first, bits, againNanos());
        if (asks.spend(now, 1)) {
          counters.add(MulticastCount.NAKS_SENT);
          out.ask(entry.getKey(), first, bits);
        } else {
          counters.add(MulticastCount.NAKS_WITHHELD);
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

  /// How much may be spent: it grows with time and with what is earned, up to a most.
  static final class TokenBucket {
    private final double perNano;
    private final double most;
    private double left;
    private long sinceNanos;

    TokenBucket(long now, long perSecond, long most) {
      this.perNano = (double) perSecond / TimeUnit.SECONDS.toNanos(1);
      this.most = most;
      this.left = most;
      this.sinceNanos = now;
    }

    void earn(long amount) {
      left = Math.min(most, left + amount);
    }

    /// @return whether so much was left
    boolean spend(long now, long amount) {
      left = Math.min(most, left + perNano * (now - sinceNanos));
      sinceNanos = now;
      if (left < amount) {
        return false;
      }
      left -= amount;
      return true;
    }
  }

  /// Which multicasts of one life are missing here, and when to ask for them.
  ///
  /// Each share says which of the 64 multicasts before it had one for the same peer, so only what concerns this node
  /// counts as missing, at once when the next share comes. Bounded: what is further back than the window, or more than
  /// the most that may be missing, is left to the links.
  static final class Gaps {
    /// So far back it is known what has come.
    static final int WINDOW = 1024;

    /// So many are asked for at a time.
    static final int MISSING_MAX = 256;

    /// How often a multicast is asked for.
    static final int ASKS_MAX = 4;

    private static final long NEVER = Long.MAX_VALUE;

    private static final class Missing {
      long askAt;
      int asks;
    }

    private final long[] got = new long[WINDOW / Long.SIZE];
    private final TreeMap<Long, Missing> missing = new TreeMap<>();
    private final long first; // what came before is the links' concern
    private long highest;
    private long askAt = NEVER; // or earlier than needed

    /// @param first the first multicast that came
    Gaps(long first) {
      this.first = first;
      this.highest = first;
      mark(first);
    }

    private static int word(long number) {
      return (int) (number / Long.SIZE) & WINDOW / Long.SIZE - 1;
    }

    private void mark(long number) {
      got[word(number)] |= 1L << number;
    }

    private boolean isKnown(long number) {
      return number >= first && number > highest - WINDOW;
    }

    private boolean has(long number) {
      return number <= highest && (got[word(number)] & 1L << number) != 0;
    }

    /// Whether a multicast has not come, as far as that is known.
    boolean lacks(long number) {
      return isKnown(number) && !has(number);
    }

    /// A multicast has come, by itself or as a repair.
    ///
    /// @return false when it has come before
    boolean came(long number) {
      if (!isKnown(number)) {
        return true; // from before the beginning or very late: the links know
      }
      if (number > highest) {
        if (number - highest >= WINDOW) {
          Arrays.fill(got, 0);
        } else {
          for (long next = highest + 1; next <= number; next++) {
            got[word(next)] &= ~(1L << next);
          }
        }
        highest = number;
        missing.headMap(highest - WINDOW, true).clear();
      }
      boolean fresh = !has(number);
      mark(number);
      missing.remove(number);
      return fresh;
    }

    /// A share tells which multicasts before it were for this node.
    ///
    /// @param number of the multicast with this share
    /// @param before bit i for the multicast i + 1 before it
    /// @param at     when to ask for what is missing
    /// @return how many more are missing than before
    int named(long number, long before, long at) {
      int more = 0;
      for (long rest = before; rest != 0; rest &= rest - 1) {
        long one = number - 1 - Long.numberOfTrailingZeros(rest);
        boolean near = one - highest < WINDOW; // a number that is far ahead is a lie
        if (near && lacks(one) && !missing.containsKey(one) && missing.size() < MISSING_MAX) {
          var entry = new Missing();
          entry.askAt = at;
          missing.put(one, entry);
          more++;
        }
      }
      if (more > 0) {
        askAt = Math.min(askAt, at);
      }
      return more;
    }

    /// When something is to be asked for, or earlier.
    long askAt() {
      return askAt;
    }

    /// What to ask for now. All that is not asked for yet goes along, as far as it fits.
    ///
    /// @return first missing number; 0 when nothing is to be asked for
    long first(long now) {
      if (now < askAt) {
        return 0;
      }
      long next = NEVER;
      for (Map.Entry<Long, Missing> entry : missing.entrySet()) {
        if (entry.getValue().askAt <= now) {
          return entry.getKey();
        }
        next = Math.min(next, entry.getValue().askAt);
      }
      askAt = next;
      return 0;
    }

    /// Which of the 64 after the first one go along with it.
    long bits(long now, long from) {
      long bits = 0;
      for (Map.Entry<Long, Missing> entry : missing.subMap(from, false, from + Long.SIZE, true).entrySet()) {
        Missing one = entry.getValue();
        if (one.askAt <= now || one.asks == 0) {
          bits |= 1L << entry.getKey() - from - 1;
        }
      }
      return bits;
    }

    /// Somebody has asked: this node, or another one, which is just as well.
    ///
    /// @param pauseNanos until it is worth while to ask again, the first time; it doubles
    /// @return how many of these multicasts are missing here and would soon have been asked for
    int asked(long now, long from, long bits, long pauseNanos) {
      int concerned = 0;
      for (Map.Entry<Long, Missing> entry : missing.subMap(from, true, from + Long.SIZE, true).entrySet()) {
        long at = entry.getKey() - from - 1;
        Missing one = entry.getValue();
        boolean soon = one.askAt != NEVER && one.askAt - now < pauseNanos / 2; // else it was asked for a moment ago
        if (soon && (at < 0 || (bits >>> at & 1) != 0)) {
          one.askAt = now + (pauseNanos << Math.min(one.asks, ASKS_MAX));
          one.asks++;
          concerned++;
        }
      }
      return concerned;
    }

    /// Leaves to the links what was asked for often enough.
    ///
    /// @return how many multicasts that are
    int giveUp(long now) {
      if (now < askAt) {
        return 0;
      }
      int given = 0;
      Iterator<Missing> all = missing.values().iterator();
      while (all.hasNext()) {
        Missing one = all.next();
        if (one.asks >= ASKS_MAX && one.askAt <= now) {
          one.askAt = NEVER; // it stays, or the next share would begin anew with it
          given++;
        }
      }
      return given;
    }

    int missing() {
      return missing.size();
    }
  }
}
