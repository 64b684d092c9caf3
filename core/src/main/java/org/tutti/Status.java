package org.tutti;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Refused;

/// How a group stands at one member, at the moment of the question: see [Group#status]. It does not change any more.
///
/// It tells what this member knows, which may be ahead of the events that its application has taken. The values are for
/// programs; [Object#toString()] says the same in a sentence for people, whose words may change.
///
/// {@snippet class="ApiExamplesTest" region="status"}
public interface Status {
  /// How far a member has come.
  enum Phase {
    /// It knows no history of the group and looks for its members.
    JOINING,

    /// It knows the history, but has not got the state, or where the history stands.
    WAITING_FOR_STATE,

    /// It has all of the history up to [#position]. It goes on as long as the view is primary ([#isServing]).
    CAUGHT_UP,

    /// The membership has ended.
    CLOSED
  }

  /// Why somebody is waited for.
  enum Cause {
    /// They were in the last primary view and are needed for the next one.
    QUORUM,

    /// One of them has to give the state to this member.
    STATE,

    /// Members enough are here, but none that can go on: with the state, and with what it had kept.
    STORAGE,

    /// Their applications do not take what is delivered to them, which holds up all that multicast.
    CONSUMPTION,

    /// A view change does not come to its end: they have not answered it, or it is theirs.
    VIEW_CHANGE,

    /// What was multicast has no place in the order: who decides places says nothing, or does not hear of it.
    ORDER,

    /// What they multicast has its place in the order, and has not come here.
    MESSAGE,

    /// They do not confirm what was multicast, although they are heard.
    ACKNOWLEDGEMENT
  }

  /// Somebody is waited for.
  ///
  /// @param cause   why
  /// @param members who, lives of one name apart; may be empty for [Cause#STORAGE], and for [Cause#QUORUM] when it may
  ///                be anybody
  /// @param needed  how many of them it takes; 0 when that is not known
  /// @param since   for how long nothing has happened: for [Cause#STATE] zero; for [Cause#QUORUM] and [Cause#STORAGE]
  ///                zero unless something that this member multicast waits for them; else at least the time of
  ///                suspicion, as it is told then only
  /// @param bytes   for [Cause#CONSUMPTION] and [Cause#ACKNOWLEDGEMENT], what of this member's window that takes up;
  ///                else 0
  record Wait(Cause cause, List<MemberId> members, int needed, Duration since, long bytes) {
    /// Copies the list.
    public Wait {
      members = List.copyOf(members);
    }
  }

  /// An operator has made a stored history primary, as too many members of its last primary view were lost for ever:
  /// what only those had delivered is not in the history.
  ///
  /// @param by       the member whose storage it was
  /// @param time     when, by that computer's clock, to the second
  /// @param position of the first message after that
  record Forced(MemberId by, Instant time, long position) {}

  /// What waits on disk for the application ([MemberConfig#spillBytesMax]).
  ///
  /// @param messages how many messages
  /// @param bytes    how much room their files take up, which is not more than the bound
  record Spilled(long messages, long bytes) {
    /// Nothing is spilled.
    public static final Spilled NOTHING = new Spilled(0, 0);
  }

  /// Of which group.
  ///
  /// @return its name
  String group();

  /// Of which member.
  ///
  /// @return this member
  MemberId self();

  /// How far this member has come.
  ///
  /// @return its phase
  Phase phase();

  /// Who is in the group with it.
  ///
  /// @return the view installed last; null before the first one, and after the end
  @Nullable View view();

  /// Where the group's history goes on.
  ///
  /// @return the latest primary view known here, [#view] itself if that is primary; null while no history is known
  @Nullable View lastPrimary();

  /// How much of the history this member has delivered.
  ///
  /// @return the position of its next delivery; empty while its state is to come
  OptionalLong position();

  /// How often, and where, the history went on by an operator's decision instead of a quorum's.
  ///
  /// @return the oldest first; empty for most groups
  List<Forced> forced();

  /// Who is waited for, and why.
  ///
  /// @return all waits; empty when nobody is waited for
  List<Wait> waits();

  /// Who does not take this node in, and why.
  ///
  /// @return what was told or seen of that in the last seconds; after the end, also who has its name
  List<Refused> refused();

  /// How much was delivered to this member that its application has not taken and that is spilled.
  ///
  /// @return [Spilled#NOTHING] unless the application is behind and the member spills
  Spilled spilled();

  /// Why the membership has ended.
  ///
  /// @return the end; null before
  @Nullable End closed();

  /// Who holds up most of what this member multicast: by an application that takes nothing, or by confirming nothing.
  ///
  /// @return of [#waits] for [Cause#CONSUMPTION] and [Cause#ACKNOWLEDGEMENT] the one that takes up most bytes of this
  ///     member's window, of several the one that lasts longest; null when everybody keeps up
  default @Nullable Wait slowest() {
    return waits().stream()
        .filter(wait -> wait.cause == Cause.CONSUMPTION || wait.cause == Cause.ACKNOWLEDGEMENT)
        .max(Comparator.comparingLong(Wait::bytes).thenComparing(Wait::since))
        .orElse(null);
  }

  /// Whether this member takes part now: it is caught up, in a primary view.
  ///
  /// @return whether it can read and write
  default boolean isServing() {
    View here = view();
    return phase() == Phase.CAUGHT_UP && here != null && here.primary();
  }

  /// Whether this member observes ([Node#observe(String)]).
  ///
  /// @return whether the view lists it as an observer; false without a view
  default boolean isObserver() {
    View here = view();
    return here != null && here.isObserver(self());
  }
}
