import org.jspecify.annotations.NullMarked;

/// What orderings cost, counted by the simulator, and how fast they are, measured over TCP.
@NullMarked
module org.tutti.bench {
  requires HdrHistogram;
  requires java.management;
  requires transitive org.tutti;
  requires transitive org.tutti.net;
  requires org.tutti.sim;
  requires static org.jspecify;

  exports org.tutti.bench;
}
