package org.tutti.blocks;

/// A value with its version.
///
/// @param <V>     the type
/// @param value   the value
/// @param version the map's revision when the value was put: above 0, higher than that of any value before
public record Versioned<V>(V value, long version) {}
