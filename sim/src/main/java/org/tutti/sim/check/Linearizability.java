package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.tutti.replica.Read;
import org.tutti.sim.check.ServiceHistory.Call;
import org.tutti.sim.check.ServiceHistory.End;

/// There is an order of all calls in which one service, asked by one client at a time, gives the same replies, and in
/// which no call comes before one that had ended when it was made (Herlihy and Wing, TOPLAS 12(3), 1990). Commands
/// whose outcome nobody knows may stand anywhere after they were made, or nowhere.
///
/// The service is one of registers ([RegisterCall]). Found by search (Wing and Gong, JPDC 17, 1993) that remembers
/// where it was in vain (Lowe, CPE 29(4), 2017). Each register is looked at by itself, which is enough, as
/// linearizability is local. It knows nothing of positions: what [ServiceOrder] takes from the replicas is not believed
/// here.
///
/// Three kinds of places are not tried, as no order is lost with them. A call that may stand next, gives the reply that
/// was told and leaves the value as it is comes next and nowhere else: in any order in which it stands later it can be
/// moved here, and all others reply as before. A call of unknown outcome need not stand where it leaves the value as it
/// is. Of calls of unknown outcome that ask for the same, the one that was made first is taken first.
public final class Linearizability {
  /// What a search for an order comes to.
  public enum Result {
    /// There is one.
    FOUND,
    /// There is none.
    NONE,
    /// There are too many ways to look at.
    GIVEN_UP
  }

  private static final int STATES_MAX = 2_000_000;

  private final List<Call> calls; // in the order in which they were made
  private final List<RegisterCall> asked; // by them
  private final int determined; // of them have to stand somewhere
  private final BitSet done = new BitSet();
  private final Set<Place> vain = new HashSet<>();
  private boolean givenUp;

  private record Place(BitSet done, long value) {}

  private Linearizability(List<Call> calls) {
    this.calls = calls;
    this.asked = calls.stream().map(call -> RegisterCall.decode(call.payload())).toList();
    this.determined = (int) calls.stream().filter(Linearizability::isTold).count();
  }

  /// Looks for an order of the calls to each register.
  ///
  /// @param history what happened
  /// @return one violation for each register for which there is none
  public static List<Violation> check(ServiceHistory history) {
    List<Violation> found = new ArrayList<>();
    byKey(history)
        .forEach((key, calls) -> {
          if (new Linearizability(calls).result() == Result.NONE) {
            found.add(
                new Violation("Linearizability", "no order of the " + calls.size() + " calls to register " + key));
          }
        });
    return found;
  }

  /// Looks for an order of the calls to each register.
  ///
  /// @param history what happened
  /// @return whether there is one for all
  public static Result search(ServiceHistory history) {
    Result all = Result.FOUND;
    for (List<Call> calls : byKey(history).values()) {
      Result one = new Linearizability(calls).result();
      all = all == Result.NONE || one == Result.FOUND ? all : one;
    }
    return all;
  }

  private static TreeMap<Integer, List<Call>> byKey(ServiceHistory history) {
    var byKey = new TreeMap<Integer, List<Call>>();
    for (Call call : history.calls()) {
      RegisterCall asked = RegisterCall.decode(call.payload());
      boolean command = call.read == null && call.end() != End.NOT_SENT && asked.kind() != RegisterCall.Kind.FAIL;
      boolean read = call.read == Read.LINEARIZABLE && call.end() == End.REPLIED;
      if (command || read) {
        byKey.computeIfAbsent(asked.key(), _ -> new ArrayList<>()).add(call);
      }
    }
    return byKey;
  }

  private Result result() {
    boolean found = search(0, 0);
    return givenUp ? Result.GIVEN_UP : found ? Result.FOUND : Result.NONE;
  }

  private static boolean isTold(Call call) {
    return call.end() == End.REPLIED;
  }

  /// Goes on from what is done, with a register's value.
  ///
  /// @return whether all that was told can be placed; also when there are too many ways to look at
  private boolean search(int placed, long value) {
    givenUp |= vain.size() > STATES_MAX;
    if (placed == determined || givenUp) {
      return true;
    }
    if (!vain.add(new Place((BitSet) done.clone(), value))) {
      return false;
    }
    List<Integer> next = next();
    for (int i : next) {
      if (isTold(calls.get(i)) && fits(i, value) && asked.get(i).after(value) == value) {
        return place(i, placed + 1, value);
      }
    }
    Set<RegisterCall> tried = new HashSet<>(); // of unknown outcome
    for (int i : next) {
      RegisterCall call = asked.get(i);
      long after = call.after(value);
      boolean told = isTold(calls.get(i));
      if (told ? fits(i, value) : after != value && tried.add(call)) {
        if (place(i, placed + (told ? 1 : 0), after)) {
          return true;
        }
      }
    }
    return false;
  }

  /// The calls that may stand next: those that were made before the first end of one that is not placed.
  private List<Integer> next() {
    List<Integer> next = new ArrayList<>();
    long horizon = Long.MAX_VALUE;
    for (int i = done.nextClearBit(0); i < calls.size(); i = done.nextClearBit(i + 1)) {
      Call call = calls.get(i);
      if (call.invoked > horizon) {
        break; // so were all that follow, and they ended later still
      }
      next.add(i);
      if (isTold(call)) {
        horizon = Math.min(horizon, call.returned());
      }
    }
    long end = horizon;
    next.removeIf(i -> calls.get(i).invoked > end);
    return next;
  }

  private boolean fits(int call, long value) {
    return asked.get(call).result(value) == calls.get(call).reply().getLong();
  }

  private boolean place(int call, int placed, long value) {
    done.set(call);
    boolean found = search(placed, value);
    done.clear(call);
    return found;
  }
}
