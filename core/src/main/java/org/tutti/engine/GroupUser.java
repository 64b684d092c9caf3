package org.tutti.engine;

import java.nio.ByteBuffer;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.pack.Batch;

/// The application's side of one group engine. Called within [NodeEngine#step], in the order in which things happen to
/// the member; calls back into the engine only by later requests.
public interface GroupUser {
    /// The most bytes of state in one [Request.StateChunk].
    int CHUNK_BYTES_MAX = 64 << 10;

    /// How many chunks of state may be on the way from a donor to its newcomer's application.
    int CHUNKS_ON_THE_WAY = 16;

    /// Bytes that a message counts in the window beyond its length.
    int MESSAGE_OVERHEAD = 16;

    /// A batch has its place.
    ///
    /// @param index    the batch's place in the history of primary views; successive, but for a jump at an offer of state
    /// @param batch    its messages
    /// @param position the position of its first message; the others follow
    void deliver(long index, Batch batch, long position);

    /// A view was installed.
    ///
    /// @param view the view
    void install(View view);

    /// The oldest of this member's multicasts whose fate was open have been delivered. Called before the delivery.
    ///
    /// @param messages how many
    /// @param position the first one's position, the others following; or -1 when it happened while this member was away
    void decided(int messages, long position);

    /// Multicasts of this member have been consumed by all: room in the window.
    ///
    /// @param cost their lengths and [#MESSAGE_OVERHEAD] for each
    void released(long cost);

    /// How far the application has come.
    ///
    /// @return the index behind the last batch that it has consumed; 0 at first
    long consumedNext();

    /// A newcomer needs the state as of now; the user may hand over [#CHUNKS_ON_THE_WAY] chunks, and one more for each
    /// [#stateWanted].
    ///
    /// @param transfer numbers this transfer
    /// @param newcomer who needs it
    void stateRequested(long transfer, MemberId newcomer);

    /// Room for another chunk.
    ///
    /// @param transfer the transfer
    void stateWanted(long transfer);

    /// The newcomer has gone, or no longer needs this.
    ///
    /// @param transfer the transfer
    void stateCancelled(long transfer);

    /// State follows, which replaces what this member knew.
    ///
    /// @param transfer numbers this transfer
    /// @param donor    who gives it
    /// @param index    the index of the first batch that it does not contain
    /// @param position the position of the first message that it does not contain
    void stateOffered(long transfer, MemberId donor, long index, long position);

    /// A piece of the state.
    ///
    /// @param transfer the transfer
    /// @param chunk    the next bytes, owned by the user from now on
    /// @param last     whether the state ends here
    void stateChunk(long transfer, ByteBuffer chunk, boolean last);

    /// The donor has gone; what came of this state is void.
    ///
    /// @param transfer the transfer
    void stateInterrupted(long transfer);

    /// The membership has ended; nothing follows.
    ///
    /// @param reason why, in words
    void closed(String reason);
}
