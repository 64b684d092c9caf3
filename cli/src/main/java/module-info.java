/// The `tutti` command.
module org.tutti.cli {
  requires info.picocli;
  requires org.tutti;
  requires org.tutti.bench;
  requires org.tutti.certs;
  requires org.tutti.examples;
  requires org.tutti.lab;
  requires org.tutti.net;
  requires org.tutti.registry;
  requires org.tutti.sim;
  requires org.tutti.store;
  requires static org.jspecify;

  opens org.tutti.cli to
      info.picocli;
}
