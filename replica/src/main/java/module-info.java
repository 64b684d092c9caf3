import org.jspecify.annotations.NullMarked;

/// Replicated services: a program's own state machine, replicated by a group, and clients whose calls it executes
/// exactly once.
///
/// Start reading at [org.tutti.replica.StateMachine] (what a user writes), then
/// [org.tutti.replica.protocol.SessionTable] (why nothing is executed twice).
@NullMarked
module org.tutti.replica {
  requires transitive org.tutti;
  requires static org.jspecify;

  exports org.tutti.replica;
  exports org.tutti.replica.consolidation;
  exports org.tutti.replica.spi;
  exports org.tutti.replica.protocol to
      org.tutti.sim;

  uses org.tutti.replica.spi.PortProvider;
}
