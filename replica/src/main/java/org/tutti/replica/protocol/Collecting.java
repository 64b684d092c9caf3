package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Answer;
import org.tutti.replica.Policy;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.consolidation.Consolidation;
import org.tutti.replica.consolidation.Consolidator;
import org.tutti.replica.consolidation.Reply;

/// Collection of several replies: a client takes those of all replicas, or of a majority, as one outcome.
///
/// ```
///  client --- CALL n ----------> replica A    D1: the manager; with D2 to each
///         <-- LIVE v, REPLY n -- A            each that executes it answers over its own connection, and says before
///         <-- LIVE v, REPLY n -- B            which view it is in, and who of it is to answer
///         <-- LIVE w ----------- B            C has left: it is not waited for
/// ```
///
/// Whom a command reached is said by the replica whose reply comes first: the members of its view, without those that
/// have said that they do not serve. From there on each newer view says who is gone; who comes later was not asked. A
/// replica answers again whatever has not been acknowledged when the client comes back to it, and nothing is
/// acknowledged before its outcome; so a reply that was lost with a connection is not missing for good.
///
/// A client whose only server is the request manager gets what the manager has gathered ([ReplyBundles]), and makes the
/// outcome of it by the same rule.
final class Collecting {
  private final Consolidation rule;
  private Frame.@Nullable Live newest; // view, of those that any replica has told

  Collecting(Policy.Collection which) {
    rule = rule(which);
  }

  /// By which the replies are made into one outcome.
  static Consolidation rule(Policy.Collection which) {
    return which == Policy.Collection.ALL ? Consolidation.all() : Consolidation.majority();
  }

  /// The session has gone. Perhaps all replicas have lost their state, and their views have begun anew.
  void forget() {
    newest = null;
  }

  /// A command is sent for the first time.
  Consolidator<Answer> begin(long now, long deadlineNanos) {
    long most = Duration.ofDays(36_500).toNanos();
    long left = deadlineNanos == Long.MAX_VALUE ? most : Math.clamp(deadlineNanos - now, 1, most);
    return new Consolidator<>(rule.within(Duration.ofNanos(left)), now);
  }

  /// A replica has told its view.
  ///
  /// @return whether it is a newer one than all before: then [#view] is to be called for all that is open
  boolean told(Frame.Live live) {
    Frame.Live before = newest;
    boolean isNewer = before == null || live.view().compareTo(before.view()) > 0;
    newest = isNewer ? live : before;
    return isNewer;
  }

  /// Who is gone is not waited for.
  void view(Consolidator<Answer> call) {
    Frame.Live latest = newest;
    if (latest != null) {
      call.live(latest.members());
    }
  }

  /// A replica has answered.
  ///
  /// @param first whether it is the first reply to that command
  /// @param live  what its replica has said before it
  void replied(Consolidator<Answer> call, boolean first, Frame.Live live, CommandReply reply) {
    call.reply(live.self(), answer(reply));
    if (first) {
      call.asked(live.asked());
      view(call);
    }
  }

  /// The request manager has gathered the replies of all replicas.
  ///
  /// @param call begun for this bundle
  void gathered(Consolidator<Answer> call, Frame.Bundle bundle) {
    for (Reply<CommandReply> reply : bundle.replies()) {
      call.reply(reply.member(), answer(reply.value()));
    }
    call.asked(bundle.asked());
    bundle.gone().forEach(call::silent);
  }

  private static Answer answer(CommandReply reply) {
    ByteBuffer payload = reply.payload();
    ByteBuffer copy = ByteBuffer.allocate(payload.remaining()).put(payload.duplicate()).flip();
    return new Answer(reply.status() != CommandReply.Status.DONE, copy, reply.position());
  }

  /// How many replies an outcome has, for people.
  static String words(Consolidated<Answer> outcome) {
    Collection<String> names = outcome.replies().stream().map(reply -> reply.member().name()).toList();
    return switch (outcome) {
      case Consolidated.Timeout<Answer> late -> "replies of " + names + ", none of " + late.silent();
      default -> "replies of " + names;
    };
  }
}
