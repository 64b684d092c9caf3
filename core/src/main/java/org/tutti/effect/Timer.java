package org.tutti.effect;

/// The key of one pending expiry of one protocol of one group.
///
/// @param name says what the time is for; equal names are the same timer
public record Timer(String name) {}
