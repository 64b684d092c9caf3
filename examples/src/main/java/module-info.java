import org.jspecify.annotations.NullMarked;

/// Small programs that use Tutti.
@NullMarked
module org.tutti.examples {
  requires transitive java.sql;
  requires transitive org.tutti.ipc;
  requires transitive org.tutti.replica;
  requires static org.jspecify;

  exports org.tutti.examples.accounts;
  exports org.tutti.examples.counter;
  exports org.tutti.examples.requests;
  exports org.tutti.examples.shoshin;
}
