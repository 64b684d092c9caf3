package org.tutti.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberId;
import org.tutti.Partitions;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.sim.check.Build;
import org.tutti.sim.check.Checkers;
import org.tutti.sim.check.Content;
import org.tutti.sim.check.History;
import org.tutti.sim.check.HistoryEvent;
import org.tutti.sim.check.HistoryEvent.Summary;
import org.tutti.sim.check.Role;
import org.tutti.sim.check.Violation;
import org.tutti.transport.Address;
import org.tutti.user.GroupUser;

/// A history written by hand.
final class HandWrittenHistory {
  private static final int LENGTH = 4;

  private final History history;
  private long nanos;

  HandWrittenHistory(Guarantee guarantee, boolean stateTransfer) {
    this(GroupConfig.builder().guarantee(guarantee).stateTransfer(stateTransfer).build());
  }

  HandWrittenHistory(GroupConfig config) {
    history = new History(config);
  }

  /// A uniform group with state that goes on in views that are not primary.
  static HandWrittenHistory branching() {
    return new HandWrittenHistory(GroupConfig.builder().stateTransfer(true).partitions(Partitions.CONTINUE).build());
  }

  static HandWrittenHistory uniform() {
    return new HandWrittenHistory(Guarantee.UNIFORM, true);
  }

  static MemberId id(String name) {
    return new MemberId(name, new Address(name + ":1"), 1);
  }

  static View primary(long epoch, String... members) {
    return view(epoch, true, members);
  }

  static View nonPrimary(long epoch, String... members) {
    return view(epoch, false, members);
  }

  private static View view(long epoch, boolean primary, String... members) {
    return new View(
        new ViewId(epoch, 1), Arrays.stream(members).map(HandWrittenHistory::id).toList(), primary, List.of());
  }

  /// A view whose last members observe.
  static View observed(View view, int voters) {
    return new View(view.id(), view.members(), voters, view.primary(), view.predecessors());
  }

  /// A view that comes from others and speaks a version.
  static View speaking(int version, View view, View... before) {
    List<ViewId> predecessors = Arrays.stream(before).map(View::id).toList();
    return new View(view.id(), view.members(), view.voters(), view.primary(), predecessors, version);
  }

  /// Says which versions of the protocol a member's node speaks, and up to which one it lets the group rise.
  HandWrittenHistory assignBuild(String member, int oldest, int newest, int admitted) {
    history.assignBuild(of(member), new Build(oldest, newest, admitted));
    return this;
  }

  /// Says as what a member takes part.
  HandWrittenHistory assignRole(String member, Role role) {
    history.assignRole(of(member), role);
    return this;
  }

  /// Says that the certificate of a member is only for observers.
  HandWrittenHistory limitToObserving(String member) {
    history.limitToObserving(of(member));
    return this;
  }

  /// Has a member announce a view, which perhaps nobody is shown.
  HandWrittenHistory announce(View view, String member) {
    history.add(new HistoryEvent.Announced(of(member), ++nanos, view.id()));
    return this;
  }

  /// Has a member be told that it is caught up.
  HandWrittenHistory caughtUp(long position, String member) {
    history.add(new HistoryEvent.CaughtUp(of(member), ++nanos, position));
    return this;
  }

  int of(String name) {
    return history.ordinalOf(id(name));
  }

  /// A batch of one message as its sender multicast it.
  Content batch(String sender, long seq) {
    return batch(sender, seq, 100 + seq);
  }

  Content batch(String sender, long seq, long hash) {
    return batch(sender, seq, Service.TOTAL, hash);
  }

  Content batch(String sender, long seq, Service service) {
    return batch(sender, seq, service, 100 + seq);
  }

  private Content batch(String sender, long seq, Service service, long hash) {
    return history.content(null, of(sender), seq, service, new long[] {hash}, new int[] {LENGTH});
  }

  /// A batch of one message in a branch, long enough to be told from others.
  Content inBranch(View branch, String sender, long seq, long hash) {
    return history.content(branch, of(sender), seq, Service.TOTAL, new long[] {hash}, new int[] {2 * LENGTH});
  }

  /// Multicasts a message for a branch.
  HandWrittenHistory submitInBranch(String sender, long hash) {
    history.add(new HistoryEvent.Submitted(of(sender), ++nanos, Service.TOTAL, 2 * LENGTH, hash));
    return this;
  }

  /// Delivers one batch of a branch at members.
  HandWrittenHistory branch(Content batch, String... members) {
    for (String member : members) {
      if (batch.sender() == of(member)) {
        history.add(new HistoryEvent.DecidedInBranch(of(member), ++nanos, 1));
      }
      history.add(new HistoryEvent.Branched(of(member), ++nanos, batch));
    }
    return this;
  }

  HandWrittenHistory submit(String sender, int messages) {
    for (int i = 0; i < messages; i++) {
      submit(sender, Service.TOTAL, i);
    }
    return this;
  }

  /// Multicasts one message as the batch of that number.
  HandWrittenHistory submit(String sender, Service service, long seq) {
    history.add(new HistoryEvent.Submitted(of(sender), ++nanos, service, LENGTH, 100 + seq));
    return this;
  }

  /// Delivers one batch at members before it has its place.
  HandWrittenHistory early(Content batch, String... members) {
    for (String member : members) {
      history.add(new HistoryEvent.Early(of(member), ++nanos, batch));
    }
    return this;
  }

  /// A batch that was delivered early has its place.
  HandWrittenHistory pass(long index, long position, Content batch, String... members) {
    for (String member : members) {
      if (batch.sender() == of(member)) {
        decide(member, 1, -1);
      }
      history.add(new HistoryEvent.Delivered(of(member), ++nanos, index, position, batch, true));
    }
    return this;
  }

  /// A member installs a view in the moment of what happened last.
  HandWrittenHistory goOn(View view, String member) {
    history.add(new HistoryEvent.Installed(of(member), nanos, view));
    return this;
  }

  HandWrittenHistory install(View view, String... members) {
    for (String member : members) {
      history.add(new HistoryEvent.Installed(of(member), ++nanos, view));
    }
    return this;
  }

  /// Delivers one batch at members; one message is one index.
  HandWrittenHistory deliver(long index, Content batch, String... members) {
    return deliver(index, index, batch, members);
  }

  HandWrittenHistory deliver(long index, long position, Content batch, String... members) {
    for (String member : members) {
      if (batch.sender() == of(member)) {
        decide(member, 1, position);
      }
      history.add(new HistoryEvent.Delivered(of(member), ++nanos, index, position, batch, false));
    }
    return this;
  }

  /// Multicasts a message to some members.
  HandWrittenHistory submitSubset(String sender, long number, String... destinations) {
    List<Integer> to = Arrays.stream(destinations).map(this::of).toList();
    history.add(new HistoryEvent.SubsetSubmitted(of(sender), ++nanos, number, to, LENGTH, number));
    return this;
  }

  HandWrittenHistory deliverSubset(String sender, long number, String... members) {
    for (String member : members) {
      history.add(new HistoryEvent.SubsetDelivered(of(member), ++nanos, of(sender), number, LENGTH, number));
    }
    return this;
  }

  HandWrittenHistory decideSubset(String sender, long number, GroupUser.SubsetOutcome fate) {
    history.add(new HistoryEvent.SubsetDecided(of(sender), ++nanos, number, fate));
    return this;
  }

  HandWrittenHistory deliverUntold(long index, Content batch, String member) {
    history.add(new HistoryEvent.Delivered(of(member), ++nanos, index, index, batch, false));
    return this;
  }

  HandWrittenHistory decide(String member, int messages, long position) {
    history.add(new HistoryEvent.Decided(of(member), ++nanos, messages, position));
    return this;
  }

  HandWrittenHistory consume(long next, String... members) {
    for (String member : members) {
      history.add(new HistoryEvent.Consumed(of(member), ++nanos, next));
    }
    return this;
  }

  HandWrittenHistory release(String member, int messages) {
    return releaseCost(member, messages * (LENGTH + (long) GroupUser.MESSAGE_OVERHEAD));
  }

  /// Gives back room for one message of a branch.
  HandWrittenHistory releaseInBranch(String member) {
    return releaseCost(member, 2 * LENGTH + (long) GroupUser.MESSAGE_OVERHEAD);
  }

  HandWrittenHistory releaseCost(String member, long cost) {
    history.add(new HistoryEvent.Released(of(member), ++nanos, cost));
    return this;
  }

  HandWrittenHistory doubt(String member, int messages) {
    history.add(new HistoryEvent.Undecided(of(member), ++nanos, messages));
    return this;
  }

  HandWrittenHistory give(String donor, long transfer, long index) {
    history.add(new HistoryEvent.Gave(of(donor), ++nanos, transfer, new Summary(index, index, 7, 0), index * 31));
    return this;
  }

  HandWrittenHistory read(String member, long content) {
    history.add(new HistoryEvent.StateRead(of(member), ++nanos, 8, content));
    return this;
  }

  HandWrittenHistory offer(String member, String donor, long index) {
    history.add(new HistoryEvent.Offered(of(member), ++nanos, id(donor), index, index));
    return this;
  }

  HandWrittenHistory restore(String member, String donor, long transfer, long index) {
    history.add(new HistoryEvent.Restored(of(member), ++nanos, of(donor), transfer, new Summary(index, index, 7, 0)));
    return this;
  }

  HandWrittenHistory begin(String member, long index) {
    history.add(new HistoryEvent.Begun(of(member), ++nanos, index, index));
    return this;
  }

  HandWrittenHistory close(String member, End.Cause cause) {
    history.add(new HistoryEvent.Closed(of(member), ++nanos, new End(cause, "why")));
    return this;
  }

  HandWrittenHistory refuse(String member, String words) {
    history.add(new HistoryEvent.Closed(of(member), ++nanos, new End(End.Cause.OTHER_VERSION, words)));
    return this;
  }

  HandWrittenHistory crash(String member) {
    history.add(new HistoryEvent.Crashed(of(member), ++nanos));
    return this;
  }

  /// The properties that do not hold.
  List<String> violated() {
    List<Violation> all = new ArrayList<>(Checkers.check(history, Checkers.safety()));
    return all.stream().map(Violation::property).distinct().sorted().toList();
  }

  /// The properties of a run at rest that do not hold.
  List<String> violatedAtRest() {
    return Checkers.check(history, Checkers.liveness()).stream().map(Violation::property).distinct().toList();
  }
}
