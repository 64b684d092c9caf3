package org.tutti.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.Effects;
import org.tutti.membership.Hello;
import org.tutti.membership.Lineage;
import org.tutti.membership.ViewMessage;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;
import org.tutti.user.Notice;
import org.tutti.user.Report;
import org.tutti.user.Request;
import org.tutti.wire.Channel;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// A node that is to join a group and has not been told what was decided for it. It calls out to the contacts; whoever
/// is called has the coordinator of its view answer with a [ViewMessage.Meet], and the lineage that is in there makes
/// this a member. Who calls it is called back, as it may know nobody. It takes part in nothing before: a promise, or a
/// view with others who know no more, could be of another group than the one that it is to be in.
///
/// What the application asks for meanwhile is kept, in its order; the member's window bounds it.
final class Newcomer implements Effects.Inward<ViewMessage> {
  private static final int CALLED_BACK_MAX = 64;

  private final MemberId self;
  private final Request.Join join;
  private final NodeEngine node;
  private final Ports ports;
  private final Effects<ViewMessage> port;
  private final View alone;
  private final List<Consumer<GroupEngine>> wishes = new ArrayList<>();
  private final Set<Address> calledBack = new TreeSet<>(); // since the last round: newcomers may call each other
  private List<Refused> refused = List.of();
  private Set<Address> called = Set.of();
  private int rounds; // of calls

  Newcomer(Request.Join join, NodeEngine node, Ports.Group group) {
    this.self = node.self();
    this.join = join;
    this.node = node;
    int voters = join.observer() ? 0 : 1;
    this.alone = new View(new ViewId(0, self.incarnation()), List.of(self), voters, false, List.of());
    this.ports = new Ports(node.services(), group, () -> alone, false);
    this.port = ports.open(Channel.VIEW, ViewMessage.CODEC, this);
    port.schedule(GroupEngine.HELLO, Duration.ZERO);
    tell();
  }

  /// What was asked for.
  Request.Join join() {
    return join;
  }

  /// Whether it has called for some time: what comes now was hardly said before that.
  boolean hasCalledAgain() {
    return rounds > 1;
  }

  /// Does something as soon as there is a group.
  void wish(Consumer<GroupEngine> action) {
    wishes.add(action);
  }

  List<Consumer<GroupEngine>> wishes() {
    return wishes;
  }

  /// What was decided for the group, and which version it speaks, as soon as somebody has told of it.
  ///
  /// @param channel of the message
  /// @param message the rest of it
  /// @return with the lineage of a founded group; null when it tells of none
  /// @throws Malformed when it cannot be read
  ViewMessage.@Nullable Meet told(Channel channel, WireReader message) throws Malformed {
    if (channel == Channel.VIEW && ViewMessage.CODEC.readAll(message) instanceof ViewMessage.Meet meet) {
      Lineage lineage = meet.lineage();
      return lineage == null || lineage.isDraft() ? null : meet;
    }
    return null;
  }

  /// Somebody called: perhaps a member, of whom this node knows nothing.
  void heard(MemberId from) {
    if (calledBack.size() < CALLED_BACK_MAX && calledBack.add(from.address())) {
      call(from.address());
    }
  }

  /// Somebody tells of a group in which it votes, and its certificate is only for observers: that is no group to join.
  void refuseVote(MemberId from) {
    join.user().notice(new Notice.VoteRefused(from));
    port.send(from, new ViewMessage.MayNotVote(null));
  }

  /// The transport has a way to an address.
  void ready(Address address) {
    ports.ready(address);
  }

  private void call(Address target) {
    ports.hello(target, Hello.within(alone, Hello.Regard.UNKNOWN));
  }

  /// A run of inputs ends.
  void flush() {
    List<Refused> lately = node.refused();
    if (!lately.equals(refused)) {
      refused = lately;
      tell();
    }
  }

  private void tell() {
    join.user().status(Report.joining(join.group(), self, List.copyOf(called), refused));
  }

  /// Ends before it has begun.
  void end(End end) {
    close();
    join.user().closed(end);
  }

  /// Nothing is done here any more.
  void close() {
    ports.close();
  }

  @Override
  public void receive(MemberId from, ViewMessage message) {
    throw new IllegalStateException("says nothing to itself");
  }

  @Override
  public void expire(Effects.Timer timer) {
    rounds++;
    port.schedule(GroupEngine.HELLO, node.config().heartbeat().multipliedBy(GroupEngine.HELLO_HEARTBEATS));
    ports.beginCalls();
    var targets = new TreeSet<Address>(node.contacts());
    targets.remove(self.address());
    if (!targets.equals(called)) {
      called = targets;
      tell();
    }
    targets.forEach(this::call);
    calledBack.clear();
  }
}
