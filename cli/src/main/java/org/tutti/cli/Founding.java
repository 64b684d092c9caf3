package org.tutti.cli;

import java.util.Set;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.Ordering;
import org.tutti.Partitions;
import picocli.CommandLine.Option;

/// The options of a member that may create the group: what the group is like. Who joins takes it as it is.
final class Founding {
  @Option(
      names = "--agreed",
      description =
          "In a group that this member creates, deliver as soon as the order is known, without waiting for a quorum.")
  boolean agreed;

  @Option(
      names = "--order",
      paramLabel = "NAME",
      converter = OrderingConverter.class,
      description =
          "How a group that this member creates is ordered: " + OrderingConverter.NAMES + "; default: sequencer.")
  Ordering order = Ordering.SEQUENCER;

  @Option(
      names = "--electorate",
      paramLabel = "NAME",
      split = ",",
      converter = NameConverter.OfNode.class,
      description = "In a group that this member creates, every primary view has more than half of these members.")
  Set<String> electorate = Set.of();

  @Option(
      names = "--partitions",
      paramLabel = "NAME",
      converter = PartitionsConverter.class,
      description =
          "What a group that this member creates does in parts that are not primary: "
              + PartitionsConverter.NAMES
              + "; default: suspend.")
  Partitions partitions = Partitions.SUSPEND;

  GroupConfig config() {
    return GroupConfig.standard()
        .withGuarantee(agreed ? Guarantee.AGREED : Guarantee.UNIFORM)
        .withOrdering(order)
        .withElectorate(electorate)
        .withPartitions(partitions);
  }
}
