package org.tutti.transport;

import java.util.Collections;
import java.util.NavigableMap;
import java.util.ServiceLoader;
import java.util.TreeMap;

/// A kind of [Discovery] that can be chosen by its name, as `rmiregistry` in `rmiregistry:HOST:PORT`: somebody else's
/// registry, which members are told to and asked for. Which kinds there are depends on the modules that are there:
/// providers are found by [ServiceLoader], as those of transports are.
public interface DiscoveryProvider {
  /// The name by which users choose it.
  ///
  /// @return a short name in lower case, unlike those of all others
  String name();

  /// For a process that is to be a member, and to be found.
  ///
  /// @param registry where the registry listens, a literal `host:port`
  /// @param group    the group's name
  /// @param name     the member's name
  /// @param own      where the member listens
  /// @return tells the registry when it is asked for the first time
  Discovery member(Address registry, String group, String name, Address own);

  /// For a process that wants to find members but is not to be found.
  ///
  /// @param registry where the registry listens, a literal `host:port`
  /// @param group    the group's name
  /// @return changes nothing at the registry
  Discovery onlooker(Address registry, String group);

  /// The providers of this process.
  ///
  /// @return all that are found, by name
  static NavigableMap<String, DiscoveryProvider> installed() {
    var found = new TreeMap<String, DiscoveryProvider>();
    ClassLoader loader = DiscoveryProvider.class.getClassLoader();
    ServiceLoader.load(DiscoveryProvider.class, loader).forEach(one -> found.put(one.name(), one));
    return Collections.unmodifiableNavigableMap(found);
  }
}
