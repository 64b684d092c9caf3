import org.jspecify.annotations.NullMarked;

/// Tutti's core: the API, the protocols and the engine that runs them.
///
/// Start reading at [org.tutti.Node] (what a user holds), then [org.tutti.engine.NodeEngine] (what happens on a step).
@NullMarked
module org.tutti {
  requires static jdk.jfr; // where it is, what happens to memberships can be recorded
  requires static org.jspecify;

  uses org.tutti.spi.NodeHost;
  uses org.tutti.storage.StorageProvider;
  uses org.tutti.transport.DiscoveryProvider;
  uses org.tutti.transport.TransportProvider;

  provides org.tutti.spi.NodeHost with
      org.tutti.host.ProcessHost;

  exports org.tutti;
  exports org.tutti.spi;
  exports org.tutti.storage;
  exports org.tutti.tls;
  exports org.tutti.transport;
  exports org.tutti.transport.memory;
  exports org.tutti.consensus to
      org.tutti.sim;
  exports org.tutti.dissemination to
      org.tutti.sim;
  exports org.tutti.domain to
      org.tutti.sim;
  exports org.tutti.durable to
      org.tutti.cli,
      org.tutti.sim;
  exports org.tutti.effect to
      org.tutti.ipc,
      org.tutti.sim;
  exports org.tutti.engine to
      org.tutti.sim;
  exports org.tutti.link to
      org.tutti.ipc;
  exports org.tutti.membership to
      org.tutti.sim;
  exports org.tutti.order to
      org.tutti.sim;
  exports org.tutti.pack to
      org.tutti.sim;
  exports org.tutti.user to
      org.tutti.sim;
  exports org.tutti.wire to
      org.tutti.ipc,
      org.tutti.replica,
      org.tutti.sim;

  // The exhaustive check compares the states of protocol objects, private fields and all.
  opens org.tutti.consensus to
      org.tutti.sim;
  opens org.tutti.dissemination to
      org.tutti.sim;
  opens org.tutti.order to
      org.tutti.sim;
}
