package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.tutti.Guarantee;

/// A local call is shown at most once, if it was made; after what was called before; and after every delivery of whose
/// place its caller had learned, or the state that contains it.
///
/// With agreed delivery a state may end before that place: the member had delivered in a view that the others did not
/// go on from, and its places count no more.
public final class LocalCallOrder {
  private static final class Life {
    final TreeMap<Long, Long> open = new TreeMap<>(); // call -> the position behind what its caller had learned
    long learned;
    long delivered; // the position behind

    void begin(long position, Guarantee guarantee) {
      delivered = position;
      if (guarantee == Guarantee.AGREED) {
        learned = Math.min(learned, position);
        open.replaceAll((_, its) -> Math.min(its, position));
      }
    }
  }

  private LocalCallOrder() {}

  /// Looks for calls that are shown too early or again.
  ///
  /// @param exchanges what happened
  /// @return what did not hold, three at most
  public static List<Violation> check(ExchangeHistory exchanges) {
    List<Violation> found = new ArrayList<>();
    replay(exchanges, found);
    return found.subList(0, Math.min(3, found.size()));
  }

  /// Looks for calls that were never shown to members at rest.
  ///
  /// @param exchanges what happened
  /// @param members      the lives that are at rest
  /// @return what did not hold, one for each member at most
  public static List<Violation> unanswered(ExchangeHistory exchanges, List<Integer> members) {
    List<Violation> found = new ArrayList<>();
    List<Life> lives = replay(exchanges, new ArrayList<>());
    for (int member : members) {
      if (!lives.get(member).open.isEmpty()) {
        String calls = lives.get(member).open.keySet().toString();
        found.add(new Violation("LocalCallOrder", exchanges.name(member) + " was never shown its calls " + calls));
      }
    }
    return found;
  }

  private static List<Life> replay(ExchangeHistory exchanges, List<Violation> found) {
    List<Life> lives = new ArrayList<>();
    for (int i = 0; i < exchanges.lives(); i++) {
      lives.add(new Life());
    }
    for (ExchangeHistory.Step step : exchanges.steps()) {
      Life life = lives.get(step.life());
      switch (step) {
        case ExchangeHistory.Step.Decided(_, long position) -> life.learned = position;
        case ExchangeHistory.Step.Delivered(_, long position) -> life.delivered = position + 1;
        case ExchangeHistory.Step.Begun(_, long position) -> life.begin(position, exchanges.guarantee());
        case ExchangeHistory.Step.Called(_, long call) -> life.open.put(call, life.learned);
        case ExchangeHistory.Step.Answered(int who, long call) -> {
          String words = exchanges.name(who) + " is shown call " + call;
          Long learned = life.open.remove(call);
          if (learned == null) {
            found.add(new Violation("LocalCallOrder", words + ", which is not open"));
          } else if (learned > life.delivered) {
            found.add(
                new Violation(
                    "LocalCallOrder",
                    words + " after " + life.delivered + " deliveries, its caller had learned of " + learned));
          } else if (!life.open.headMap(call).isEmpty()) {
            found.add(new Violation("LocalCallOrder", words + " before " + life.open.firstKey()));
          }
        }
        default -> {}
      }
    }
    return lives;
  }
}
