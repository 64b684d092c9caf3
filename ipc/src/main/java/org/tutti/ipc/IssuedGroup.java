package org.tutti.ipc;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// What a group-id server says of a group that exists.
///
/// @param id      the group
/// @param mark    drawn when it was created: should a server that has lost everything give the id out again, that is
///                another group
/// @param guarded whether it has a send password
/// @param sendKey its key, for those that know the control password; null for others, and where there is no send
///                password
public record IssuedGroup(GroupId id, ByteBuffer mark, boolean guarded, @Nullable SendKey sendKey) {}
