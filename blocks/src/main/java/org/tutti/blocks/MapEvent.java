package org.tutti.blocks;

import java.util.Map;

/// What has happened to a [ReplicatedMap].
///
/// @param <K> the type of keys
/// @param <V> the type of values
public sealed interface MapEvent<K, V> {
  /// A key has a new value.
  ///
  /// @param <K>     the type of keys
  /// @param <V>     the type of values
  /// @param key     the key
  /// @param value   the value
  /// @param version the version that it has now
  record Put<K, V>(K key, V value, long version) implements MapEvent<K, V> {}

  /// A key has no value any more.
  ///
  /// @param <K>     the type of keys
  /// @param <V>     the type of values
  /// @param key     the key
  /// @param version the one that the removal has
  record Removed<K, V>(K key, long version) implements MapEvent<K, V> {}

  /// So much has changed that the single changes are not known any more: this is the map as it is now. Some of the
  /// changes that are told next may be in it already.
  ///
  /// @param <K>     the type of keys
  /// @param <V>     the type of values
  /// @param entries all of them; read only
  record Reset<K, V>(Map<K, V> entries) implements MapEvent<K, V> {}
}
