package org.tutti.cli;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.NodeConfig;
import org.tutti.Ordering;
import org.tutti.Partitions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The options of every command that takes part in a group.
final class Participation {
  @Option(names = "--group", required = true, paramLabel = "NAME", description = "The group.")
  String group = "";

  @Option(
      names = "--name",
      paramLabel = "N",
      description = "This member's name, unique in the group; default: the command and the process id.")
  @Nullable String name;

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "tutti",
      description = "Nodes of other clusters are ignored; default: ${DEFAULT-VALUE}.")
  String cluster = "tutti";

  @Option(
      names = "--agreed",
      description = "Deliver as soon as the order is known, without waiting for a quorum; the same at all members.")
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

  @Mixin Carrier carrier = new Carrier();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = TimeConverter.class,
      description = "How long to wait for the first view: 500ms, 10s, 2m; default: ${DEFAULT-VALUE}.")
  Duration timeout = Duration.ofSeconds(10);

  @Option(names = "--verbose", description = "Print stack traces of errors.")
  boolean verbose;

  boolean enrols; // whether a registry counts on this member

  List<Contact> announce = List.of(); // where it is to be found besides

  Keeping keeping = new Keeping(); // options of those commands that keep anything

  NodeConfig node(String command) {
    return NodeConfig.lan(name != null ? name : command + "-" + ProcessHandle.current().pid()).withCluster(cluster);
  }

  GroupConfig config() {
    return GroupConfig.standard()
        .withGuarantee(agreed ? Guarantee.AGREED : Guarantee.UNIFORM)
        .withOrdering(order)
        .withElectorate(electorate)
        .withPartitions(partitions)
        .withDurability(keeping.durability(name != null));
  }
}
