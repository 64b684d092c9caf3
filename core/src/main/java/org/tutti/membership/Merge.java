package org.tutti.membership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.membership.Hello.Regard;
import org.tutti.transport.Address;
import org.tutti.wire.Malformed;
import org.tutti.wire.Versions;

/// How views that do not know of each other find together: newcomers and the group, and the parts of a group after a
/// partition.
///
/// The coordinator of a view calls out to the configured contacts and to addresses of members that were lost, beside
/// any channel. Whoever hears a call from another view passes it to its own coordinator; the two coordinators exchange
/// their views, and exactly one of them proposes the merged view: the one whose view knows more.
///
/// ```
///   newcomer (alone)        any member          coordinator
///     | ~~ hello(view) ~~~~~> |                      |
///     |                       | -- Found ----------> |
///     | <---------------------------------- Meet --- |
///     | -- Meet(answer) ---------------------------> |   proposes the merged view
/// ```
public final class Merge {
  private static final int ABSENT_MAX = 64;

  /// Why a membership ends by what another view said.
  public interface Endings {
    /// This member's history gives way to another one.
    ///
    /// @param end why
    void ended(End end);

    /// This member's name belongs to another one.
    ///
    /// @param holder who has it
    /// @param words  the same in words
    default void nameInUse(MemberId holder, String words) {
      ended(new End(End.Cause.NAME_TAKEN, words));
    }

    /// Another member does not let this one vote, whether it ends for that or not.
    ///
    /// @param by the other one
    default void mayNotVote(MemberId by) {}
  }

  private record Claim(MemberId by, Lineage lineage, long at) {}

  private static final int CLAIM_FACTOR = 8; // for how many times of suspicion a claim is remembered

  private final MemberIdentity identity;
  private final MemberId self;
  private final Supplier<List<Address>> contacts;
  private final ViewAgreement agreement;
  private final Effects<ViewMessage> effects;
  private final BiConsumer<Address, Hello> hello;
  private final FlapDamping damping;
  private final long suspectNanos;
  private final long heartbeatNanos;
  private final Counters counters;
  private final Endings endings;
  private final NamesInUse names;
  private final MergeCandidates mergeCandidates;
  private ViewMessage.@Nullable Meet said; // the last one; several get the same, which is encoded once
  private @Nullable Claim claim; // of an older history, the latest
  private final Set<Address> absent = new LinkedHashSet<>(); // where members that were lost may come back
  private final Set<Address> left = new TreeSet<>(); // those of them that were in the view before this one
  private View before;
  private long leftUntil;

  /// Starts to look for other views.
  ///
  /// @param identity  this member, and as whom it counts
  /// @param contacts  tells the addresses to call, which may change
  /// @param heartbeat how long something has to be repeated at least
  /// @param suspectAfter the time of suspicion
  /// @param agreement told of members to take in
  /// @param effects   how to reach other coordinators
  /// @param hello     calls out to an address; may be lost
  /// @param counters  where refusals are counted
  /// @param endings   told why this member's membership ends
  public Merge(
      MemberIdentity identity,
      Supplier<List<Address>> contacts,
      Duration heartbeat,
      Duration suspectAfter,
      ViewAgreement agreement,
      Effects<ViewMessage> effects,
      BiConsumer<Address, Hello> hello,
      Counters counters,
      Endings endings) {
    this.identity = identity;
    this.self = identity.self();
    this.contacts = contacts;
    this.damping = new FlapDamping(suspectAfter);
    this.suspectNanos = suspectAfter.toNanos();
    this.heartbeatNanos = heartbeat.toNanos();
    this.agreement = agreement;
    this.before = agreement.view();
    this.effects = effects;
    this.hello = hello;
    this.counters = counters;
    this.endings = endings;
    this.names = new NamesInUse(self, suspectNanos);
    this.mergeCandidates = new MergeCandidates(heartbeatNanos, suspectNanos);
  }

  /// A view was left for another: whoever is missing may come back, and is told for a time of suspicion that it was
  /// left behind, by all who left it, as it may hear only some of them.
  ///
  /// @param last     the view that was left
  /// @param after    the view that was installed
  /// @param departed who left it in order
  public void installed(View last, View after, List<MemberId> departed) {
    mergeCandidates.clear();
    before = last;
    List<MemberId> missing = before.members().stream().filter(member -> !after.contains(member)).toList();
    missing.forEach(member -> absent.add(member.address()));
    damping.fell(missing.stream().filter(member -> !departed.contains(member)).toList(), effects.nowNanos());
    for (MemberId member : after.members()) {
      absent.remove(member.address());
    }
    left.clear();
    missing.forEach(member -> left.add(member.address()));
    left.removeIf(address -> isAt(after.members(), address));
    leftUntil = effects.nowNanos() + suspectNanos;
    left.forEach(address -> hello.accept(address, Hello.leftBehind(before, after)));
    while (absent.size() > ABSENT_MAX) {
      absent.remove(absent.iterator().next());
    }
  }

  /// Members were left behind in an earlier life: they may be back where they were.
  ///
  /// @param last      the last primary view that was known then
  /// @param absentees who decides about what follows it, too
  public void seek(View last, List<MemberId> absentees) {
    if (!Founding.isZero(last.id())) {
      last.members().forEach(member -> absent.add(member.address()));
      absentees.forEach(member -> absent.add(member.address()));
    }
  }

  /// Time to call out: the coordinator to everybody, a member to its coordinator. Inside a view the calls confirm that
  /// both sides have installed it. Who is not heard is told so, as it may hear all the same.
  public void call() {
    var targets = new TreeSet<Address>();
    MemberId coordinator = agreement.peerStates().coordinator();
    if (coordinator.equals(self)) {
      targets.addAll(contacts.get());
      targets.addAll(absent);
      addAddresses(agreement.view().members(), targets);
    } else {
      targets.add(coordinator.address());
      addAddresses(agreement.peerStates().unheard(), targets);
    }
    if (effects.nowNanos() < leftUntil) {
      targets.addAll(left);
    }
    targets.remove(self.address());
    for (Address target : targets) {
      hello.accept(target, hello(target));
    }
    mergeWhenDue();
  }

  private static void addAddresses(List<MemberId> of, Set<Address> to) {
    for (MemberId member : of) {
      to.add(member.address());
    }
  }

  private Hello hello(Address to) {
    View view = agreement.view();
    if (isAt(view.members(), to)) {
      boolean unheard = isAt(agreement.peerStates().unheard(), to);
      return Hello.within(view, unheard ? Regard.UNHEARD : Regard.HEARD);
    }
    boolean knows = absent.contains(to) || left.contains(to);
    return knows ? Hello.leftBehind(before, view) : Hello.within(view, Regard.UNKNOWN);
  }

  private static boolean isAt(List<MemberId> members, Address address) {
    for (MemberId member : members) {
      if (member.address().equals(address)) {
        return true;
      }
    }
    return false;
  }

  /// Somebody called.
  ///
  /// @param from  who
  /// @param words what it said
  public void heard(MemberId from, Hello words) {
    ViewId its = words.view();
    View view = agreement.view();
    if (its.equals(view.id())) {
      if (words.regard() == Regard.UNHEARD) {
        unheardBy(from);
      } else {
        agreement.peerStates().confirmed(from, effects.nowNanos());
      }
      names.confirmed(from, effects.nowNanos());
    } else if (!view.contains(from)) {
      pass(from);
    } else if (its.compareTo(view.id()) > 0 && !agreement.mayMeet(its, from)) {
      effects.send(from, meet(false)); // it went to another view without this member
      if (words.regard() == Regard.LEFT_BEHIND) {
        agreement
            .peerStates()
            .wentTo(its, words.gone(from, view)); // the ids of its views rise, so it does not come back to this
        agreement.suspicionChanged();
      }
    }
  }

  /// A member of the view says that it does not hear this one. If this one speaks for the view, the other one goes; if
  /// not, whoever does is told by the other.
  private void unheardBy(MemberId member) {
    if (agreement.isCoordinator() && agreement.peerStates().unheardBy(member, effects.nowNanos(), heartbeatNanos)) {
      counters.count(Count.SUSPECTED_UNHEARD);
      agreement.suspicionChanged();
    }
  }

  private void pass(MemberId from) {
    if (agreement.isCoordinator()) {
      effects.send(from, meet(false));
    } else {
      effects.send(agreement.peerStates().coordinator(), new ViewMessage.Found(from));
    }
  }

  private ViewMessage.Meet meet(boolean answer) {
    List<MemberId> lives = identity.earlier();
    List<MemberId> latest = lives.subList(Math.max(0, lives.size() - ViewMessage.Meet.LIVES_MAX), lives.size());
    Versions versions = agreement.speaks().understood();
    var meet = new ViewMessage.Meet(agreement.view(), agreement.lineage(), primary(), latest, versions, answer);
    said = meet.equals(said) ? said : meet;
    return said;
  }

  /// A message has come.
  ///
  /// @param from    who sent it
  /// @param message one of those that belong to a merge
  /// @throws Malformed for any other
  public void receive(MemberId from, ViewMessage message) throws Malformed {
    switch (message) {
      case ViewMessage.Found(MemberId coordinator) -> {
        if (agreement.isCoordinator() && !coordinator.equals(self)) {
          effects.send(coordinator, meet(false));
        }
      }
      case ViewMessage.Meet meet -> met(from, meet);
      case ViewMessage.Overruled(Lineage older, MemberId member) -> {
        Lineage mine = agreement.lineage();
        if (mine != null && agreement.view().contains(from) && gives(mine, older)) {
          overruled(older, member);
        }
      }
      case ViewMessage.NameInUse(MemberId holder, ViewId known) -> {
        if (names.obeys(holder, known, agreement.view())) {
          yieldsTo(holder);
        }
      }
      case ViewMessage.OtherVersion(int version, ViewId known) -> {
        if (isRefused(version, known) && agreement.end()) {
          String words = SpokenVersions.words(version, agreement.speaks().understood());
          endings.ended(new End(End.Cause.OTHER_VERSION, words));
        }
      }
      case ViewMessage.MayNotVote(ViewId known) -> mayNotVote(from, known);
      default -> throw new Malformed("merge message");
    }
  }

  /// Somebody says that it votes, whose certificate is only for observers. What it says is not heard, and it is told.
  ///
  /// @param claimant who
  public void refuseVote(MemberId claimant) {
    counters.count(Count.JOIN_OF_OBSERVER);
    effects.send(claimant, new ViewMessage.MayNotVote(primary()));
  }

  /// Another one has seen that this member's certificate is only for observers.
  private void mayNotVote(MemberId by, @Nullable ViewId known) throws Malformed {
    if (agreement.view().isObserver(self)) {
      throw new Malformed("may not vote");
    }
    endings.mayNotVote(by);
    if (mayGo(known) && agreement.end()) {
      String words =
          "this node's certificate is only for the role observer, so %s@%s does not let it vote: observe the";
      String advice = " group, or use a certificate for the role member";
      endings.ended(new End(End.Cause.REFUSED, words.formatted(by.name(), by.address()) + advice));
    }
  }

  /// Whether this member ends, as the group speaks a version that it does not have.
  private boolean isRefused(int version, @Nullable ViewId known) {
    return !agreement.speaks().speaks(version) && mayGo(known);
  }

  /// Whether this member may end because another one says so. A member of a primary view goes only when that one knows
  /// a later one.
  private boolean mayGo(@Nullable ViewId known) {
    View view = agreement.view();
    return !view.primary() || (known != null && known.compareTo(view.id()) > 0);
  }

  private void met(MemberId from, ViewMessage.Meet meet) {
    View view = agreement.view();
    boolean late = view.contains(from) && meet.view().id().compareTo(view.id()) < 0;
    if (late || meet.view().id().equals(view.id()) || !meet.view().contains(from)) {
      return;
    }
    if (isOther(meet.lineage())) {
      otherHistory(from, Objects.requireNonNull(meet.lineage()), meet.view(), meet.answer());
      return;
    }
    if (meet.view().id().compareTo(view.id()) > 0 && !meet.view().contains(self)) {
      agreement.wentTo(meet.view());
    }
    if (!agreement.isCoordinator()) {
      effects.send(agreement.peerStates().coordinator(), new ViewMessage.Found(from));
    } else if (identity(self, view, primary()).compareTo(identity(from, meet.view(), meet.primary())) > 0) {
      takeIn(from, meet);
    } else {
      mergeCandidates.leaveTo(from, identity(from, meet.view(), meet.primary()), effects.nowNanos());
      mergeCandidates.take().forEach(other -> effects.send(from, new ViewMessage.Found(other)));
      if (!meet.answer()) {
        effects.send(from, meet(true));
      }
    }
  }

  private static MergeCandidates.Precedence identity(MemberId coordinator, View view, @Nullable ViewId primary) {
    return new MergeCandidates.Precedence(view.primary(), !view.isObserver(coordinator), primary, view.id());
  }

  /// Another view knows less than this one. A newcomer, who knows nothing, comes in at once.
  private void takeIn(MemberId from, ViewMessage.Meet meet) {
    if (areNewcomers(meet) || !speaksAlong(from, meet)) {
      return;
    }
    mergeCandidates.lead(from);
    long now = effects.nowNanos();
    // Of a view that this member has left only the one that says so is known to be there still: whoever else was left
    // behind may be deaf, or in another view by now, and would hold up the attempt.
    List<MemberId> others = new ArrayList<>(meet.view().contains(self) ? List.of(from) : meet.view().members());
    others.removeAll(agreement.view().members());
    others.removeIf(other -> !admits(other, other.equals(from) ? meet.earlier() : List.of()));
    if (others.isEmpty()
        || !others.stream().allMatch(other -> damping.admits(other, agreement.view().primary(), now))) {
      return;
    }
    agreement.outbid(meet.view().id());
    MemberId awaited = mergeCandidates.awaited(now);
    if (meet.primary() == null) {
      agreement.merge(others);
    } else if (awaited != null && !others.contains(awaited)) {
      if (mergeCandidates.passes(from, now)) {
        effects.send(awaited, new ViewMessage.Found(from));
      }
    } else {
      mergeCandidates.add(others, now);
      mergeWhenDue();
    }
  }

  /// Whether somebody has a version that this group may speak with it. Else it is told, before it costs an attempt.
  private boolean speaksAlong(MemberId from, ViewMessage.Meet meet) {
    boolean may = GroupVersion.mayJoin(agreement.version(), agreement.speaks(), meet.versions());
    if (!may) {
      counters.count(Count.JOIN_OF_OTHER_VERSION);
      effects.send(from, new ViewMessage.OtherVersion(agreement.version(), primary()));
    }
    return may;
  }

  /// Whether neither side knows a primary view: an attempt of theirs would be in the way of the one that takes in both.
  private boolean areNewcomers(ViewMessage.Meet meet) {
    return primary() == null && meet.primary() == null;
  }

  private void mergeWhenDue() {
    if (agreement.isCoordinator() && mergeCandidates.isDue(absent, awaitedFounders(), effects.nowNanos())) {
      List<MemberId> all = new ArrayList<>(mergeCandidates.take());
      all.removeAll(agreement.view().members());
      agreement.merge(all);
    }
  }

  /// How many of the expected founders are not in this view, as long as the history has no first one.
  private int awaitedFounders() {
    Lineage lineage = agreement.lineage();
    View zero = agreement.primary();
    return lineage != null && lineage.isDraft() && zero != null ? zero.size() - agreement.view().voters() : 0;
  }

  /// Who was a voter of the last primary view, or decides about what follows it.
  private List<MemberId> lastPrimary() {
    View last = agreement.primary();
    if (last == null || Founding.isZero(last.id())) {
      return List.of();
    }
    return Stream.concat(PrimaryRule.voters(last).stream(), agreement.absentees().stream()).toList();
  }

  /// Whether somebody may come in although its name may be in use here.
  private boolean admits(MemberId other, List<MemberId> earlier) {
    MemberId holder = agreement.peerStates().holder(other.name());
    switch (names.judge(other, earlier, agreement.peerStates(), lastPrimary(), effects.nowNanos())) {
      case ADMITTED -> {
        return true;
      }
      case REPLACES -> {
        return yields(Objects.requireNonNull(holder), other);
      }
      case PRECEDES -> {
        effects.send(Objects.requireNonNull(holder), new ViewMessage.NameInUse(other, primary()));
        return yields(holder, other);
      }
      case REFUSED -> {
        counters.count(Count.JOIN_OF_NAME_IN_USE);
        effects.send(other, new ViewMessage.NameInUse(Objects.requireNonNull(holder), primary()));
      }
      case WAITS -> {}
    }
    return false;
  }

  /// A member goes, as somebody else has more right to its name.
  private boolean yields(MemberId holder, MemberId other) {
    if (!holder.equals(self)) {
      agreement.peerStates().gone(List.of(holder));
      return true;
    }
    yieldsTo(other);
    return false;
  }

  /// This member ends, as somebody else has more right to its name; but not while it may be in a primary view by what
  /// it has accepted: whoever meets it after that judges by that view.
  private void yieldsTo(MemberId other) {
    if (!agreement.hasAcceptedPrimary() && agreement.end()) {
      endings.nameInUse(other, NamesInUse.words(other));
    }
  }

  /// Whether a member that takes part in an attempt is in another history of the same group, which was founded twice.
  /// Then either this member's membership ends, or that one's.
  ///
  /// @param from the member
  /// @param its  what it knows
  /// @return whether it is another one
  public boolean isOfOtherHistory(MemberId from, Knowledge its) {
    boolean other = isOther(its.lineage());
    if (other) {
      otherHistory(from, Objects.requireNonNull(its.lineage()), its.view(), false);
    }
    return other;
  }

  private boolean isOther(@Nullable Lineage lineage) {
    return Lineage.differ(agreement.lineage(), lineage);
  }

  /// Only the older history goes on; one that nobody here votes in, whose voters may all be gone, gives way to any, but
  /// to the one that it replaces.
  private void otherHistory(MemberId from, Lineage theirs, View view, boolean answered) {
    counters.count(Count.HISTORIES_DIFFERENT);
    Lineage mine = Objects.requireNonNull(agreement.lineage());
    boolean voted = agreement.view().voters() > 0;
    boolean byAge = voted == view.voters() > 0 || theirs.replaces(mine) || mine.replaces(theirs);
    if ((byAge ? theirs.isOlderThan(mine) : !voted) && isClaimedAgain(from, theirs)) {
      overruled(theirs, from);
    } else if (!answered) {
      effects.send(from, meet(true));
    }
  }

  /// A damaged or stray message must not end a group: who claims an older history has to stay with it.
  private boolean isClaimedAgain(MemberId from, Lineage lineage) {
    long now = effects.nowNanos();
    Claim first = claim;
    boolean again = first != null && first.by.equals(from) && first.lineage.equals(lineage);
    if (!again || now - first.at > CLAIM_FACTOR * suspectNanos) {
      claim = new Claim(from, lineage, now);
      return false;
    }
    return now - first.at >= suspectNanos;
  }

  private void overruled(Lineage older, MemberId member) {
    if (agreement.end()) {
      agreement.view().members().stream()
          .filter(other -> !other.equals(self))
          .forEach(other -> effects.send(other, new ViewMessage.Overruled(older, member)));
      endings.ended(end(older, member));
    }
  }

  private End end(Lineage older, MemberId member) {
    if (older.isDraft()) {
      String words = "this member expects other founders than " + member + " does: all must expect the same";
      return new End(End.Cause.REFUSED, words);
    }
    return new End(End.Cause.OVERRULED, why(older) + ": join " + member + " to be in it");
  }

  /// Whether one history may give way to another one: to an older one; where nobody votes, to any.
  private boolean gives(Lineage mine, Lineage other) {
    return other.isOlderThan(mine) || (agreement.view().voters() == 0 && !mine.replaces(other));
  }

  private String why(Lineage other) {
    Lineage mine = Objects.requireNonNull(agreement.lineage());
    return other.isOlderThan(mine)
        ? mine.yieldsTo(other)
        : "the group has two histories, and the other one has members that vote";
  }

  private @Nullable ViewId primary() {
    View primary = agreement.primary();
    return primary == null ? null : primary.id();
  }

  /// Who falls out of the view again and again, because it is heard by some and not by others, is not taken in again at
  /// once each time: the pause doubles. Otherwise one link that works in one direction only would cost the whole group
  /// a view change for each time of suspicion.
  private static final class FlapDamping {
    private static final int DOUBLINGS_MAX = 4; // up to 8 times of suspicion
    private static final int FORGET_FACTOR = 24;
    private static final int MEMBERS_MAX = 64;

    private record Fall(int times, long at) {}

    private final long unitNanos;
    private final Map<MemberId, Fall> falls = new LinkedHashMap<>(); // the longest ago first

    FlapDamping(Duration suspectAfter) {
      this.unitNanos = suspectAfter.toNanos();
    }

    /// Members have fallen out of the view.
    void fell(Collection<MemberId> members, long now) {
      for (MemberId member : members) {
        Fall before = falls.remove(member);
        boolean again = before != null && now - before.at < FORGET_FACTOR * unitNanos;
        falls.put(member, new Fall(again ? Math.min(before.times + 1, DOUBLINGS_MAX + 1) : 1, now));
      }
      Iterator<MemberId> oldest = falls.keySet().iterator();
      while (falls.size() > MEMBERS_MAX) {
        oldest.next();
        oldest.remove();
      }
    }

    /// Whether a member may be taken in. Where nobody serves, there is little to protect, and the member may be the one
    /// that is missing: there the pause does not double.
    boolean admits(MemberId member, boolean primary, long now) {
      Fall last = falls.get(member);
      if (last == null || last.times == 1) {
        return true;
      }
      long pause = primary ? unitNanos << (last.times - 2) : unitNanos;
      return now - last.at >= pause;
    }
  }

  /// The parts of a group that a coordinator has met after a split, until it takes them in, all at once. Members that
  /// found the group together are such parts, too.
  ///
  /// When a split ends, all parts meet within a heartbeat, in any order, and each would take in the first one that
  /// knows less. Their proposals then overtake each other: whom one has asked goes with another one, and the rest of
  /// its members are left behind. So the coordinator that knows most waits for the others: until all that were lost
  /// have come, and two heartbeats at most, within which it has called all itself and they have answered. Whoever has
  /// met one that knows more leaves it to that one, for half a time of suspicion, as that one may be deaf or have
  /// crashed, and until that one shows that it knows less by now. It passes on to it whom else it meets, each once in a
  /// heartbeat: two that wait for each other, for as long as neither has heard of it, would otherwise send the same
  /// ones to and fro.
  private static final class MergeCandidates {
    /// What decides which of two views takes in the other one: a primary one, one whose coordinator votes, the one that
    /// knows the later primary view, the one with the higher id.
    ///
    /// @param isPrimary whether it is primary
    /// @param isVoter   whether its coordinator votes
    /// @param primary   the latest primary view that it knows, or null
    /// @param id        its id
    record Precedence(boolean isPrimary, boolean isVoter, @Nullable ViewId primary, ViewId id)
        implements Comparable<Precedence> {
      @Override
      public int compareTo(Precedence other) {
        int byKind = Boolean.compare(isPrimary, other.isPrimary);
        int byVote = byKind != 0 ? byKind : Boolean.compare(isVoter, other.isVoter);
        int byHistory = byVote != 0 ? byVote : compare(primary, other.primary);
        return byHistory != 0 ? byHistory : id.compareTo(other.id);
      }

      private static int compare(@Nullable ViewId one, @Nullable ViewId other) {
        if (one == null || other == null) {
          return Boolean.compare(one != null, other != null);
        }
        return one.compareTo(other);
      }
    }

    private record Better(MemberId coordinator, Precedence precedence, long since) {}

    private final long heartbeatNanos;
    private final long suspectNanos;
    private final Set<MemberId> met = new TreeSet<>();
    private long metSince;
    private @Nullable Better better;
    private final SortedMap<MemberId, Long> passed = new TreeMap<>(); // when, within the last heartbeat

    MergeCandidates(long heartbeatNanos, long suspectNanos) {
      this.heartbeatNanos = heartbeatNanos;
      this.suspectNanos = suspectNanos;
    }

    /// Another view was installed: what was met before is met again.
    void clear() {
      met.clear();
      better = null;
      passed.clear();
    }

    /// A part that is to be taken in.
    ///
    /// @param members its members
    /// @param now     the time
    void add(Collection<MemberId> members, long now) {
      if (met.isEmpty()) {
        metSince = now;
      }
      met.addAll(members);
    }

    /// Whether all have been met, or the others had time.
    ///
    /// @param missing  the addresses of all that were lost
    /// @param founders how many are expected that were never there
    /// @param now      the time
    /// @return whether those that were met are to be taken in now
    boolean isDue(Collection<Address> missing, int founders, long now) {
      if (met.isEmpty()) {
        return false;
      }
      boolean isAll =
          met.size() >= founders
              && missing.stream().allMatch(address -> met.stream().anyMatch(each -> each.address().equals(address)));
      return isAll || now - metSince >= heartbeatNanos + heartbeatNanos / 2;
    }

    /// Hands out those that were met.
    List<MemberId> take() {
      List<MemberId> all = List.copyOf(met);
      met.clear();
      return all;
    }

    /// A view was met that takes in this one. The same one is waited for once.
    ///
    /// @param coordinator who speaks for it
    /// @param precedence    what it knows
    /// @param now         the time
    void leaveTo(MemberId coordinator, Precedence precedence, long now) {
      Better known = better;
      if (known == null || precedence.compareTo(known.precedence) > 0) {
        better = new Better(coordinator, precedence, now);
      }
    }

    /// A view was met that this one takes in.
    ///
    /// @param coordinator who speaks for it, and may have been waited for
    void lead(MemberId coordinator) {
      if (better != null && better.coordinator.equals(coordinator)) {
        better = null;
      }
    }

    /// Whether somebody is to be passed on to the one that is waited for.
    ///
    /// @param coordinator speaks for a view that was met
    /// @param now         the time
    /// @return false within a heartbeat after it was passed on
    boolean passes(MemberId coordinator, long now) {
      passed.values().removeIf(at -> now - at >= heartbeatNanos);
      return passed.putIfAbsent(coordinator, now) == null;
    }

    /// Who takes in all others, if somebody is waited for.
    ///
    /// @param now the time
    /// @return its coordinator, or null
    @Nullable MemberId awaited(long now) {
      Better known = better;
      return known != null && now - known.since < suspectNanos / 2 ? known.coordinator : null;
    }
  }
}
