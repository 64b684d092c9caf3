/// Deterministic simulation of Tutti nodes: one thread, one seed, many faults. For programs:
/// [org.tutti.sim.service.Simulated], the test of a replicated service.
module org.tutti.sim {
  requires transitive org.tutti;
  requires transitive org.tutti.replica;
  requires org.tutti.ipc;
  requires java.management;
  requires java.xml;
  requires static org.jspecify;

  exports org.tutti.sim.service;
  exports org.tutti.sim to
      org.tutti.bench,
      org.tutti.lab,
      org.tutti.workshop;
  exports org.tutti.sim.check to
      org.tutti.bench,
      org.tutti.lab,
      org.tutti.workshop;
  exports org.tutti.sim.diagram to
      org.tutti.workshop;
  exports org.tutti.sim.exhaustive to
      org.tutti.workshop;
  exports org.tutti.sim.ipc to
      org.tutti.workshop;
  exports org.tutti.sim.mutant to
      org.tutti.workshop;
}
