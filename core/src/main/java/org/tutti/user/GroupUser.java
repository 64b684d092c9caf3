package org.tutti.user;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.GroupConfig;
import org.tutti.GroupMetrics;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Outcome;
import org.tutti.Outcome.Reason;
import org.tutti.Status.Wait;
import org.tutti.View;
import org.tutti.membership.StateTransfer;
import org.tutti.pack.Batch;

/// The application's side of one group engine. Called within `NodeEngine.step`, in the order in which things happen to
/// the member; calls back into the engine only by later requests.
public interface GroupUser extends StateTransfer.Application {
  /// The most bytes of state in one [Request.StateChunk].
  int CHUNK_BYTES_MAX = 64 << 10;

  /// Bytes that a message counts in the window beyond its length.
  int MESSAGE_OVERHEAD = 16;

  /// What was decided for the group; told before anything else but [#status], [#localCall] and [#closed].
  ///
  /// @param group by its founder
  default void configured(GroupConfig group) {}

  /// Deliveries begin, or begin anew after this member was away: what lies before is contained in the state that it
  /// got, or, in a group without state transfer, is never delivered here.
  ///
  /// @param index    the index of the first batch that will be delivered
  /// @param position its first message's position
  default void begin(long index, long position) {}

  /// A batch has its place, and its messages are delivered.
  ///
  /// @param index    the batch's place in the history of primary views; successive with those of [#pass], but for a
  ///                 jump at an offer of state
  /// @param batch    its messages; none in a batch that switches the ordering
  /// @param position the position of its first message; the others follow. Those of a weak service have none: it is
  ///                 that of the next message that has one
  void deliver(long index, Batch batch, long position);

  /// A batch is delivered in a branch: in the view installed last, which is not primary. It has neither index nor
  /// position.
  ///
  /// @param batch its messages
  default void deliverInBranch(Batch batch) {
    throw new IllegalStateException("no branches were asked for, but " + batch);
  }

  /// A batch of a weak service is delivered before it has its place.
  ///
  /// @param batch its messages
  void deliverEarly(Batch batch);

  /// A multicast to some members, this one among them, is delivered.
  ///
  /// @param subset its messages; its number is the sender's [Request.SubsetMulticast#number] of the last one
  default void deliverSubset(Batch subset) {
    throw new IllegalStateException("a group in a domain has no subset multicasts");
  }

  /// Whether the application keeps up with [#deliverSubset]; the engine looks in every flush. While it does not, it
  /// holds up their senders.
  ///
  /// @return whether it may get more
  default boolean takesSubsets() {
    return true;
  }

  /// The fate of one of this member's multicasts to some members is known.
  ///
  /// @param number [Request.SubsetMulticast#number]
  /// @param fate   what became of it
  default void subsetDecided(long number, SubsetOutcome fate) {
    throw new IllegalStateException("multicast to no subset");
  }

  /// A batch that was delivered early has its place: nothing is delivered, but consuming counts from here on.
  ///
  /// @param index    the batch's place, as in [#deliver]
  /// @param batch    its messages
  /// @param position the position of the next message that has one
  void pass(long index, Batch batch, long position);

  /// A view was installed.
  ///
  /// @param view the view
  void install(View view);

  /// This member takes part from here on: it is in a primary view, and has been given all of the history that comes
  /// before it. Told after the first primary view, after a state or a log has brought this member up to date, and after
  /// a primary view that follows one that was not.
  ///
  /// @param position the position of its next delivery
  default void caughtUp(long position) {}

  /// Which ordering is in force: at the beginning of a primary view, when it changes, and once more when a
  /// [Request.Switch] is fulfilled.
  ///
  /// @param ordering decides the places that follow
  default void ordering(Ordering ordering) {}

  /// The oldest of this member's multicasts whose fate was open have their places. Called before the delivery at the
  /// place; those of a weak service may have been delivered long before.
  ///
  /// @param messages how many
  /// @param position the first one's position, the others following; or -1 when they have none, or when it happened
  ///                 while this member was away
  void decided(int messages, long position);

  /// The oldest of this member's multicasts that were not sent in an earlier view are delivered in a branch. Called
  /// before the delivery there.
  ///
  /// @param messages how many
  default void decidedInBranch(int messages) {}

  /// This member is in a view that is not primary, so the fate of its oldest multicasts, which were sent, is not known
  /// until [#decided] tells it in a later primary view.
  ///
  /// @param messages how many: all that were sent, those of earlier calls included
  default void undecided(int messages) {}

  /// The oldest of this member's questions ([Request.Confirm]) have their answer: whatever anybody was told by the
  /// group before they were asked lies before a position, and all up to there was delivered here.
  ///
  /// @param questions how many
  /// @param position  the position of the next delivery, or -1 in a group without uniform delivery, which has no answer
  default void confirmed(long questions, long position) {}

  /// What this member shows on the whiteboard; asked for after a [Request.Whiteboard].
  ///
  /// @return its numbers by name, the one without a name by the empty one; never changed any more
  default SortedMap<String, Long> whiteboardPut() {
    return Collections.emptySortedMap();
  }

  /// What the other members of the view show, as far as it is known. Not in line with what else is told.
  ///
  /// @param values by member and name
  default void whiteboard(Map<MemberId, SortedMap<String, Long>> values) {}

  /// A call of this process, after all that happened before it was requested.
  ///
  /// @param call as in [Request.LocalCall]
  default void localCall(Event.LocalCall call) {}

  /// Multicasts of this member have been consumed by all: room in the window.
  ///
  /// @param cost their lengths and [#MESSAGE_OVERHEAD] for each
  void released(long cost);

  /// The bytes of one of this member's batches are not needed any more.
  ///
  /// @param payload what a [org.tutti.pack.MessageBlock] was sealed with, or several of them joined; may be written
  ///                again
  default void giveBack(ByteBuffer payload) {}

  /// How far the application has come, or what waits for it elsewhere than in memory. The engine looks in every flush;
  /// [Request.Consumed] only makes it look when nothing else happens, so a user that consumes within [#deliver] needs
  /// none.
  ///
  /// @return how many of the batches of [#deliver] and [#pass] it has consumed, in their order; only rises
  long consumed();

  /// How far the application itself has come, where its user counts as consumed also what waits for it on disk.
  ///
  /// @return as [#consumed], and at most that
  default long taken() {
    return consumed();
  }

  /// How much of all branches the application has consumed.
  ///
  /// @return the number of batches
  default long consumedInBranches() {
    return 0;
  }

  /// How the group stands; told again whenever that changes, its position apart.
  ///
  /// @param status what [org.tutti.Group#status] says, until [#position] says more
  default void status(Report status) {}

  /// Where this member stands now; told at most once in a run of inputs.
  ///
  /// @param next the position of its next delivery, or -1 while its state is to come
  default void position(long next) {}

  /// Something that an operator may want to know has happened; told at any time.
  ///
  /// @param notice what
  default void notice(Notice notice) {}

  /// Who holds this member up, however shortly; told now and then, while the group goes on.
  ///
  /// @param behind for [org.tutti.Status.Cause#CONSUMPTION] and [org.tutti.Status.Cause#ACKNOWLEDGEMENT], those that
  ///               have not moved since the last time
  default void looked(List<Wait> behind) {}

  /// How the other members of the view stand, as it looks from here; told now and then.
  ///
  /// @param seen who is in the view, but for this member
  default void peers(List<GroupMetrics.Peer> seen) {}

  /// The membership has ended; nothing follows.
  ///
  /// @param end why
  void closed(End end);

  /// What became of a multicast to some members.
  enum SubsetOutcome {
    /// Every destination of the view holds it: those that go on deliver it.
    HELD(new Outcome.Delivered()),
    /// Nobody delivers it: the ordering in force does not order it.
    NOT_ORDERED(
        new Outcome.Refused(
            Reason.NOT_ORDERED,
            "not sent: multicasts to some members need a primary view that began with the ordering SKEEN and keeps it,"
                + " in a group without domain")),
    /// Nobody delivers it: a destination is not in the view.
    NOT_MEMBERS(new Outcome.Refused(Reason.NOT_MEMBERS, "not sent: a destination is not in the view")),
    /// A view change left it out, and no destination is in the new view.
    GONE(new Outcome.Unknown("no destination is left; some may have delivered it before they went")),
    /// This member was cut off while it was on its way, or all to whom it was sent were.
    UNKNOWN(
        new Outcome.Unknown(
            "it was on its way when its sender or its receivers were cut off:"
                + " some destinations may have delivered it"));

    private final Outcome outcome;

    SubsetOutcome(Outcome outcome) {
      this.outcome = outcome;
    }

    /// What its sender is told.
    ///
    /// @return the outcome of the multicast
    public Outcome outcome() {
      return outcome;
    }
  }
}
