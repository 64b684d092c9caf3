package org.tutti.sim;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;

/// What to leave out of a run, so that less of it remains to be understood; and what it is about.
///
/// @param without       kinds of faults that do not happen
/// @param about         what there is in every run; this adds to it
/// @param nodesMax      no more nodes than this
/// @param multicastsMax no more multicasts than this
/// @param ordering      the group's ordering from its beginning to its end, or null for those that the seed draws
public record Limits(
    Set<FaultKind> without, Set<Theme> about, int nodesMax, int multicastsMax, @Nullable Ordering ordering) {
  /// Leaves nothing out.
  public static final Limits NONE = new Limits(Set.of(), Set.of(), Integer.MAX_VALUE, Integer.MAX_VALUE, null);

  /// What a run may be about.
  public enum Theme {
    /// The links are cut by all shapes in turn, one or more.
    PARTITIONS,
    /// A static majority of all nodes goes on, and members crash and come back.
    STATIC_MAJORITY,
    /// Some members are observers.
    OBSERVERS,
    /// A service is replicated on all nodes, and has clients.
    REPLICA,
    /// All nodes are in one more group, whose members call each other.
    CALLS,
    /// Nodes have disks, and an operator forces a member in the end. Not with a service or calls.
    FORCED,
    /// Nodes run builds that speak other versions of the protocol, crash, and come back with newer or older ones.
    UPGRADES;

    /// How it is called in options.
    String option() {
      return "--" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /// Copies the sets.
  ///
  /// @throws IllegalArgumentException when a run cannot be about all of it
  public Limits {
    without = without.isEmpty() ? EnumSet.noneOf(FaultKind.class) : EnumSet.copyOf(without);
    about = about.isEmpty() ? EnumSet.noneOf(Theme.class) : EnumSet.copyOf(about);
    if (about.contains(Theme.FORCED) && (about.contains(Theme.REPLICA) || about.contains(Theme.CALLS))) {
      throw new IllegalArgumentException("--forced without --replica and --calls");
    }
  }

  /// Whether every run has it.
  boolean has(Theme theme) {
    return about.contains(theme);
  }

  /// Leaves out one more kind of fault.
  ///
  /// @param kind the kind
  /// @return a changed copy
  public Limits without(FaultKind kind) {
    Set<FaultKind> more = EnumSet.copyOf(without);
    more.add(kind);
    return new Limits(more, about, nodesMax, multicastsMax, ordering);
  }

  /// Adds to the runs.
  ///
  /// @param theme what they are to be about, too
  /// @return a changed copy
  /// @throws IllegalArgumentException when a run cannot be about all of it
  public Limits about(Theme theme) {
    Set<Theme> more = EnumSet.copyOf(about);
    more.add(theme);
    return new Limits(without, more, nodesMax, multicastsMax, ordering);
  }

  /// Leaves out nodes.
  ///
  /// @param nodes how many remain at most
  /// @return a changed copy
  public Limits nodes(int nodes) {
    return new Limits(without, about, nodes, multicastsMax, ordering);
  }

  /// Leaves out multicasts.
  ///
  /// @param multicasts how many remain at most
  /// @return a changed copy
  public Limits multicasts(int multicasts) {
    return new Limits(without, about, nodesMax, multicasts, ordering);
  }

  /// Fixes the ordering.
  ///
  /// @param only the only one, or null
  /// @return a changed copy
  public Limits ordering(@Nullable Ordering only) {
    return new Limits(without, about, nodesMax, multicastsMax, only);
  }

  /// The options of `tutti simulate` that say the same.
  ///
  /// @return each with a space before it
  public String options() {
    var text = new StringBuilder();
    about.forEach(theme -> text.append(' ').append(theme.option()));
    if (!without.isEmpty()) {
      text.append(" --without ").append(without.stream().map(FaultKind::option).collect(Collectors.joining(",")));
    }
    if (nodesMax != Integer.MAX_VALUE) {
      text.append(" --nodes ").append(nodesMax);
    }
    if (multicastsMax != Integer.MAX_VALUE) {
      text.append(" --multicasts ").append(multicastsMax);
    }
    if (ordering != null) {
      text.append(" --order ").append(ordering.name().toLowerCase(Locale.ROOT));
    }
    return text.toString();
  }
}
