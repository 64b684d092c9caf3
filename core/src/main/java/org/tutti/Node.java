package org.tutti;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Discovery;

/// A process's place among the others: one engine thread, one transport, any number of groups.
///
/// {@snippet class="ApiExamplesTest" region="node"}
///
/// Listeners, and whatever is attached to the futures of this API without an executor of its own, run on the engine
/// thread and must not block: whoever holds it for more than a second is named in the log. All methods may be called
/// from any thread.
public interface Node extends AutoCloseable {
  /// The most members that may be expected to found a group together: each makes the record of the first view longer.
  int EXPECTED_MAX = 1000;

  /// Begins a node that is started by plain settings.
  ///
  /// {@snippet class="ApiExamplesTest" region="named"}
  ///
  /// @param name the node's name, unique among the living nodes of its groups; 1 to 255 bytes without blanks ([Names])
  /// @return a builder of its own
  static NodeBuilder named(String name) {
    return new NodeBuilder(name);
  }

  /// Who this node is.
  ///
  /// @return this life of this node
  MemberId self();

  /// Starts a group with this node as its first member, which decides for itself what [MemberConfig#standard()] does.
  ///
  /// @param group  the group's name
  /// @param config what is decided for the whole group
  /// @return the membership
  /// @throws IllegalArgumentException as [#create(String, GroupConfig, MemberConfig)]
  /// @throws IllegalStateException when this node is in the group already, or closed
  default Group create(String group, GroupConfig config) {
    return create(group, config, MemberConfig.standard());
  }

  /// Starts a group with this node as its first member. A group that this node's stable storage knows is restarted
  /// instead ([NodeBuilder#storage]): to found it anew, delete the storage.
  ///
  /// @param group  the group's name
  /// @param config what is decided for the whole group
  /// @param member what this member decides for itself; without a listener its events are taken with [Group#receive()]
  /// @return the membership
  /// @throws IllegalArgumentException when the group asks for durability, and this node has no stable storage, or there
  ///                                  is state transfer and no position; when there is a position without durability;
  ///                                  when there is state transfer and the listener does not handle it; or when this
  ///                                  node's certificate is only for observers
  /// @throws IllegalStateException when this node is in the group already, or closed
  Group create(String group, GroupConfig config, MemberConfig member);

  /// Becomes a member of a group that exists or will exist, and takes what was decided for it: as
  /// [#join(String, MemberConfig)] with [MemberConfig#standard()].
  ///
  /// @param group the group's name
  /// @return the membership
  /// @throws IllegalArgumentException when this node's certificate is only for observers
  /// @throws IllegalStateException when this node is in the group already, or closed
  default Group join(String group) {
    return join(group, MemberConfig.standard());
  }

  /// Becomes a member of a group that exists or will exist, and takes what was decided for it. Returns at once;
  /// [Group#joined] tells that this node is in.
  ///
  /// Where the group cannot be joined so, the membership ends with [End.Cause#REFUSED]: when the group asks for
  /// durability and this node has no stable storage, or there is state transfer and no position; when there is a
  /// position and no durability; when there is state transfer and the listener does not handle it; or when this node
  /// was a member before that had a vote, and has not left in order, or keeps things in stable storage. Others may
  /// still count on what it knew then: so for that it takes another life, a [Node] that is started after this one was
  /// closed.
  ///
  /// @param group  the group's name
  /// @param member what this member decides for itself; without a listener its events are taken with [Group#receive()]
  /// @return the membership
  /// @throws IllegalArgumentException when this node's certificate is only for observers
  /// @throws IllegalStateException when this node is in the group already, or closed
  Group join(String group, MemberConfig member);

  /// Becomes a member of a group that exists or will exist, if that is as expected. If it is not, the membership ends
  /// with [End.Cause#REFUSED], before this node has taken part in anything, and the words of the end tell both values:
  /// `ordering is SEQUENCER in group bank, SKEEN was asked for`. The rest as with [#join(String, MemberConfig)].
  ///
  /// @param group    the group's name
  /// @param expected what was decided for the whole group
  /// @param member   what this member decides for itself; without a listener its events are taken with
  ///                 [Group#receive()]
  /// @return the membership
  /// @throws IllegalArgumentException as [#create(String, GroupConfig, MemberConfig)]
  /// @throws IllegalStateException when this node is in the group already, or closed
  Group join(String group, GroupConfig expected, MemberConfig member);

  /// Becomes an observer of a group that exists or will exist: as [#observe(String, MemberConfig)] with
  /// [MemberConfig#standard()].
  ///
  /// @param group the group's name
  /// @return the membership
  /// @throws IllegalStateException when this node is in the group already, or closed
  default Group observe(String group) {
    return observe(group, MemberConfig.standard());
  }

  /// Becomes an observer of a group that exists or will exist, for as long as the membership lasts: it gets every
  /// delivery and every view, and may multicast, but counts in no quorum, orders nothing, gives no state, keeps
  /// nothing, and nobody waits for it. An observer that is further behind than the [MemberConfig#catchUpBytesMax()] of
  /// the most senior member allows is dropped and told so; when the last member that votes leaves, its membership ends.
  ///
  /// In a group with state transfer it gets the state, too; without a listener for that, the membership ends with
  /// [End.Cause#REFUSED].
  ///
  /// @param group  the group's name
  /// @param member what this member decides for itself; without a listener its events are taken with [Group#receive()]
  /// @return the membership
  /// @throws IllegalArgumentException when there is a position, which an observer has no use for
  /// @throws IllegalStateException when this node is in the group already, or closed
  Group observe(String group, MemberConfig member);

  /// Becomes an observer of a group that exists or will exist, if that is as expected, which is as with
  /// [#join(String, GroupConfig, MemberConfig)]. The rest as with [#observe(String, MemberConfig)].
  ///
  /// @param group    the group's name
  /// @param expected what was decided for the whole group
  /// @param member   what this member decides for itself; without a listener its events are taken with
  ///                 [Group#receive()]
  /// @return the membership
  /// @throws IllegalArgumentException when there is a position, which an observer has no use for; or when there is
  ///                                  state transfer and the listener does not handle it
  /// @throws IllegalStateException when this node is in the group already, or closed
  Group observe(String group, GroupConfig expected, MemberConfig member);

  /// Becomes a member of a group, which the expected members found together if it does not exist, and decides for
  /// itself what [MemberConfig#standard()] does.
  ///
  /// @param group    the group's name
  /// @param expected the names of the nodes that found it, this node's among them; the same at all of them
  /// @param config   what is decided for the whole group; the same at all of them
  /// @return the membership
  /// @throws IllegalArgumentException as [#joinOrCreate(String, Set, GroupConfig, MemberConfig)]
  /// @throws IllegalStateException when this node is in the group already, or closed
  default Group joinOrCreate(String group, Set<String> expected, GroupConfig config) {
    return joinOrCreate(group, expected, config, MemberConfig.standard());
  }

  /// Becomes a member of a group, which the expected members found together if it does not exist: the same call on each
  /// of them, at the first start and at every later one. Returns at once.
  ///
  /// The group is founded when a majority of the expected members is there and none of these knows a history of it;
  /// by an agreement, so there is one founding at most, also when processes crash meanwhile. Until then the view is not
  /// primary, and no multicast is decided. With stable storage ([GroupConfig#durability()]) that holds whatever
  /// crashes; without, a member that crashes forgets that it took part: one that is started again while it is cut off
  /// from the others can found the group a second time with expected members that have not heard of the first.
  ///
  /// A member that asks for other settings than the group has ends with [End.Cause#REFUSED]. As it may be one of those
  /// that found the group, it learns of them in a view with others: they see it come and go, and it may have got the
  /// state. [#join(String, GroupConfig, MemberConfig)] is refused before.
  ///
  /// @param group    the group's name
  /// @param expected the names of the nodes that found it, this node's among them; the same at all of them
  /// @param config   what is decided for the whole group; the same at all of them
  /// @param member   what this member decides for itself; without a listener its events are taken with
  ///                 [Group#receive()]
  /// @return the membership
  /// @throws IllegalArgumentException as [#create(String, GroupConfig, MemberConfig)]; or when this node is not
  ///                                  expected
  /// @throws IllegalStateException when this node is in the group already, or closed
  Group joinOrCreate(String group, Set<String> expected, GroupConfig config, MemberConfig member);

  /// Becomes a member of a group, which a number of members found together if it does not exist, and decides for itself
  /// what [MemberConfig#standard()] does.
  ///
  /// @param group    the group's name
  /// @param expected how many members have to be there to found it, 1 to [#EXPECTED_MAX]; the same at all of them
  /// @param config   what is decided for the whole group; the same at all of them
  /// @return the membership
  /// @throws IllegalArgumentException as [#joinOrCreate(String, int, GroupConfig, MemberConfig)]
  /// @throws IllegalStateException when this node is in the group already, or closed
  default Group joinOrCreate(String group, int expected, GroupConfig config) {
    return joinOrCreate(group, expected, config, MemberConfig.standard());
  }

  /// Becomes a member of a group, which a number of members found together if it does not exist: as with names
  /// ([#joinOrCreate(String, Set, GroupConfig, MemberConfig)]), where these are not known in advance. Returns at once.
  ///
  /// The group is founded when so many are there, of different names, who all expect the same number, and none of them
  /// knows a history of it. Take the number of replicas, or fewer, but more than half of all nodes that are ever
  /// started with this call: with twice as many two parts could each found the group. Who joins otherwise does not
  /// count.
  ///
  /// @param group    the group's name
  /// @param expected how many members have to be there to found it, 1 to [#EXPECTED_MAX]; the same at all of them
  /// @param config   what is decided for the whole group; the same at all of them
  /// @param member   what this member decides for itself; without a listener its events are taken with
  ///                 [Group#receive()]
  /// @return the membership
  /// @throws IllegalArgumentException as [#create(String, GroupConfig, MemberConfig)]; or when the number is out of
  ///                                  range
  /// @throws IllegalStateException when this node is in the group already, or closed
  Group joinOrCreate(String group, int expected, GroupConfig config, MemberConfig member);

  /// Asks from now on, on a thread of its own, who may be there, and looks for members of its groups where the answers
  /// say, beside the contacts of the configuration. It asks once a second, as long as the node lives: who was started
  /// first finds those who come later, and parts of a group find together after a partition. What cannot be asked now
  /// leaves the last answer in force.
  ///
  /// @param discovery is asked; belongs to the node from now on, which closes it
  /// @throws IllegalStateException when this node is closed or asks another one already
  void discover(Discovery discovery);

  /// Treats a node as crashed without waiting for the failure detector: somebody who knows says so.
  ///
  /// @param member the node
  /// @throws IllegalStateException when this node is closed
  void suspect(MemberId member);

  /// What the node and its transport tell about themselves: what was sent, repeated, dropped and why. What each number
  /// means, and what to do when it grows, is in `docs/guides/operate.md`.
  ///
  /// @return unmodifiable, in the order of [Metric#ORDER]; after the end of the node, as it was then
  /// @throws InterruptedException when interrupted while waiting for the engine thread
  List<Metric> metrics() throws InterruptedException;

  /// Whether this node is alive, for a liveness probe: its engine thread waits for something to do, or has been at what
  /// it does for less than a time, and is not late by that for what it had planned. May be called at any moment, by
  /// listeners, too, and does not wait for that thread.
  ///
  /// {@snippet class="ApiExamplesTest" region="turning"}
  ///
  /// A node that waits for others, for a quorum for example, is alive: to restart it does not help. One that is not
  /// alive for long has a listener that does not return, or no processor; the others suspect it.
  ///
  /// @param within for how long one turn of the engine thread may last, above zero; 2 s suit a probe, as a turn takes
  ///               less than a millisecond where no listener is slow
  /// @return false also after the end of the node, by [#close()] or by a [#failure()]
  /// @throws IllegalArgumentException when the time is not above zero
  boolean isTurning(Duration within);

  /// What stopped this node: a bug in it or an exception of a listener. All groups have been told.
  ///
  /// @return null unless that happened
  @Nullable Throwable failure();

  /// Leaves all groups, waits for that a few seconds at most, and stops. Idempotent. When interrupted it stops at once,
  /// as seen by the others in a crash.
  ///
  /// @throws IllegalStateException when called on the engine thread, which it waits for
  @Override
  void close();
}
