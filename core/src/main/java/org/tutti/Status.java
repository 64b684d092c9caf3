package org.tutti;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Refused;

/// How a group stands at one member, at the moment of the question: see [Group#status]. Pure data.
///
/// It tells what this member knows, which may be ahead of the events that its application has taken. The values are for
/// programs; [#toString] says the same in a sentence for people, whose words may change.
///
/// @param group       the group's name
/// @param self        this member
/// @param phase       how far this member has come
/// @param view        the view installed last; null before the first one, and after the end
/// @param lastPrimary the latest primary view known here, `view` itself if that is primary; null while no history is
///                    known
/// @param position    the position of this member's next delivery; empty while its state is to come
/// @param waits       who is waited for, and why; empty when nothing is
/// @param refused     who does not take this node in, and why, as far as that was told or seen in the last seconds;
///                    after the end, also who has its name
/// @param closed      why the membership has ended; null before
public record Status(
    String group,
    MemberId self,
    Phase phase,
    @Nullable View view,
    @Nullable View lastPrimary,
    OptionalLong position,
    List<Wait> waits,
    List<Refused> refused,
    @Nullable End closed) {

  /// How far a member has come.
  public enum Phase {
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
  public enum Cause {
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
  public record Wait(Cause cause, List<MemberId> members, int needed, Duration since, long bytes) {
    /// Copies the list.
    public Wait {
      members = List.copyOf(members);
    }
  }

  /// Copies the lists.
  public Status {
    waits = List.copyOf(waits);
    refused = List.copyOf(refused);
  }

  /// Whether this member takes part now: it is caught up, in a primary view.
  ///
  /// @return whether it can read and write
  public boolean isServing() {
    return phase == Phase.CAUGHT_UP && view != null && view.primary();
  }

  /// Whether this member observes ([Node#observe(String)]).
  ///
  /// @return whether the view lists it as an observer; false without a view
  public boolean isObserver() {
    return view != null && view.isObserver(self);
  }

  @Override
  public String toString() {
    boolean alone = phase != Phase.CLOSED && !isServing();
    return "group " + group + ": " + sentence() + (alone && !refused.isEmpty() ? "; " + refusals() : "");
  }

  /// Who does not take this node in, and why.
  private String refusals() {
    return refused.stream().map(Refused::toString).collect(Collectors.joining("; "));
  }

  private String sentence() {
    if (phase == Phase.CLOSED) {
      String where = position.isPresent() ? " ended at position " + position.getAsLong() : " ended";
      return self + where + ": " + closed;
    }
    if (view == null) {
      return self + " takes part soon";
    }
    if (lastPrimary == null) {
      return self + " knows no history of it and looks for its members" + awaited("; ");
    }
    String where = position.isPresent() ? " at position " + position.getAsLong() : ", its state is to come";
    if (view.primary()) {
      return "primary view " + view.id().epoch() + " of " + company(view) + where + awaited(", ");
    }
    String known = "last primary view " + lastPrimary.id().epoch() + " of " + company(lastPrimary);
    return known + where + " known here; " + company(view) + " here" + awaited("; ");
  }

  private String company(View of) {
    String voters = names(of.members().subList(0, of.voters()), ", ");
    if (of.voters() == of.size()) {
      return voters;
    }
    String observers = "observers " + names(of.observers(), ", ");
    String here = of.isObserver(self) ? " (this one is one)" : "";
    return (voters.isEmpty() ? observers : voters + " with " + observers) + here;
  }

  private String awaited(String before) {
    return waits.stream().map(wait -> before + words(wait)).collect(Collectors.joining());
  }

  private String words(Wait wait) {
    List<MemberId> members = wait.members;
    return switch (wait.cause) {
      case QUORUM -> "waiting for " + (members.isEmpty() ? some(wait.needed) : some(members, wait.needed));
      case STATE -> "waiting for " + names(members, " or ") + " to give it";
      case STORAGE ->
          "waiting for the state, which none of these has, or for members that have not lost their storage"
              + (members.isEmpty() ? "" : ": " + names(members, " or "));
      case VIEW_CHANGE -> "waiting for " + names(members, ", ") + " in a view change" + lasting(wait);
      case ORDER -> "waiting for " + names(members, " or ") + " to order what was multicast" + lasting(wait);
      case MESSAGE -> "waiting for what " + names(members, " and ") + " multicast" + lasting(wait);
      case ACKNOWLEDGEMENT ->
          "waiting for " + names(members, " and ") + " to confirm what was multicast" + lasting(wait);
      case CONSUMPTION ->
          "waiting for the application of %s, which has taken nothing for %.1f s"
              .formatted(names(members, " and "), wait.since.toMillis() / 1000.0);
    };
  }

  private static String lasting(Wait wait) {
    return ", for %.1f s".formatted(wait.since.toMillis() / 1000.0);
  }

  private static String some(int needed) {
    return needed == 0 ? "others who expect the same number" : needed == 1 ? "another one" : needed + " others";
  }

  private String some(List<MemberId> members, int needed) {
    if (needed == members.size()) {
      return names(members, " and ");
    }
    return needed == 1 ? names(members, " or ") : needed + " of " + names(members, ", ");
  }

  /// A life that has ended has the name of one that is here: then it says which is meant.
  private String names(List<MemberId> members, String between) {
    return members.stream()
        .map(member -> isReplaced(member) ? "an earlier life of " + member : member.toString())
        .collect(Collectors.joining(between));
  }

  private boolean isReplaced(MemberId member) {
    return view != null && view.members().stream().anyMatch(other -> other.supersedes(member));
  }
}
