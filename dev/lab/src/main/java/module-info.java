import org.jspecify.annotations.NullMarked;

/// Processes in network namespaces of one Linux host, whose network is cut, slowed and damaged, and whose histories are
/// checked as the simulator's are.
@NullMarked
module org.tutti.lab {
  requires transitive org.tutti;
  requires org.tutti.blocks;
  requires org.tutti.net;
  requires transitive org.tutti.sim;
  requires static org.jspecify;

  exports org.tutti.lab;
  exports org.tutti.lab.network;
}
