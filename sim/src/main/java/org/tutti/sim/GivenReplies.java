package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.replica.Answer;
import org.tutti.replica.Policy;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.consolidation.Reply;
import org.tutti.replica.protocol.CommandReply;
import org.tutti.replica.protocol.Frame;

/// What replicas have answered to one client that collects several replies, and whether its outcomes are true; seen
/// from outside, by the frames and by what the simulator knows of views. A reply in a bundle was given by who has said
/// it to the other replicas, or sends the bundle.
final class GivenReplies {
  /// A reply that a replica has sent.
  ///
  /// @param by    the replica
  /// @param view  in which it was
  /// @param asked who of it was to answer, by what the simulator knows
  /// @param reply what it said
  private record Given(MemberId by, View view, Set<MemberId> asked, CommandReply reply) {}

  /// A command of a session.
  private record Numbered(long session, long number) {}

  /// Whom a command reached by a replica that was told of it.
  private record Reached(MemberId by, View view, Set<MemberId> asked) {}

  /// What a replica has said to the others.
  private record Said(MemberId by, CommandReply.Status status, long position, ByteBuffer payload) {}

  private final boolean all; // are to answer; else a majority
  private final TreeMap<Long, List<Given>> given = new TreeMap<>(); // by the command's position
  private final TreeMap<Long, Set<String>> reached = new TreeMap<>(); // addresses, by connection
  private final TreeMap<MemberId, Set<String>> told = new TreeMap<>(); // the same by who has told them last
  private final Map<Numbered, List<Reached>> executed = new HashMap<>();
  private final Map<Numbered, Set<Said>> said = new HashMap<>();
  private long outcomes;
  private long bundles;
  private long reduced;

  GivenReplies(Policy.Collection which) {
    all = which == Policy.Collection.ALL;
  }

  /// A replica sends the client a frame.
  ///
  /// @param over  the connection
  /// @param frame what it says
  /// @param by    the replica's life
  void sends(long over, Frame frame, SimulatedReplica by) {
    switch (frame) {
      case Frame.Welcome welcome -> tells(over, welcome.replicas(), by);
      case Frame.Replicas replicas -> tells(over, replicas.replicas(), by);
      case Frame.Replied replied -> {
        View view = by.toldView();
        if (view != null) {
          Set<MemberId> asked = asked(view, reached.getOrDefault(over, Set.of()), by);
          given(new Given(by.node().self, view, asked, replied.reply()));
        }
      }
      case Frame.Bundle bundle -> bundled(bundle, by.node().self);
      default -> {}
    }
  }

  private void tells(long over, List<String> addresses, SimulatedReplica by) {
    reached.put(over, new TreeSet<>(addresses));
    told.put(by.node().self, new TreeSet<>(addresses));
  }

  private static Set<MemberId> asked(View view, Set<String> addresses, SimulatedReplica by) {
    Set<MemberId> asked = new TreeSet<>();
    for (MemberId member : view.members()) {
      boolean isReached = addresses.contains(ServiceGroup.address(member));
      if (member.equals(by.node().self) || isReached && !by.isAway(member)) {
        asked.add(member);
      }
    }
    return asked;
  }

  private void given(Given one) {
    given.computeIfAbsent(one.reply.position(), _ -> new ArrayList<>()).add(one);
  }

  /// A replica is to execute a command.
  void executes(SimulatedReplica by, long session, long number) {
    View view = by.toldView();
    MemberId self = by.node().self;
    if (view != null && told.containsKey(self)) {
      executed
          .computeIfAbsent(new Numbered(session, number), _ -> new ArrayList<>())
          .add(new Reached(self, view, asked(view, told.get(self), by)));
    }
  }

  /// A replica says its reply to the others.
  ///
  /// @param reply behind the kind of message
  void says(SimulatedReplica by, ByteBuffer reply) {
    var command = new Numbered(reply.getLong(), reply.getLong());
    CommandReply.Status status = CommandReply.Status.values()[reply.get()];
    said.computeIfAbsent(command, _ -> new HashSet<>())
        .add(new Said(by.node().self, status, reply.getLong(), reply.slice()));
  }

  private void bundled(Frame.Bundle bundle, MemberId by) {
    var command = new Numbered(bundle.session(), bundle.number());
    for (Reply<CommandReply> reply : bundle.replies()) {
      CommandReply value = reply.value();
      var its = new Said(reply.member(), value.status(), value.position(), value.payload());
      if (reply.member().equals(by) || said.getOrDefault(command, Set.of()).contains(its)) {
        executed.getOrDefault(command, List.of()).stream()
            .filter(reached -> reached.by.equals(by))
            .forEach(reached -> given(new Given(reply.member(), reached.view, reached.asked, value)));
      }
    }
    bundles++;
  }

  /// What is untrue in an outcome.
  ///
  /// @param outcome what the client was told
  /// @param views   all primary views that replicas were in
  /// @return in words; null when all is true
  @Nullable String untrue(Consolidated<Answer> outcome, List<View> views) {
    outcomes++;
    Set<MemberId> repliers = new TreeSet<>();
    for (Reply<Answer> reply : outcome.replies()) {
      if (!repliers.add(reply.member()) || givenBy(reply).isEmpty()) {
        return reply.member() + " has not said " + reply.value();
      }
    }
    return switch (outcome) {
      case Consolidated.Success<Answer> success ->
          success.replies().stream().noneMatch(reply -> reply.value().equals(success.chosen()))
                  || firsts(outcome).noneMatch(first -> isEnough(first.asked, repliers, Set.of()))
              ? "not enough replies: " + repliers
              : null;
      case Consolidated.ReducedMembership<Answer> less -> {
        reduced++;
        boolean isTrue =
            firsts(outcome)
                .anyMatch(first ->
                    isEnough(first.asked, repliers, less.departed())
                        && less.departed().stream().allMatch(gone -> hasLeft(gone, first.view, views)));
        yield isTrue ? null : "not enough replies: " + repliers + ", or not all have left of " + less.departed();
      }
      case Consolidated.Timeout<Answer> _ -> null; // whether it was time knows who has made the call
      default -> "replicas that are equal have given " + outcome;
    };
  }

  private List<Given> givenBy(Reply<Answer> reply) {
    Answer answer = reply.value();
    return given.getOrDefault(answer.position(), List.of()).stream()
        .filter(one -> one.by.equals(reply.member()) && one.reply.payload().equals(answer.payload()))
        .filter(one -> answer.failed() == (one.reply.status() != CommandReply.Status.DONE))
        .toList();
  }

  /// What the replica had given whose reply came first: one of these says whom the command had reached.
  private Stream<Given> firsts(Consolidated<Answer> outcome) {
    return givenBy(outcome.replies().getFirst()).stream();
  }

  private boolean isEnough(Set<MemberId> asked, Set<MemberId> repliers, Set<MemberId> departed) {
    Set<MemberId> left = new TreeSet<>(asked);
    left.removeAll(departed);
    return all ? repliers.containsAll(left) : repliers.size() > left.size() / 2;
  }

  private static boolean hasLeft(MemberId gone, View from, List<View> views) {
    return views.stream().anyMatch(view -> view.id().compareTo(from.id()) > 0 && !view.contains(gone));
  }

  /// How many outcomes of several replies there were.
  long outcomes() {
    return outcomes;
  }

  /// How many bundles replicas have sent.
  long bundles() {
    return bundles;
  }

  /// How many of them count only because a replica has left.
  long reduced() {
    return reduced;
  }
}
