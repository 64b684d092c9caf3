package org.tutti.replica.spi;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.tutti.Metric;
import org.tutti.replica.Client;
import org.tutti.replica.ServiceException;
import org.tutti.replica.StateMachine;
import org.tutti.transport.Address;

/// A replicated service with a port at each replica for clients that do not know Tutti, such as those of an ORB. It is
/// found by its name, so that the module that brings it may be left out.
///
/// ```java
/// PortProvider provider = PortProvider.installed().get("corba-groups");
/// try (Replica replica = Replica.of(provider.name(), provider.machine()).clients(clients).watch(watcher).start(node);
///     Client client = Client.of(provider.name()).at(replica.clients()).connect();
///     PortProvider.Port port = provider.open(listen, all, client)) {
///   port.reachable(true); // as the watcher says
/// }
/// ```
public interface PortProvider {
  /// Those that are there, by their names.
  ///
  /// @return a map of its own
  static NavigableMap<String, PortProvider> installed() {
    var found = new TreeMap<String, PortProvider>();
    ClassLoader loader = PortProvider.class.getClassLoader();
    ServiceLoader.load(PortProvider.class, loader).forEach(one -> found.put(one.name(), one));
    return found;
  }

  /// The name of the service.
  ///
  /// @return as [org.tutti.replica.Replica#of] and [Client#of] take it
  String name();

  /// Makes the service of one replica.
  ///
  /// @return an empty one
  StateMachine machine();

  /// Opens the port of one replica. Until it is said to be reachable, it sends its clients away.
  ///
  /// @param listen where; port 0: any free one
  /// @param all    the ports of all replicas as clients reach them, for references; empty: this one
  /// @param client of the service, through which the port's clients call it; stays the caller's
  /// @return is listening
  /// @throws IOException              when the address cannot be used
  /// @throws IllegalArgumentException when one is no address
  Port open(Address listen, List<Address> all, Client client) throws IOException;

  /// Asks the service what it has.
  ///
  /// @param client of the service
  /// @return in the order of the service
  /// @throws InterruptedException when interrupted
  /// @throws ServiceException     when there is no answer
  List<Entry> entries(Client client) throws InterruptedException;

  /// A port of one replica.
  interface Port extends AutoCloseable {
    /// Where it listens.
    ///
    /// @return host and port
    String address();

    /// How clients find the service, in the words of their protocol, at all replicas.
    ///
    /// @return one line
    String reference();

    /// Says whether the replica can have requests executed. While it cannot, clients are sent to other replicas.
    ///
    /// @param now from now on
    void reachable(boolean now);

    /// What the port counts.
    ///
    /// @return counters and gauges
    default List<Metric> metrics() {
      return List.of();
    }

    /// Ends all connections.
    @Override
    void close();
  }

  /// One thing that a service has.
  ///
  /// @param text   for people
  /// @param fields for programs: texts, numbers, lists and maps of them
  record Entry(String text, Map<String, Object> fields) {}
}
