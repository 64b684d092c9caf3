package org.tutti;

import java.io.Serial;
import java.util.concurrent.CompletableFuture;

/// A multicast was on the way when its sender went to a view that is not primary: whether the history contains it is
/// not known here. The sender keeps it, and a later primary view decides it: either the history contains it already, or
/// it is sent again under its number. So it is delivered once, unless this membership ends before; nobody needs to
/// multicast it again.
public final class UndecidedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final transient CompletableFuture<Long> later;

  /// Says of which group.
  ///
  /// @param group the group's name
  /// @param later completes when the fate is known
  public UndecidedException(String group, CompletableFuture<Long> later) {
    super("undecided: not in a primary view of group \"" + group + "\" any more; a later one decides");
    this.later = later;
  }

  /// The fate, when it is known.
  ///
  /// @return completes as the future of [Group#multicast(byte\[\], Service)] would have without the view between, and
  ///     never with this exception
  public CompletableFuture<Long> later() {
    return later;
  }
}
