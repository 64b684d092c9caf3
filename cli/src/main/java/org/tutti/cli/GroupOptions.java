package org.tutti.cli;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.Ordering;
import org.tutti.Partitions;
import org.tutti.PrimaryViews;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// The options that say what the group is like. Who joins takes it as it is, or is refused if it is otherwise than
/// said.
final class GroupOptions {
  @Option(names = "--agreed", description = "Deliver as soon as the order is known, without waiting for a quorum.")
  boolean agreed;

  @Option(
      names = "--order",
      paramLabel = "NAME",
      converter = OrderingConverter.class,
      description = "The ordering: " + OrderingConverter.NAMES + "; default: sequencer.")
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
      description =
          "Which members may form the next primary view: "
              + PrimaryViewsConverter.NAMES
              + ": a quorum of the last primary view, a majority of the electorate, or a quorum that is also such a "
              + "majority; default: static-majority with an electorate, dynamic-linear without.")
  @Nullable PrimaryViews primaryViews;

  @Option(
      names = "--partitions",
      paramLabel = "NAME",
      converter = PartitionsConverter.class,
      description = "Behaviour in views that are not primary: " + PartitionsConverter.NAMES + "; default: suspend.")
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

  /// Reads what a group does in parts that are not primary, in lower case.
  static final class PartitionsConverter implements ITypeConverter<Partitions> {
    static final String NAMES = "continue, suspend";

    @Override
    public Partitions convert(String text) {
      for (Partitions partitions : Partitions.values()) {
        if (partitions.name().toLowerCase(Locale.ROOT).equals(text)) {
          return partitions;
        }
      }
      throw new TypeConversionException("'" + text + "' is none of: " + NAMES);
    }
  }

  /// Reads which views are primary, in lower case and with hyphens.
  static final class PrimaryViewsConverter implements ITypeConverter<PrimaryViews> {
    static final String NAMES = "dynamic-linear, static-majority, both";

    @Override
    public PrimaryViews convert(String text) {
      for (PrimaryViews choice : PrimaryViews.values()) {
        if (choice.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(text)) {
          return choice;
        }
      }
      throw new TypeConversionException("'" + text + "' is none of: " + NAMES);
    }
  }
}
