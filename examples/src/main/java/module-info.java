/// Small programs that use Tutti.
module org.tutti.examples {
  requires org.tutti;
  requires org.tutti.net;
  requires static org.jspecify;
}
