package org.tutti.sim.check;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.user.GroupUser;

/// One thing that happened to one member, as its application saw it.
public sealed interface HistoryEvent {
  /// Whom it happened to.
  ///
  /// @return the member's ordinal in the history
  int member();

  /// When it happened.
  ///
  /// @return simulated nanoseconds since the start of the run
  long nanos();

  /// The member's application asked to take part.
  ///
  /// @param member  who
  /// @param nanos   when
  /// @param creates whether it makes the group; otherwise it joins
  record Entered(int member, long nanos, boolean creates) implements HistoryEvent {}

  /// The member's application multicast a message.
  ///
  /// @param member  who
  /// @param nanos   when
  /// @param service the message's service
  /// @param length  the message's length in bytes
  /// @param hash    the message's content
  record Submitted(int member, long nanos, Service service, int length, long hash) implements HistoryEvent {}

  /// A view was installed.
  ///
  /// @param member who
  /// @param nanos  when
  /// @param view   the view
  record Installed(int member, long nanos, View view) implements HistoryEvent {}

  /// Deliveries begin, or begin anew.
  ///
  /// @param member   who
  /// @param nanos    when
  /// @param index    the first batch that is delivered
  /// @param position the first message that is delivered
  record Begun(int member, long nanos, long index, long position) implements HistoryEvent {}

  /// The member takes part from here on.
  ///
  /// @param member   who
  /// @param nanos    when
  /// @param position of its next delivery
  record CaughtUp(int member, long nanos, long position) implements HistoryEvent {}

  /// The member is the first that tells others, or its user, that a view is agreed, although perhaps nobody installs it
  /// any more.
  ///
  /// @param member who
  /// @param nanos  when
  /// @param view   the view's id
  record Announced(int member, long nanos, ViewId view) implements HistoryEvent {}

  /// A batch of a weak service was delivered before it had its place.
  ///
  /// @param member   who
  /// @param nanos    when
  /// @param batch    the batch; the same object for the same content
  record Early(int member, long nanos, Content batch) implements HistoryEvent {}

  /// A batch has its place, and was delivered there unless it was before.
  ///
  /// @param member   who
  /// @param nanos    when
  /// @param index    the batch's place
  /// @param position its first message's place
  /// @param batch    the batch; the same object for the same content
  /// @param again    whether it had been delivered early
  record Delivered(int member, long nanos, long index, long position, Content batch, boolean again)
      implements HistoryEvent {}

  /// A batch was delivered in the branch of the view installed last.
  ///
  /// @param member who
  /// @param nanos  when
  /// @param batch  the batch; the same object for the same content in the same branch
  record Branched(int member, long nanos, Content batch) implements HistoryEvent {}

  /// The member learned that its oldest multicasts not sent before are delivered in the branch.
  ///
  /// @param member   who
  /// @param nanos    when
  /// @param messages how many
  record DecidedInBranch(int member, long nanos, int messages) implements HistoryEvent {}

  /// The member learned that its oldest undecided multicasts are delivered.
  ///
  /// @param member   who
  /// @param nanos    when
  /// @param messages how many
  /// @param position the first one's place, or -1 when it was away
  record Decided(int member, long nanos, int messages, long position) implements HistoryEvent {}

  /// The member learned that the fate of its oldest multicasts is not known for the time being.
  ///
  /// @param member   who
  /// @param nanos    when
  /// @param messages how many, those that it was told before and that are still undecided included
  record Undecided(int member, long nanos, int messages) implements HistoryEvent {}

  /// The member's application multicast a message to some members.
  ///
  /// @param member       who
  /// @param nanos        when
  /// @param number       counts the member's, from 1
  /// @param destinations whom it is for
  /// @param length       the message's length in bytes
  /// @param hash         the message's content
  record SubsetSubmitted(int member, long nanos, long number, List<Integer> destinations, int length, long hash)
      implements HistoryEvent {
    /// Copies the list.
    public SubsetSubmitted {
      destinations = List.copyOf(destinations);
    }
  }

  /// A message to some members was delivered.
  ///
  /// @param member who
  /// @param nanos  when
  /// @param sender who multicast it
  /// @param number which of the sender's it is
  /// @param length the message's length in bytes
  /// @param hash   the message's content
  record SubsetDelivered(int member, long nanos, int sender, long number, int length, long hash)
      implements HistoryEvent {}

  /// The member was told what became of its message to some members.
  ///
  /// @param member who
  /// @param nanos  when
  /// @param number which one
  /// @param fate   what became of it
  record SubsetDecided(int member, long nanos, long number, GroupUser.SubsetOutcome fate) implements HistoryEvent {}

  /// The member's application has consumed deliveries.
  ///
  /// @param member who
  /// @param nanos  when
  /// @param next   the index behind the last one
  record Consumed(int member, long nanos, long next) implements HistoryEvent {}

  /// The member got room in its window.
  ///
  /// @param member who
  /// @param nanos  when
  /// @param cost   what the messages counted
  record Released(int member, long nanos, long cost) implements HistoryEvent {}

  /// The member's application wrote its state.
  ///
  /// @param member   who
  /// @param nanos    when
  /// @param transfer the donor's number of the transfer
  /// @param summary  what the state says
  /// @param content  a hash over all bytes that it wrote
  record Gave(int member, long nanos, long transfer, Summary summary, long content) implements HistoryEvent {}

  /// State was announced to the member.
  ///
  /// @param member   who
  /// @param nanos    when
  /// @param donor    who gives it
  /// @param index    the first batch that it does not contain
  /// @param position the first message that it does not contain
  record Offered(int member, long nanos, MemberId donor, long index, long position) implements HistoryEvent {}

  /// The member's application has all bytes of the state that was announced last.
  ///
  /// @param member  who
  /// @param nanos   when
  /// @param bytes   how many
  /// @param content a hash over them
  record StateRead(int member, long nanos, long bytes, long content) implements HistoryEvent {}

  /// The member's application read the state to its end, and goes on with it.
  ///
  /// @param member   who
  /// @param nanos    when
  /// @param donor    who wrote it, as the state itself says
  /// @param transfer the donor's number of the transfer, as the state itself says
  /// @param summary  what the state says
  record Restored(int member, long nanos, int donor, long transfer, Summary summary) implements HistoryEvent {}

  /// The member's application made its state durable.
  ///
  /// @param member  who
  /// @param nanos   when
  /// @param summary the state
  record Saved(int member, long nanos, Summary summary) implements HistoryEvent {}

  /// The member is a restart: stable storage has what an earlier life of its name had kept, and perhaps the
  /// application's own state.
  ///
  /// @param member  who
  /// @param nanos   when
  /// @param earlier the life before
  /// @param summary the application's durable state, or null when it has none
  record Restarted(int member, long nanos, int earlier, @Nullable Summary summary) implements HistoryEvent {}

  /// An operator has forced what an earlier life had kept: this member was never there, but counts as if it had been
  /// alone in a primary view.
  ///
  /// @param member  who
  /// @param nanos   when
  /// @param earlier the life before
  /// @param view    the view
  record Forced(int member, long nanos, int earlier, View view) implements HistoryEvent {}

  /// The member is in a history that was forced, or forced again.
  ///
  /// @param member who
  /// @param nanos  when
  /// @param view   the view with which it began
  record InForced(int member, long nanos, ViewId view) implements HistoryEvent {}

  /// The state that was being read is void.
  ///
  /// @param member who
  /// @param nanos  when
  record Interrupted(int member, long nanos) implements HistoryEvent {}

  /// The member's application asked to leave.
  ///
  /// @param member who
  /// @param nanos  when
  record Leaving(int member, long nanos) implements HistoryEvent {}

  /// The membership ended.
  ///
  /// @param member who
  /// @param nanos  when
  /// @param end    why
  record Closed(int member, long nanos, End end) implements HistoryEvent {}

  /// The process is gone.
  ///
  /// @param member who
  /// @param nanos  when
  record Crashed(int member, long nanos) implements HistoryEvent {}

  /// What an application's state amounts to.
  ///
  /// @param index    the first batch that it does not contain
  /// @param position the first message that it does not contain
  /// @param chain    a hash over all totally ordered messages that it contains, in order
  /// @param weak     a hash over all others that it contains, whatever their order
  record Summary(long index, long position, long chain, long weak) {}
}
