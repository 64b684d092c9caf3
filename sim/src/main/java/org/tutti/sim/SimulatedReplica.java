package org.tutti.sim;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.membership.Founding;
import org.tutti.membership.StateChecksum;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.replica.Policy;
import org.tutti.replica.Replication;
import org.tutti.replica.StateMachine;
import org.tutti.replica.protocol.Frame;
import org.tutti.replica.protocol.ReplicaProtocol;
import org.tutti.replica.protocol.ServedGroups;
import org.tutti.replica.protocol.SnapshotSchedule;
import org.tutti.replica.protocol.SnapshotStore;
import org.tutti.user.GroupUser;
import org.tutti.user.Request;

/// A life's replica of the [ServiceGroup]: what the host's thread of a replica does. What the engine tells comes to the
/// replica a little later, in order, as through the queue of a host; state is written from the picture that was taken,
/// after further commands were executed.
final class SimulatedReplica
    implements GroupUser, ReplicaProtocol.Group, ReplicaProtocol.Clients, SnapshotSchedule.Disk {
  private static final long WALL_MILLIS = 1_700_000_000_000L;
  private static final int SKEW_MILLIS = 5000;
  private static final long WRITE_STEP_NANOS_MAX = 4_000_000;

  private static final class Outgoing {
    final StateMachine.Snapshot picture;
    byte @Nullable [] bytes; // once it is being written
    int at;
    int credits = CHUNKS_ON_THE_WAY;

    Outgoing(StateMachine.Snapshot picture) {
      this.picture = picture;
    }
  }

  private final Simulation.Setting setting;
  private final SimulatedNode node;
  private final ServiceGroup service;
  private final String group;
  private Terms terms;
  private final SplittableRandom random;
  private final RecordedService machine;
  private final ReplicaProtocol protocol;
  private final ArrayDeque<Runnable> told = new ArrayDeque<>();
  private final TreeMap<Long, Outgoing> outgoing = new TreeMap<>();
  private @Nullable ByteArrayOutputStream incoming;
  private boolean waking;
  private long servesSince = Long.MAX_VALUE;
  private @Nullable View view;
  private @Nullable View toldView; // which its thread knows
  private SortedMap<String, Long> load = new TreeMap<>(); // what it shows of itself
  private Map<MemberId, SortedMap<String, Long>> loads = Map.of(); // and the others of them
  private long outstanding; // what of the window is used
  private long consumed;
  private boolean closed;
  private boolean serving; // the group says so, and its thread knows
  private Ordering ordering = Ordering.SEQUENCER; // in force, as far as its thread knows
  private boolean survives; // its state is on its disk, as the life before served
  private long workPlanned = Long.MAX_VALUE;
  private ServiceGroup.@Nullable Keeping keeping;
  private @Nullable SnapshotSchedule schedule;
  private @Nullable SimulatedServer server; // in groups with clients

  SimulatedReplica(
      Simulation.Setting setting, SimulatedNode node, ServiceGroup service, String group, Terms terms, String address) {
    this.setting = setting;
    this.node = node;
    this.service = service;
    this.group = group;
    this.terms = terms;
    this.random = setting.streams().open(Streams.Purpose.REPLICA, node.self.incarnation());
    this.machine =
        new RecordedService(
            node.self.toString(),
            service.history(),
            service.tested(),
            service.settings().replication() == Replication.PASSIVE ? random.split() : null,
            trace() ? this::say : null);
    long skew = random.nextInt(SKEW_MILLIS);
    this.protocol =
        new ReplicaProtocol(
            ServiceGroup.NAME,
            node.self.name(),
            address,
            service.settings().limits(),
            service.settings().replication(),
            machine,
            this,
            this,
            new ReplicaProtocol.Clock() {
              @Override
              public long nanos() {
                return node.clock.local(setting.scheduler().nowNanos());
              }

              @Override
              public long wallMillis() {
                return WALL_MILLIS + skew + setting.scheduler().nowNanos() / 1_000_000;
              }
            });
    protocol.compareStates(
        service.settings().compareNanos(),
        found -> service.history().violate("EqualDigests", node.self + " tells of " + found));
  }

  /// Goes on from what earlier lives have kept.
  ///
  /// @param where null for nothing
  /// @return whether it could
  boolean recover(ServiceGroup.@Nullable Keeping where) {
    if (where == null) {
      return true;
    }
    keeping = where;
    try {
      schedule = new SnapshotSchedule(this, where.every());
      protocol.recover(new SnapshotStore(where.files(), ServiceGroup.NAME), schedule);
    } catch (IOException | RuntimeException damaged) {
      service.broken(node, damaged);
      return false;
    }
    if (trace()) {
      say("goes on from @" + protocol.positionNext() + " " + state());
    }
    terms = Terms.voter(terms.group(), terms.member().toBuilder().position(protocol.positionNext()).build());
    return true;
  }

  /// Clients may be in groups with it.
  void serveGroups() {
    server = new SimulatedServer(setting, service, this);
  }

  /// @param founds whether it founds the group, alone or with others
  /// @param joint  these; null for nobody
  void enter(boolean founds, @Nullable Founding joint) {
    if (!founds) {
      node.request(new Request.Join(group, null, terms.member(), terms.observer(), this), 0);
    } else if (joint == null) {
      node.request(new Request.Create(group, terms, this, 0), 0);
    } else {
      node.request(new Request.Found(group, terms, this, 0, joint), 0);
    }
    if (server != null) {
      server.foundContactGroup();
    }
  }

  /// The groups in which it is with clients.
  List<ServedGroups.Served> groups() {
    return server == null ? List.of() : server.groups();
  }

  SimulatedNode node() {
    return node;
  }

  ReplicaProtocol protocol() {
    return protocol;
  }

  @Nullable View view() {
    return view;
  }

  @Nullable View toldView() {
    return toldView;
  }

  boolean isHere() {
    return node.isAlive() && !closed;
  }

  /// Whether it has the state as far as others can tell, until the end of its process.
  boolean hasState() {
    return serving;
  }

  /// The life before had the state when it ended, and what it kept is whole.
  void survives() {
    survives = true;
  }

  @Override
  public void begin(long index, long position) {
    survives = false; // it did
  }

  /// The service's state as bytes: equal at all replicas that are equally far.
  byte[] picture() {
    return machine.picture();
  }

  /// Whether the service has no answer to a question yet.
  boolean hasNoAnswer(ByteBuffer question) {
    try {
      return machine.query(question) == null;
    } catch (RuntimeException refusal) {
      return false;
    }
  }

  /// Its state in words.
  String state() {
    return machine + ", " + protocol.sessions() + " sessions";
  }

  /// Whether it serves, and has done all that it was told. What it has multicast may be under way: the time always is.
  boolean isAtRest() {
    return told.isEmpty() && incoming == null && protocol.isServing();
  }

  // ---- its thread ------------------------------------------------------------------------------------------------

  /// Something is to be done by the replica's thread, behind all that was told it before.
  void tell(Runnable event) {
    told.add(event);
    wake();
  }

  private void wake() {
    if (!waking) {
      waking = true;
      long most = Math.max(1, setting.plan().turnNanosMax());
      setting.scheduler().after(random.nextLong(most), this::turn);
    }
  }

  private void turn() {
    waking = false;
    if (!isHere()) {
      return; // what it was told waits for the case that it wakes up again
    }
    if (node.isPaused()) {
      waking = true;
      setting.scheduler().after(setting.plan().heartbeatNanos() / 4, this::turn);
      return;
    }
    try {
      int most = 1 + random.nextInt(16);
      while (most-- > 0 && !told.isEmpty() && isHere()) {
        told.remove().run();
      }
      if (!isHere()) {
        return; // a test has ended it meanwhile
      }
      servesSince = protocol.isServing() ? Math.min(servesSince, setting.scheduler().nowNanos()) : Long.MAX_VALUE;
      service.lookWhoServes();
      do {
        protocol.work();
      } while (server != null && server.work());
    } catch (RuntimeException | Error broken) {
      service.broken(node, broken);
      return;
    }
    if (!told.isEmpty()) {
      wake();
    }
    planWork();
  }

  private void planWork() {
    long other = server == null ? Long.MAX_VALUE : server.deadlineNanos();
    long deadline = Math.min(protocol.deadlineNanos(), other);
    if (deadline == Long.MAX_VALUE) {
      return;
    }
    long at = Math.max(node.clock.trueTime(deadline), setting.scheduler().nowNanos() + 1);
    if (at < workPlanned || workPlanned <= setting.scheduler().nowNanos()) {
      workPlanned = at;
      setting.scheduler().at(at, this::wake);
    }
  }

  // ---- what the replica asks of its group and its clients --------------------------------------------------------

  @Override
  public boolean post(ByteBuffer message) {
    ServiceGroup.Choice choice = service.choice();
    if (choice != null && choice.posts().test(node, message.duplicate())) {
      return false;
    }
    boolean isSent = multicast(Batch.Kind.TOTAL, message);
    if (isSent && !closed) {
      service.lives().post(setting.scheduler().nowNanos(), servesSince, message);
    }
    return isSent;
  }

  private boolean multicast(Batch.Kind kind, ByteBuffer message) {
    long cost = message.remaining() + (long) MESSAGE_OVERHEAD;
    boolean fits = outstanding == 0 || outstanding + cost <= terms.member().windowBytes();
    if (fits && !closed) {
      outstanding += cost;
      node.request(new Request.Multicast(group, MessageBlock.of(kind, message)), 0);
    }
    return fits;
  }

  /// What a replica says in no order.
  @Override
  public boolean reply(ByteBuffer message) {
    service.says(this, message.duplicate());
    return multicast(Batch.Kind.UNORDERED, message);
  }

  @Override
  public void show(long clients, long commands) {
    load = new TreeMap<>(Map.of("clients", clients, "commands", commands));
    node.request(new Request.Whiteboard(group), 0);
  }

  @Override
  public SortedMap<String, Long> whiteboardPut() {
    return load;
  }

  @Override
  public void whiteboard(Map<MemberId, SortedMap<String, Long>> values) {
    loads = Map.copyOf(values);
  }

  @Override
  public long clients(MemberId member) {
    return loads.getOrDefault(member, new TreeMap<>()).getOrDefault("clients", -1L);
  }

  @Override
  public boolean isAway(MemberId member) {
    return loads.getOrDefault(member, new TreeMap<>()).getOrDefault("clients", 0L) < 0;
  }

  @Override
  public long commands(MemberId member) {
    return loads.getOrDefault(member, new TreeMap<>()).getOrDefault("commands", 0L);
  }

  @Override
  public Ordering ordering() {
    return ordering;
  }

  /// Wants the group to change its ordering.
  void switchTo(Ordering to) {
    node.request(new Request.Switch(group, to), 0);
  }

  @Override
  public void confirm() {
    node.request(new Request.Confirm(group), 0);
  }

  @Override
  public void send(long connection, ByteBuffer frame) {
    checkRole(frame.duplicate().position(Integer.BYTES));
    if (server != null && server.has(connection)) {
      server.send(connection, frame);
    } else {
      service.toClient(connection, frame);
    }
  }

  /// Who wants the request manager is not welcome at another replica as long as the manager is there, as far as this
  /// replica knows.
  private void checkRole(ByteBuffer frame) {
    try {
      View known = toldView;
      if (known != null && Frame.decode(frame) instanceof Frame.Welcome said && wantsManager(said.policy())) {
        MemberId manager =
            known.members().stream()
                .filter(member -> member.equals(node.self) || clients(member) >= 0)
                .findFirst()
                .orElse(node.self);
        if (!manager.equals(node.self) && said.replicas().contains(ServiceGroup.address(manager))) {
          String words = node.self + " welcomes a client of the manager, which is " + manager;
          service.history().violate("ManagerServes", words);
        }
      }
    } catch (Frame.MalformedException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static boolean wantsManager(int policy) {
    return policy != Frame.NO_POLICY && Policy.of(policy).dissemination() == Policy.Dissemination.MANAGER;
  }

  @Override
  public void read(long connection, boolean on) {
    if (server != null) {
      server.read(connection, on);
    }
    service.read(connection, on);
  }

  @Override
  public void close(long connection, ReplicaProtocol.Fault fault) {
    if (server != null) {
      server.close(connection);
    }
    service.closedByReplica(connection);
  }

  // ---- its disk --------------------------------------------------------------------------------------------------

  /// By another thread of the process, step by step: each step may be the last one of this life.
  @Override
  public void write(long position, StateMachine.Snapshot picture) {
    if (trace()) {
      say("begins to write a snapshot of @" + position);
    }
    ServiceGroup.Keeping to = Objects.requireNonNull(keeping);
    later(
        to,
        () -> {
          SimulatedFiles draft = to.files().draft();
          try {
            long bytes = new SnapshotStore(draft, ServiceGroup.NAME).write(position, picture);
            SnapshotSchedule next = Objects.requireNonNull(schedule);
            step(to, new ArrayDeque<>(draft.changes()), () -> next.kept(position, bytes));
          } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
          }
        });
  }

  private void later(ServiceGroup.Keeping to, Runnable step) {
    setting
        .scheduler()
        .after(
            to.random().nextLong(WRITE_STEP_NANOS_MAX),
            () -> {
              if (isHere() && node.isPaused()) {
                later(to, step);
              } else if (isHere()) {
                step.run();
              }
            });
  }

  private void step(ServiceGroup.Keeping to, ArrayDeque<SimulatedFiles.Change> left, Runnable over) {
    SimulatedFiles.Change next = left.poll();
    if (next == null) {
      tell(over);
      return;
    }
    try {
      next.make(to.files());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    later(to, () -> step(to, left, over));
  }

  @Override
  public void persisted(long position) {
    if (trace()) {
      say("needs no log before @" + position);
    }
    node.request(new Request.Persisted(group, () -> position), 0);
  }

  // ---- what the engine tells -------------------------------------------------------------------------------------

  @Override
  public void deliver(long index, Batch batch, long position) {
    if (batch.kind().isWeak()) {
      deliverEarly(batch);
      pass(index, batch, position);
      return;
    }
    String sender = batch.sender().name();
    tell(() -> {
      long at = position;
      for (Batch.Messages messages = batch.messages(); messages.hasNext(); ) {
        ByteBuffer lent = messages.next();
        long place = at++;
        if (trace()) {
          say("applies @" + place);
        }
        ByteBuffer message = ByteBuffer.allocate(lent.remaining()).put(lent).flip();
        ServiceGroup.Choice choice = service.choice();
        if (choice != null && choice.delivers().test(node, message.duplicate())) {
          return;
        }
        service.executes(this, message.duplicate());
        protocol.delivered(sender, place, message.duplicate());
        service.lives().delivered(message, place);
        service.lives().end(message, service.history().ends().getOrDefault(place, List.of()));
      }
      consumed++;
      node.request(new Request.Consumed(group), 0);
    });
  }

  @Override
  public void deliverEarly(Batch batch) {
    tell(() -> {
      for (Batch.Messages messages = batch.messages(); messages.hasNext(); ) {
        ByteBuffer lent = messages.next();
        protocol.heard(batch.sender(), ByteBuffer.allocate(lent.remaining()).put(lent).flip());
      }
    });
  }

  @Override
  public void pass(long index, Batch batch, long position) {
    tell(() -> {
      consumed++;
      node.request(new Request.Consumed(group), 0);
    });
  }

  @Override
  public void install(View installed) {
    view = installed;
    serving &= installed.primary();
    if (trace()) {
      say("installs " + installed);
    }
    tell(() -> {
      toldView = installed;
      service.viewed(installed);
      protocol.viewed(installed);
    });
  }

  @Override
  public void caughtUp(long position) {
    tell(() -> {
      serving = view != null && view.primary() && incoming == null;
      protocol.caughtUp(position);
    });
  }

  @Override
  public void ordering(Ordering inForce) {
    tell(() -> ordering = inForce);
  }

  @Override
  public void confirmed(long questions, long position) {
    for (long left = questions; left > 0; left--) {
      tell(() -> protocol.confirmed(position));
    }
  }

  @Override
  public void decided(int messages, long position) {}

  @Override
  public void released(long cost) {
    outstanding -= cost;
    tell(() -> {}); // there may be room for what is held
  }

  @Override
  public long consumed() {
    return consumed;
  }

  @Override
  public void stateRequested(long transfer, MemberId newcomer) {
    tell(() -> {
      outgoing.put(transfer, new Outgoing(protocol.snapshot()));
      setting
          .scheduler()
          .after(1 + random.nextLong(setting.plan().heartbeatNanos()), () -> tell(() -> write(transfer)));
    });
  }

  @Override
  public void stateWanted(long transfer) {
    tell(() -> {
      Outgoing state = outgoing.get(transfer);
      if (state != null) {
        state.credits++;
        write(transfer);
      }
    });
  }

  @Override
  public void stateKnown(long transfer, ByteBuffer token) {}

  @Override
  public void stateCancelled(long transfer) {
    tell(() -> outgoing.remove(transfer));
  }

  private void write(long transfer) {
    Outgoing state = outgoing.get(transfer);
    if (state == null) {
      return;
    }
    byte[] bytes = state.bytes;
    if (bytes == null) {
      bytes = TestedService.bytes(state.picture);
      state.bytes = bytes;
    }
    while (state.credits > 0) {
      int size = Math.min(bytes.length - state.at, 1 + random.nextInt(CHUNK_BYTES_MAX));
      boolean last = state.at + size == bytes.length;
      ByteBuffer chunk = ByteBuffer.wrap(bytes, state.at, size).slice();
      StateChecksum.Sum sum = last ? StateChecksum.of(ByteBuffer.wrap(bytes)) : null;
      state.at += size;
      state.credits--;
      node.request(new Request.StateChunk(group, transfer, chunk, sum), 0);
      if (last) {
        outgoing.remove(transfer);
        return;
      }
    }
  }

  /// What is delivered behind the state waits for it, in the order of what the engine tells.
  @Override
  public void stateOffered(long transfer, MemberId donor, long index, long position) {
    serving = false;
    if (survives) {
      service.history().violate("StateSurvives", node.self + " served in its life before, and needs a state");
    }
    incoming = new ByteArrayOutputStream();
    node.request(new Request.StateKnown(group, transfer, ByteBuffer.allocate(0)), 0);
  }

  @Override
  public void stateChunk(long transfer, ByteBuffer chunk, StateChecksum.@Nullable Sum end) {
    ByteArrayOutputStream into = incoming;
    if (into == null) {
      throw new IllegalStateException("a chunk of transfer " + transfer + " came without offer");
    }
    byte[] piece = new byte[chunk.remaining()];
    chunk.duplicate().get(piece);
    into.writeBytes(piece);
    if (end == null) {
      node.request(new Request.StateTaken(group, transfer), 0);
    } else {
      incoming = null;
      tell(() -> {
        restore(into.toByteArray());
        protocol.keepRestored().thenRun(() -> node.request(new Request.StateTaken(group, transfer), 0));
      });
    }
  }

  private void restore(byte[] bytes) {
    try {
      protocol.restore(new ByteArrayInputStream(bytes), true);
      if (trace()) {
        say("restores " + state());
      }
    } catch (IOException damaged) {
      throw new UncheckedIOException(damaged);
    }
  }

  @Override
  public void stateInterrupted(long transfer) {
    incoming = null;
  }

  @Override
  public void closed(End end) {
    closed = true;
    node.ended(end);
    service.refused(this, end);
    service.gone(this);
  }

  private boolean trace() {
    return setting.trace().speaks();
  }

  private void say(String what) {
    setting.trace().say(node.self.name(), "   ** service " + what);
  }
}
