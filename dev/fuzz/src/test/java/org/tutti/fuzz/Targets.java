package org.tutti.fuzz;

import java.util.List;
import java.util.Locale;

/// All targets by their names: that of the class without its end, in small letters with dashes.
final class Targets {
  private static final String PACKAGE = "org.tutti.";
  private static final String END = "Target";

  private static final List<String> CLASSES =
      List.of(
          "TracedTarget",
          "link.PacketTarget",
          "membership.ViewsTarget",
          "order.OrderTarget",
          "dissemination.BatchTarget",
          "engine.WhiteboardTarget",
          "durable.JournalTarget",
          "store.StorageTarget",
          "net.tcp.PreambleTarget",
          "net.udp.DatagramTarget",
          "net.discovery.AnnouncementTarget",
          "middleware.FrameBatchTarget",
          "rmi.AnswerTarget",
          "corba.gate.GiopFilterTarget",
          "romiop.DeliveryTarget",
          "romiop.GatewayTarget",
          "romiop.ObjectsTarget",
          "romiop.ServicesTarget",
          "registry.http.HttpTarget",
          "registry.RegistryTarget",
          "replica.FrameChannelTarget",
          "replica.protocol.ClientFrameTarget",
          "replica.protocol.SnapshotTarget",
          "blocks.BlocksTarget",
          "ipc.ProgramTarget",
          "ipc.protocol.IpcTarget");

  private Targets() {}

  /// The names of those that are here. Without CORBA some are not.
  static List<String> names() {
    return CLASSES.stream().filter(Targets::isHere).map(Targets::name).sorted().toList();
  }

  private static boolean isHere(String type) {
    return Targets.class.getResource("/" + (PACKAGE + type).replace('.', '/') + ".class") != null;
  }

  /// Makes a target.
  static FuzzTarget make(String name) {
    String type = CLASSES.stream().filter(each -> name(each).equals(name)).findFirst().orElseThrow();
    try {
      return (FuzzTarget) Class.forName(PACKAGE + type).getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type, e);
    }
  }

  private static String name(String type) {
    String simple = type.substring(type.lastIndexOf('.') + 1, type.length() - END.length());
    return simple.replaceAll("(?<=.)(?=\\p{Upper})", "-").toLowerCase(Locale.ROOT);
  }
}
