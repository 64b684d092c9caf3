package org.tutti.engine;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.GroupConfig;
import org.tutti.GroupMetrics;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.detector.TimeSilence;
import org.tutti.domain.Domain;
import org.tutti.durable.Journal;
import org.tutti.durable.Restart;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.link.Links;
import org.tutti.link.Rejections;
import org.tutti.membership.Founding;
import org.tutti.membership.Hello;
import org.tutti.membership.Lineage;
import org.tutti.membership.PersistentState;
import org.tutti.membership.Refutation;
import org.tutti.membership.SpokenVersions;
import org.tutti.membership.Terms;
import org.tutti.membership.ViewMessage;
import org.tutti.order.Clock;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.pack.Payloads;
import org.tutti.spi.NodeSettings;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageException;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Refused;
import org.tutti.user.GroupUser;
import org.tutti.user.Notice;
import org.tutti.user.Request;
import org.tutti.wire.Channel;
import org.tutti.wire.Codec;
import org.tutti.wire.Encoded;
import org.tutti.wire.Malformed;
import org.tutti.wire.Versions;
import org.tutti.wire.WireReader;

/// Everything of one process: its groups, its links and its failure detector, as one deterministic machine.
///
/// The host feeds it inputs with [#step], then calls [#flush] once for a run of inputs, which seals batches,
/// acknowledges and writes packets. Nothing here reads a clock, starts a thread or blocks; the same engine runs in
/// production ([EventLoop]) and in the simulator. Not thread-safe: one thread at a time.
public final class NodeEngine {
  private static final Effects.Timer HEARTBEAT = new Effects.Timer("heartbeat");
  private static final int NODE = 0; // owns the node's own timers; groups count from 1
  private static final int LINGER_FACTOR = 2;
  private static final int PAST_MAX = 4096; // nobody comes back to a group after so many others
  private static final Encoded NULL_MESSAGE = new Encoded(Codec.NOTHING, Codec.NOTHING);

  /// A history of a group: those of groups that a node founds in one microsecond have equal lineages.
  private record Past(long group, Lineage history) {}

  private final MemberId self;
  private final NodeSettings config;
  private final long heartbeatNanos;
  private final Counters counters = new Counters();
  private final FrameSender sender;
  private final Links links;
  private final Ports.Timers timers = new Ports.Timers();
  private final TimeSilence detector;
  private final Map<Long, GroupEngine> groups = new LinkedHashMap<>();
  private final Map<Long, Newcomer> newcomers = new LinkedHashMap<>(); // to groups of which nobody has told yet
  private final Map<String, Long> groupKeys = new TreeMap<>();
  private final ArrayDeque<Runnable> later = new ArrayDeque<>();
  private final Set<MemberId> interest = new TreeSet<>();
  private final Map<MemberId, Long> lingering = new TreeMap<>(); // open links that nobody needs -> when to close
  private final Ports.Node services;
  private final Clock clock = new Clock(); // one for all groups: what is in several of them is ordered by it
  private final Map<String, Domain> domains = new TreeMap<>();
  private final @Nullable StableStorage storage;
  private final SpokenVersions speaks;
  private final Payloads payloads;
  private final Rejections rejections = new Rejections();
  private final UnansweredCalls calls;
  private final LinkedHashMap<Past, Optional<PersistentState>> past =
      new LinkedHashMap<>(); // where it had a say -> what it must not forget; empty when that is too much
  private final LinkedHashMap<Long, Long> numbersNext =
      new LinkedHashMap<>(); // by group that was left; the newest last
  private long numbersFrom; // in groups that were left so long ago that they are forgotten
  private List<Address> contacts;
  private boolean interestDirty;
  private final Map<MemberId, Notice.Ground> told = new TreeMap<>(); // why who is suspected that was not silent
  private long beat = 1; // how many heartbeats this life has lasted; the one that goes on counts
  private int owners = NODE;
  private long now;

  /// Makes a node without groups.
  ///
  /// @param self   this life of this node
  /// @param config how it behaves
  /// @param sender where its frames go
  /// @param random where all its randomness comes from
  public NodeEngine(MemberId self, NodeSettings config, FrameSender sender, RandomGenerator random) {
    this(self, config, Versions.OWN, sender, null, Payloads.used(), random);
  }

  /// Makes a node without groups that may have stable storage.
  ///
  /// @param self    this life of this node
  /// @param config  how it behaves
  /// @param versions which versions of the protocol it speaks
  /// @param sender  where its frames go
  /// @param storage what its groups may keep things in; closed by whoever opened it; or null
  /// @param payloads where what it receives is kept; its own
  /// @param random  where all its randomness comes from
  public NodeEngine(
      MemberId self,
      NodeSettings config,
      Versions versions,
      FrameSender sender,
      @Nullable StableStorage storage,
      Payloads payloads,
      RandomGenerator random) {
    this.storage = storage;
    this.sender = sender;
    this.payloads = payloads;
    this.self = self;
    this.config = config;
    this.speaks = SpokenVersions.of(versions, config.groupVersionMax());
    this.contacts = config.contacts();
    this.heartbeatNanos = config.heartbeat().toNanos();
    this.links = new Links(self, Links.hash(config.cluster()), versions, sender, counters, new Arrivals());
    this.detector = new TimeSilence(config.suspectAfter().toNanos(), heartbeatNanos);
    this.calls = new UnansweredCalls(config.suspectAfter().toNanos());
    this.services = new Ports.Node(self, links, timers, random, () -> now, later::add);
  }

  /// Who this node is.
  ///
  /// @return this life of this node
  public MemberId self() {
    return self;
  }

  /// What was counted, drops with their reasons among it.
  ///
  /// @return the counters of this node; its loop counts with them, too
  public Counters counters() {
    return counters;
  }

  /// Whether a member has not been heard for the time of suspicion. Whether a group takes it for gone is for the
  /// group's members to say.
  ///
  /// @param member any; who is in no group with this node is not listened for
  /// @return whether it is silent
  public boolean isSilent(MemberId member) {
    return detector.suspects(member);
  }

  /// What a group has decided and its domain keeps for now, because other groups of this node may be first. A crash
  /// takes it along.
  ///
  /// @param name the group
  /// @return the batches that wait, in their order; none of a group that this node is not in
  public List<Batch> keptBack(String name) {
    GroupEngine group = groups.get(Links.hash(name));
    return group == null ? List.of() : group.keptBack();
  }

  /// Whether what a group hands to its user is this node's own log, after a restart.
  ///
  /// @param name the group
  /// @return whether the user has not been given all of it; false of a group that this node is not in
  public boolean isReplaying(String name) {
    GroupEngine group = groups.get(Links.hash(name));
    return group != null && group.isReplaying();
  }

  /// Handles one input to completion; what results is sent by [#flush].
  ///
  /// @param nowNanos monotonic time; never smaller than at the step before
  /// @param input    what happened
  public void step(long nowNanos, Input input) {
    begin(nowNanos);
    switch (input) {
      case Input.Arrived(ByteBuffer frame) -> links.arrived(now, frame);
      case Input.Ready(var peer) -> ready(peer);
      case Input.Reconnected(var peer) -> links.reconnected(now, peer);
      case Input.Gone(var peer) -> gone(peer);
      case Input.Rejected(Refused refused) -> rejections.add(now, refused);
      case Input.Expired() -> timers.expire(now);
      case Input.Requested(Request request) -> requested(request);
    }
    drain();
  }

  private void begin(long nowNanos) {
    boolean first = owners == NODE && timers.deadline() == Long.MAX_VALUE;
    now = first ? nowNanos : Math.max(now, nowNanos);
    if (first) {
      timers.schedule(NODE, HEARTBEAT, now, this::heartbeat);
    }
  }

  private void drain() {
    while (!later.isEmpty()) {
      later.remove().run();
    }
  }

  /// Ends a run of inputs: closes batches, sends acknowledgements, writes packets.
  ///
  /// @param nowNanos monotonic time; never smaller than at the step before
  public void flush(long nowNanos) {
    begin(nowNanos);
    do {
      do {
        newcomers.values().forEach(Newcomer::flush);
        for (GroupEngine group : List.copyOf(groups.values())) {
          group.flush(now);
          drain();
        }
      } while (settleDomains());
    } while (secure());
    updateInterest();
    links.flush(now);
  }

  /// Puts into stable storage what must be there before anybody hears of it: one commit for all groups.
  ///
  /// @return whether the groups have something to do now that it is there
  private boolean secure() {
    if (storage == null) {
      return false;
    }
    var most = Journal.Staged.NOTHING;
    for (GroupEngine group : groups.values()) {
      Journal.Staged staged = group.stage();
      most = staged.compareTo(most) > 0 ? staged : most;
    }
    commit(most);
    boolean more = false;
    for (GroupEngine group : groups()) {
      more |= group.secured();
    }
    drain();
    return more;
  }

  private void commit(Journal.Staged what) {
    if (storage != null && what != Journal.Staged.NOTHING) {
      counters.count(what == Journal.Staged.FORCE ? Count.COMMITS_FORCED : Count.COMMITS_UNFORCED);
      storage.commit(what == Journal.Staged.FORCE);
    }
  }

  private boolean settleDomains() {
    boolean changed = false;
    for (Domain domain : domains.values()) {
      changed |= domain.settle();
    }
    return changed;
  }

  /// When the engine wants an [Input.Expired] next.
  ///
  /// @return monotonic nanoseconds, or [Long#MAX_VALUE] for never; meaningful after [#flush]
  public long deadlineNanos() {
    long deadline = Math.min(timers.deadline(), links.deadline());
    for (GroupEngine group : groups.values()) {
      deadline = Math.min(deadline, group.deadline());
    }
    return deadline;
  }

  // ---- requests --------------------------------------------------------------------------------------------------

  private void requested(Request request) {
    switch (request) {
      case Request.Create(var name, var terms, var user, var founded) ->
          enter(name, OptionalLong.of(founded), Founding.ALONE, terms, null, user);
      case Request.Found(var name, var terms, var user, var founded, var founding) ->
          enter(name, OptionalLong.of(founded), founding, terms, null, user);
      case Request.Join join -> join(join);
      case Request.Multicast(var name, var block) -> with(name, group -> group.multicast(block));
      case Request.Propagate(var name, var payload) ->
          with(name, group -> group.multicast(MessageBlock.of(Batch.Kind.PROPAGATED, payload)));
      case Request.SubsetMulticast(var name, var number, var payload, var destinations) ->
          with(name, group -> group.multicast(number, payload, destinations));
      case Request.Switch(var name, var to) -> with(name, group -> group.switchTo(to));
      case Request.Whiteboard(var name) -> look(name, GroupEngine::whiteboardPut);
      case Request.LocalCall(var name, var call) -> localCall(name, call);
      case Request.Confirm(var name) -> with(name, GroupEngine::confirm);
      case Request.Leave(var name, var end) -> leave(name, end);
      case Request.StateChunk(var name, var transfer, var chunk, var end) ->
          with(name, group -> group.transfer().give(transfer, chunk, end));
      case Request.StateFailed(var name, var transfer) -> with(name, group -> group.transfer().giveUp(transfer));
      case Request.StateKnown(var name, var transfer, var token) ->
          with(name, group -> group.transfer().known(transfer, token));
      case Request.StateTaken(var name, var transfer) -> with(name, group -> group.transfer().taken(transfer));
      case Request.Consumed(var name) -> look(name, _ -> {}); // the flush that follows looks at it
      case Request.Packed(var name) -> look(name, _ -> {}); // so does it here
      case Request.Persisted(var name, var position) -> look(name, group -> group.persisted(position.getAsLong()));
      case Request.Contacts(var addresses) -> contacts = addresses;
      case Request.Suspect(var member) -> {
        if (detector.suspect(now, member)) {
          told.put(member, Notice.Ground.APPLICATION);
          suspicionChanged();
        }
      }
    }
  }

  private void with(String name, Consumer<GroupEngine> action) {
    Long key = groupKeys.get(name);
    GroupEngine group = key == null ? null : groups.get(key);
    Newcomer newcomer = key == null ? null : newcomers.get(key);
    if (group != null) {
      action.accept(group);
    } else if (newcomer != null) {
      newcomer.wish(action);
    } else {
      counters.count(Count.REQUEST_OF_NO_MEMBER);
    }
  }

  /// As [#with], for what says only that there is something to look at: where there is no group yet, that is forgotten.
  private void look(String name, Consumer<GroupEngine> action) {
    if (!newcomers.containsKey(Links.hash(name))) {
      with(name, action);
    }
  }

  private void localCall(String name, Event.LocalCall call) {
    Newcomer newcomer = newcomers.get(Links.hash(name));
    if (newcomer != null) {
      newcomer.join().user().localCall(call);
    } else {
      with(name, group -> group.localCall(call));
    }
  }

  private void leave(String name, End end) {
    Newcomer newcomer = newcomers.get(Links.hash(name));
    if (newcomer != null) {
      forget(newcomer);
      newcomer.end(end);
    } else {
      with(name, group -> group.leave(end));
    }
  }

  /// Who is restarted from stable storage knows what was decided for the group; everybody else asks.
  private void join(Request.Join join) {
    String name = join.group();
    long key = Links.hash(name);
    if (isIn(key, name, join.user())) {
      return;
    }
    GroupConfig kept;
    try {
      kept = join.observer() ? null : Journal.group(storage, name);
    } catch (StorageException refused) {
      refuse(join.user(), storageWords(name, refused));
      return;
    }
    if (kept != null) {
      enter(join, kept, null);
    } else {
      groupKeys.put(name, key);
      var at = new Ports.Group(name, key, ++owners);
      newcomers.put(key, new Newcomer(join, this, at));
    }
  }

  private boolean isIn(long key, String name, GroupUser user) {
    boolean in = groups.containsKey(key) || newcomers.containsKey(key);
    if (in) {
      refuse(user, "this node is already a member of group " + name);
    }
    return in;
  }

  private static void refuse(GroupUser user, String words) {
    user.closed(new End(End.Cause.REFUSED, words));
  }

  private static void outdated(GroupUser user, String words) {
    user.closed(new End(End.Cause.OTHER_VERSION, words));
  }

  private void forget(Newcomer newcomer) {
    String name = newcomer.join().group();
    newcomers.remove(Links.hash(name));
    groupKeys.remove(name);
  }

  /// Somebody has told of the group. A lower version than this node has may rise with it, a higher one never falls.
  /// Whoever had a say in its history, and does not know any more what others may count on, takes another life.
  private void told(Newcomer newcomer, ViewMessage.Meet meet) {
    Lineage history = Objects.requireNonNull(meet.lineage());
    Optional<PersistentState> before = past.get(new Past(Links.hash(newcomer.join().group()), history));
    if (before != null && !newcomer.hasCalledAgain()) {
      return; // perhaps the last words of a group that was founded anew since
    }
    forget(newcomer);
    newcomer.close();
    int version = meet.view().version();
    if (version > speaks.understood().newest()) {
      outdated(newcomer.join().user(), SpokenVersions.words(version, speaks.understood()));
      return;
    }
    if (before != null && before.isEmpty()) {
      String words = "this start of node %s was a member of group %s before, and has not left it in order";
      refuse(
          newcomer.join().user(),
          words.formatted(self.name(), newcomer.join().group()) + ": start it anew to join again");
      return;
    }
    enter(newcomer.join(), history.group(), before == null ? null : before.get());
    GroupEngine group = groups.get(Links.hash(newcomer.join().group()));
    if (group != null) {
      newcomer.wishes().forEach(wish -> wish.accept(group));
      group.whiteboardPut(); // what was put meanwhile
    }
  }

  private String storageWords(String name, StorageException refused) {
    return "stable storage of node " + self + " for group " + name + ": " + refused.getMessage();
  }

  /// Becomes a member of a group as it is, unless that is not what was asked for.
  ///
  /// @param before what an earlier membership of this life knew of the views, if there was one
  private void enter(Request.Join join, GroupConfig decided, @Nullable PersistentState before) {
    String name = join.group();
    var terms = new Terms(decided, join.member(), join.observer());
    String objection = objection(join, terms);
    if (objection != null) {
      refuse(join.user(), objection);
    } else {
      enter(name, OptionalLong.empty(), Founding.ALONE, terms, before, join.user());
    }
  }

  private static @Nullable String objection(Request.Join join, Terms terms) {
    GroupConfig expected = join.expected();
    String difference = expected == null ? null : expected.difference(join.group(), terms.group());
    return difference == null ? terms.fault(join.group()) : difference;
  }

  private void enter(
      String name,
      OptionalLong founded,
      Founding founding,
      Terms terms,
      @Nullable PersistentState before,
      GroupUser user) {
    long key = Links.hash(name);
    if (isIn(key, name, user)) {
      return;
    }
    Journal journal;
    try {
      journal = Journal.open(storage, name, self, terms, founded.isPresent(), this::commit);
    } catch (StorageException refused) {
      refuse(user, storageWords(name, refused));
      return;
    }
    Restart restart = journal == null ? null : journal.restart();
    PersistentState known = restart == null ? before : restart.views();
    int version = known == null ? 0 : known.version(); // it may have risen as an earlier membership ended
    if (!speaks.speaks(version)) {
      String words = SpokenVersions.words(version, speaks.understood());
      outdated(user, restart == null ? words : storageWords(name, new StorageException(words)));
      return;
    }
    groupKeys.put(name, key);
    user.configured(terms.group());
    var at = new Ports.Group(name, key, ++owners);
    OptionalLong founds = restart != null ? OptionalLong.empty() : founded;
    groups.put(key, new GroupEngine(this, at, terms, user, founds, founding, before, journal));
    interestDirty = true;
  }

  // ---- what its groups need --------------------------------------------------------------------------------------

  NodeSettings config() {
    return config;
  }

  /// Whom the node may ask for its groups; changes when more are found.
  List<Address> contacts() {
    return contacts;
  }

  Ports.Node services() {
    return services;
  }

  Payloads payloads() {
    return payloads;
  }

  /// Which versions of the protocol this node can speak in its groups.
  SpokenVersions speaks() {
    return speaks;
  }

  /// The logical clock, the same for all groups.
  Clock clock() {
    return clock;
  }

  Domain domain(String name) {
    return domains.computeIfAbsent(name, _ -> new Domain());
  }

  Refutation.HeardPeers hearing() {
    return new Ears();
  }

  /// Why a member that is suspected is so.
  Notice.Ground ground(MemberId suspect) {
    return told.getOrDefault(suspect, Notice.Ground.SILENCE);
  }

  /// Whether a member may vote, by what has authenticated its node.
  private boolean mayVote(MemberId member) {
    return member.equals(self) || sender.mayVote(member.address());
  }

  /// Whether somebody says that it votes, and may not.
  boolean mayNotSay(MemberId from, ViewMessage message) {
    return message.claimsVote(from) && !mayVote(from);
  }

  /// How a member of a group's view looks from here.
  GroupMetrics.Peer peer(
      MemberId member, OptionalLong acknowledged, GroupMetrics.@Nullable Traffic lag, long windowBytes) {
    long trip = links.roundTripNanos(member);
    Versions spoken = links.versions(member);
    return new GroupMetrics.Peer(
        member,
        acknowledged,
        lag,
        windowBytes,
        Duration.ofNanos(detector.silentNanos(now, member)),
        trip < 0 ? null : Duration.ofNanos(trip),
        links.queuedBytes(member),
        links.repeated(member),
        spoken == null ? null : new GroupMetrics.Versions(spoken.oldest(), spoken.newest()));
  }

  /// Whether something is on the way to a member.
  boolean isBusy(MemberId member) {
    return links.isBusy(member);
  }

  /// A member has left a group in order.
  void departed(MemberId member) {
    links.hurry(now, member);
  }

  /// By whom the node was refused lately; the same list as long as nothing changes.
  List<Refused> refused() {
    return rejections.list();
  }

  /// [GroupEngine#interest] has changed.
  void interestChanged() {
    interestDirty = true;
  }

  /// How batches of the next membership in a group are numbered: not like those of an earlier one.
  long numbersFrom(Ports.Group group) {
    return numbersNext.getOrDefault(group.key(), numbersFrom);
  }

  /// A membership has ended. A later one of the same life is taken for this one, and is held to what this one has
  /// promised and accepted. That is enough where a later primary view has gone on without it: nobody asks any more what
  /// it has held of the history.
  ///
  /// @param group    of which group
  /// @param views    what it knows of the views, when it had a say in them; or null
  /// @param sentNext the number behind its last batch
  void ended(Ports.Group group, @Nullable PersistentState views, long sentNext) {
    numbersNext.putLast(group.key(), sentNext);
    if (numbersNext.size() > PAST_MAX) {
      numbersFrom = Math.max(numbersFrom, numbersNext.pollFirstEntry().getValue());
    }
    Lineage history = views == null ? null : views.lineage();
    if (views != null && history != null && !history.isDraft()) {
      past.put(new Past(group.key(), history), Optional.of(views).filter(PersistentState::isOut));
      if (past.size() > PAST_MAX) {
        past.pollFirstEntry();
      }
    }
    groups.remove(group.key());
    groupKeys.remove(group.name());
    interestDirty = true;
  }

  // ---- who matters -----------------------------------------------------------------------------------------------

  private void updateInterest() {
    if (!interestDirty) {
      return;
    }
    interestDirty = false;
    var needed = new LinkedHashSet<MemberId>();
    for (GroupEngine group : groups.values()) {
      group.interest(needed);
    }
    needed.remove(self);
    if (needed.size() == interest.size() && needed.containsAll(interest)) {
      return; // mostly: in a view change it is looked at several times
    }
    interest.retainAll(needed);
    interest.addAll(needed);
    detector.watch(now, needed);
    told.keySet().retainAll(interest);
  }

  private void heartbeat() {
    beat++;
    timers.schedule(NODE, HEARTBEAT, now + heartbeatNanos, this::heartbeat);
    rejections.expire(now);
    calls.expire(now);
    updateInterest(); // or a link that has just become needed would be closed
    if (detector.check(now)) {
      suspicionChanged();
    }
    for (MemberId peer : interest) {
      if (detector.silentNanos(now, peer) >= config.suspectAfter().toNanos() / 2) {
        sender.renew(peer.address());
      }
      long silent = now - Math.max(links.lastSignNanos(peer), now - heartbeatNanos);
      if (silent >= heartbeatNanos) {
        links.datagram(now, peer, NULL_MESSAGE);
      }
    }
    closeUnneeded();
  }

  /// Somebody is called who was lost, perhaps. While a connection waits for its timer no call arrives, so that the
  /// group would stay apart for as long again as it was.
  void calls(Address to) {
    boolean isWatched = interest.stream().anyMatch(peer -> peer.address().equals(to));
    if (!isWatched && calls.call(now, to)) {
      sender.renew(to);
    }
  }

  private void ready(Address address) {
    links.ready(address);
    groups.values().forEach(group -> group.ready(address));
    newcomers.values().forEach(newcomer -> newcomer.ready(address));
  }

  /// A process at an address seems to have ended: it is suspected, as if it had been silent, until it is heard.
  private void gone(Address address) {
    boolean any = false;
    for (MemberId peer : interest) {
      if (peer.address().equals(address) && detector.suspect(now, peer)) {
        told.put(peer, Notice.Ground.CONNECTION_REFUSED);
        any = true;
      }
    }
    if (any) {
      counters.count(Count.SUSPECTED_BY_REFUSAL);
      suspicionChanged();
    }
  }

  /// A link that nobody needs stays for a while, so that last words arrive, and is then forgotten. As long as the
  /// peer's stream goes on, it stays: otherwise the peer would begin again and again with all that it has to say.
  private void closeUnneeded() {
    List<MemberId> open = links.open();
    lingering.keySet().retainAll(open);
    lingering.keySet().removeAll(interest);
    for (MemberId peer : open) {
      if (!interest.contains(peer)) {
        long since = Math.max(lingering.computeIfAbsent(peer, key -> now), links.lastTakenNanos(peer));
        if (now - since >= LINGER_FACTOR * config.suspectAfter().toNanos()) {
          links.close(peer);
        }
      }
    }
  }

  private void suspicionChanged() {
    groups().forEach(GroupEngine::suspicionChanged);
  }

  private List<GroupEngine> groups() {
    return new ArrayList<>(groups.values());
  }

  /// What this node has heard itself.
  private final class Ears implements Refutation.HeardPeers {
    @Override
    public boolean isSilent(MemberId member) {
      return detector.suspects(member);
    }

    @Override
    public long beat(MemberId member) {
      return member.equals(self) ? beat : detector.beat(member);
    }

    @Override
    public long agoNanos(MemberId member) {
      return detector.silentNanos(now, member);
    }
  }

  // ---- invariants ------------------------------------------------------------------------------------------------

  /// Fails when an invariant does not hold; to be called between steps. The simulator does so after each one.
  public void check() {
    timers.check();
    links.check();
    detector.check();
    groups.values().forEach(GroupEngine::check);
    domains.values().forEach(Domain::check);
    Invariant.check(later.isEmpty(), "a step leaves nothing for later");
    Invariant.check(groupKeys.size() == groups.size() + newcomers.size(), "each group has a name, and is joined once");
    Invariant.check(!interest.contains(self), "a node does not watch itself");
  }

  // ---- arrivals --------------------------------------------------------------------------------------------------

  private final class Arrivals implements Links.Receiver {
    private @Nullable GroupEngine group(long key) {
      GroupEngine group = groups.get(key);
      if (group == null) {
        counters.count(newcomers.containsKey(key) ? Count.MESSAGE_FOR_NEWCOMER : Count.MESSAGE_FOR_UNKNOWN_GROUP);
      }
      return group;
    }

    @Override
    public void message(MemberId from, ByteBuffer message) {
      try {
        var in = new WireReader(message);
        Channel channel = Channel.of(in.u8());
        long key = in.fixed();
        tellNewcomer(from, key, channel, in);
        GroupEngine group = group(key);
        if (group != null) {
          group.message(from, channel, in);
        }
      } catch (Malformed malformed) {
        counters.malformed(malformed.reason());
      }
    }

    /// The message that tells of the group is the first one that reaches it.
    private void tellNewcomer(MemberId from, long key, Channel channel, WireReader in) throws Malformed {
      if (newcomers.isEmpty()) {
        return; // mostly: nothing is allocated here for each message
      }
      Newcomer newcomer = newcomers.get(key);
      ViewMessage.Meet meet = newcomer == null ? null : newcomer.told(channel, in.fork());
      if (newcomer == null || meet == null) {
        return;
      }
      if (mayNotSay(from, meet)) {
        counters.count(Count.JOIN_OF_OBSERVER);
        newcomer.refuseVote(from);
      } else {
        told(newcomer, meet);
      }
    }

    @Override
    public void datagram(MemberId from, ByteBuffer message) {
      if (!message.hasRemaining()) {
        return; // a sign of life
      }
      try {
        var in = new WireReader(message);
        if (Channel.of(in.u8()) != Channel.HELLO) {
          throw new Malformed("datagram");
        }
        long key = in.fixed();
        Newcomer newcomer = newcomers.get(key);
        if (newcomer != null) {
          newcomer.heard(from);
          return;
        }
        GroupEngine group = group(key);
        Hello hello = Hello.read(in);
        if (group == null) {
          answerEnded(from, key, hello);
        } else {
          group.hello(from, hello);
        }
      } catch (Malformed malformed) {
        counters.malformed(malformed.reason());
      }
    }

    /// Who counts on a membership that has ended, as its view has not changed for that, is told so, each time it calls;
    /// but not while this member is departing: it may know a view that the caller is about to install.
    private void answerEnded(MemberId from, long key, Hello call) {
      Hello answer = call.answerEnded();
      if (answer != null) {
        links.datagram(from.address(), Ports.call(key, answer));
      }
    }

    @Override
    public String cluster() {
      return config.cluster();
    }

    @Override
    public void refused(MemberId by, String cluster) {
      counters.count(Count.REFUSED_BY_CLUSTER);
      rejections.add(now, Refused.otherCluster(by.address(), cluster, config.cluster()));
    }

    @Override
    public void refused(Refused refused) {
      rejections.add(now, refused);
    }

    @Override
    public Set<MemberId> needed() {
      return interest;
    }

    @Override
    public long beat() {
      return beat;
    }

    @Override
    public void heard(MemberId peer, long its, boolean first) {
      rejections.heard(peer.address());
      calls.heard(peer.address());
      if (detector.heard(now, peer, its)) {
        told.remove(peer);
        suspicionChanged();
      }
      if (first) {
        groups().forEach(group -> group.alive(peer));
        if (peer.replaces(self)) {
          List.copyOf(newcomers.values()).forEach(one -> leave(one.join().group(), GroupEngine.superseded(self)));
        }
      }
    }
  }
}
