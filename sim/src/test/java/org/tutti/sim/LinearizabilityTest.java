package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.tutti.replica.Read;
import org.tutti.sim.check.Linearizability;
import org.tutti.sim.check.RegisterCall;
import org.tutti.sim.check.RegisterCall.Kind;
import org.tutti.sim.check.ServiceHistory;
import org.tutti.sim.check.ServiceHistory.Call;
import org.tutti.sim.check.ServiceHistory.End;

/// The search for an order says the same as one that tries every order, over small random histories.
class LinearizabilityTest {
  private static final int HISTORIES = 30_000;
  private static final int CALLS_MAX = 7;
  private static final int VALUES = 3;
  private static final Kind[] KINDS = {Kind.SET, Kind.ADD, Kind.COMPARE_AND_SET, Kind.READ};

  private record Made(Call call, RegisterCall asked) {
    boolean isTold() {
      return call.end() == End.REPLIED;
    }

    long reply() {
      return call.reply().getLong();
    }
  }

  @Test
  void theSearchSaysWhatTryingEveryOrderSays() {
    int orders = 0;
    for (long seed = 0; seed < HISTORIES; seed++) {
      List<Made> calls = new ArrayList<>();
      ServiceHistory history = draw(new SplittableRandom(seed), calls);
      boolean expected = isOrder(calls, new ArrayList<>(), 0);
      assertThat(Linearizability.check(history).isEmpty()).as("history %d: %s", seed, calls).isEqualTo(expected);
      orders += expected ? 1 : 0;
    }
    assertThat(orders).as("histories with an order").isBetween(HISTORIES / 5, HISTORIES * 4 / 5);
  }

  /// Several calls at once to one register, executed in some order, or replied at random now and then.
  private static ServiceHistory draw(SplittableRandom random, List<Made> calls) {
    var history = new ServiceHistory(_ -> "");
    List<Made> open = new ArrayList<>();
    int made = 2 + random.nextInt(CALLS_MAX - 1);
    long value = 0;
    boolean wrong = random.nextInt(4) > 0;
    while (calls.size() < made || !open.isEmpty()) {
      if (calls.size() < made && (open.isEmpty() || random.nextInt(3) > 0)) {
        Kind kind = KINDS[random.nextInt(KINDS.length)];
        var asked = new RegisterCall(kind, 0, random.nextInt(VALUES), random.nextInt(VALUES));
        Read read = kind == Kind.READ ? Read.LINEARIZABLE : null;
        var call = new Made(history.invoke(calls.size(), calls.size(), read, asked.encode()), asked);
        calls.add(call);
        open.add(call);
      } else {
        Made call = open.remove(random.nextInt(open.size()));
        long result = result(call.asked(), value);
        boolean executed = random.nextInt(8) > 0;
        value = executed ? after(call.asked(), value) : value;
        if (executed && random.nextInt(3) > 0) {
          long told = wrong && random.nextInt(2) == 0 ? random.nextInt(VALUES) : result;
          history.end(call.call(), End.REPLIED, ByteBuffer.allocate(Long.BYTES).putLong(0, told), -1);
        }
      }
    }
    return history;
  }

  /// Whether all that was told can follow what is placed, whatever of the rest stands between.
  private static boolean isOrder(List<Made> calls, List<Made> placed, long value) {
    List<Made> rest = calls.stream().filter(call -> !placed.contains(call)).toList();
    if (rest.stream().noneMatch(Made::isTold)) {
      return true;
    }
    for (Made next : rest) {
      boolean early = rest.stream().anyMatch(other -> other.call().returned() < next.call().invoked);
      boolean fits = !next.isTold() || result(next.asked(), value) == next.reply();
      boolean stands = next.isTold() || next.asked().kind() != Kind.READ;
      if (!early && fits && stands) {
        placed.add(next);
        boolean found = isOrder(calls, placed, after(next.asked(), value));
        placed.removeLast();
        if (found) {
          return true;
        }
      }
    }
    return false;
  }

  private static long result(RegisterCall asked, long before) {
    return switch (asked.kind()) {
      case ADD -> before + asked.first();
      case COMPARE_AND_SET -> before == asked.first() ? 1 : 0;
      default -> before;
    };
  }

  private static long after(RegisterCall asked, long before) {
    return switch (asked.kind()) {
      case SET -> asked.first();
      case ADD -> before + asked.first();
      case COMPARE_AND_SET -> before == asked.first() ? asked.second() : before;
      default -> before;
    };
  }
}
