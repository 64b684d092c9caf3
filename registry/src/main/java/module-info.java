import org.jspecify.annotations.NullMarked;

/// The registry that members of a group meet at, and its clients.
@NullMarked
module org.tutti.registry {
  requires com.fasterxml.jackson.jr.ob;
  requires java.net.http;
  requires transitive org.tutti;
  requires static org.jspecify;

  exports org.tutti.registry;
}
