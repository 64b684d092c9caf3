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
/// @param nodesMax      no more nodes than this
/// @param multicastsMax no more multicasts than this
/// @param ordering      the group's ordering from its beginning to its end, or null for those that the seed draws
/// @param partitions    whether the links are cut by all shapes in turn, one or more in every run; this adds to a run
/// @param staticMajority whether a static majority of all nodes goes on, and members crash and come back; so does this
/// @param observers     whether some members are observers; so does this
/// @param replica       whether a service is replicated on all nodes, and has clients; so does this
/// @param calls         whether all nodes are in one more group, whose members call each other; so does this
public record Limits(
    Set<FaultKind> without,
    int nodesMax,
    int multicastsMax,
    @Nullable Ordering ordering,
    boolean partitions,
    boolean staticMajority,
    boolean observers,
    boolean replica,
    boolean calls) {
  /// Leaves nothing out.
  public static final Limits NONE =
      new Limits(
          EnumSet.noneOf(FaultKind.class),
          Integer.MAX_VALUE,
          Integer.MAX_VALUE,
          null,
          false,
          false,
          false,
          false,
          false);

  /// Copies the set.
  public Limits {
    without = without.isEmpty() ? EnumSet.noneOf(FaultKind.class) : EnumSet.copyOf(without);
  }

  /// Leaves out one more kind of fault.
  ///
  /// @param kind the kind
  /// @return a changed copy
  public Limits without(FaultKind kind) {
    Set<FaultKind> more = EnumSet.copyOf(without);
    more.add(kind);
    return new Limits(more, nodesMax, multicastsMax, ordering, partitions, staticMajority, observers, replica, calls);
  }

  /// Leaves out nodes.
  ///
  /// @param nodes how many remain at most
  /// @return a changed copy
  public Limits nodes(int nodes) {
    return new Limits(without, nodes, multicastsMax, ordering, partitions, staticMajority, observers, replica, calls);
  }

  /// Leaves out multicasts.
  ///
  /// @param multicasts how many remain at most
  /// @return a changed copy
  public Limits multicasts(int multicasts) {
    return new Limits(without, nodesMax, multicasts, ordering, partitions, staticMajority, observers, replica, calls);
  }

  /// Fixes the ordering.
  ///
  /// @param only the only one, or null
  /// @return a changed copy
  public Limits ordering(@Nullable Ordering only) {
    return new Limits(without, nodesMax, multicastsMax, only, partitions, staticMajority, observers, replica, calls);
  }

  /// Makes the run one of splits.
  ///
  /// @param splits whether the links are cut by all shapes in turn
  /// @return a changed copy
  public Limits partitions(boolean splits) {
    return new Limits(without, nodesMax, multicastsMax, ordering, splits, staticMajority, observers, replica, calls);
  }

  /// Makes the run one of a static majority.
  ///
  /// @param majority whether all nodes are its electorate
  /// @return a changed copy
  public Limits staticMajority(boolean majority) {
    return new Limits(without, nodesMax, multicastsMax, ordering, partitions, majority, observers, replica, calls);
  }

  /// Makes the run one with observers.
  ///
  /// @param some whether some members are observers
  /// @return a changed copy
  public Limits observers(boolean some) {
    return new Limits(without, nodesMax, multicastsMax, ordering, partitions, staticMajority, some, replica, calls);
  }

  /// Makes the run one with a replicated service.
  ///
  /// @param some whether a service is replicated on all nodes, and has clients
  /// @return a changed copy
  public Limits replica(boolean some) {
    return new Limits(without, nodesMax, multicastsMax, ordering, partitions, staticMajority, observers, some, calls);
  }

  /// Makes the run one with calls.
  ///
  /// @param some whether all nodes are in one more group, whose members call each other
  /// @return a changed copy
  public Limits calls(boolean some) {
    return new Limits(without, nodesMax, multicastsMax, ordering, partitions, staticMajority, observers, replica, some);
  }

  /// The options of `tutti simulate` that say the same.
  ///
  /// @return each with a space before it
  public String options() {
    var text = new StringBuilder();
    if (partitions) {
      text.append(" --partitions");
    }
    if (staticMajority) {
      text.append(" --static-majority");
    }
    if (observers) {
      text.append(" --observers");
    }
    if (replica) {
      text.append(" --replica");
    }
    if (calls) {
      text.append(" --calls");
    }
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
