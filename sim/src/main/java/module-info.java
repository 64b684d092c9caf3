/// Deterministic simulation of Tutti nodes: one thread, one seed, many faults.
module org.tutti.sim {
  requires transitive org.tutti;
  requires transitive org.tutti.replica;
  requires java.management;
  requires java.xml;
  requires static org.jspecify;

  exports org.tutti.sim;
  exports org.tutti.sim.check;
  exports org.tutti.sim.diagram;
  exports org.tutti.sim.exhaustive;
  exports org.tutti.sim.mutant;
}
