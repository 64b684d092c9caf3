package org.tutti.replica.consolidation;

import org.tutti.MemberId;

/// What one member answered.
///
/// @param <R>    the type of replies
/// @param member who gave it
/// @param value  what it says; owned by the outcome, and not to be changed any more
public record Reply<R>(MemberId member, R value) {}
