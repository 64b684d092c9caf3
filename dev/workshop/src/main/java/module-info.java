/// The `tutti` command of the source tree: the operator's commands and the developer's.
module org.tutti.workshop {
  requires info.picocli;
  requires org.tutti;
  requires org.tutti.bench;
  requires org.tutti.cli;
  requires org.tutti.examples;
  requires org.tutti.lab;
  requires org.tutti.net;
  requires org.tutti.sim;
  requires static org.jspecify;

  opens org.tutti.workshop to
      info.picocli;
}
