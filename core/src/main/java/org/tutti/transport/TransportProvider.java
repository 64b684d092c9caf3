package org.tutti.transport;

import java.nio.file.Path;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.ServiceLoader;
import java.util.TreeMap;

/// A kind of transport that can be chosen by its name. Which kinds there are depends on the modules that are there:
/// providers are found by [ServiceLoader], so a build without a jar is one without its transports.
///
/// All nodes of a group use the same kind.
public interface TransportProvider {
  /// The name by which users choose it, for example `tcp`.
  ///
  /// @return a short name in lower case, unlike those of all others
  String name();

  /// Opens a node's transport.
  ///
  /// @param settings where to listen, and what lies between the nodes
  /// @return a transport whose [Transport#address] peers can use
  /// @throws TransportException when that is not possible, with the reason in one line
  Transport open(TransportSettings settings);

  /// Refuses certificates with which a node could not take part. To be called before a transport is opened with them.
  /// Here none will do; whoever keeps strangers out by TLS overrides it.
  ///
  /// @param tls     the directory ([TransportSettings#tls])
  /// @param cluster the node's
  /// @throws IllegalArgumentException when the transport has no TLS
  /// @throws TransportException when the files cannot be used, or are for another cluster, with the reason in one line
  default void requireCertificates(Path tls, String cluster) throws TransportException {
    throw new IllegalArgumentException("transport " + name() + " has no TLS");
  }

  /// The providers of this process.
  ///
  /// @return all that are found, by name
  static NavigableMap<String, TransportProvider> installed() {
    var found = new TreeMap<String, TransportProvider>();
    ClassLoader loader = TransportProvider.class.getClassLoader();
    ServiceLoader.load(TransportProvider.class, loader).forEach(one -> found.put(one.name(), one));
    return Collections.unmodifiableNavigableMap(found);
  }

  /// The provider of a name.
  ///
  /// @param name the name, for example `tcp`
  /// @return the provider
  /// @throws IllegalArgumentException when there is none, with the names of those there are
  static TransportProvider named(String name) {
    NavigableMap<String, TransportProvider> all = installed();
    TransportProvider found = all.get(name);
    if (found == null) {
      throw new IllegalArgumentException("'" + name + "' is none of: " + String.join(", ", all.keySet()));
    }
    return found;
  }
}
