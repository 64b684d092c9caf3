package org.tutti.user;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.membership.Founding;
import org.tutti.membership.StateChecksum;
import org.tutti.membership.Terms;
import org.tutti.pack.MessageBlock;
import org.tutti.transport.Address;

/// What an application asks of its node.
public sealed interface Request {
  /// Start a group with this node as its first member.
  ///
  /// @param group   the group's name; this node must not be in it
  /// @param terms   how to take part
  /// @param user    gets what happens
  /// @param founded the time of day, in microseconds since 1970: of two groups of one name the older one goes on
  record Create(String group, Terms terms, GroupUser user, long founded) implements Request {}

  /// Become a member of a group, or found it together with others, if enough of them are there and none of these knows
  /// the group.
  ///
  /// @param group    the group's name; this node must not be in it
  /// @param terms    how to take part
  /// @param user     gets what happens
  /// @param founded  the time of day, in microseconds since 1970: of two groups of one name the older one goes on
  /// @param founding who founds it: names, this node's among them, or a number
  record Found(String group, Terms terms, GroupUser user, long founded, Founding founding) implements Request {}

  /// Become a member of a group that exists or will exist.
  ///
  /// @param group    the group's name; this node must not be in it
  /// @param expected what was decided for it, or null for whatever was; where it differs the membership ends
  /// @param member   what this member decides for itself
  /// @param observer whether it observes
  /// @param user     gets what happens
  record Join(String group, @Nullable GroupConfig expected, MemberConfig member, boolean observer, GroupUser user)
      implements Request {}

  /// Send messages to a group. The user is to keep within its window, see [GroupUser#released].
  ///
  /// @param group   the group's name
  /// @param block the messages; more may be added to it until it is sealed, or until the user asks for something else
  ///                that is to be sent
  record Multicast(String group, MessageBlock block) implements Request {}

  /// Send a message to some members of a group, totally ordered; [GroupUser#subsetDecided] tells what became of it. The
  /// user is to keep within its window, of which the message leaves when its fate is known.
  ///
  /// @param group        the group's name
  /// @param number       counts the user's requests of this kind, from 1
  /// @param payload      the message, never changed from now on
  /// @param destinations members of the view, at least one, this one perhaps among them; no one twice
  record SubsetMulticast(String group, long number, ByteBuffer payload, List<MemberId> destinations)
      implements Request {
    /// Copies the list.
    public SubsetMulticast {
      destinations = List.copyOf(destinations);
    }
  }

  /// Send a message to the group that is none of its applications, but of [org.tutti.Group#propagate]; the rest as with
  /// [Multicast].
  ///
  /// @param group   the group's name
  /// @param payload the message, never changed from now on
  record Propagate(String group, ByteBuffer payload) implements Request {}

  /// Have the group change its ordering; [GroupUser#ordering] tells when it has.
  ///
  /// @param group the group's name
  /// @param to    the ordering
  record Switch(String group, Ordering to) implements Request {}

  /// Look at what this member shows on the whiteboard: [GroupUser#whiteboardPut].
  ///
  /// @param group the group's name
  record Whiteboard(String group) implements Request {}

  /// Put a call of this process into the flow of events. The user bounds how many are on the way.
  ///
  /// @param group the group's name
  /// @param call  passed on to [GroupUser#localCall]
  record LocalCall(String group, Event.LocalCall call) implements Request {}

  /// Ask a quorum where the history stands; [GroupUser#confirmed] tells.
  ///
  /// @param group the group's name
  record Confirm(String group) implements Request {}

  /// End the membership in an orderly way.
  ///
  /// @param group the group's name
  /// @param end   why
  record Leave(String group, End end) implements Request {}

  /// A piece of the state that [GroupUser#stateRequested] asked for.
  ///
  /// @param group    the group's name
  /// @param transfer the transfer's number
  /// @param chunk    the next bytes, at most [GroupUser#CHUNK_BYTES_MAX], never changed from now on
  /// @param end      what the whole state amounts to, if it ends here; otherwise null
  record StateChunk(String group, long transfer, ByteBuffer chunk, StateChecksum.@Nullable Sum end)
      implements Request {}

  /// The application could not write its state.
  ///
  /// @param group    the group's name
  /// @param transfer the transfer's number
  record StateFailed(String group, long transfer) implements Request {}

  /// The application begins to read the state that it gets. At most once for each transfer.
  ///
  /// @param group    the group's name
  /// @param transfer the transfer's number
  /// @param token    what it has already, for the donor's application; never changed from now on
  record StateKnown(String group, long transfer, ByteBuffer token) implements Request {}

  /// The application has taken a piece of the state that it gets.
  ///
  /// @param group    the group's name
  /// @param transfer the transfer's number
  record StateTaken(String group, long transfer) implements Request {}

  /// The application has consumed more deliveries: [GroupUser#consumed] has risen.
  ///
  /// @param group the group's name
  record Consumed(String group) implements Request {}

  /// Messages that wait for their batch have become as many as the engine wanted ([MessageBlock#bound]).
  ///
  /// @param group the group's name
  record Packed(String group) implements Request {}

  /// The application's own durable state contains what lies before a position.
  ///
  /// @param group    the group's name
  /// @param position tells the position of the first message that it does not contain
  record Persisted(String group, LongSupplier position) implements Request {}

  /// Treat a node as crashed: somebody who knows says so.
  ///
  /// @param member the node
  record Suspect(MemberId member) implements Request {}

  /// Ask at these addresses from now on when looking for members of groups, instead of those known before.
  ///
  /// @param addresses all contacts; never changed from now on
  record Contacts(List<Address> addresses) implements Request {}
}
