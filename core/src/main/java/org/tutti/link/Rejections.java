package org.tutti.link;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;

/// By whom this node was refused lately, for people who ask why nothing happens. A refusal is forgotten when
/// something comes from its address after all, or when it has not been repeated for some seconds.
public final class Rejections {
  private static final int KEPT_MAX = 16;
  private static final long KEPT_NANOS = 10_000_000_000L;

  private record Last(Refused refused, long at) {}

  private final Map<Address, Last> byAddress = new LinkedHashMap<>(); // the oldest first
  private List<Refused> list = List.of();

  /// Of a node that nobody has refused.
  public Rejections() {}

  /// Somebody refused this node.
  ///
  /// @param now     the time, in nanoseconds
  /// @param refused by whom and why
  public void add(long now, Refused refused) {
    Last before = byAddress.remove(refused.by());
    byAddress.put(refused.by(), new Last(refused, now));
    if (byAddress.size() > KEPT_MAX) {
      byAddress.remove(byAddress.keySet().iterator().next());
    }
    if (before == null || !before.refused.equals(refused)) {
      change();
    }
  }

  /// Something came from an address.
  ///
  /// @param address not of one that refuses
  public void heard(Address address) {
    if (!byAddress.isEmpty() && byAddress.remove(address) != null) {
      change();
    }
  }

  /// Forgets what is old.
  ///
  /// @param now the time, in nanoseconds
  public void expire(long now) {
    if (byAddress.values().removeIf(last -> now - last.at > KEPT_NANOS)) {
      change();
    }
  }

  private void change() {
    list = byAddress.values().stream().map(Last::refused).toList();
  }

  /// All of them.
  ///
  /// @return the same list as long as they do not change
  public List<Refused> list() {
    return list;
  }
}
