package org.tutti.sim.mutant;

import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.tutti.Ordering;
import org.tutti.sim.RunKind;
import org.tutti.sim.SingleFault;
import org.tutti.sim.mutant.Edit.Change.Begin;
import org.tutti.sim.mutant.Edit.Change.Drop;
import org.tutti.sim.mutant.Edit.Change.Fix;
import org.tutti.sim.mutant.Edit.Change.Redirect;
import org.tutti.sim.mutant.Edit.Change.Return;
import org.tutti.sim.mutant.Edit.Change.Twice;

/// All planted bugs.
public final class Mutants {
  /// How many seeds may pass until a bug is found.
  public static final int SEEDS_MAX = 240;

  private static final String EARLY = "org.tutti.history.EarlyDeliveries";
  private static final String BOARD = "org.tutti.engine.BoardExchange";
  private static final String DOMAIN_MEMBER = "org.tutti.domain.DomainMember";

  private static final List<Mutant> SHARED =
      List.of(
          new Mutant(
                  "deliver-without-quorum",
                  "uniform delivery does not wait for a quorum",
                  "order.Stability",
                  "heldByQuorum",
                  new Return(Long.MAX_VALUE))
              .in(RunKind.SPLITS),
          new Mutant(
              "second-membership-from-zero",
              "who joins again in the same life numbers its batches as it did before",
              "engine.NodeEngine",
              "numbersFrom",
              new Return(0)),
          new Mutant(
              "acknowledge-unheld",
              "a member acknowledges places whose batches it does not have",
              "history.ViewHistory",
              "writtenNext",
              new Redirect("Log.heldNext", "knownNext")),
          new Mutant(
              "skip-cut",
              "a view change does not deliver the end of the old view",
              "history.ViewHistory",
              "end",
              new Return(0)),
          new Mutant(
              "merge-without-cut",
              "a primary view goes on from what is decided, not from all that its members have",
              "membership.Flush",
              "primary",
              new Redirect("CutBuilder.whole", "decided")),
          new Mutant(
              "minority-delivers-all",
              "who goes to a non-primary view delivers what is not decided",
              "membership.Flush",
              "decidedCuts",
              new Redirect("CutBuilder.decided", "whole")),
          new Mutant(
              "hide-absence",
              "who comes back with a state is not shown that it was left out",
              "history.Deliveries",
              "showAbsence",
              new Return(0)),
          new Mutant(
              "no-doubt",
              "who goes to a non-primary view is not told that its multicasts are undecided",
              "history.Deliveries",
              "changed",
              new Drop("SenderLedger.tellUndecided", 0)),
          new Mutant(
              "primary-without-majority",
              "any members may make the next primary view",
              "membership.Flush",
              "hasQuorum",
              new Return(1)),
          new Mutant(
              "ignore-electorate",
              "a primary view needs no majority of the configured set",
              "membership.Flush",
              "isAllowed",
              new Return(1)),
          new Mutant(
              "half-without-senior",
              "half of a view is enough without its senior member",
              "membership.DynamicLinearVoting",
              "isQuorum",
              new Drop("test", 1)),
          new Mutant(
              "ignore-promises",
              "a member answers proposals lower than it promised",
              "membership.Chain$Promise",
              "isBelow",
              new Return(1)),
          new Mutant(
              "reuse-ballot",
              "a proposer uses an epoch again",
              "membership.ViewAgreement",
              "nextBallot",
              new Drop("max", 6)),
          new Mutant(
                  "forget-accepted",
                  "a proposer ignores what was accepted and not finished",
                  "membership.Flush",
                  "unfinished",
                  new Return(0))
              .in(RunKind.SPLITS),
          new Mutant(
              "announce-before-accepted",
              "a proposer announces a view before all have accepted it",
              "membership.ViewAgreement$Proposer",
              "isAccepted",
              new Return(1)),
          new Mutant(
              "no-wedge",
              "a member goes on in its view after it has reported",
              "engine.GroupEngine$Agreed",
              "wedge",
              new Return(0)),
          new Mutant(
              "forget-undecided",
              "own batches that a view change left out are not sent again",
              "history.MulticastSender",
              "resend",
              new Return(0)),
          new Mutant(
              "any-view", "messages of other views are taken", "engine.ViewFilter", "inView", new Drop("equals", 1)),
          new Mutant(
              "deliver-before-state",
              "a newcomer delivers before its state is here",
              "history.Deliveries",
              "deliver",
              new Fix(3, false)),
          new Mutant(
              "reader-not-told",
              "who reads a state is not told when it is cut off from the donor",
              "membership.StateTransfer",
              "part",
              new Drop("StateTransfer.interrupt", 0)),
          new Mutant(
              "state-unchecked",
              "a piece of a state comes twice, and nobody looks at length and checksum",
              List.of(
                  new Edit("org.tutti.membership.StateTransfer", "give", new Twice("Effects.send")),
                  new Edit("org.tutti.membership.StateTransfer", "chunk", new Drop("equals", 1)))),
          new Mutant(
              "forget-fate",
              "multicasts decided in a member's absence stay open",
              "history.SenderLedger",
              "contained",
              new Drop("isEmpty", 1)),
          new Mutant(
              "drop-held-by-quorum",
              "batches are forgotten when a quorum holds them, not all",
              "history.ViewHistory",
              "flush",
              new Redirect("Stability.heldByAll", "decidedNext")),
          new Mutant(
              "release-before-consumed",
              "the window opens before all have consumed",
              "history.ViewHistory",
              "flush",
              new Redirect("Stability.consumedByAll", "heldByAll")),
          new Mutant(
              "link-never-repeats",
              "lost packets are not sent again",
              List.of(
                  new Edit("org.tutti.link.OutStream", "retransmit", new Drop("repeat", 1)),
                  new Edit("org.tutti.link.OutStream", "resendLost", new Return(0)),
                  new Edit("org.tutti.link.OutStream", "resendHoles", new Return(0)))),
          new Mutant(
                  "copies-of-copies",
                  "what was sent again is sent again and again, although it waits for the line",
                  "link.OutStream",
                  "isLost",
                  new Return(1))
              .in(RunKind.THIN_LINES),
          new Mutant(
              "link-takes-repetitions",
              "a packet that came before is taken again",
              "link.InStream",
              "take",
              new Fix(0, false)),
          new Mutant(
              "link-loses-long-messages",
              "a message of several packets is not handed up",
              "link.InStream",
              "assemble",
              new Drop("Consumer.accept", 0)),
          new Mutant(
              "reuse-unconsumed",
              "a batch's buffer is used again before its application has consumed it",
              "history.ViewHistory",
              "dropped",
              new Fix(0, true)),
          new Mutant("ignore-checksum", "damaged frames are read", "link.Links", "arrived", new Drop("checksum", 0)),
          new Mutant(
              "suspect-for-ever", "who is heard again stays suspected", "detector.TimeSilence", "heard", new Return(0)),
          new Mutant(
              "never-call", "parts of a group do not look for each other", "membership.Merge", "call", new Return(0)));

  /// Bugs planted where members come in.
  private static final List<Mutant> MEMBERSHIP =
      List.of(
          new Mutant(
              "take-over-names",
              "a later life of a name takes the place of a member that is heard",
              List.of(
                  new Edit("org.tutti.engine.GroupEngine", "alive", new Redirect("MemberId.replaces", "supersedes")),
                  new Edit(
                      "org.tutti.membership.NamesInUse", "judge", new Redirect("MemberId.replaces", "supersedes")))),
          new Mutant(
              "gather-for-ever",
              "who is found after a view waits for others, and for nothing else",
              "membership.PeerStates",
              "gathers",
              new Return(1)),
          new Mutant(
              "found-alone",
              "each of several expected members founds a history",
              "membership.InitialState",
              "founding",
              new Drop("Founding.isJoint", 0)),
          new Mutant(
              "found-without-majority",
              "any of the expected members found the group",
              "membership.Flush",
              "hasQuorum",
              new Drop("Stream.count", Short.MAX_VALUE)),
          new Mutant(
                  "found-by-fewer",
                  "any number of members founds a group that expects a certain one",
                  "membership.Flush",
                  "founders",
                  new Drop("Stream.count", Short.MAX_VALUE))
              .in(RunKind.MIXED),
          new Mutant(
                  "new-lives-vote",
                  "a life that has forgotten what an earlier one promised and held counts by its name",
                  "membership.Flush",
                  "remembers",
                  new Return(1))
              .in(RunKind.STATIC_MAJORITY),
          new Mutant(
                  "majority-of-those-present",
                  "one of the electorate is enough, as it is a majority of those who are there",
                  "membership.Electorate",
                  "isMajority",
                  new Drop("size", 1))
              .in(RunKind.STATIC_MAJORITY),
          new Mutant(
                  "forget-absentees",
                  "what absentees have accepted is ignored, although their votes count",
                  "membership.Flush",
                  "unfinished",
                  new Redirect("deciders", "electors"))
              .in(RunKind.LONELY_ANNOUNCEMENTS),
          new Mutant(
                  "observers-vote",
                  "observers count for quorums",
                  "membership.PrimaryRule",
                  "voting",
                  new Redirect("View.voting", "size"))
              .in(RunKind.OBSERVED),
          new Mutant(
                  "wait-for-observers",
                  "a sender's window waits for observers",
                  "order.Stability",
                  "<init>",
                  new Redirect("View.voting", "size"))
              .in(RunKind.OBSERVED),
          new Mutant(
                  "observer-first",
                  "an observer may be more senior than a voter",
                  "membership.Flush",
                  "byRole",
                  new Return(0))
              .in(RunKind.OBSERVED),
          new Mutant(
                  "certificate-ignored",
                  "whoever asks to vote is taken in, although its certificate is only for observers",
                  "engine.NodeEngine",
                  "mayVote",
                  new Return(1))
              .in(RunKind.OBSERVED),
          new Mutant(
                  "refused-voter-untold",
                  "whose certificate does not let it vote is not taken in, and is not told",
                  "membership.Merge",
                  "refuseVote",
                  new Drop("Effects.send", 0))
              .in(RunKind.OBSERVED),
          new Mutant(
                  "last-voter-stays",
                  "the last voter stays in view after view, as nobody else has the state",
                  "membership.Flush",
                  "isLastVoterLeaving",
                  new Return(0))
              .in(RunKind.OBSERVED),
          new Mutant(
                  "merge-one-by-one",
                  "after a split each part takes in the first one that it meets",
                  "membership.Merge$MergeCandidates",
                  "isDue",
                  new Return(1))
              .inRecoveryFrom(SingleFault.SCATTERED),
          new Mutant(
                  "newcomers-take-in",
                  "newcomers take in each other, and keep members of the group from it",
                  "membership.Merge",
                  "areNewcomers",
                  new Return(0))
              .inRecoveryFrom(SingleFault.SCATTERED),
          new Mutant(
                  "damped-where-nobody-serves",
                  "a part of the group that may not go on waits before it takes in again whom it has lost",
                  "membership.Merge$FlapDamping",
                  "admits",
                  new Fix(2, false))
              .inRecoveryFrom(SingleFault.SCATTERED_AGAIN),
          new Mutant(
                  "deaf-to-departures",
                  "who is left behind by a member that hears nobody waits for it",
                  "membership.Merge",
                  "heard",
                  new Drop("PeerStates.wentTo", 0))
              .inRecoveryFrom(SingleFault.SENIOR_DEAF),
          new Mutant(
                  "deaf-to-refusals",
                  "a process whose host refuses its port is suspected when it has been silent for long enough, too",
                  "engine.NodeEngine",
                  "gone",
                  new Return(0))
              .inRecoveryFrom(SingleFault.SENIOR_CRASH_SEEN),
          new Mutant(
                  "deaf-to-itself",
                  "a member that hears nobody reports those that it missed first, and they are put out",
                  "membership.Refutation",
                  "heardLately",
                  new Return(1))
              .inRecoveryFrom(SingleFault.MEMBER_DEAF),
          new Mutant(
                  "never-renew",
                  "a connection that says nothing is waited for, also when its timer has grown during a split",
                  "engine.NodeEngine",
                  "heartbeat",
                  new Drop("FrameSender.renew", 0))
              .inRecoveryFrom(SingleFault.TWO_SIDES),
          new Mutant(
                  "wait-for-lost-connections",
                  "the connection to a member that was lost in a split is waited for when the split is over",
                  "engine.NodeEngine",
                  "calls",
                  new Drop("FrameSender.renew", 0))
              .inRecoveryFrom(SingleFault.TWO_SIDES),
          new Mutant(
                  "never-left-behind",
                  "a member whose application is too far behind stays, and holds all senders up",
                  "engine.ConsumerLag",
                  "lag",
                  new Return(0))
              .inRecoveryFrom(SingleFault.CONSUMER_IS_LEFT_BEHIND),
          new Mutant(
                  "left-behind-by-nobody",
                  "a member whose application is too far behind leaves although the others are no better",
                  "engine.ConsumerLag",
                  "look",
                  new Drop("Predicate.test", 1))
              .inRecoveryFrom(SingleFault.CONSUMERS_STAND_STILL),
          new Mutant(
                  "left-behind-at-once",
                  "a member leaves as soon as its application has not taken something",
                  "engine.ConsumerLag",
                  "look",
                  new Fix(1, false))
              .inRecoveryFrom(SingleFault.CONSUMER_IS_LEFT_BEHIND),
          new Mutant(
                  "refute-for-ever",
                  "two members that do not reach each other hold up the group as long as others hear both",
                  "membership.Refutation",
                  "isOver",
                  new Return(0))
              .inRecoveryFrom(SingleFault.TWO_APART),
          new Mutant(
              "waits-of-before",
              "who was waited for in the view before still is",
              "engine.StatusTracker",
              "tell",
              new Drop("Standstill.newView", 0)),
          new Mutant(
              "caught-up-without-state",
              "a newcomer is told that it is caught up before it has the state",
              "history.Deliveries",
              "tellCaughtUp",
              new Fix(1, false)),
          new Mutant(
                  "join-whatever-is-there",
                  "who joins a group that is not as expected takes part in it",
                  "engine.NodeEngine",
                  "objection",
                  new Return(0))
              .in(RunKind.OBSERVED),
          new Mutant(
                  "call-nobody-back",
                  "who joins does not call whoever calls it",
                  "engine.Newcomer",
                  "heard",
                  new Return(0))
              .in(RunKind.MIXED),
          new Mutant(
              "forget-early-wishes",
              "what the application asks for before the group is known is forgotten",
              "engine.Newcomer",
              "wish",
              new Return(0)),
          new Mutant(
                  "late-batches-dropped",
                  "what an attempt at a view fetched is dropped when it comes after the attempt was given up",
                  "membership.CutRecovery",
                  "abandon",
                  new Begin("asked", "java.util.List", true, "clear", List.of()))
              .in(RunKind.THIN_LINES),
          new Mutant("wait-for-nobody", "who waits does not say for whom", "engine.Standstill", "add", new Return(0)),
          new Mutant(
                  "no-absentees",
                  "only who is in the last primary view decides what follows it",
                  "membership.StaticMajority",
                  "absentees",
                  new Drop("isZero", 1))
              .in(RunKind.STATIC_MAJORITY));

  /// Bugs planted in the orderings, each looked for in runs with its ordering alone; and in switching between them.
  private static final List<Mutant> SEQUENCER =
      List.of(
          new Mutant(
              "order-on-receipt",
              "every member numbers batches as they come",
              "order.FixedSequencer",
              "arrived",
              new Fix(0, false)),
          new Mutant(
              "sequencer-says-nothing",
              "the sequencer keeps its numbers to itself",
              "order.FixedSequencer",
              "flush",
              new Return(0)),
          new Mutant(
              "sequencer-repeats-itself",
              "places that were said are said again",
              "order.FixedSequencer",
              "flush",
              new Drop("List.clear", 0)));

  private static final List<Mutant> SKEEN =
      List.of(
          new Mutant(
              "skeen-lowest-proposal",
              "the sender decides for less than the highest proposal",
              "order.Skeen",
              "decide",
              new Redirect("max", "min")),
          new Mutant(
              "skeen-past-pending",
              "batches are placed past pending ones that may come before",
              "order.Skeen$TimestampedLane",
              "lowest",
              new Fix(1, false)),
          new Mutant(
              "skeen-blind-clock",
              "a decided timestamp does not move the clock that later proposals are made with",
              "order.Skeen",
              "take",
              new Drop("witness", 0)));

  private static final List<Mutant> SUBSETS =
      List.of(
          new Mutant(
              "subset-lowest-proposal",
              "a subset multicast gets less than the highest proposal",
              "order.SubsetMulticasts",
              "decide",
              new Redirect("max", "min")),
          new Mutant(
              "subset-before-held",
              "a destination delivers a subset multicast before all others hold it",
              "order.SubsetMulticasts",
              "deliver",
              new Drop("isHeldByAll", 1)),
          new Mutant(
              "subset-passed-over",
              "places are delivered past subset multicasts that come before",
              "order.PendingSubsetMulticasts",
              "limit",
              new Return(Long.MAX_VALUE)),
          new Mutant(
              "subset-before-settled",
              "a subset multicast is held although batches may still come before it",
              "order.Skeen",
              "isPast",
              new Return(1)),
          new Mutant(
              "cut-keeps-any-subset",
              "a view change keeps subset multicasts that a destination does not hold",
              "membership.CutBuilder",
              "isKept",
              new Drop("allMatch", 1)),
          new Mutant(
              "cut-drops-subsets",
              "a view change keeps no subset multicasts",
              "membership.CutBuilder",
              "isKept",
              new Return(0)),
          new Mutant(
              "subset-sent-twice",
              "a subset multicast that a view change keeps is sent again",
              "order.SubsetMulticasts",
              "isAmong",
              new Return(0)));

  private static final List<Mutant> SYMMETRIC =
      List.of(
          new Mutant(
              "place-without-hearing",
              "a batch has its place although a member may still send a lower stamp",
              "order.Symmetric",
              "isHeardPast",
              new Return(1)),
          new Mutant(
              "no-null-messages", "who has nothing to send says nothing", "order.Symmetric", "flush", new Return(0)),
          new Mutant(
              "null-messages-not-counted",
              "a member's clock without a batch does not count",
              "order.HeardClocks",
              "said",
              new Drop("Math.max", 0)),
          new Mutant(
              "clock-ignores-arrivals",
              "a member's stamps may be lower than those it has seen",
              "history.ViewHistory",
              "received",
              new Drop("Clock.witness", 0)));

  private static final List<Mutant> CONSENSUS =
      List.of(
          new Mutant(
              "decide-without-acks",
              "a coordinator decides what no quorum has adopted",
              "consensus.ChandraToueg",
              "decideAdopted",
              new Drop("Predicate.test", 1)),
          new Mutant(
              "round-goes-back",
              "a member adopts in a round that it has left",
              "consensus.ChandraToueg",
              "isLeft",
              new Return(0)),
          new Mutant(
                  "lead-without-estimates",
                  "a member leads a round that only itself has entered",
                  "consensus.ChandraToueg",
                  "leadIfQuorum",
                  new Drop("Predicate.test", 1))
              .in(RunKind.SPLITS),
          new Mutant(
              "pass-over-missing",
              "a decided batch that is not here yet gets no place",
              "order.ConsensusOrder",
              "place",
              new Drop("ConsensusOrder.place", 1)));

  private static final List<Mutant> SWITCHING =
      List.of(
          new Mutant(
              "switch-forgets-waiting",
              "the new ordering does not get what has no place",
              "history.OrderingEpochs",
              "settle",
              new Drop("TotalOrder.arrived", 0)),
          new Mutant(
              "switch-goes-on-placing",
              "the old ordering still gives places behind the switch",
              "history.OrderingEpochs$Epoch",
              "place",
              new Fix(0, false)),
          new Mutant(
              "switch-stops-answering",
              "the old ordering does not answer members that have not switched",
              "history.OrderingEpochs",
              "settle",
              new Drop("ArrayDeque.add", 1)));

  private static final List<Mutant> DOMAINS =
      List.of(
          new Mutant(
              "deliver-without-merging",
              "groups of a domain deliver without looking at each other",
              "domain.Domain",
              "isNext",
              new Return(1)),
          new Mutant(
              "send-without-turn",
              "a multicast does not wait for an earlier one in another group of the domain",
              "domain.Domain",
              "mayGoOn",
              new Return(1)),
          new Mutant(
              "frontier-forgets-undelivered",
              "a batch that is here and not delivered does not count for other groups",
              "domain.Frontier",
              "bound",
              new Drop("Log.from", 0)),
          new Mutant(
                  "enter-behind-others",
                  "who comes in does not wait until the group is past what its other groups delivered meanwhile",
                  "domain.DomainMember",
                  "mayEnter",
                  new Return(1))
              .in(RunKind.OVERLAPS),
          new Mutant(
              "keys-without-stamps",
              "deliveries of a domain are compared by their groups alone",
              "domain.DomainMember",
              "deliver",
              new Drop("Math.max", 0)),
          new Mutant(
              "fetched-without-stamp",
              "the clock takes no notice of batches that a view change brings",
              "history.ViewHistory",
              "supplied",
              new Drop("Clock.witness", 0)));

  /// Bugs planted in the weak services and in what total order owes to causality.
  private static final List<Mutant> SERVICES =
      List.of(
          new Mutant(
              "causal-on-arrival",
              "a causal message does not wait for what its sender had delivered",
              "history.EarlyDeliveries",
              "isReady",
              new Return(1)),
          new Mutant(
              "causal-before-total",
              "a causal message does not wait for totally ordered ones",
              List.of(
                  new Edit(EARLY, "isReady", new Fix(1, true)), // the index that the past names
                  new Edit(EARLY, "isReady", new Fix(0, false)))), // the sender's own ones
          new Mutant(
                  "skip-waiting-room",
                  "a batch enters the log before what its sender had delivered",
                  "order.HoldBackQueue",
                  "next",
                  new Drop("Log.contains", 1))
              .in(Ordering.SEQUENCER),
          new Mutant(
              "past-says-nothing",
              "a batch does not say which causal ones its sender had delivered",
              "history.EarlyDeliveries",
              "past",
              new Fix(3, true)),
          new Mutant(
                  "cut-by-rank",
                  "a view change appends what has no place without regard to causality",
                  "membership.CutBuilder",
                  "append",
                  new Drop("Tail$Lane.stamp", 0))
              .in(Ordering.SYMMETRIC),
          new Mutant(
              "forget-early",
              "what was delivered early is delivered again at its place",
              "history.Deliveries",
              "deliver",
              new Drop("Deliveries$EarlyMarks.remove", 0)),
          new Mutant(
              "skip-not-delivered",
              "a weak batch is passed over at its place although it was not delivered",
              "history.Deliveries",
              "deliver",
              new Drop("Deliveries$EarlyMarks.remove", 1)),
          new Mutant(
              "early-once-more",
              "a weak batch that is sent again in a later view is delivered again",
              "history.Deliveries",
              "deliverEarly",
              new Drop("Deliveries$EarlyMarks.add", 1)),
          new Mutant(
              "early-before-state",
              "a newcomer delivers weak messages before its state is here",
              "history.Deliveries",
              "deliverEarly",
              new Fix(1, false)),
          new Mutant(
              "early-outlives-state",
              "a member skips what it had delivered before it got a state that does not contain it",
              "history.Deliveries",
              "restart",
              new Drop("Deliveries$EarlyMarks.clear", 0)));

  /// Bugs planted in branches, and in how they end.
  private static final List<Mutant> BRANCHES =
      List.of(
          new Mutant(
              "branch-without-cut",
              "a branch ends without what its members have of it, but have not delivered",
              "history.Branch",
              "end",
              new Drop("ViewHistory.end", 0)),
          new Mutant(
              "branch-ends-where-decided",
              "what is not decided when a branch ends is forgotten",
              "membership.Flush",
              "branchCuts",
              new Redirect("CutBuilder.whole", "decided")),
          new Mutant(
              "history-in-branch",
              "the history of the primary view goes on in a view that is not",
              List.of(
                  new Edit("org.tutti.engine.ViewFilter", "acting", new Fix(0, false)),
                  new Edit("org.tutti.history.PrimaryHistory", "acting", new Fix(0, false)))),
          new Mutant(
              "branch-as-history",
              "what is delivered in a branch is taken for a part of the history",
              "history.Branch",
              "deliver",
              new Redirect("GroupUser.deliverInBranch", "deliverEarly")),
          new Mutant(
              "branch-numbers-again",
              "a batch of a branch gets a number that its sender has used there",
              "history.MulticastSender",
              "sendInBranch",
              new Redirect("Branch.sentNext", "deliveredNext")),
          new Mutant(
              "branch-keeps-window",
              "what was multicast in a branch that is over takes room in the window for ever",
              "history.Branch",
              "end",
              new Drop("consumedByAll", 0)),
          new Mutant(
                  "branch-not-shown",
                  "a member that waits in vain for a state takes part in a branch and is not shown the view",
                  List.of(
                      new Edit("org.tutti.engine.GroupEngine", "install", new Drop("isShowing", 1)),
                      new Edit("org.tutti.history.Deliveries", "stranded", new Return(0))))
              .in(RunKind.OVERLAPS),
          new Mutant(
              "branch-goes-on",
              "a branch goes on after its members have reported",
              "engine.GroupEngine",
              "wedge",
              new Drop("Branch.stop", 0)),
          new Mutant(
                  "branch-end-unfetched",
                  "a member follows from a branch without the batches of its end",
                  List.of(
                      new Edit("org.tutti.membership.CutRecovery", "endsBranch", new Return(1)),
                      new Edit("org.tutti.membership.CutRecovery", "branchCutOf", new Return(0))))
              .in(RunKind.SPLITS));

  /// Bugs planted in the whiteboard, in propagations and in local calls.
  private static final List<Mutant> EXCHANGES =
      List.of(
          new Mutant(
              "whiteboard-blocks-delivery",
              "after a put nothing is delivered until the view changes",
              List.of(
                  new Edit(
                      "org.tutti.engine.GroupEngine",
                      "whiteboardPut",
                      new Begin(
                          "history",
                          "org.tutti.history.PrimaryHistory",
                          false,
                          "activate",
                          List.of(ConstantDescs.CD_boolean))))),
          new Mutant(
              "stale-value",
              "what a member said before its view was here is read again in later views",
              List.of(
                  new Edit(BOARD, "installed", new Redirect("LinkedHashMap.remove", "get")),
                  new Edit(BOARD, "isNews", new Return(1)))),
          new Mutant(
              "value-for-ever",
              "the first value of a member that is read stays",
              List.of(new Edit(BOARD, "receive", new Redirect("TreeMap.put", "putIfAbsent")))),
          new Mutant(
              "gone-on-whiteboard",
              "values of those who have left the view are read",
              List.of(new Edit(BOARD, "installed", new Drop("retainAll", 0)))),
          new Mutant(
              "newcomers-see-nothing",
              "who comes into the view is not told what was put before",
              List.of(new Edit(BOARD, "installed", new Drop("speakSoon", 0)))),
          new Mutant(
              "value-waits-for-company",
              "a value that finds nothing to travel with stays at home",
              List.of(new Edit(BOARD, "speakSoon", new Drop("schedule", 0)))),
          new Mutant(
              "propagate-across-views",
              "what was propagated in another view counts",
              List.of(new Edit("org.tutti.user.Exchange", "arrived", new Drop("equals", 1)))),
          new Mutant(
              "local-call-at-once",
              "a local call is shown before the deliveries of which its caller has learned",
              List.of(
                  new Edit(
                      DOMAIN_MEMBER,
                      "localCall",
                      new Begin(
                          "user",
                          "org.tutti.user.GroupUser",
                          true,
                          "localCall",
                          List.of(ClassDesc.of("org.tutti.Event").nested("LocalCall")))),
                  new Edit(DOMAIN_MEMBER, "localCall", new Drop("inOrder", 0)))));

  /// Bugs planted where members go to stable storage and come back from it.
  private static final List<Mutant> DURABILITY =
      List.of(
          new Mutant(
              "acknowledge-unwritten",
              "a member acknowledges and delivers what it has not written",
              "durable.Journal",
              "next",
              new Return(Long.MAX_VALUE)),
          new Mutant("never-force", "what is written is never forced", "engine.NodeEngine", "commit", new Fix(3, true)),
          new Mutant(
              "deliver-end-unwritten",
              "the end of a view's history is delivered before it is written",
              "history.ViewHistory",
              "end",
              new Drop("Journal.adopted", 0)),
          new Mutant(
              "forget-promise",
              "a restarted member does not keep to the ballots that it had promised",
              "membership.InitialState",
              "joining",
              new Drop("ViewId.epoch", 0)),
          new Mutant(
                  "forget-acceptance",
                  "a restarted member does not know what it had accepted",
                  "membership.Chain",
                  "<init>",
                  new Drop("PersistentState.accepted", 0))
              .in(RunKind.SPLITS),
          new Mutant(
              "stand-without-log",
              "a restarted member counts, but has nothing of the history",
              "history.ViewHistory",
              "resume",
              new Return(0)),
          new Mutant(
              "stand-for-nobody",
              "a restarted member does not count for its earlier lives",
              "membership.PersistentState",
              "identity",
              new Drop("List.add", 0)),
          new Mutant(
              "found-anew",
              "a group is founded in spite of what the storage knows",
              "durable.Restart",
              "read",
              new Drop("PersistentState.knowsHistory", 0)),
          new Mutant(
              "position-unheard",
              "a restarted application that names its position waits for a state all the same",
              "durable.Restart",
              "read",
              new Drop("OptionalLong.isPresent", 0)),
          new Mutant(
              "drop-before-persisted",
              "the log is dropped before the application has made its state durable",
              "durable.Journal",
              "trim",
              new Redirect("Math.min", "max")),
          new Mutant(
                  "spilled-is-taken",
                  "a restarted application is handed more of the log, although what it was handed is only spilled",
                  "history.Deliveries",
                  "isTaken",
                  new Redirect("GroupUser.taken", "consumed"))
              .in(RunKind.SPILLING));

  private Mutants() {}

  /// All planted bugs.
  ///
  /// @return in the order of the table
  public static List<Mutant> all() {
    return Stream.of(
            SHARED,
            MEMBERSHIP,
            orderings(),
            SERVICES,
            DisseminationMutants.ALL,
            BRANCHES,
            EXCHANGES,
            DURABILITY,
            ForcedMutants.ALL,
            VersionMutants.ALL,
            ServiceMutants.ALL,
            CallMutants.ALL,
            IpcMutants.ALL)
        .flatMap(List::stream)
        .toList();
  }

  private static List<Mutant> orderings() {
    List<Mutant> all = new ArrayList<>();
    SEQUENCER.forEach(mutant -> all.add(mutant.in(Ordering.SEQUENCER)));
    SKEEN.forEach(mutant -> all.add(mutant.in(Ordering.SKEEN)));
    SUBSETS.forEach(mutant -> all.add(mutant.in(Ordering.SKEEN)));
    CONSENSUS.forEach(mutant -> all.add(mutant.in(Ordering.CONSENSUS)));
    SYMMETRIC.forEach(mutant -> all.add(mutant.in(Ordering.SYMMETRIC)));
    all.addAll(SWITCHING);
    all.addAll(DOMAINS);
    return all;
  }

  /// Finds a bug by its name.
  ///
  /// @param name as on the command line
  /// @return the mutant
  /// @throws IllegalArgumentException when there is none
  public static Mutant named(String name) {
    return all().stream()
        .filter(mutant -> mutant.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no such mutant: " + name));
  }
}
