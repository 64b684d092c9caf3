package org.tutti.net.udp.multicast;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.tutti.transport.Counts;

/// Some nodes with [Repairs] on a network in memory that loses, delays and reorders, and a check of what they do. All
/// of it comes from the seed.
final class RepairsCampaign {
  private static final long MICRO = TimeUnit.MICROSECONDS.toNanos(1);
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int MULTICAST_BYTES = 100;

  /// What is random in a run.
  ///
  /// @param nodes    how many
  /// @param common   the share of multicasts that all lose
  /// @param own      the share of multicasts that each one loses
  /// @param answers  the share of questions and repairs that each one loses
  /// @param partial  the share of multicasts that are not for all
  /// @param crash    whether the first node ends in between; it is the only one to send multicasts then
  /// @param hostile  whether somebody says what is not so
  record Weather(
      int nodes, double common, double own, double answers, double partial, boolean crash, boolean hostile) {}

  /// What happened, over several runs.
  static final class Totals {
    long lost; // multicasts that did not reach somebody concerned, each once
    long missed; // multicast and receiver
    long came; // of them, what came after all
    long givenUp;
    long asked;
    long suppressed;
    long repaired;
    long repairedByOthers;
    long slowestNanos;
    final List<String> violations = new ArrayList<>();
  }

  private record Event(long at, long order, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  private final class Member implements Repairs.Out {
    final int index;
    final long life;
    final Counts<MulticastCount> counters = new Counts<>(MulticastCount.class);
    final Repairs repairs;
    final Map<Long, MulticastPeer> peers = new HashMap<>();
    final Set<List<Long>> taken = new HashSet<>();
    final Map<Long, Long> first = new HashMap<>(); // what came before it is the links' concern
    final Map<List<Long>, Long> lackedSince = new HashMap<>();
    final Map<List<Long>, Integer> repairsOf = new HashMap<>();
    long numbers;
    long wakeAt = Long.MAX_VALUE;
    boolean alive = true;

    Member(int index, long seed) {
      this.index = index;
      this.life = 100 + index;
      this.repairs = new Repairs(now, life, seed, this, counters);
      repairs.company(weather.nodes - 1);
    }

    /// Sends a multicast to some.
    void multicast(List<Member> to) {
      long number = ++numbers;
      repairs.keep(now, life, number, bytes(life, number));
      var before = new HashMap<Member, Long>();
      for (Member one : to) {
        MulticastPeer peer = peers.computeIfAbsent(one.life, _ -> new MulticastPeer());
        before.put(one, peer.before(number));
        peer.sent(number, number);
      }
      shares.put(List.of(life, number), before);
      boolean allLose = number > 1 && random.nextDouble() < weather.common;
      boolean any = false;
      for (Member one : members) {
        if (one != this) {
          boolean loses = allLose || number > 1 && random.nextDouble() < weather.own;
          any |= loses && to.contains(one);
          if (!loses) {
            later(latency(), () -> one.hears(this, number));
          }
        }
      }
      totals.lost += any ? 1 : 0;
    }

    void hears(Member from, long number) {
      if (!alive) {
        return;
      }
      repairs.keep(now, from.life, number, bytes(from.life, number));
      Long before = shares.get(List.of(from.life, number)).get(this);
      if (before != null) {
        take(from.life, number, repairs.came(now, from.life, number, before), before);
      }
      turn();
    }

    private void take(long from, long number, boolean fresh, long before) {
      List<Long> multicast = List.of(from, number);
      if (fresh && !taken.add(multicast)) {
        totals.violations.add("multicast " + number + " is taken twice by " + index);
      }
      first.putIfAbsent(from, number);
      Long since = lackedSince.remove(multicast);
      if (since != null) {
        totals.came++;
        totals.slowestNanos = Math.max(totals.slowestNanos, now - since);
      }
      for (long rest = before; rest != 0; rest &= rest - 1) {
        long one = number - 1 - Long.numberOfTrailingZeros(rest);
        if (one > first.get(from) && !taken.contains(List.of(from, one))) {
          lackedSince.putIfAbsent(List.of(from, one), now);
        }
      }
    }

    void turn() {
      repairs.tend(now);
      long pause = Math.max(1, repairs.pauseNanos(now));
      long at = now + (coarse ? (pause + MILLI - 1) / MILLI * MILLI : pause);
      if (at < wakeAt || wakeAt <= now) {
        wakeAt = at;
        later(at - now, () -> wake(at));
      }
    }

    private void wake(long at) {
      if (alive && at == wakeAt) {
        wakeAt = Long.MAX_VALUE;
        turn();
      }
    }

    @Override
    public void ask(long of, long first, long bits) {
      toOthers(other -> other.repairs.asked(now, of, first, bits));
    }

    @Override
    public boolean repair(long of, long number, byte[] datagram) {
      List<Long> which = List.of(of, number);
      if (repairsOf.merge(which, 1, Integer::sum) > Repairs.REPAIRS_MAX) {
        totals.violations.add(index + " repairs " + which + " too often");
      }
      ByteBuffer bytes = ByteBuffer.wrap(datagram);
      if (bytes.getLong() != of || bytes.getLong() != number) {
        totals.violations.add(index + " repairs " + which + " by something else");
      }
      toOthers(other -> other.hearsRepair(of, number));
      return true;
    }

    private void hearsRepair(long of, long number) {
      Long before = shares.get(List.of(of, number)).get(this);
      if (repairs.repaired(now, of, number, bytes(of, number)) && before != null) {
        take(of, number, repairs.came(now, of, number, before), before);
      }
    }

    private void toOthers(java.util.function.Consumer<Member> what) {
      for (Member other : members) {
        if (other != this && random.nextDouble() >= weather.answers) {
          later(
              latency(),
              () -> {
                if (other.alive) {
                  what.accept(other);
                  other.turn();
                }
              });
        }
      }
    }
  }

  private final SplittableRandom random;
  private final Weather weather;
  private final Totals totals;
  private final boolean coarse; // a selector that counts in milliseconds
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final List<Member> members = new ArrayList<>();
  private final Map<List<Long>, Map<Member, Long>> shares = new HashMap<>();
  private long now = MILLI;
  private long orders;

  private RepairsCampaign(long seed, Weather weather, Totals totals) {
    this.random = new SplittableRandom(seed);
    this.weather = weather;
    this.totals = totals;
    this.coarse = random.nextBoolean();
    for (int i = 0; i < weather.nodes; i++) {
      members.add(new Member(i, random.nextLong()));
    }
  }

  private void later(long nanos, Runnable what) {
    events.add(new Event(now + nanos, orders++, what));
  }

  private long latency() {
    return random.nextLong(50 * MICRO, 300 * MICRO);
  }

  private static byte[] bytes(long life, long number) {
    return ByteBuffer.allocate(MULTICAST_BYTES).putLong(life).putLong(number).array();
  }

  private void runUntil(long end) {
    while (!events.isEmpty() && events.peek().at <= end) {
      Event next = events.poll();
      now = next.at;
      next.what.run();
    }
    now = end;
  }

  /// Sends a hundred multicasts at some pace, and checks when all is quiet.
  private void run() {
    long gap = random.nextBoolean() ? 100 * MICRO : 2 * MILLI;
    for (int i = 0; i < 100; i++) {
      Member from = weather.crash ? members.getFirst() : members.get(random.nextInt(Math.min(3, members.size())));
      var to = new ArrayList<>(members);
      to.remove(from);
      if (random.nextDouble() < weather.partial) {
        to.removeIf(_ -> random.nextBoolean());
      }
      if (!to.isEmpty()) {
        from.multicast(to);
        from.turn();
      }
      if (weather.hostile) {
        lie();
      }
      runUntil(now + random.nextLong(gap) + 1);
    }
    if (weather.crash) {
      members.getFirst().alive = false;
    }
    runUntil(now + 400 * MILLI);
    members.forEach(this::check);
  }

  /// Somebody says something that is not so.
  private void lie() {
    Member victim = members.get(random.nextInt(members.size()));
    long of = random.nextInt(4) == 0 ? random.nextLong() : 100 + random.nextInt(members.size());
    long number = random.nextInt(3) == 0 ? random.nextLong() : random.nextLong(3000);
    switch (random.nextInt(3)) {
      case 0 -> victim.repairs.asked(now, of, number, random.nextLong());
      case 1 -> victim.repairs.last(now, of, number, random.nextLong());
      default -> victim.repairs.repaired(now, 999, number, bytes(of, number));
    }
    victim.turn();
  }

  private void check(Member member) {
    if (member.repairs.keptBytes() > MulticastStore.BYTES_MAX) {
      totals.violations.add("too much is kept");
    }
    if (weather.hostile) {
      return; // it counts what never was
    }
    Counts<MulticastCount> counted = member.counters;
    long given = counted.get(MulticastCount.CASTS_GIVEN_UP);
    totals.missed += counted.get(MulticastCount.CASTS_MISSED);
    totals.givenUp += given;
    totals.asked += counted.get(MulticastCount.NAKS_SENT);
    totals.suppressed += counted.get(MulticastCount.NAKS_SUPPRESSED);
    totals.repaired += counted.get(MulticastCount.REPAIRS_SENT);
    totals.repairedByOthers += counted.get(MulticastCount.REPAIRS_SENT_FOR_OTHERS);
    if (!member.alive) {
      return;
    }
    if (member.lackedSince.size() > given) {
      totals.violations.add(
          member.index + " lacks " + member.lackedSince.keySet() + ", and has given up " + given + " multicasts");
    }
    for (List<Long> multicast : member.lackedSince.keySet()) {
      boolean kept =
          members.stream()
              .anyMatch(one -> one.alive && (one.life == multicast.get(0) || one.taken.contains(multicast)));
      if (kept && weather.answers == 0) {
        totals.violations.add(member.index + " does not get " + multicast + " although somebody has it");
      }
    }
  }

  /// Runs one seed; what comes to light is added to the totals.
  static void run(long seed, Weather weather, Totals totals) {
    int before = totals.violations.size();
    new RepairsCampaign(seed, weather, totals).run();
    if (totals.violations.size() > before) {
      totals.violations.add("(seed " + seed + ", " + weather + ")");
    }
  }

  /// Any weather.
  static Weather weather(long seed) {
    var random = new SplittableRandom(~seed);
    boolean crash = random.nextInt(4) == 0;
    return new Weather(
        2 + random.nextInt(7),
        random.nextInt(3) * 0.03,
        random.nextInt(3) * 0.05,
        random.nextBoolean() ? 0 : 0.1,
        random.nextInt(2) * 0.3,
        crash,
        random.nextInt(5) == 0);
  }
}
