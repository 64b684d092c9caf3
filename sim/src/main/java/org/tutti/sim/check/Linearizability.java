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
public final class Linearizability {
  private static final int STATES_MAX = 2_000_000;

  private final List<Call> calls; // in the order in which they were made
  private final List<RegisterCall> asked; // by them
  private final int determined; // of them have to stand somewhere
  private final BitSet done = new BitSet();
  private final Set<Place> vain = new HashSet<>();

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
    var byKey = new TreeMap<Integer, List<Call>>();
    for (Call call : history.calls()) {
      RegisterCall asked = RegisterCall.decode(call.payload());
      boolean command = call.read == null && call.end() != End.NOT_SENT && asked.kind() != RegisterCall.Kind.FAIL;
      boolean read = call.read == Read.LINEARIZABLE && call.end() == End.REPLIED;
      if (command || read) {
        byKey.computeIfAbsent(asked.key(), _ -> new ArrayList<>()).add(call);
      }
    }
    List<Violation> found = new ArrayList<>();
    byKey.forEach((key, calls) -> {
      if (!new Linearizability(calls).search(0, 0)) {
        found.add(new Violation("Linearizability", "no order of the " + calls.size() + " calls to register " + key));
      }
    });
    return found;
  }

  private static boolean isTold(Call call) {
    return call.end() == End.REPLIED;
  }

  /// Goes on from what is done, with a register's value.
  ///
  /// @return whether all that was told can be placed; also when there are too many ways to look at
  private boolean search(int placed, long value) {
    if (placed == determined || vain.size() > STATES_MAX) {
      return true;
    }
    if (!vain.add(new Place((BitSet) done.clone(), value))) {
      return false;
    }
    long horizon = Long.MAX_VALUE; // the first end of what is not done: whatever was made later comes later
    for (int i = done.nextClearBit(0); i < calls.size(); i = done.nextClearBit(i + 1)) {
      if (isTold(calls.get(i))) {
        horizon = Math.min(horizon, calls.get(i).returned());
      }
    }
    for (int i = done.nextClearBit(0); i < calls.size(); i = done.nextClearBit(i + 1)) {
      Call call = calls.get(i);
      if (call.invoked > horizon) {
        break;
      }
      var register = new TreeMap<Integer, Long>();
      register.put(asked.get(i).key(), value);
      long result = asked.get(i).apply(register);
      if (!isTold(call) || result == call.reply().getLong()) {
        done.set(i);
        if (search(placed + (isTold(call) ? 1 : 0), register.get(asked.get(i).key()))) {
          return true;
        }
        done.clear(i);
      }
    }
    return false;
  }
}
