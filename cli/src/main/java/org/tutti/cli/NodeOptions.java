package org.tutti.cli;

import java.time.Duration;
import org.tutti.transport.Address;
import org.tutti.transport.Profile;
import picocli.CommandLine.Option;

/// The options of a node that is one of several of a service, and runs until it is stopped.
final class NodeOptions {
  @Option(
      names = "--name",
      required = true,
      paramLabel = "N",
      converter = MemberOptions.NameConverter.OfNode.class,
      description = "This node's name, unlike those of the others, and the same at each start.")
  String name = "";

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "Where the other nodes reach this one; port 0: any free port.")
  Address listen = new Address("-");

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "tutti",
      converter = MemberOptions.NameConverter.class,
      description = "Nodes of other clusters are refused; default: ${DEFAULT-VALUE}.")
  String cluster = "tutti";

  @Option(
      names = "--suspect-after",
      paramLabel = "TIME",
      converter = MemberOptions.SilenceConverter.class,
      description = "After what silence this node suspects another one, 30ms to 10m, the same at all; default: 1s.")
  Duration suspectAfter = Profile.LAN.suspectAfter();
}
