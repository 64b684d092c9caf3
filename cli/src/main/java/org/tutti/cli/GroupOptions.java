package org.tutti.cli;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.Ordering;
import org.tutti.Partitions;
import org.tutti.PrimaryViews;
import picocli.CommandLine.Option;

/// The options that say what the group is like. Who joins takes it as it is, or is refused if it is otherwise than
/// said.
final class GroupOptions {
  @Option(names = "--agreed", description = "Deliver as soon as the order is known, without waiting for a quorum.")
  boolean agreed;

  @Option(
      names = "--order",
      paramLabel = "NAME",
      converter = OrderingConverter.class,
      completionCandidates = OrderingConverter.class,
      description = "The ordering: ${COMPLETION-CANDIDATES}; default: sequencer.")
  Ordering order = Ordering.SEQUENCER;

  @Option(
      names = "--electorate",
      paramLabel = "NAME",
      split = ",",
      converter = MemberOptions.NameConverter.OfNode.class,
      description = "Every primary view has more than half of these members.")
  Set<String> electorate = Set.of();

  @Option(
      names = "--primary-views",
      paramLabel = "NAME",
      converter = PrimaryViewsConverter.class,
      completionCandidates = PrimaryViewsConverter.class,
      description =
          "Which members may form the next primary view: ${COMPLETION-CANDIDATES}: a quorum of the last primary view, "
              + "a majority of the electorate, or a quorum that is also such a majority; default: static-majority with "
              + "an electorate, dynamic-linear without.")
  @Nullable PrimaryViews primaryViews;

  @Option(
      names = "--partitions",
      paramLabel = "NAME",
      converter = PartitionsConverter.class,
      completionCandidates = PartitionsConverter.class,
      description = "Behaviour in views that are not primary: ${COMPLETION-CANDIDATES}; default: suspend.")
  Partitions partitions = Partitions.SUSPEND;

  /// Finds a mistake before a node is started.
  ///
  /// @throws IllegalArgumentException when the primary views do not go with the electorate
  void check() {
    boolean needed = primaryViews == null ? !electorate.isEmpty() : primaryViews.needsElectorate();
    if (needed == electorate.isEmpty()) {
      throw new IllegalArgumentException(
          needed
              ? "--primary-views: give --electorate NAME,NAME,..., the members that count"
              : "--primary-views: give static-majority or both with --electorate");
    }
  }

  GroupConfig.Builder config() {
    return GroupConfig.builder()
        .guarantee(agreed ? Guarantee.AGREED : Guarantee.UNIFORM)
        .ordering(order)
        .electorate(electorate)
        .primaryViews(primaryViews)
        .partitions(partitions);
  }

  /// Reads what a group does in parts that are not primary.
  static final class PartitionsConverter extends WordConverter<Partitions> {
    PartitionsConverter() {
      super(List.of(Partitions.values()));
    }
  }

  /// Reads which views are primary.
  static final class PrimaryViewsConverter extends WordConverter<PrimaryViews> {
    PrimaryViewsConverter() {
      super(List.of(PrimaryViews.values()));
    }
  }
}
