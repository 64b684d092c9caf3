package org.tutti.replica.protocol;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.replica.Divergence;
import org.tutti.replica.PassiveStateMachine;
import org.tutti.replica.Policy;
import org.tutti.replica.Read;
import org.tutti.replica.Replication;
import org.tutti.replica.StateMachine;

/// One replica: between its group, its clients and its service. It passes commands on to the group, executes what the
/// group delivers, and answers those clients that are connected here.
///
/// ```
///  client --- CALL ---> replica --- multicast ---> group --- deliver ---> every replica: SessionTable --> service
///         <-- REPLY --  the one that has the client  <----------------------------------'
/// ```
///
/// A command that comes again is multicast again, and found out when it is delivered. A client that is not heard by
/// anybody loses its session: each replica says now and then, in one message, whom it has heard, and the most senior
/// one says what time it is.
///
/// **A replica with a disk** ([#recover]) writes snapshots of sessions and service there now and then, and goes on from
/// the newest one and the log behind it. When all replicas were away, their clients were, too: so the time, at which
/// sessions expire, is first told when clients have had the life of a session to come back.
///
/// One thread at a time; nothing here waits, and no clock but the given one is read.
public final class ReplicaProtocol {
  /// What the replica asks of its group.
  public interface Group {
    /// Multicasts, totally ordered, unless the window is full.
    ///
    /// @param message never changed from now on
    /// @return whether it was sent
    boolean post(ByteBuffer message);

    /// Multicasts in no order, unless the window is full: [ReplicaProtocol#heard] tells all.
    ///
    /// @param message never changed from now on
    /// @return whether it was sent
    default boolean reply(ByteBuffer message) {
      throw new IllegalStateException("this host multicasts in order only");
    }

    /// Asks a quorum where the history stands; [ReplicaProtocol#confirmed] tells.
    void confirm();

    /// Shows the others how much this replica has to do, sooner or later.
    ///
    /// @param clients  how many are connected here; -1 when it does not serve
    /// @param commands how many commands and queries they made in the last second
    default void show(long clients, long commands) {}

    /// How the group orders now.
    ///
    /// @return the ordering in force
    default Ordering ordering() {
      return Ordering.SEQUENCER;
    }

    /// How many clients a replica has shown.
    ///
    /// @param member which
    /// @return the number; -1 when it does not serve, or has shown none
    default long clients(MemberId member) {
      return -1;
    }

    /// Whether a replica has shown that it does not serve now.
    ///
    /// @param member which
    /// @return false when it serves, or has shown nothing
    default boolean isAway(MemberId member) {
      return false;
    }

    /// How many commands and queries of a second it has shown.
    ///
    /// @param member which
    /// @return the number
    default long commands(MemberId member) {
      return 0;
    }
  }

  /// What it asks of its port for clients.
  public interface Clients {
    /// Sends a frame.
    ///
    /// @param connection to whom; may have gone
    /// @param frame      with its length, never changed from now on
    void send(long connection, ByteBuffer frame);

    /// Stops reading from a connection, or goes on.
    ///
    /// @param connection whose
    /// @param on         whether to read
    void read(long connection, boolean on);

    /// Ends a connection, after what was sent over it if the client takes that at once.
    ///
    /// @param connection which
    /// @param fault      why
    void close(long connection, Fault fault);
  }

  /// Why a replica ends the connection of a client.
  public enum Fault {
    /// It said what no client says.
    MALFORMED,
    /// It speaks another version of the protocol.
    OTHER_VERSION,
    /// It wanted a policy that there is not, or not with this service.
    POLICY,
    /// It used a session that was not opened or resumed on its connection.
    FOREIGN_SESSION,
    /// Of too many questions that waited, most were its own; or too many comparisons of states, which it had asked for.
    GREEDY
  }

  /// Steady and wall time.
  public interface Clock {
    /// Steady time.
    ///
    /// @return nanoseconds since some moment
    long nanos();

    /// Time of day.
    ///
    /// @return milliseconds since 1970
    long wallMillis();
  }

  private static final int TOUCHED_MAX = 4096; // sessions in one message
  private static final int ASKED_MAX = 1024; // commands of a quiet connection whose replies are awaited
  private static final long RETRY_NANOS = 1_000_000; // when the window is full
  private static final long HELD_BYTES_MAX = 64L << 20; // of messages for which the window has no room

  private final String service;
  private final String self;
  private final String address;
  private final SessionTable.Limits limits;
  private final Replication replication;
  private final StateMachine machine;
  private final @Nullable Primary primary; // of passive replication
  private final Group group;
  private final Clients clients;
  private final Clock clock;
  private final AgreedClock agreed;
  private volatile SessionTable table = new SessionTable(); // replaced while others may ask for its numbers
  private final Answering answering;

  private final Map<Long, Connection> connections = new LinkedHashMap<>();
  private final ArrayDeque<Connection> held = new ArrayDeque<>(); // those with a message that has no room
  private long heldBytes;
  private final Questions questions;
  private final Roll roll;
  private final StateCheck check;

  private @Nullable SnapshotSchedule snapshots;
  private volatile boolean whole = true; // the state is not being replaced, nor half of one whose donor has gone
  private boolean awaitsClients = true; // whom nobody may have served for long: their sessions do not expire at once

  private @Nullable View view;
  private boolean caughtUp;
  private boolean configured; // it has said the limits in this view, as nobody had
  private @Nullable String announced; // what it has said in this view
  private List<String> replicas = List.of();
  private final TimeSchedule times;
  private final Balance balance;
  private Balance.@Nullable Load shown;
  private long balanceAt;
  private long secondAt; // when this second ends
  private long callsBefore; // of all, in the last second
  private long moved;
  private long foreignSessions;
  private long misdirected;
  private boolean manages; // as its clients were told
  private @Nullable Ordering ordering; // as they were told

  /// Makes a replica that has executed nothing.
  ///
  /// @param service the service's name, which clients have to say
  /// @param self    this node's name
  /// @param address where clients reach it; empty when none can
  /// @param limits  what bounds sessions, if nobody has said it before
  /// @param replication who executes commands; a replica that was started with another one than the service has ends
  /// @param machine the service; a [PassiveStateMachine] for passive replication
  /// @param group   its group
  /// @param clients its clients
  /// @param clock   the time
  public ReplicaProtocol(
      String service,
      String self,
      String address,
      SessionTable.Limits limits,
      Replication replication,
      StateMachine machine,
      Group group,
      Clients clients,
      Clock clock) {
    this.service = service;
    this.self = self;
    this.address = address;
    this.limits = limits;
    this.replication = replication;
    this.machine = machine;
    this.primary = replication == Replication.PASSIVE ? new Primary((PassiveStateMachine) machine) : null;
    this.group = group;
    this.clients = clients;
    this.clock = clock;
    this.answering = new Answering(this, group);
    this.questions = new Questions(this, machine, group);
    this.roll = new Roll(self, group);
    this.check = new StateCheck(self, machine, group, clock.nanos());
    this.agreed = new AgreedClock(clock::nanos, clock::wallMillis);
    this.times = new TimeSchedule(clock.nanos());
    this.balanceAt = clock.nanos();
    this.secondAt = balanceAt;
    this.balance = new Balance(balanceAt);
  }

  /// Has the states of all replicas compared now and then, when this one is the most senior. To be called before
  /// anything else.
  ///
  /// @param nanos from one comparison to the next
  /// @param then  told what is found, during [#delivered], once for each comparison
  public void compareStates(long nanos, Consumer<Divergence> then) {
    check.begin(nanos, clock.nanos(), then);
  }

  /// Goes on from the newest snapshot of an earlier life, and keeps snapshots from now on. To be called before anything
  /// else; then the group's deliveries go on at [#positionNext].
  ///
  /// @param store where they are
  /// @param next  when the next ones are written
  /// @return the snapshot; null when there is none
  /// @throws IOException when there are some and none can be read
  public SnapshotStore.@Nullable Intact recover(SnapshotStore store, SnapshotSchedule next) throws IOException {
    snapshots = next;
    SnapshotStore.Intact found = store.newest().orElse(null);
    if (found != null) {
      try (InputStream in = store.open(found)) {
        restore(in, false);
      }
      if (table.positionNext() != found.position()) {
        throw new IOException("a snapshot of position " + found.position() + " says " + table.positionNext());
      }
      next.found(found);
    }
    return found;
  }

  // ---- what the group tells --------------------------------------------------------------------------------------

  /// A message is delivered.
  ///
  /// @param sender   the name of the replica that multicast it
  /// @param position its position; each one at most once, rising
  /// @param message  its bytes; lent
  public void delivered(String sender, long position, ByteBuffer message) {
    if (position != table.positionNext()) {
      throw new IllegalStateException("position " + position + " was delivered to a state of " + table.positionNext());
    }
    if (snapshots != null) {
      snapshots.delivered(message.remaining());
    }
    int kind = message.get(message.position());
    boolean isCollected = kind == OrderedMessage.COLLECT && !sender.equals(self);
    answering.applying(isCollected && view != null && view.primary());
    table.apply(sender, position, message, machine, answering);
    if (kind == OrderedMessage.ANNOUNCE) {
      tellReplicas();
    } else if (kind == OrderedMessage.CONFIGURE && table.replication() != replication) {
      throw new IllegalStateException(otherReplication(table));
    }
    check.applied(sender, table.positionNext(), kind, message, isServing());
    if (isServing()) {
      agreed.heard(table.time());
    }
    questions.arrivedAt(table.positionNext());
  }

  /// A message is delivered that was multicast in no order: it changes nothing.
  ///
  /// @param sender  the replica that multicast it
  /// @param message its bytes; lent
  public void heard(MemberId sender, ByteBuffer message) {
    if (snapshots != null) {
      snapshots.delivered(message.remaining()); // the log has it, too
    }
    answering.bundles().heard(sender, message, isServing() ? table::kept : null);
  }

  private String otherReplication(SessionTable of) {
    return "service \"" + service + "\" is replicated " + of.replication() + ", and this replica " + replication;
  }

  /// A view was installed.
  ///
  /// @param installed the view
  public void viewed(View installed) {
    view = installed;
    Stream<MemberId> voters = installed.members().stream().filter(member -> !installed.isObserver(member));
    check.viewed(voters.map(MemberId::name).toList());
    configured = false;
    announced = null;
    if (primary != null) {
      primary.forget();
    }
    if (installed.primary()) {
      times.tellSoon(clock.nanos(), isSenior());
    } else {
      caughtUp = false;
      awaitsClients = true;
      List.copyOf(connections.values()).forEach(this::away);
    }
    if (!isServing()) {
      show(new Balance.Load(-1, 0));
    }
    tellReplicas();
    connections.values().forEach(answering::tellLive);
    answering.bundles().viewed(installed, connections.values());
  }

  /// All of the history is here, in a primary view.
  ///
  /// @param position of the next delivery
  public void caughtUp(long position) {
    caughtUp = true;
    if (awaitsClients && table.limits() != null) {
      times.awaitClients(clock.nanos(), table.limits().sessionMillis() * 1_000_000);
    }
    awaitsClients = false;
    showLoad();
    connections.values().forEach(connection -> connection.told = false);
    tellReplicas(); // a state that came behind the view may know more of them
    questions.confirm(); // what was asked before
  }

  /// The answer to [Group#confirm].
  ///
  /// @param position whatever anybody was told before the question lies before it
  public void confirmed(long position) {
    questions.confirmed(position);
  }

  /// Takes a picture of sessions and service, for a newcomer.
  ///
  /// @return writes both, on any thread
  public StateMachine.Snapshot snapshot() {
    StateMachine.Snapshot sessions = table.snapshot();
    StateMachine.Snapshot state = machine.snapshot();
    return out -> {
      sessions.writeTo(out);
      state.writeTo(out);
    };
  }

  /// A state will be restored: this replica serves again when it is told so by [#caughtUp].
  public void stopServing() {
    caughtUp = false;
    whole = false;
    show(new Balance.Load(-1, 0));
  }

  /// Replaces sessions and service by what another replica, or an earlier life, had. Meanwhile, which may take long, no
  /// client is connected and this replica does not serve; [#work], and what tells of numbers, may be called.
  ///
  /// @param in      what [#snapshot] has written
  /// @param isAlive whether it comes from a group at work, so that its time is good
  /// @throws IOException when it fails or is not that; then neither can be used until another one is restored
  public void restore(InputStream in, boolean isAlive) throws IOException {
    var data = new DataInputStream(in);
    whole = false;
    var restored = new SessionTable(table.executed(), table.repeated(), table.outdated());
    restored.restore(data);
    if (restored.limits() != null && restored.replication() != replication) {
      throw new IOException(otherReplication(restored));
    }
    machine.restore(data);
    if (primary != null) {
      primary.forget();
    }
    table = restored;
    whole = true;
    if (isAlive) {
      agreed.heard(table.time());
      if (snapshots != null) {
        snapshots.restored();
      }
    }
    questions.arrivedAt(table.positionNext());
  }

  /// Begins to make the state that was restored last durable, if this replica keeps snapshots. Before that is done,
  /// nobody may count on this replica to have the state.
  ///
  /// @return done when it is durable, at once without snapshots; fails with what the disk says
  public CompletableFuture<Void> keepRestored() {
    keep();
    return snapshots == null ? CompletableFuture.completedFuture(null) : snapshots.restoredIsKept();
  }

  private void keep() {
    if (snapshots != null && whole && snapshots.isDue()) {
      snapshots.write(table.positionNext(), snapshot());
    }
  }

  /// How far this replica is.
  ///
  /// @return the position behind the last message that it has applied
  public long positionNext() {
    return table.positionNext();
  }

  /// Whether commands are passed on and executed here now.
  ///
  /// @return whether it is caught up in a primary view
  public boolean isServing() {
    return caughtUp && view != null && view.primary();
  }

  /// {@return whether clients are welcome: it serves, and the replicas have agreed on the limits of clients}
  public boolean isOpen() {
    return isServing() && table.limits() != null;
  }

  // ---- what clients say ------------------------------------------------------------------------------------------

  /// A client has connected.
  ///
  /// @param connection a number higher than those of all connections before
  public void connected(long connection) {
    connections.put(connection, new Connection(connection));
  }

  /// A client's connection has ended.
  ///
  /// @param connection which
  public void disconnected(long connection) {
    Connection gone = connections.remove(connection);
    if (gone != null) {
      forget(gone);
    }
  }

  private void forget(Connection gone) {
    answering.forget(gone);
    release(gone);
    questions.forget(gone);
    check.forget(gone);
  }

  /// Forgets the message of a connection for which there was no room.
  private boolean release(Connection from) {
    ByteBuffer message = from.held;
    if (message == null) {
      return false;
    }
    held.remove(from);
    heldBytes -= message.remaining();
    from.held = null;
    return true;
  }

  /// A client has said something. Not called while reading is off.
  ///
  /// @param connection who
  /// @param in         the frame without its length; lent
  public void said(long connection, ByteBuffer in) {
    Connection from = connections.get(connection);
    if (from == null) {
      return;
    }
    from.heard = true;
    try {
      handle(from, Frame.decode(in));
    } catch (Frame.MalformedException wrong) {
      Fault fault = wrong.ofOtherVersion ? Fault.OTHER_VERSION : Fault.MALFORMED;
      refuse(from, fault, String.valueOf(wrong.getMessage()));
    }
  }

  void refuse(Connection from, Fault fault, String words) {
    send(from, new Frame.Wrong(words));
    connections.remove(from.id);
    forget(from);
    clients.close(from.id, fault);
  }

  private void handle(Connection from, Frame frame) throws Frame.MalformedException {
    if (!from.greeted && !(frame instanceof Frame.Hello)) {
      throw new Frame.MalformedException("a client says HELLO first");
    }
    switch (frame) {
      case Frame.Hello(String wanted, int policy) -> hello(from, wanted, policy);
      case Frame.Open(long nonce, SessionTable.Secret secret) -> open(from, nonce, secret);
      case Frame.Resume resume -> resume(from, resume);
      case Frame.Call call -> call(from, call);
      case Frame.Query query -> query(from, query);
      case Frame.Compare(long id) -> compare(from, id);
      case Frame.Forget(long id) -> {
        questions.withdraw(from, id);
        check.withdraw(from, id);
      }
      case Frame.Ping() -> {
        answering.attach(from, from.session);
        send(from, new Frame.Pong());
      }
      case Frame.Close(long session) -> {
        if (uses(from, session)) {
          pass(from, OrderedMessage.close(session));
        }
      }
      default -> throw new Frame.MalformedException("what a replica says came from a client");
    }
  }

  private void hello(Connection from, String wanted, int policy) throws Frame.MalformedException {
    if (from.greeted) {
      throw new Frame.MalformedException("a second HELLO");
    }
    if (!wanted.equals(service)) {
      throw new Frame.MalformedException("this is service \"" + service + "\", not the one that was asked for");
    }
    SessionTable.Limits most = isOpen() ? table.limits() : null;
    from.greeted = true;
    try {
      Policy wish = policy == Frame.NO_POLICY ? null : Policy.of(policy & ~Frame.BUNDLED);
      from.policy = wish == null ? null : wish.agreed(replication, group.ordering());
      from.bundles = wish != null && wish.collectsSeveral() && (policy & Frame.BUNDLED) != 0;
    } catch (IllegalArgumentException contradiction) {
      refuse(from, Fault.POLICY, String.valueOf(contradiction.getMessage()));
      return;
    }
    if (most == null) {
      away(from);
    } else if (!sendsToManager(from)) {
      send(from, new Frame.Welcome(most.window(), most.sessionMillis(), from.policyCode(), replicas));
    }
  }

  /// Sends a client that wants the request manager there, when this replica is not the manager: it has suspected the
  /// manager, which is there as far as this replica knows, or has not found it yet.
  private boolean sendsToManager(Connection from) {
    boolean wantsManager = from.policy != null && from.policy.dissemination() == Policy.Dissemination.MANAGER;
    String manager = manager();
    String there = manager == null || manager.equals(self) ? null : table.addresses().get(manager);
    if (!wantsManager || there == null || there.isEmpty()) {
      return false;
    }
    from.told = true;
    misdirected++;
    send(from, new Frame.Redirected(there));
    return true;
  }

  /// The clients that want the request manager follow the role.
  private void redirect() {
    boolean now = self.equals(manager());
    if (manages && !now) {
      for (Connection connection : List.copyOf(connections.values())) {
        if (connection.greeted && !connection.told && sendsToManager(connection) && release(connection)) {
          clients.read(connection.id, true);
        }
      }
    }
    manages = now;
  }

  /// One session for each connection, and one at a time: who floods gets no more.
  private void open(Connection from, long nonce, SessionTable.Secret secret) throws Frame.MalformedException {
    if (from.nonce != 0 || from.resuming || table.isOpen(from.session)) {
      throw new Frame.MalformedException("a second session for one connection");
    }
    answering.awaits(from, nonce);
    pass(from, OrderedMessage.open(stamp(), nonce, secret));
  }

  /// A session's number is a position: so this replica knows whether it has applied what opened the session. When it
  /// has not, a quorum tells whether anybody can have; meanwhile nothing more is read from the client.
  private void resume(Connection from, Frame.Resume resume) throws Frame.MalformedException {
    long session = resume.session();
    if (from.resumed || session <= 0 || from.session != 0 || from.nonce != 0) {
      throw new Frame.MalformedException("a client resumes one session, once on a connection");
    }
    from.resumed = true;
    from.quiet = resume.quiet();
    if (!isServing()) {
      away(from);
    } else if (session <= table.positionNext()) {
      resumed(from, session, resume.secret());
    } else {
      from.resuming = true;
      clients.read(from.id, false);
      questions.whenCurrent(from, () -> resumed(from, session, resume.secret()));
    }
  }

  /// A wrong secret is answered as a session that has expired is: after the loss of all replicas' state, the number of
  /// an honest client may be another one's.
  private void resumed(Connection from, long session, SessionTable.Secret secret) {
    if (table.belongs(session, secret)) {
      answering.attach(from, session);
      if (from.quiet && from.collects()) {
        table.kept(session).forEach(reply -> answering.answer(from, reply)); // what was said before it came
      }
    } else {
      boolean everGivenOut = session <= table.positionNext();
      foreignSessions += table.isOpen(session) || !everGivenOut ? 1 : 0;
      from.lost = session;
      send(from, new Frame.Refused(session, 0, SessionTable.Refusal.EXPIRED));
    }
    readAgain(from);
  }

  private void readAgain(Connection from) {
    if (from.resuming) {
      from.resuming = false;
      clients.read(from.id, true);
    }
  }

  private void call(Connection from, Frame.Call call) {
    from.calls++;
    if (!isServing()) {
      away(from);
    } else if (call.session() == from.lost) {
      send(from, new Frame.Refused(call.session(), call.number(), SessionTable.Refusal.EXPIRED));
    } else if (uses(from, call.session())) {
      answering.attach(from, call.session());
      if (from.quiet) {
        from.asked.add(call.number());
        while (from.asked.size() > ASKED_MAX) {
          from.asked.removeFirst();
        }
      }
      ByteBuffer message =
          OrderedMessage.call(stamp(), call.session(), call.number(), call.below(), call.skip(), call.payload());
      if (answering.bundles().begins(from, call, table.limits() == null ? 1 : table.limits().window())) {
        OrderedMessage.collected(message);
      }
      if (heldBytes + message.remaining() > HELD_BYTES_MAX) {
        send(from, new Frame.Refused(call.session(), call.number(), SessionTable.Refusal.FULL));
      } else {
        pass(from, message);
      }
    }
  }

  private boolean uses(Connection from, long session) {
    if (session == from.session && session > 0) {
      return true;
    }
    foreignSessions++;
    refuse(from, Fault.FOREIGN_SESSION, "session " + session + " was neither opened nor resumed on this connection");
    return false;
  }

  private long stamp() {
    return agreed.stamp(table.time());
  }

  /// Multicasts for a client, now or when there is room; meanwhile nothing more is read from it.
  private void pass(Connection from, ByteBuffer message) {
    if (!isServing()) {
      away(from);
    } else if (!held.isEmpty() || !group.post(message)) {
      from.held = message;
      heldBytes += message.remaining();
      held.add(from);
      clients.read(from.id, false);
    }
  }

  private void passHeld() {
    while (!held.isEmpty()) {
      Connection first = held.element();
      ByteBuffer message = first.held;
      if (message == null || !group.post(message)) {
        return;
      }
      release(first);
      clients.read(first.id, true);
    }
  }

  /// Tells a client that others may serve it; what it had asked here it will ask there.
  private void away(Connection from) {
    if (from.greeted && !from.told) {
      from.told = true;
      if (release(from)) {
        clients.read(from.id, true);
      }
      readAgain(from);
      send(from, new Frame.Away(replicas));
    }
  }

  private void query(Connection from, Frame.Query query) {
    from.calls++;
    if (query.read() != Read.LOCAL && !isServing()) {
      away(from);
    } else {
      questions.ask(from, query);
    }
  }

  private void compare(Connection from, long id) {
    if (!isServing()) {
      away(from);
    } else if (!check.ask(from, id, clock.nanos(), outcome -> send(from, new Frame.Compared(id, outcome)))) {
      refuse(from, Fault.GREEDY, "too many comparisons of states wait for an answer");
    }
  }

  boolean isHere(Connection connection) {
    return connections.get(connection.id) == connection;
  }

  void send(Connection to, Frame frame) {
    clients.send(to.id, frame.encode());
  }

  // ---- what is done besides --------------------------------------------------------------------------------------

  /// Does what is due: to be called after each run of inputs, and at the latest at [#deadlineNanos].
  public void work() {
    keep();
    passHeld();
    questions.askAgain();
    if (!isServing()) {
      return;
    }
    answering.bundles().work(clock.nanos(), connections.values());
    redirect();
    tellOrdering();
    if (primary != null && manages) {
      primary.work(table.pending(), table.time(), group);
    }
    SessionTable.Limits agreedOn = table.limits();
    if (agreedOn == null) {
      configured = configured || group.post(OrderedMessage.configure(limits, replication));
      return;
    }
    if (announced == null && needsAnnouncement()) {
      announced = group.post(OrderedMessage.announce(address)) ? address : null;
    }
    long now = clock.nanos();
    long life = agreedOn.sessionMillis() * 1_000_000;
    if (times.takeTouch(now, life)) {
      touch();
    }
    if (times.takeTick(now, life, isSenior()) && table.sessions() > 0) {
      group.post(OrderedMessage.tick(stamp()));
    }
    check.work(now, isSenior());
    if (now - balanceAt >= 0) {
      balanceAt = now + Balance.EVERY_NANOS;
      balance(now);
    }
  }

  /// Shows what there is to do here, and sends clients to others if it is more than this replica's share.
  private void balance(long now) {
    if (now - secondAt >= 0) {
      secondAt = now + 1_000_000_000;
      callsBefore = 0;
      for (Connection connection : connections.values()) {
        connection.callsBefore = connection.calls;
        callsBefore += connection.calls;
        connection.calls = 0;
      }
    }
    Balance.Load own = showLoad();
    View here = view;
    if (here == null || !balance.isSettled(now)) {
      return;
    }
    var loads = new TreeMap<String, Balance.Load>();
    for (MemberId member : here.members()) {
      boolean serves = table.addresses().containsKey(member.name()) && group.clients(member) >= 0;
      if (serves && !member.name().equals(self)) {
        loads.put(member.name(), new Balance.Load(group.clients(member), group.commands(member)));
      }
    }
    loads.put(self, own);
    balance.moves(self, loads, now).forEach((name, units) -> move(table.addresses().get(name), units));
  }

  private Balance.Load showLoad() {
    var own = new Balance.Load(connections.values().stream().filter(Connection::isShared).count(), callsBefore);
    show(own);
    return own;
  }

  private void show(Balance.Load load) {
    if (!load.equals(shown)) {
      shown = load;
      group.show(load.clients(), load.commands());
    }
  }

  /// Sends clients to another replica that are not more than some units together; those that have been here longest.
  private void move(@Nullable String to, long units) {
    long left = units;
    for (Connection connection : connections.values()) {
      long its = Balance.units(connection.callsBefore);
      if (to != null && connection.isShared() && its <= left) {
        left -= its;
        moved++;
        connection.told = true;
        send(connection, new Frame.Move(to));
      }
    }
  }

  /// {@return when [#work] has something to do although nothing happens: steady time, or [Long#MAX_VALUE] for never}
  public long deadlineNanos() {
    if (!isServing()) {
      return Long.MAX_VALUE;
    }
    boolean unsaid = table.limits() == null ? !configured : announced == null && needsAnnouncement();
    boolean waits = check.isWaiting() || answering.bundles().isWaiting() || primary != null && primary.isWaiting();
    if (!held.isEmpty() || unsaid || waits) {
      return clock.nanos() + RETRY_NANOS;
    }
    long due = times.dueNanos();
    due = Math.min(due - balanceAt < 0 ? due : balanceAt, answering.bundles().dueNanos());
    return table.limits() == null ? Long.MAX_VALUE : due;
  }

  private boolean needsAnnouncement() {
    return !address.isEmpty() && !address.equals(table.addresses().get(self));
  }

  private boolean isSenior() {
    return view != null && view.members().getFirst().name().equals(self);
  }

  /// The request manager, which is the primary of passive replication, too: the most senior replica that serves, as far
  /// as this one knows. Two that believe to be it do no harm: what they multicast is executed once, and has one outcome
  /// ([PendingCommands]).
  private @Nullable String manager() {
    if (view != null) {
      for (MemberId member : view.members()) {
        boolean serves = member.name().equals(self) ? isServing() : group.clients(member) >= 0;
        if (serves) {
          return member.name();
        }
      }
    }
    return null;
  }

  private void touch() {
    List<Connection> alive = connections.values().stream().filter(one -> one.heard && one.session > 0).toList();
    for (int from = 0; from < alive.size() || times.isUntold(); from += TOUCHED_MAX) {
      List<Connection> some = alive.subList(from, Math.min(alive.size(), from + TOUCHED_MAX));
      if (!group.post(OrderedMessage.touch(stamp(), some.stream().map(one -> one.session).toList()))) {
        times.retry(clock.nanos() + RETRY_NANOS); // the others, which stay heard until it is told
        return;
      }
      times.told();
      some.forEach(one -> one.heard = false);
    }
  }

  private void tellReplicas() {
    List<String> now = table.addressesIn(view);
    if (!now.equals(replicas)) {
      replicas = now;
      ByteBuffer frame = new Frame.Replicas(replicas).encode();
      for (Connection connection : connections.values()) {
        if (connection.greeted) {
          clients.send(connection.id, frame.duplicate());
        }
      }
    }
  }

  /// This replica's view, and who of it answers; null when there is none that counts.
  Frame.@Nullable Live live() {
    return roll.of(view, table.addresses());
  }

  String self() {
    return self;
  }

  long nanos() {
    return clock.nanos();
  }

  /// Who has a policy is told when the replicas have switched.
  private void tellOrdering() {
    Ordering now = group.ordering();
    if (now != ordering) {
      ordering = now;
      for (Connection connection : connections.values()) {
        if (connection.agrees(now)) {
          send(connection, new Frame.Agreed(connection.policyCode()));
        }
      }
    }
  }

  /// {@return how often a client wanted to use a session without its secret, or one that nobody has opened}
  public long foreignSessions() {
    return foreignSessions;
  }

  /// {@return how many clients that wanted the request manager came to this replica, which was another one}
  public long misdirected() {
    return misdirected;
  }

  /// {@return how many clients were sent to replicas that have less to do}
  public long moved() {
    return moved;
  }

  /// {@return how many commands this replica has executed, without those contained in a state that it got}
  public long executed() {
    return table.executed();
  }

  /// {@return how many commands came again that had been executed}
  public long repeated() {
    return table.repeated();
  }

  /// {@return how many outcomes of primaries did not count: another one had come before, or the state was another}
  public long outdated() {
    return table.outdated();
  }

  /// {@return how many commands have the replies of several replicas that this one has gathered}
  public long bundles() {
    return answering.bundles().sent();
  }

  /// {@return how many messages of other replicas, or replies for them, were dropped}
  public long droppedReplies() {
    return answering.bundles().dropped();
  }

  /// {@return how many queries this replica has answered}
  public long queries() {
    return questions.answered();
  }

  /// {@return how many clients are connected}
  public int connections() {
    return connections.size();
  }

  /// {@return how many sessions there are, at all replicas together}
  public int sessions() {
    return table.sessions();
  }
}
