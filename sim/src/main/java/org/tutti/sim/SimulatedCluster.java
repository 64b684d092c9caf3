package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.durable.ForcedPrimary;
import org.tutti.engine.Input;
import org.tutti.membership.Terms;
import org.tutti.sim.check.Build;
import org.tutti.sim.check.Deciders;
import org.tutti.sim.check.History;
import org.tutti.sim.check.HistoryEvent;
import org.tutti.sim.check.Role;
import org.tutti.sim.check.StaticMajorityGoesOn;
import org.tutti.spi.NodeSettings;
import org.tutti.storage.StorageException;
import org.tutti.transport.Address;
import org.tutti.wire.Versions;

/// Who takes part: the nodes by their places, their lives, their applications; and which of them the group can spare.
final class SimulatedCluster implements SimulatedNode.World, Network.Host, SimulatedApplication.Listener {
  /// Called when an engine or application threw something.
  interface Breakage {
    void broken(SimulatedNode node, Throwable error);
  }

  static final String GROUP = "choir";

  private static final int FOUNDER = 0; // its place
  private static final long CLOCK_ORIGIN_MAX = 1L << 40;

  private final Simulation.Setting setting;
  private final Settings settings;
  private final Builds builds;
  private final Breakage breakage;
  private final @Nullable SimulatedDisk[] disks; // by place, if the group is durable
  private final @Nullable SimulatedApplication[] places; // the newest life at each place, also when it has ended
  private final List<SimulatedApplication> lives = new ArrayList<>();
  private final TreeSet<ViewId> announced = new TreeSet<>();
  private final TreeSet<ViewId> forced = new TreeSet<>();
  private final Map<String, Integer> numbers = new HashMap<>(); // looked up only, with each frame
  private final List<Address> addresses = new ArrayList<>();
  private final SplittableRandom random;
  private final SplittableRandom fates; // of disks
  private final Consumer<SimulatedNode> atStart;
  private @Nullable Network network;
  private final Deciders deciders;
  private final TreeSet<ViewId> installed = new TreeSet<>();
  private @Nullable Consumer<SimulatedNode> atAnnouncement;
  private @Nullable Consumer<SimulatedApplication> atDelivery;
  private @Nullable Consumer<SimulatedNode> atTransfer;
  private long incarnationNext;
  private int upgrades; // of builds that were too old for a group
  private boolean founded;
  private boolean lostFounding; // its founder was shown the first view, and had no time to write it down
  private boolean calm;

  /// @param atStart gets each node that begins a life
  SimulatedCluster(Simulation.Setting setting, Consumer<SimulatedNode> atStart, Breakage breakage) {
    this.atStart = atStart;
    this.setting = setting;
    this.settings = new Settings(setting.plan());
    this.builds = new Builds(setting);
    this.deciders = new Deciders(setting.plan().config());
    this.breakage = breakage;
    this.places = new SimulatedApplication[setting.plan().nodes()];
    this.disks = new SimulatedDisk[places.length];
    this.fates = setting.streams().open(Streams.Purpose.STORAGE, 1);
    this.random = setting.streams().open(Streams.Purpose.NODE, 0);
    this.incarnationNext = 1 + random.nextLong(1L << 40);
    for (int i = 0; i < places.length; i++) {
      addresses.add(new Address("n" + i + ":1"));
      numbers.put(addresses.getLast().text(), i);
      disks[i] = setting.plan().isDurable() && setting.plan().role(i) == Role.VOTER ? new SimulatedDisk() : null;
    }
  }

  /// Starts the first node, which creates the group, and the others, which join, some of them late.
  void begin(Network net) {
    begin(net, setting.plan().suspectNanos() / 4);
  }

  /// The same.
  ///
  /// @param withinNanos how long after the first node the others start at most, but those that are late
  void begin(Network net, long withinNanos) {
    begin(net, withinNanos, places.length);
  }

  /// The same for some of the nodes.
  ///
  /// @param withinNanos how long after the first node the others start at most, but those that are late
  /// @param some        how many; the first ones
  void begin(Network net, long withinNanos, int some) {
    network = net;
    start(FOUNDER);
    Plan plan = setting.plan();
    for (int i = 1; i < some; i++) {
      int place = i;
      boolean late = plan.has(FaultKind.LATE_JOIN) && random.nextDouble() < 0.2 + plan.strength(FaultKind.LATE_JOIN);
      if (late) {
        // A few moments for all, so that several join at once.
        long moment = plan.safetyNanos() * random.nextInt(1, 5) / 6;
        setting
            .scheduler()
            .at(
                moment,
                () -> {
                  setting.tally().fault(FaultKind.LATE_JOIN);
                  start(place);
                });
      } else {
        setting.scheduler().at(random.nextLong(withinNanos + 1), () -> start(place));
      }
    }
  }

  /// Starts those that [#begin] has left out.
  ///
  /// @param first       the first of them
  /// @param withinNanos how long from now the last one starts at most
  void beginRest(int first, long withinNanos) {
    for (int i = first; i < places.length; i++) {
      int place = i;
      setting.scheduler().after(random.nextLong(withinNanos + 1), () -> start(place));
    }
  }

  private void start(int place) {
    Plan plan = setting.plan();
    incarnationNext += 1 + random.nextInt(1000);
    var self = new MemberId(setting.plan().nameOf(place), addresses.get(place), incarnationNext);
    boolean drifts = plan.has(FaultKind.DRIFT);
    double drift = drifts ? plan.strength(FaultKind.DRIFT) * 0.2 * (2 * random.nextDouble() - 1) : 0;
    if (drifts) {
      setting.tally().fault(FaultKind.DRIFT);
    }
    var clock = new SimulatedNode.Clock(random.nextLong(CLOCK_ORIGIN_MAX), drift);
    var node = new SimulatedNode(setting, this, Objects.requireNonNull(network), place, self, clock);
    SimulatedDisk disk = disks[place];
    MemberId earlier = disk == null ? null : disk.lastLife();
    boolean founds = founds(place, earlier);
    Terms terms = settings.terms(place, founds);
    SimulatedDisk own = settings.keepsState(place) ? disk : null; // where the application keeps its state
    var application = new SimulatedApplication(setting, node, terms, settings.expected(place), own, this);
    places[place] = application;
    lives.add(application);
    if (setting.trace().speaks()) {
      setting.trace().say(self.name(), "starts as incarnation " + self.incarnation());
    }
    long earlierLives = lives.stream().filter(life -> life.node.number == place && life != application).count();
    NodeSettings config = settings.node(place, addresses, earlierLives);
    Versions versions = builds.next(place);
    int limit = Math.min(config.groupVersionMax(), terms.member().groupVersionMax());
    int admitted = Math.min(versions.newest(), limit);
    setting.history().assignBuild(application.ordinal, new Build(versions.oldest(), versions.newest(), admitted));
    if (setting.trace().speaks() && plan.has(FaultKind.UPGRADE)) {
      setting.trace().say(self.name(), "speaks " + versions + ", and admits to " + limit);
    }
    node.start(config, versions, disk == null ? null : disk.mount(self), setting.streams());
    if (earlier == null || (founds && !plan.isJoint())) {
      application.begin(founds);
    } else {
      boolean creates = plan.isJoint() ? founds : disk.knowsGroup() && fates.nextBoolean();
      application.beginAgain(earlier, creates, disk.isBlank(GROUP));
    }
    atStart.accept(node);
  }

  /// The first node founds the group, again if an earlier life had no time for it. If all found it together, each does
  /// so at each start, unless it has forgotten that it did.
  private boolean founds(int place, @Nullable MemberId earlier) {
    if (!setting.plan().isJoint()) {
      return place == FOUNDER && !founded;
    }
    SimulatedDisk disk = disks[place];
    boolean first = lives.stream().noneMatch(life -> life.node.number == place);
    Role role = setting.plan().role(place);
    boolean may = !setting.plan().isNamesake(place) && role == Role.VOTER;
    if (role == Role.BARRED) {
      return setting.plan().founding().number() > 1; // it is not among the names, and could be one alone
    }
    return may && (first || (earlier != null && disk != null && !disk.wasWiped()));
  }

  /// How many nodes there can be at once.
  int places() {
    return places.length;
  }

  /// All nodes that are not gone.
  List<SimulatedNode> living() {
    List<SimulatedNode> living = new ArrayList<>();
    for (SimulatedApplication application : places) {
      if (application != null && application.node.isAlive()) {
        living.add(application.node);
      }
    }
    return living;
  }

  /// The applications of living nodes whose membership has not ended and is not about to.
  List<SimulatedApplication> members() {
    List<SimulatedApplication> members = new ArrayList<>();
    for (SimulatedApplication application : places) {
      boolean in = application != null && application.node.isAlive();
      if (in && !application.isClosed() && !application.isLeaving()) {
        members.add(application);
      }
    }
    return members;
  }

  /// Every life there was.
  List<SimulatedApplication> lives() {
    return lives;
  }

  /// A place's disk, if the group is durable and its node votes.
  @Nullable SimulatedDisk disk(int place) {
    return disks[place];
  }

  /// Places whose node is gone.
  List<Integer> emptyPlaces() {
    List<Integer> empty = new ArrayList<>();
    for (int i = 0; i < places.length; i++) {
      SimulatedApplication application = places[i];
      if (application != null && !application.node.isAlive()) {
        empty.add(i);
      }
    }
    return empty;
  }

  @Nullable View latestPrimary() {
    return deciders.last();
  }

  @Nullable SimulatedNode find(MemberId member) {
    for (SimulatedApplication application : places) {
      if (application != null && application.node.self.equals(member)) {
        return application.node;
      }
    }
    return null;
  }

  /// Whether the group can go on without a node, as far as can be seen from outside.
  boolean maySpare(SimulatedNode node) {
    return !setting.plan().guarded() && random.nextInt(2) == 0 || leavesQuorum(node);
  }

  /// Whether a node may leave: it is a member, and the others can go on, unless they may be left without a quorum.
  boolean mayLeave(SimulatedNode node) {
    SimulatedApplication application = places[node.number];
    View view = application == null ? null : application.view();
    boolean member = view != null && view.size() > 1 && !application.isLeaving();
    Plan plan = setting.plan();
    boolean anybody = plan.mixed() && !plan.guarded() && node.self.incarnation() % 2 == 0;
    return member && (anybody || leavesQuorum(node));
  }

  private boolean leavesQuorum(SimulatedNode node) {
    View view = deciders.last();
    if (view == null) {
      return false;
    }
    List<MemberId> rest = new ArrayList<>();
    boolean state = false;
    for (SimulatedApplication member : members()) {
      if (member.votes() && member.node != node && !member.node.doomed()) {
        rest.add(member.node.self);
        state |= member.view() != null && member.view().equals(view) && member.hasState();
      }
    }
    return state && deciders.areQuorum(rest::contains) && setting.plan().mayBePrimary(rest);
  }

  /// Whether some members, who vote, can go on without all others.
  boolean areQuorum(List<MemberId> members) {
    return deciders.areQuorum(members::contains) && setting.plan().mayBePrimary(members);
  }

  void crash(SimulatedNode node) {
    if (!node.isAlive()) {
      return;
    }
    SimulatedApplication application = Objects.requireNonNull(places[node.number]);
    setting.history().add(new HistoryEvent.Crashed(application.ordinal, setting.scheduler().nowNanos()));
    if (setting.trace().speaks()) {
      setting.trace().say(node.self.name(), "is gone");
    }
    countCrash(node, application);
    application.takeAlong();
    node.crash();
    Objects.requireNonNull(network).ended(node.number);
    unmount(node, setting.plan().losesPower() && fates.nextBoolean());
  }

  /// The transports of all others notice that a process has ended: its host refuses connections.
  void tellGone(SimulatedNode ended) {
    for (SimulatedNode node : living()) {
      if (node.number != ended.number) {
        node.offer(new Input.Gone(addresses.get(ended.number)));
      }
    }
  }

  private void unmount(SimulatedNode node, boolean power) {
    SimulatedDisk disk = disks[node.number];
    if (disk != null && places[node.number].node == node) {
      disk.unmount();
      if (power) {
        disk.loseUnforced(fates);
      }
      View last = deciders.last();
      lostFounding |= disk.isBlank(GROUP) && last != null && last.size() == 1 && last.contains(node.self);
    }
  }

  /// The power of a node's machine is going to fail in the middle of a commit.
  void tear(SimulatedNode node, int commits) {
    SimulatedDisk disk = disks[node.number];
    if (disk != null) {
      disk.failAfter(commits);
    }
  }

  @Override
  public void lostPower(SimulatedNode node) {
    setting.tally().fault(FaultKind.TORN_WRITE);
    crash(node);
  }

  /// The disk of a node is going to be full.
  void fill(SimulatedNode node, int commits) {
    SimulatedDisk disk = disks[node.number];
    if (disk != null) {
      disk.fullAfter(commits);
    }
  }

  /// There is room on a place's disk again.
  void makeRoom(int place) {
    SimulatedDisk disk = disks[place];
    if (disk != null) {
      disk.fullAfter(Integer.MAX_VALUE);
    }
  }

  @Override
  public void refusedWrite(SimulatedNode node) {
    setting.tally().fault(FaultKind.DISK_FULL);
    crash(node);
  }

  /// A place gets another disk, while nobody is there.
  void wipe(int place) {
    SimulatedDisk disk = disks[place];
    if (disk != null) {
      disk.wipe();
    }
  }

  /// Whom an ordering needs most: who is first in the view, and who has not heard of the fate of its multicasts.
  private void countCrash(SimulatedNode node, SimulatedApplication application) {
    View view = deciders.last();
    if (view != null && view.contains(node.self)) {
      setting.tally().firstCrashed |= view.senior().equals(node.self);
      setting.tally().senderCrashed |= application.isSending();
    }
  }

  void leave(SimulatedNode node) {
    Objects.requireNonNull(places[node.number]).leave();
  }

  void switchOrdering(SimulatedNode node, Ordering to) {
    Objects.requireNonNull(places[node.number]).switchTo(to);
  }

  void restart(int place) {
    start(place);
  }

  /// Whether an operator can force the member of a place, while nobody is there: its disk has the history, and reaches
  /// back to where its application's own state ends.
  boolean mayForce(int place) {
    SimulatedDisk disk = disks[place];
    if (disk == null || disk.lastLife() == null) {
      return false;
    }
    SimulatedDisk.Saved saved = settings.keepsState(place) ? disk.saved() : null;
    long position = saved == null ? 0 : saved.summary().position();
    boolean needed = setting.plan().config().stateTransfer();
    try {
      return disk.inspect(storage -> {
        ForcedPrimary stored = ForcedPrimary.of(storage, GROUP);
        return position <= stored.position() && (!needed || position >= stored.logFirst());
      });
    } catch (StorageException nothing) {
      disk.unmount();
      return false; // there is nothing to go on from
    }
  }

  /// An operator forces the member of a place, where nobody is now.
  void force(int place, long micros) {
    SimulatedDisk disk = Objects.requireNonNull(disks[place]);
    MemberId before = Objects.requireNonNull(disk.lastLife());
    incarnationNext++;
    View view = disk.inspect(storage -> ForcedPrimary.of(storage, GROUP).force(incarnationNext, micros));
    MemberId life = view.senior();
    disk.lived(life);
    forced.add(view.id());
    History history = setting.history();
    history.add(
        new HistoryEvent.Forced(
            history.ordinalOf(life), setting.scheduler().nowNanos(), history.ordinalOf(before), view));
    if (setting.trace().speaks()) {
      setting.trace().say("--", life.name() + " is forced to be primary: " + view);
    }
  }

  /// Whether the membership of a place's newest life has ended, as its history was overruled, and its process with it.
  boolean wasOverruled(int place) {
    SimulatedApplication life = places[place];
    return life != null && life.wasOverruled() && !life.node.isAlive();
  }

  /// Whether a view of the forced history, which nobody was shown, may need somebody of the electorate who was
  /// overruled since, or refused as its name is in use in another history. In no history yet, it had promised something
  /// in the forced one: in a view that was agreed meanwhile it has a vote, for which nobody stands that comes back.
  boolean mayNeedEnded() {
    Set<String> electorate = setting.plan().config().electorate();
    return !installed.containsAll(announced.tailSet(forced.first()))
        && lives.stream()
            .anyMatch(life -> (life.wasOverruled() || life.hadNoName()) && electorate.contains(life.node.self.name()));
  }

  /// Lets something happen when the next view is announced, just before the first frame about it leaves.
  ///
  /// @param action gets the node that announces it
  void atAnnouncement(Consumer<SimulatedNode> action) {
    atAnnouncement = action;
  }

  /// Lets something happen when the next state is asked for.
  ///
  /// @param action gets the node that is to give it
  void atTransfer(Consumer<SimulatedNode> action) {
    atTransfer = action;
  }

  /// No more trouble from the nodes and their applications. Who can go on from what its disk has does so.
  void calm() {
    quiet();
    for (int place = 0; place < places.length; place++) {
      SimulatedApplication last = places[place];
      if (disks[place] != null && last != null && !last.node.isAlive() && !last.isClosed()) {
        start(place);
      }
    }
  }

  /// No more trouble, and who is not there does not come.
  void quiet() {
    calm = true;
    atAnnouncement = null;
    atTransfer = null;
    for (SimulatedApplication life : lives) {
      life.node.resume();
      life.node.crashAfterFrames(Long.MAX_VALUE);
      life.calm();
    }
    for (SimulatedDisk disk : disks) {
      if (disk != null) {
        disk.failAfter(Integer.MAX_VALUE);
        disk.fullAfter(Integer.MAX_VALUE);
      }
    }
  }

  /// Brings crashed members back as if they had only stood still.
  ///
  /// @return whether there are any
  boolean thaw() {
    boolean some = false;
    for (SimulatedApplication application : places) {
      if (application != null && !application.node.isAlive() && !application.isClosed()) {
        application.node.thaw();
        some = true;
      }
    }
    return some;
  }

  /// Whether nobody is in a primary view, although those who live are enough for one by a static majority. A view that
  /// was announced and that nobody was shown may be primary, and may need others.
  boolean mustGoOnByMajority() {
    View last = deciders.last();
    List<SimulatedApplication> living = members();
    if (last == null
        || !installed.containsAll(announced.tailSet(last.id()))
        || living.stream().anyMatch(life -> life.view() != null && life.view().primary())) {
      return false;
    }
    List<MemberId> holders =
        living.stream().filter(life -> life.hasHistoryOf(last)).map(life -> life.node.self).toList();
    List<MemberId> all = living.stream().map(life -> life.node.self).toList();
    return StaticMajorityGoesOn.isDue(setting.history(), deciders, all, holders);
  }

  /// Whether enough of the configured set are left.
  boolean mayBePrimary() {
    List<SimulatedApplication> voters = members().stream().filter(SimulatedApplication::votes).toList();
    return setting.plan().mayBePrimary(voters.stream().map(member -> member.node.self).toList());
  }

  /// Whether somebody may be missing who cannot be brought back: a member that crashed and whose node has come back as
  /// another life, or one that left without the consent of a primary view, which is as good as a crash; and so is the
  /// last of a primary view, who leaves when the others were cut off for some time. Or too few of the configured set
  /// are left.
  boolean mayHaveLostQuorum() {
    if (!mayBePrimary()) {
      return true;
    }
    if (lostFounding) {
      return true;
    }
    Set<String> electorate = setting.plan().config().electorate();
    for (SimulatedApplication life : lives) {
      if (!life.votes()) {
        continue;
      }
      View view = life.memberView();
      SimulatedDisk disk = disks[life.node.number];
      boolean replaced = life != places[life.node.number] && !life.isClosed() && (disk == null || disk.wasWiped());
      // The senior one of two is a quorum of them, also when the other one is cut off.
      boolean senior = view != null && view.voters() == 2 && view.members().getFirst().equals(life.node.self);
      boolean leftAlone = life.isClosed() && view != null && (!view.primary() || view.voters() == 1 || senior);
      // Another one has its name, and perhaps a view that it was not shown gave it a vote of a static majority.
      boolean refused = life.isClosed() && !life.isLeaving() && electorate.contains(life.node.self.name());
      if (replaced || leftAlone || refused) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void crashed(SimulatedNode node) {
    if (!maySpare(node)) {
      node.crashAfterFrames(Long.MAX_VALUE); // the group needs it by now: only frames were lost
      return;
    }
    setting.tally().fault(node.isDonor() ? FaultKind.DONOR_CRASH : FaultKind.CRASH_AT_FRAME);
    crash(node);
  }

  @Override
  public void broken(SimulatedNode node, Throwable error) {
    node.crash();
    unmount(node, false);
    breakage.broken(node, error);
  }

  @Override
  public void announced(SimulatedNode node, ViewId view) {
    Consumer<SimulatedNode> awaited = atAnnouncement;
    if (awaited != null) {
      atAnnouncement = null;
      awaited.accept(node);
    }
    tellAgreed(setting.history().ordinalOf(node.self), view);
  }

  @Override
  public void knows(SimulatedApplication at, ViewId primary) {
    tellAgreed(at.ordinal, primary);
  }

  private void tellAgreed(int member, ViewId view) {
    if (announced.add(view)) {
      setting.history().add(new HistoryEvent.Announced(member, setting.scheduler().nowNanos(), view));
    }
  }

  @Override
  public int numberOf(Address address) {
    return numbers.getOrDefault(address.text(), -1);
  }

  @Override
  public void arrive(int from, int to, byte[] frame) {
    SimulatedApplication application = places[to];
    if (application != null) {
      application.node.offer(new Input.Arrived(ByteBuffer.wrap(frame)));
    }
  }

  @Override
  public void ready(int at, int peer) {
    SimulatedApplication application = places[at];
    if (application != null) {
      application.node.offer(new Input.Ready(addresses.get(peer)));
    }
  }

  @Override
  public void reconnected(int at, int peer) {
    SimulatedApplication application = places[at];
    if (application != null) {
      application.node.offer(new Input.Reconnected(addresses.get(peer)));
    }
  }

  @Override
  public void installed(SimulatedApplication at, View view) {
    founded |= at.node.number == FOUNDER; // who founds is in a view at once
    installed.add(view.id());
    builds.spoken(view.version());
    View last = deciders.last();
    if (view.primary() && (last == null || last.id().compareTo(view.id()) < 0)) {
      deciders.next(view, false);
    }
    SimulatedDisk disk = disks[at.node.number];
    if (disk != null && view.primary()) {
      disk.learnGroup();
    }
  }

  /// Whoever delivers messages is told to somebody.
  void atDelivery(Consumer<SimulatedApplication> listener) {
    atDelivery = listener;
  }

  @Override
  public void delivered(SimulatedApplication at) {
    if (atDelivery != null) {
      atDelivery.accept(at);
    }
  }

  @Override
  public void stateRequested(SimulatedApplication at) {
    Consumer<SimulatedNode> awaited = atTransfer;
    if (awaited != null) {
      atTransfer = null;
      awaited.accept(at.node);
    }
    Plan plan = setting.plan();
    boolean strikes =
        plan.has(FaultKind.DONOR_CRASH) && random.nextDouble() < 0.2 + plan.strength(FaultKind.DONOR_CRASH);
    if (strikes && !calm && maySpare(at.node)) {
      at.node.crashAsDonor(random.nextInt(1, 24));
    }
  }

  /// A node's build is too old for a group that it was in, or is to be in: it is started again with the newest one.
  @Override
  public void outdated(SimulatedNode node) {
    builds.upgrade(node.number);
    setting
        .scheduler()
        .after(
            2 * setting.plan().heartbeatNanos(),
            () -> {
              upgrades++;
              crash(node);
              if (places[node.number].node == node) {
                start(node.number);
              }
            });
  }

  /// How many nodes were started again because their build was too old for one of their groups.
  int upgrades() {
    return upgrades;
  }

  /// An ended membership ends its process, some time later.
  @Override
  public void closed(SimulatedApplication at) {
    setting
        .scheduler()
        .after(
            setting.plan().heartbeatNanos(),
            () -> {
              at.node.crash();
              unmount(at.node, false);
            });
  }
}
