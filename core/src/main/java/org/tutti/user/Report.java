package org.tutti.user;

import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.Status;
import org.tutti.View;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;

/// A [Status], and its sentence for people. The components are as there.
///
/// @param group       the group's name
/// @param self        this member
/// @param phase       how far it has come
/// @param view        the view installed last, or null
/// @param lastPrimary the latest primary view known here, or null
/// @param position    of the next delivery, if the state is here
/// @param forced      where an operator has forced the history
/// @param waits       who is waited for
/// @param calls       whom a member without a view calls, to be taken in
/// @param refused     who does not take this node in
/// @param closed      why the membership has ended, or null
/// @param spilled     what waits on disk for the application
public record Report(
    String group,
    MemberId self,
    Phase phase,
    @Nullable View view,
    @Nullable View lastPrimary,
    OptionalLong position,
    List<Forced> forced,
    List<Wait> waits,
    List<Address> calls,
    List<Refused> refused,
    @Nullable End closed,
    Spilled spilled)
    implements Status {

  /// Copies the lists.
  public Report {
    forced = List.copyOf(forced);
    waits = List.copyOf(waits);
    calls = List.copyOf(calls);
    refused = List.copyOf(refused);
  }

  /// What is known of a member that looks for its group.
  ///
  /// @param group   the group's name
  /// @param self    the member
  /// @param calls   whom it calls
  /// @param refused who does not take its node in
  /// @return a status without a view
  public static Report joining(String group, MemberId self, List<Address> calls, List<Refused> refused) {
    OptionalLong nowhere = OptionalLong.empty();
    return new Report(
        group, self, Phase.JOINING, null, null, nowhere, List.of(), List.of(), calls, refused, null, Spilled.NOTHING);
  }

  /// The same at another position.
  ///
  /// @param next the position of the next delivery
  /// @return a copy
  public Report at(long next) {
    return new Report(
        group, self, phase, view, lastPrimary, OptionalLong.of(next), forced, waits, calls, refused, closed, spilled);
  }

  /// The same of a member that has spilled something.
  ///
  /// @param now how much
  /// @return a copy
  public Report spilling(Spilled now) {
    return new Report(group, self, phase, view, lastPrimary, position, forced, waits, calls, refused, closed, now);
  }

  /// What is left to say when the membership has ended.
  ///
  /// @param end why
  /// @return a status without a view
  public Report ended(End end) {
    return new Report(
        group,
        self,
        Phase.CLOSED,
        null,
        lastPrimary,
        position,
        forced,
        List.of(),
        calls,
        refused,
        end,
        Spilled.NOTHING);
  }

  @Override
  public String toString() {
    boolean alone = phase != Phase.CLOSED && !isServing();
    String why = alone && !refused.isEmpty() ? "; " + refusals() : "";
    return "group " + group + ": " + sentence() + why + (forced.isEmpty() ? "" : "; " + forcings()) + backlog();
  }

  private String backlog() {
    return spilled.messages() == 0
        ? ""
        : "; %d messages that the application has not taken are spilled, in %d bytes"
            .formatted(spilled.messages(), spilled.bytes());
  }

  private String forcings() {
    return forced.stream()
        .map(each ->
            "its history was forced by %s at %s, from position %d on"
                .formatted(each.by(), each.time(), each.position()))
        .collect(Collectors.joining("; "));
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
      String called = calls.stream().map(Address::text).collect(Collectors.joining(", "));
      return self + (called.isEmpty() ? " takes part soon" : " is not in the group yet, and calls " + called);
    }
    if (lastPrimary == null) {
      return self + " knows no history of it and looks for its members" + awaited("; ");
    }
    String where = position.isPresent() ? " at position " + position.getAsLong() : ", its state is to come";
    if (view.primary()) {
      return "primary view " + view.id().epoch() + " of " + peerStates(view) + where + awaited(", ");
    }
    String known = "last primary view " + lastPrimary.id().epoch() + " of " + peerStates(lastPrimary);
    return known + where + " known here; " + peerStates(view) + " here" + awaited("; ");
  }

  private String peerStates(View of) {
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
    List<MemberId> members = wait.members();
    return switch (wait.cause()) {
      case QUORUM -> "waiting for " + (members.isEmpty() ? some(wait.needed()) : some(members, wait.needed()));
      case STATE ->
          members.contains(self)
              ? "waiting for the application, which has not said that it has all of it"
              : "waiting for " + names(members, " or ") + " to give it";
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
              .formatted(names(members, " and "), wait.since().toMillis() / 1000.0);
    };
  }

  private static String lasting(Wait wait) {
    return ", for %.1f s".formatted(wait.since().toMillis() / 1000.0);
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
