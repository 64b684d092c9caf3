import org.jspecify.annotations.NullMarked;

/// The registry where the members of a group meet: `Registry` serves, and `RegistryDiscovery` asks.
@NullMarked
module org.tutti.registry {
  requires com.fasterxml.jackson.jr.ob;
  requires java.net.http;
  requires transitive org.tutti;
  requires static org.jspecify;

  exports org.tutti.registry;
  exports org.tutti.registry.http to
      org.tutti.cli,
      org.tutti.romiop;
}
