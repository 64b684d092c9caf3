package org.tutti;

import java.util.Collections;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// How a member takes part in a group. Immutable; start from [#standard()] and change what differs.
///
/// @param guarantee         when messages are delivered, for whoever founds the group; who joins takes the group's
/// @param ordering          who decides the order, for whoever founds the group; who joins takes the group's
/// @param domain            the overlapping groups among which order and causality hold too (N4), for whoever founds
///                          the group; null for none, which costs nothing; who joins must name the group's
/// @param electorate        names of which every primary view has more than half (B3), for whoever founds the group;
///                          empty: none, so that only dynamic linear voting is possible
/// @param primaryViews      which views are primary (B3), for whoever founds the group; null: a static majority of the
///                          electorate, or dynamic linear voting without one
/// @param partitions        what members do in a view that is not primary, for whoever founds the group; who joins
///                          takes the group's
/// @param suspicion         what this member does about another one's silence (N7)
/// @param refutedMax        how long others may refute that a member is gone which this one does not hear, in times of
///                          suspicion ([NodeConfig#suspectAfter()]): then it counts as gone all the same. 1 to 1000;
///                          only with [Suspicion#REFUTABLE]
/// @param windowBytes       how many bytes of its own multicasts a member may have on the way, counted from `multicast`
///                          until every member has consumed them; 64 KiB to 1 GiB; what is beyond blocks the caller
/// @param batchBytesMax     a batch is closed at this size; a single larger message makes a batch of its own;
///                          1 KiB to 1 MiB
/// @param batchMessagesMax  a batch is closed at this number of messages; 1 to 65536
/// @param packing           when smaller batches are closed (B9)
/// @param stateTransfer     whether newcomers get the application's state from a member before their first delivery
/// @param catchUpBytesMax   how many bytes of deliveries a newcomer keeps while its state is on the way, before it
///                          slows the group down; and how many an observer may be behind before it is dropped; 64 KiB
///                          to 1 GiB
/// @param durability        what this member keeps in the node's stable storage
/// @param position          up to where the application's own durable state, or what it has made of its deliveries,
///                          contains the history: the position of the first message that it has not, 0 when it has
///                          nothing durable. Only with a durability; needed for one with state transfer
/// @param observer          whether this member only observes: it gets everything and may multicast, but counts in no
///                          quorum, orders nothing, gives no state, and nobody waits for it. It joins a group, and
///                          keeps nothing. Who joins a group with state transfer without it observes, too
public record GroupConfig(
    Guarantee guarantee,
    Ordering ordering,
    @Nullable String domain,
    Set<String> electorate,
    @Nullable PrimaryViews primaryViews,
    Partitions partitions,
    Suspicion suspicion,
    int refutedMax,
    int windowBytes,
    int batchBytesMax,
    int batchMessagesMax,
    Packing packing,
    boolean stateTransfer,
    int catchUpBytesMax,
    Durability durability,
    OptionalLong position,
    boolean observer) {
  private static final int KIB = 1 << 10;
  private static final int GIB = 1 << 30;

  /// Checks the ranges and copies the names.
  public GroupConfig {
    electorate = Collections.unmodifiableSortedSet(new TreeSet<>(electorate));
    electorate.forEach(name -> Names.require("an electorate's", name, Names.faultOfNode(name)));
    if (domain != null) {
      Names.require("a domain's", domain, Names.fault(domain));
    }
    within("refutedMax", refutedMax, 1, 1000);
    within("windowBytes", windowBytes, 64 * KIB, GIB);
    within("batchBytesMax", batchBytesMax, KIB, KIB * KIB);
    within("batchMessagesMax", batchMessagesMax, 1, 64 * KIB);
    within("catchUpBytesMax", catchUpBytesMax, 64 * KIB, GIB);
    if (durability != Durability.NONE && domain != null) {
      throw new IllegalArgumentException("durability " + durability + " does not go with domain \"" + domain + "\"");
    }
    if (durability != Durability.NONE && partitions == Partitions.CONTINUE) {
      throw new IllegalArgumentException("durability " + durability + " does not go with partitions " + partitions);
    }
    if (position.isPresent() && (durability == Durability.NONE || position.getAsLong() < 0)) {
      throw new IllegalArgumentException(
          "position " + position.getAsLong() + " with durability " + durability + " has no meaning");
    }
    if (observer && durability != Durability.NONE) {
      throw new IllegalArgumentException(
          "durability " + durability + " does not go with an observer, who keeps nothing");
    }
  }

  private static void within(String what, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + " is " + min + " to " + max + ", not " + value);
    }
  }

  /// Uniform delivery ordered by a sequencer, nothing new outside of primary views, a window of 4 MiB, batches up
  /// to 64 KiB or 4096 messages, natural packing, no state transfer, nothing in stable storage.
  ///
  /// @return the defaults
  public static GroupConfig standard() {
    return new GroupConfig(
        Guarantee.UNIFORM,
        Ordering.SEQUENCER,
        null,
        Set.of(),
        null,
        Partitions.SUSPEND,
        Suspicion.STABLE,
        5,
        4 * KIB * KIB,
        63 * KIB,
        4 * KIB,
        Packing.natural(),
        false,
        64 * KIB * KIB,
        Durability.NONE,
        OptionalLong.empty(),
        false);
  }

  /// Changes the delivery guarantee.
  ///
  /// @param value the new guarantee
  /// @return a changed copy
  public GroupConfig withGuarantee(Guarantee value) {
    return with(draft -> draft.guarantee = value);
  }

  /// Changes the ordering.
  ///
  /// @param value the new ordering
  /// @return a changed copy
  public GroupConfig withOrdering(Ordering value) {
    return with(draft -> draft.ordering = value);
  }

  /// Puts the group into a domain.
  ///
  /// @param value the domain's name, or null
  /// @return a changed copy
  public GroupConfig withDomain(@Nullable String value) {
    return with(draft -> draft.domain = value);
  }

  /// Configures of whom every primary view needs a majority. The view of a founder that is none by itself is not
  /// primary.
  ///
  /// ```java
  /// GroupConfig.standard().withElectorate(Set.of("n1", "n2", "n3"));
  /// ```
  ///
  /// Unless [#withPrimaryViews(PrimaryViews)] says otherwise, a majority of these names is also enough to go on
  /// ([PrimaryViews#STATIC_MAJORITY]).
  ///
  /// @param names of nodes ([NodeConfig#name()]); empty for no such demand
  /// @return a changed copy
  public GroupConfig withElectorate(Set<String> names) {
    return with(draft -> draft.electorate = names);
  }

  /// Chooses which views are primary, where this member founds the group; who joins takes the group's choice. A choice
  /// that does not go with the electorate is refused when the membership begins.
  ///
  /// ```java
  /// GroupConfig.standard().withElectorate(Set.of("n1", "n2", "n3")).withPrimaryViews(PrimaryViews.BOTH);
  /// ```
  ///
  /// @param value the choice
  /// @return a changed copy
  public GroupConfig withPrimaryViews(PrimaryViews value) {
    return with(draft -> draft.primaryViews = value);
  }

  /// Which views are primary, whether that was chosen or follows from the electorate.
  ///
  /// @return what was chosen; otherwise a static majority with an electorate, dynamic linear voting without
  public PrimaryViews effectivePrimaryViews() {
    if (primaryViews != null) {
      return primaryViews;
    }
    return electorate.isEmpty() ? PrimaryViews.DYNAMIC_LINEAR : PrimaryViews.STATIC_MAJORITY;
  }

  /// Changes what members do in a view that is not primary.
  ///
  /// @param value whether they go on
  /// @return a changed copy
  public GroupConfig withPartitions(Partitions value) {
    return with(draft -> draft.partitions = value);
  }

  /// Changes what this member does about silence.
  ///
  /// @param value the new way
  /// @return a changed copy
  public GroupConfig withSuspicion(Suspicion value) {
    return with(draft -> draft.suspicion = value);
  }

  /// Changes how long this member leaves one in the view that it does not hear, because others do.
  ///
  /// ```java
  /// GroupConfig.standard().withSuspicion(Suspicion.REFUTABLE).withRefutedMax(3);
  /// ```
  ///
  /// Two members that do not reach each other hold up the group meanwhile, as far as it needs the word of each: what is
  /// multicast is kept until all have it, and a full window blocks its sender. A link that is broken for a shorter time
  /// costs no view change.
  ///
  /// @param timesOfSuspicion from when the other one became silent, in times of suspicion; 1 to 1000, by default 5
  /// @return a changed copy
  public GroupConfig withRefutedMax(int timesOfSuspicion) {
    return with(draft -> draft.refutedMax = timesOfSuspicion);
  }

  /// Changes the window.
  ///
  /// @param value the new window in bytes
  /// @return a changed copy
  public GroupConfig withWindowBytes(int value) {
    return with(draft -> draft.windowBytes = value);
  }

  /// Changes the batch limits.
  ///
  /// @param bytes    the largest batch in bytes
  /// @param messages the largest batch in messages
  /// @return a changed copy
  public GroupConfig withBatch(int bytes, int messages) {
    return with(draft -> {
      draft.batchBytesMax = bytes;
      draft.batchMessagesMax = messages;
    });
  }

  /// Changes how this member packs its multicasts.
  ///
  /// @param value the new way
  /// @return a changed copy
  public GroupConfig withPacking(Packing value) {
    return with(draft -> draft.packing = value);
  }

  /// Asks for state transfer: [Event.StateRequest] and [Event.StateOffer] events then occur and must be handled.
  ///
  /// @param value whether newcomers get state
  /// @return a changed copy
  public GroupConfig withStateTransfer(boolean value) {
    return with(draft -> draft.stateTransfer = value);
  }

  /// Changes the newcomer's buffer.
  ///
  /// @param value the new limit in bytes
  /// @return a changed copy
  public GroupConfig withCatchUpBytesMax(int value) {
    return with(draft -> draft.catchUpBytesMax = value);
  }

  /// Changes what is kept in stable storage, which the node must have ([Node#start(NodeConfig,
  /// org.tutti.transport.Transport, org.tutti.storage.StableStorage)]). Not for a group in a domain, nor for one that
  /// goes on in partitions.
  ///
  /// @param value the policy
  /// @return a changed copy
  public GroupConfig withDurability(Durability value) {
    return with(draft -> draft.durability = value);
  }

  /// Says where the application's own durable state stands, so that deliveries go on from there after a restart. With
  /// 0, for an application that keeps nothing itself, everything is delivered again, if this node's log goes back to
  /// the beginning. The log of a member that got a state when it joined does not: it goes back to that state, and after
  /// the end of all processes such a member waits for one whose log or application has what is before.
  ///
  /// @param value the position of the first message that it does not contain; 0 or more
  /// @return a changed copy
  public GroupConfig withPosition(long value) {
    return with(draft -> draft.position = OptionalLong.of(value));
  }

  /// Makes this member an observer, for as long as it lives: it joins with
  /// `node.join("bank", GroupConfig.standard().asObserver())`, gets every delivery and every view, and may multicast,
  /// but whether it is there or not makes no difference to the others. An observer that is further behind than the
  /// [#catchUpBytesMax()] of the most senior member allows is dropped and told so; when the last member that votes
  /// leaves, its membership ends.
  ///
  /// @return a changed copy
  public GroupConfig asObserver() {
    return with(draft -> draft.observer = true);
  }

  private GroupConfig with(Consumer<Draft> change) {
    var draft = new Draft(this);
    change.accept(draft);
    return draft.finish();
  }

  /// A copy while it is being changed.
  private static final class Draft {
    Guarantee guarantee;
    Ordering ordering;
    @Nullable String domain;
    Set<String> electorate;
    @Nullable PrimaryViews primaryViews;
    Partitions partitions;
    Suspicion suspicion;
    int refutedMax;
    int windowBytes;
    int batchBytesMax;
    int batchMessagesMax;
    Packing packing;
    boolean stateTransfer;
    int catchUpBytesMax;
    Durability durability;
    OptionalLong position;
    boolean observer;

    Draft(GroupConfig of) {
      guarantee = of.guarantee;
      ordering = of.ordering;
      domain = of.domain;
      electorate = of.electorate;
      primaryViews = of.primaryViews;
      partitions = of.partitions;
      suspicion = of.suspicion;
      refutedMax = of.refutedMax;
      windowBytes = of.windowBytes;
      batchBytesMax = of.batchBytesMax;
      batchMessagesMax = of.batchMessagesMax;
      packing = of.packing;
      stateTransfer = of.stateTransfer;
      catchUpBytesMax = of.catchUpBytesMax;
      durability = of.durability;
      position = of.position;
      observer = of.observer;
    }

    GroupConfig finish() {
      return new GroupConfig(
          guarantee,
          ordering,
          domain,
          electorate,
          primaryViews,
          partitions,
          suspicion,
          refutedMax,
          windowBytes,
          batchBytesMax,
          batchMessagesMax,
          packing,
          stateTransfer,
          catchUpBytesMax,
          durability,
          position,
          observer);
    }
  }
}
