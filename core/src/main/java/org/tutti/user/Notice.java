package org.tutti.user;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.membership.Omission;
import org.tutti.membership.ViewMessage;

/// What an operator may want to know of a group, beside what its application is told: the engine tells it as values,
/// and [GroupUser#notice] makes what it likes of them. Nothing that the group does depends on a notice.
public sealed interface Notice {
  /// On what somebody is suspected, or is not in the next view.
  enum Ground {
    /// It was not heard here for the time of suspicion.
    SILENCE,

    /// Its host refuses connections: its process has ended.
    CONNECTION_REFUSED,

    /// The application says so ([org.tutti.Node#suspect]).
    APPLICATION,

    /// It asked to be left out.
    LEFT,

    /// It asked to be left out, as its application was too far behind.
    BEHIND,

    /// A later life of it is here.
    LATER_LIFE,

    /// A member does not hear it.
    REPORTED,

    /// Nothing is known against it here: the member that made the view decided so.
    DECIDED
  }

  /// Somebody is not in the next view any more.
  ///
  /// @param member who
  /// @param ground why
  /// @param by     on whose word, for [Ground#REPORTED] and [Ground#DECIDED], if that one is known; else null
  /// @param time   for how long it was not heard here, for [Ground#SILENCE]; how far its application was behind, for
  ///     [Ground#BEHIND]; else zero
  record Gone(MemberId member, Ground ground, @Nullable MemberId by, Duration time) {}

  /// A view was installed.
  ///
  /// @param before the view before it
  /// @param view   the view
  /// @param gone   who was in the view before and is not in this one, and why
  record Installed(View before, View view, List<Gone> gone) implements Notice {
    /// Copies the list.
    public Installed {
      gone = List.copyOf(gone);
    }
  }

  /// A member of the view is suspected from now on.
  ///
  /// @param member who
  /// @param ground [Ground#SILENCE], [Ground#CONNECTION_REFUSED] or [Ground#APPLICATION]
  /// @param silent for how long it was not heard here, for [Ground#SILENCE]; else zero
  record Suspected(MemberId member, Ground ground, Duration silent) implements Notice {}

  /// A member of the view is silent here, but is not suspected, as others may have heard it later.
  ///
  /// @param member who
  /// @param silent for how long it was not heard here
  record Doubted(MemberId member, Duration silent) implements Notice {}

  /// A doubted member was heard by another one.
  ///
  /// @param member who
  /// @param by     who has heard it
  record Refuted(MemberId member, MemberId by) implements Notice {}

  /// A member of the view that was suspected or doubted is heard again.
  ///
  /// @param member who
  record Heard(MemberId member) implements Notice {}

  /// A node says that it votes, whose certificate is only for observers: it is not taken in, and is told so.
  ///
  /// @param member who
  record VoteRefused(MemberId member) implements Notice {}

  /// This member goes on with what an earlier life had kept in stable storage.
  ///
  /// @param view     the last primary view that is in it, or null
  /// @param batches  how many batches of the history are in it
  /// @param position where the application's deliveries go on; empty when its state has to come from others
  record Restarted(@Nullable View view, int batches, OptionalLong position) implements Notice {}

  /// The history that this member is in went on without a quorum at some place, as an operator has forced it to
  /// (`tutti force-primary`). Told once in a life for each such place, as soon as it is known.
  ///
  /// @param by       whose stored history it was
  /// @param time     when, as the operator's clock said
  /// @param view     the view that was made, which nobody was shown
  /// @param position of the first message behind what was stored
  record Forced(MemberId by, Instant time, ViewId view, long position) implements Notice {}

  /// This member says something about the next view, batches apart.
  ///
  /// @param to      to whom; this member may be among them
  /// @param message what
  record Said(List<MemberId> to, ViewMessage message) implements Notice {
    /// Copies the list.
    public Said {
      to = List.copyOf(to);
    }
  }

  /// Another one says something about the next view, batches apart. It may be of any age, and nothing may come of it.
  ///
  /// @param from    who
  /// @param message what
  record Told(MemberId from, ViewMessage message) implements Notice {}

  /// An attempt of this member to make a view goes on without some that it has asked, or is made anew without them.
  ///
  /// @param ballot  the attempt
  /// @param members who are left out
  /// @param why     why
  record Omitted(ViewId ballot, List<MemberId> members, Omission why) implements Notice {
    /// Copies the list.
    public Omitted {
      members = List.copyOf(members);
    }
  }
}
