/// Carries frames over middlewares: systems that call operations of remote objects, such as Java RMI, gRPC and CORBA.
module org.tutti.middleware {
  requires transitive org.tutti;
  requires static org.jspecify;

  exports org.tutti.middleware;
}
