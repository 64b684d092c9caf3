import org.jspecify.annotations.NullMarked;

/// What orderings cost, counted by the simulator, and how fast they are, measured over TCP; and the instrument, which
/// measures members that are processes.
@NullMarked
module org.tutti.bench {
  requires HdrHistogram;
  requires com.fasterxml.jackson.jr.ob;
  requires micrometer.core;
  requires xchart;
  requires java.desktop;
  requires java.management;
  requires java.sql;
  requires jdk.management;
  requires transitive org.tutti;
  requires transitive org.tutti.net;
  requires org.tutti.ipc;
  requires org.tutti.metrics;
  requires org.tutti.replica;
  requires org.tutti.sim;
  requires transitive org.tutti.lab;
  requires static org.jspecify;

  exports org.tutti.bench;
  exports org.tutti.bench.trial;
}
