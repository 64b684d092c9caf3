package org.tutti.replica;

import java.nio.ByteBuffer;
import java.time.Instant;

/// A command of a client, as every replica gets it.
///
/// @param session  the client's session: a number that no other client of this service has, or ever had
/// @param number   counts the commands of the session, from 1
/// @param position the command's place among all messages of the service's group; rises from command to command
/// @param time     the time at which it is executed, the same at all replicas; never goes back. It goes with the
///                 wall clock of whoever founded the group and with the passing of time since; at the start of all
///                 replicas after a stop, with the wall clock of the first that speaks. At a replica that joins a
///                 service that was idle it may be behind, until the others have told it, which they do at once
/// @param payload  the client's bytes, from position to limit; lent until [StateMachine#apply] returns
public record Command(long session, long number, long position, Instant time, ByteBuffer payload) {}
