import org.jspecify.annotations.NullMarked;

/// The `tutti` command and its subcommands, as who runs a group has them.
@NullMarked
module org.tutti.cli {
  requires com.fasterxml.jackson.jr.ob;
  requires info.picocli;
  requires java.logging;
  requires java.net.http;
  requires jdk.net; // the option of sockets not to fragment
  requires org.tutti;
  requires org.tutti.certs;
  requires org.tutti.ipc;
  requires org.tutti.net;
  requires org.tutti.registry;
  requires org.tutti.replica;
  requires org.tutti.store;
  requires static org.jspecify;

  exports org.tutti.cli to
      org.tutti.workshop;

  opens org.tutti.cli to
      info.picocli;
}
