package org.tutti.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.effect.Count;
import org.tutti.membership.Proposal;
import org.tutti.membership.Refutation;
import org.tutti.membership.ViewMessage;
import org.tutti.user.GroupUser;
import org.tutti.user.Notice;
import org.tutti.user.Notice.Ground;

/// Remembers who is suspected in one group, and on whose word, to tell it to the user ([Notice]). It decides nothing.
final class Suspects {
  private final NodeEngine node;
  private final Refutation refutation;
  private final Refutation.HeardPeers hearing;
  private final GroupUser user;
  private final SortedSet<MemberId> suspected = new TreeSet<>(); // as they were told
  private final SortedSet<MemberId> doubted = new TreeSet<>();
  private final Map<MemberId, MemberId> reported = new TreeMap<>(); // who is not heard -> by whom first, in this view
  private final Map<MemberId, Duration> behind = new TreeMap<>(); // whose application was how far behind, so it leaves

  Suspects(NodeEngine node, Refutation refutation, GroupUser user) {
    this.node = node;
    this.refutation = refutation;
    this.hearing = node.hearing();
    this.user = user;
  }

  /// Somebody may be suspected now, or not any more.
  void look(View view) {
    for (MemberId member : view.members()) {
      boolean suspects = refutation.suspects(member);
      boolean spares = !suspects && refutation.spares(member);
      if (suspects && suspected.add(member)) {
        doubted.remove(member);
        Ground ground = node.ground(member);
        if (ground == Ground.SILENCE) {
          node.counters().count(Count.SUSPECTED_BY_SILENCE);
        }
        user.notice(new Notice.Suspected(member, ground, silence(member, ground)));
      } else if (spares && doubted.add(member)) {
        suspected.remove(member);
        user.notice(new Notice.Doubted(member, silence(member, Ground.SILENCE)));
      } else if (!suspects && !spares && suspected.remove(member) | doubted.remove(member)) {
        user.notice(new Notice.Heard(member));
      }
    }
  }

  /// Others have heard members later.
  void refuted(MemberId by, List<ViewMessage.Sign> signs) {
    for (ViewMessage.Sign sign : signs) {
      if (doubted.contains(sign.of())) {
        node.counters().count(Count.SUSPICIONS_REFUTED);
        user.notice(new Notice.Refuted(sign.of(), by));
      }
    }
  }

  /// Another one does not hear members.
  void reported(View view, MemberId by, List<MemberId> members) {
    if (view.contains(by)) {
      members.stream().filter(view::contains).forEach(member -> reported.putIfAbsent(member, by));
    }
  }

  /// Another one leaves, as its application is too far behind.
  void behind(View view, MemberId member, Duration time) {
    if (view.contains(member)) {
      behind.put(member, time);
    }
  }

  /// A view is installed: tells it, and why the others are not in it.
  void installed(View before, Proposal proposal) {
    View view = proposal.view();
    List<Notice.Gone> gone = new ArrayList<>();
    for (MemberId member : before.members()) {
      if (!view.contains(member)) {
        gone.add(gone(member, before, proposal));
      }
    }
    user.notice(new Notice.Installed(before, view, gone));
    suspected.retainAll(view.members());
    doubted.retainAll(view.members());
    reported.clear();
    behind.keySet().retainAll(view.members());
  }

  private Notice.Gone gone(MemberId member, View before, Proposal proposal) {
    View view = proposal.view();
    if (proposal.departed().contains(member)) {
      Duration lag = behind.get(member);
      return lag == null
          ? new Notice.Gone(member, Ground.LEFT, null, Duration.ZERO)
          : new Notice.Gone(member, Ground.BEHIND, null, lag);
    }
    if (view.members().stream().anyMatch(other -> other.supersedes(member))) {
      return new Notice.Gone(member, Ground.LATER_LIFE, null, Duration.ZERO);
    }
    if (suspected.contains(member)) {
      Ground ground = node.ground(member);
      return new Notice.Gone(member, ground, null, silence(member, ground));
    }
    MemberId reporter = reported.get(member);
    if (reporter != null) {
      return new Notice.Gone(member, Ground.REPORTED, reporter, Duration.ZERO);
    }
    return new Notice.Gone(member, Ground.DECIDED, proposer(view, before), Duration.ZERO);
  }

  private static @Nullable MemberId proposer(View view, View before) {
    long life = view.id().proposer();
    return view.members().stream()
        .filter(member -> member.incarnation() == life)
        .findFirst()
        .or(() -> before.members().stream().filter(member -> member.incarnation() == life).findFirst())
        .orElse(null);
  }

  private Duration silence(MemberId member, Ground ground) {
    return ground == Ground.SILENCE ? Duration.ofNanos(hearing.agoNanos(member)) : Duration.ZERO;
  }
}
