package org.tutti.cli;

import java.util.List;
import org.tutti.Ordering;

/// Reads the names of orderings.
public final class OrderingConverter extends WordConverter<Ordering> {
  /// For picocli, and for lists in which `all` is a name, too.
  public OrderingConverter() {
    super(List.of(Ordering.values()));
  }
}
