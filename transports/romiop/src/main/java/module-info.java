import org.jspecify.annotations.NullMarked;

/// CORBA objects in groups: a transport plug-in (ETF) of JacORB, by which an unmodified servant becomes a replicated
/// object and an unmodified client its client. Reading order: `RomiopFactories`, `RomiopProfile`, `ClientConnection`,
/// `GroupCaller`; then `RomiopInitializer`, `RomiopListener`, `ServerConnection`, `ObjectStates`;
/// then, for clients of other ORBs, `GroupReference`, `Gateway`, `GatewayConnection`, `KeptReplies`,
/// `CurrentReferences`; then the services for them, `ReplicatedObjects`, `ObjectGroups`, `NamingService`,
/// `ServiceCaller`; then, for servants of other ORBs, `Delegate`, `ServantProcess`.
@NullMarked
module org.tutti.romiop {
  requires org.tutti;
  requires org.tutti.corba; // javax.rmi.CORBA.Stub, which JacORB wants
  requires org.tutti.registry; // its port for metrics
  requires org.tutti.replica;
  requires jacorb;
  requires jacorb.omgapi;
  requires org.slf4j;
  requires static java.desktop; // only javac: one signature of ORB.init names java.applet.Applet
  requires static org.jspecify;

  exports org.tutti.romiop to
      jacorb; // makes factories and initializer by reflection

  provides org.tutti.replica.spi.PortProvider with
      org.tutti.romiop.NamingProvider,
      org.tutti.romiop.ObjectGroupsProvider;
  provides java.util.spi.ToolProvider with
      org.tutti.romiop.DelegateTool;
}
