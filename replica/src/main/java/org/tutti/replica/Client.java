package org.tutti.replica;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.Names;
import org.tutti.Node;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.consolidation.Consolidation;
import org.tutti.replica.protocol.ClientBinding;
import org.tutti.replica.protocol.ClientProtocol;
import org.tutti.replica.protocol.ClientRequest;
import org.tutti.replica.protocol.Frame;
import org.tutti.replica.protocol.Hedge;
import org.tutti.replica.protocol.QuietConnection;
import org.tutti.tls.Credentials;
import org.tutti.tls.TlsWire;
import org.tutti.transport.Discovery;

/// A client of a replicated service: no member, but connected to one replica, and to another one when that does not
/// answer. Its commands are executed once, whatever crashes, and in the order in which they were made.
///
/// ```java
/// try (Client client = Client.of("counter").at("127.0.0.1:8001", "127.0.0.1:8002").connect()) {
///   ByteBuffer reply = client.call(ByteBuffer.allocate(8).putLong(0, 5)).get();
///   long value = reply.getLong();
/// }
/// ```
///
/// As long as no replica serves, calls wait, each until its deadline. A call that has a reply was executed; one that
/// fails says by its exception what is known: [ServiceException].
///
/// **Threads**: all methods may be called from any thread. The clients of a process share a few threads, which read and
/// on which futures complete; what is attached to them without an executor must not block.
public final class Client implements AutoCloseable {
  private static final int GATHERED_BYTES_MAX = 64 << 10; // before a request is written
  private static final Duration SILENCE_MIN = Duration.ofMillis(10);
  private static final int STEPS_MAX = 16; // in a row, for other threads
  private static final Runnable NOTHING = () -> {};
  private static final int RECORDS = 4; // of TLS, which are read or written at once

  private final ReentrantLock lock = new ReentrantLock(); // of all below but the semaphore
  private final Semaphore room;
  private final ConcurrentLinkedQueue<Pending<?>> submitted = new ConcurrentLinkedQueue<>(); // without the lock
  private final List<Runnable> outcomes = new ArrayList<>(); // to be told without the lock
  private final TlsWire.@Nullable Context tls;
  private final SecureRandom random = new SecureRandom(); // nobody guesses a session's secret
  private final ClientProtocol protocol;
  private final Duration deadline;
  private final ClientLoop loop;
  private final @Nullable GroupChannels groups; // in place of connections
  private final @Nullable ContactLookup lookup;
  private final Carrier first;
  private final List<Carrier> beside = new ArrayList<>(); // of a client that hedges or sends to all
  private final @Nullable Hedge hedge;
  private final boolean collects; // several replies
  private long looksAt = Long.MAX_VALUE; // when the loop does what is due then
  private boolean closed;
  private boolean telling; // outcomes; of the loop's thread

  private abstract class Pending<T> extends ClientRequest {
    final CompletableFuture<T> future = new CompletableFuture<>();

    Pending(ByteBuffer payload, @Nullable Read read, long deadlineNanos) {
      super(payload, read, deadlineNanos);
    }

    @Override
    protected void failed(ServiceException why) {
      over(() -> future.completeExceptionally(why));
    }

    void over(Runnable outcome) {
      room.release();
      outcomes.add(outcome);
    }
  }

  private final class One extends Pending<ByteBuffer> {
    One(ByteBuffer payload, @Nullable Read read, long deadlineNanos) {
      super(payload, read, deadlineNanos);
    }

    @Override
    protected void replied(ByteBuffer reply, long position) {
      over(() -> future.complete(reply));
    }
  }

  private final class Compared extends Pending<StateComparison> {
    Compared(long deadlineNanos) {
      super(ByteBuffer.allocate(0), Read.LINEARIZABLE, deadlineNanos);
    }

    @Override
    protected void replied(ByteBuffer reply, long position) {
      throw new IllegalStateException("an answer, where states are compared");
    }

    @Override
    protected void compared(StateComparison outcome) {
      over(() -> future.complete(outcome));
    }
  }

  private final class Several extends Pending<Consolidated<Answer>> {
    Several(ByteBuffer payload, long deadlineNanos) {
      super(payload, null, deadlineNanos);
    }

    @Override
    protected void replied(ByteBuffer reply, long position) {
      throw new IllegalStateException("one reply, where several are collected");
    }

    @Override
    protected void collected(Consolidated<Answer> outcome) {
      over(() -> future.complete(outcome));
    }
  }

  private Client(Builder settings, @Nullable Credentials credentials) throws IOException {
    this.room = new Semaphore(settings.callsMax);
    this.deadline = settings.deadline;
    this.tls = credentials == null ? null : new TlsWire.Context(credentials, this::resumeTls, RECORDS, true);
    Node node = settings.node;
    this.groups =
        node == null
            ? null
            : new GroupChannels(this, node, settings.service, settings.kind, settings.policy, random.nextLong());
    this.first = carrier(this::toFirst);
    this.protocol = new ClientProtocol(settings.service, settings.contacts, settings.silence.toNanos(), new Outside());
    this.lookup = settings.discovery == null ? null : new ContactLookup(settings.discovery, this::found);
    this.hedge = settings.hedges ? protocol.hedge() : null;
    this.collects = settings.policy != null && settings.policy.collectsSeveral();
    if (settings.policy != null) {
      protocol.wish(settings.policy);
    }
    if (collects && settings.isBundled()) {
      protocol.bundled();
    }
    if (settings.suspectsAfter != null) {
      protocol.allOnSuspicion(settings.suspectsAfter.toNanos());
    }
    this.loop = ClientLoop.enter();
  }

  private void begin() {
    try {
      act(() -> {}); // begins to connect
    } catch (RuntimeException e) {
      close(); // its node may be closed
      throw e;
    }
  }

  private Carrier carrier(Consumer<Carrier.Happening> told) {
    return groups == null ? new Lane(this, tls, told) : groups.channel(told);
  }

  /// Begins a client of a service.
  ///
  /// @param service the service's name
  /// @return a builder of its own
  public static Builder of(String service) {
    return new Builder(service);
  }

  /// Has the service execute a command, once. Blocks while as many calls are open as there may be.
  ///
  /// @param command up to 8 MiB from position to limit, which are not moved; copied before the method returns
  /// @return completes with the reply, which belongs to the receiver; exceptionally with a [ServiceException].
  ///     Cancelling it gives the command up: if it was not executed yet, it will not be
  /// @throws InterruptedException     when interrupted while waiting; nothing was sent
  /// @throws IllegalArgumentException when the command is too long
  public CompletableFuture<ByteBuffer> call(ByteBuffer command) throws InterruptedException {
    return call(command, deadline);
  }

  /// As [#call(ByteBuffer)], with a deadline of its own.
  ///
  /// @param command as there
  /// @param wait    how long to wait for the reply, from now
  /// @return as there; [CallTimeoutException] when the deadline passes
  /// @throws InterruptedException when interrupted while waiting; nothing was sent
  public CompletableFuture<ByteBuffer> call(ByteBuffer command, Duration wait) throws InterruptedException {
    return request(new One(copy(command), null, end(wait)));
  }

  /// Has the service execute a command, once, and collects the replies of all replicas or of a majority of them, as the
  /// [policy][Builder#policy] says. The replies are consolidated by [Consolidation#all] or [Consolidation#majority]:
  ///
  /// ```java
  /// switch (client.collect(command, Duration.ofSeconds(2)).get()) {
  ///   case Consolidated.Success(Answer chosen, var replies) -> use(chosen, replies);
  ///   case Consolidated.ReducedMembership(Answer chosen, var replies, var departed) -> note(chosen, departed);
  ///   case Consolidated.Timeout(var chosen, var replies, var silent) -> report(silent);
  ///   case Consolidated<Answer> differ -> refuse(differ.replies());
  /// }
  /// ```
  ///
  /// Whoever is in the view in which the replica is that answers first is waited for, if clients can reach it and it
  /// has not said that it does not serve; who leaves before it has answered is not, and the outcome says so. A command
  /// with any reply was executed, whatever the outcome is. [#call] does the same, and completes with the reply that was
  /// chosen.
  ///
  /// @param command as with [#call(ByteBuffer)]
  /// @param wait    how long to wait, from now; then the outcome is made from what is there
  /// @return completes with the outcome; exceptionally with a [ServiceException] when the command was not sent in time,
  ///     or the session expired
  /// @throws InterruptedException  when interrupted while waiting; nothing was sent
  /// @throws IllegalStateException when the policy of this client does not collect several replies
  public CompletableFuture<Consolidated<Answer>> collect(ByteBuffer command, Duration wait)
      throws InterruptedException {
    if (!collects) {
      throw new IllegalStateException("the policy of this client does not collect several replies");
    }
    return request(new Several(copy(command), end(wait)));
  }

  /// Asks the service a question that changes nothing ([StateMachine#query]). Blocks while as many calls are open as
  /// there may be.
  ///
  /// @param question up to 8 MiB from position to limit, which are not moved; copied before the method returns
  /// @param read     what it has to see
  /// @return completes with the answer; exceptionally with a [ServiceException]
  /// @throws InterruptedException when interrupted while waiting; nothing was sent
  public CompletableFuture<ByteBuffer> query(ByteBuffer question, Read read) throws InterruptedException {
    return request(new One(copy(question), Objects.requireNonNull(read, "read"), end(deadline)));
  }

  /// As [#query(ByteBuffer, Read)], with a deadline of its own: for questions that wait. A [hedged][Builder#hedged]
  /// client asks them once only.
  ///
  /// @param question as there
  /// @param read     as there
  /// @param wait     how long to wait for the answer, from now
  /// @return as there; [CallTimeoutException] when the deadline passes. Cancelling it withdraws the question
  /// @throws InterruptedException when interrupted while waiting; nothing was sent
  public CompletableFuture<ByteBuffer> query(ByteBuffer question, Read read, Duration wait)
      throws InterruptedException {
    var pending = new One(copy(question), Objects.requireNonNull(read, "read"), end(wait));
    pending.mayWait();
    return request(pending);
  }

  /// Has all replicas compare their states at one position of the history, by the digests that the service gives
  /// ([StateMachine#digest]): each takes that of its whole state, so for the requests of a replica's clients they do it
  /// at most once a second. Nothing else changes. Blocks while as many calls are open as there may be.
  ///
  /// ```java
  /// StateComparison found = client.compareStates(Duration.ofSeconds(10)).get();
  /// if (!found.isEqual()) {
  ///   alarm(found);
  /// }
  /// ```
  ///
  /// @param wait how long to wait, from now; a replica that says nothing is waited for 5 s
  /// @return completes with what was found; exceptionally with a [ServiceException]: [CallTimeoutException] when no
  ///     replica serves in time
  /// @throws InterruptedException when interrupted while waiting; nothing was sent
  public CompletableFuture<StateComparison> compareStates(Duration wait) throws InterruptedException {
    var pending = new Compared(end(wait));
    pending.compares();
    return request(pending);
  }

  /// When a time will have passed, on the clock of this process; a very long one is cut to about a century.
  private static long end(Duration wait) {
    return System.nanoTime() + Math.min(TimeUnit.NANOSECONDS.convert(wait), Long.MAX_VALUE / 3);
  }

  private static ByteBuffer copy(ByteBuffer payload) {
    if (payload.remaining() > Frame.PAYLOAD_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a call has up to " + Frame.PAYLOAD_BYTES_MAX + " bytes, not " + payload.remaining());
    }
    return ByteBuffer.allocate(payload.remaining()).put(payload.duplicate()).flip();
  }

  private <T> CompletableFuture<T> request(Pending<T> pending) throws InterruptedException {
    if (!loop.isCurrent()) {
      room.acquire();
    } else if (!room.tryAcquire()) {
      throw new IllegalStateException("a call would block the clients' own thread; call it from another one");
    }
    pending.future.whenComplete((_, _) -> {
      if (pending.future.isCancelled()) {
        giveUp(pending);
      }
    });
    submitted.add(pending);
    takeSubmitted();
    return pending.future;
  }

  private void giveUp(Pending<?> pending) {
    act(() -> {
      if (protocol.cancel(pending)) {
        room.release();
      }
    });
  }

  /// Where this client is connected to, and what was wrong before; for people.
  @Override
  public String toString() {
    return locked(() -> protocol.toString());
  }

  /// How many requests were asked at a second replica, too.
  ///
  /// @return a count since the start; 0 for a client that does not hedge
  public long hedges() {
    return locked(() -> hedge == null ? 0 : hedge.hedges());
  }

  /// How often this client suspected the request manager, and sent its commands to all replicas meanwhile
  /// ([Builder#allOnSuspicion]).
  ///
  /// @return a count since the start; 0 for a client that does not do so
  public long suspicions() {
    return locked(() -> protocol.suspicions());
  }

  /// What the replicas do for this client: the policy that it wants ([Builder#policy]), with the replication and the
  /// ordering that they have.
  ///
  /// @return what was agreed on with the replica that it is, or was, connected to, and soon after the replicas have
  ///     switched their ordering ([org.tutti.Group#switchTo]) what that is now; null before, and when it wants none
  public @Nullable Policy policy() {
    return locked(() -> protocol.policy());
  }

  /// What this client counts.
  ///
  /// @return how often it went to another replica or suspected the manager, how many groups it formed and how many
  ///     commands it has sent again
  public List<Metric> metrics() {
    return locked(() ->
        List.of(
            Metric.counter("client.replicas.left", "The client went to another replica.").with(protocol.moves()),
            Metric.counter("client.groups.formed", "The client formed a group with servers.")
                .with(groups == null ? 0 : groups.formed()),
            Metric.counter(
                    "client.managers.suspected", "The client suspected the request manager and sent to all replicas.")
                .with(protocol.suspicions()),
            Metric.counter("client.commands.repeated", "A command was sent again.").with(protocol.repeated())));
  }

  /// The groups that this client is in with servers now ([Builder#group]): one for each server that it is bound to, or
  /// one with all.
  ///
  /// @return none before a server has come, and of a client that has connections
  public List<ClientGroup> groupDetails() {
    return locked(() -> groups == null ? List.of() : groups.details());
  }

  /// Ends the client and its session; calls that are open fail with [ClientClosedException]. Its groups are deleted: it
  /// leaves them, and so do the servers when they are told.
  @Override
  public void close() {
    act(() -> {
      if (!closed) {
        protocol.close();
        closed = true;
        loop.later(this, this::release);
      }
    });
  }

  private void release() {
    first.write();
    first.disconnect();
    beside.forEach(Carrier::disconnect);
    if (groups != null) {
      groups.close();
    }
    if (lookup != null) {
      lookup.close();
    }
    loop.leave();
  }

  // ---- what is done by whichever thread --------------------------------------------------------------------------

  /// Does something with the lock, then what follows of it: writes, and tells outcomes.
  void act(Runnable action) {
    lock.lock();
    step(action);
    takeSubmitted();
  }

  /// Requests what was submitted, also by other threads. Who finds the lock taken leaves that to whoever has it: so of
  /// many threads that call at a time none waits for the lock, and what they request is written together.
  private void takeSubmitted() {
    int left = STEPS_MAX;
    while (!submitted.isEmpty() && lock.tryLock()) {
      step(NOTHING);
      left--;
      if (left == 0) {
        later(NOTHING); // not all of others' work for the one whose turn it is
        return;
      }
    }
  }

  /// Does something, with the lock, which it gives back; and before that requests what was submitted.
  private void step(Runnable action) {
    boolean isNested = loop.isCurrent() && telling;
    List<Runnable> told = List.of();
    try {
      for (Pending<?> next = submitted.poll(); next != null; next = submitted.poll()) {
        protocol.request(next);
      }
      action.run();
      protocol.work();
      if (!isNested || waiting() > GATHERED_BYTES_MAX) {
        write();
      }
      long due = closed ? Long.MAX_VALUE : protocol.deadlineNanos();
      if (due < looksAt) {
        looksAt = due;
        loop.lookAt(this, due);
      }
      if (!outcomes.isEmpty()) {
        told = List.copyOf(outcomes);
        outcomes.clear();
      }
    } finally {
      lock.unlock();
    }
    if (told.isEmpty() || isNested || !loop.isCurrent()) {
      told.forEach(Runnable::run);
    } else {
      tellByLoop(told);
    }
  }

  /// Tells outcomes of which the loop has read many at once; the requests that follow of them are written together.
  private void tellByLoop(List<Runnable> told) {
    telling = true;
    try {
      told.forEach(Runnable::run);
    } finally {
      telling = false;
      act(NOTHING);
    }
  }

  private void write() {
    first.write();
    beside.forEach(Carrier::write);
  }

  private <T> T locked(Supplier<T> what) {
    lock.lock();
    try {
      return what.get();
    } finally {
      lock.unlock();
      takeSubmitted();
    }
  }

  private long waiting() {
    long sum = first.waiting();
    for (Carrier one : beside) { // no stream: this is asked for each request that an outcome makes
      sum += one.waiting();
    }
    return sum;
  }

  /// As [#act], by the loop, which other clients share: a failure ends this client only.
  void actByLoop(Runnable action) {
    try {
      act(action);
    } catch (RuntimeException failure) {
      System.getLogger("org.tutti.replica")
          .log(System.Logger.Level.ERROR, () -> this + " has failed and is closed", failure);
      close();
    }
  }

  /// Has something done a little later, with the lock.
  void afterwards(Runnable action) {
    later(action);
  }

  /// Who serves the connections of this client.
  ClientLoop loop() {
    return loop;
  }

  boolean isClosed() {
    return closed;
  }

  /// The replicas, as the client was told last.
  List<String> replicas() {
    return protocol.replicas();
  }

  /// A time has come of which the loop was told.
  void look(long nanos) {
    actByLoop(() -> looksAt = looksAt == nanos ? Long.MAX_VALUE : looksAt);
  }

  /// A discovery has told where replicas are. What no client can connect to is left out.
  private void found(List<String> addresses) {
    later(() -> protocol.found(addresses.stream().filter(Client::isContact).toList()));
  }

  private static boolean isContact(String address) {
    int colon = address.lastIndexOf(':');
    try {
      int port = Integer.parseInt(address, colon + 1, address.length(), 10);
      return colon > 0 && port > 0 && port < 1 << Character.SIZE;
    } catch (NumberFormatException _) {
      return false;
    }
  }

  private void later(Runnable task) {
    loop.later(this, task);
  }

  /// Slow steps of a handshake are done.
  private void resumeTls() {
    TlsWire.Context context = tls;
    if (context != null) {
      later(context::resume);
    }
  }

  private void toFirst(Carrier.Happening happening) {
    happening.tell(protocol);
  }

  /// With the lock.
  private final class Outside implements ClientProtocol.Host {
    @Override
    public ClientProtocol.Line first() {
      return first;
    }

    @Override
    public ClientProtocol.Line beside(QuietConnection of) {
      Carrier carrier = carrier(happening -> happening.tell(of));
      beside.add(carrier);
      return carrier;
    }

    @Override
    public void lookUp() {
      if (lookup != null) {
        lookup.ask();
      }
    }

    @Override
    public long formingNanos() {
      return groups == null ? 0 : GroupChannels.FORMING_NANOS;
    }

    @Override
    public long nanos() {
      return System.nanoTime();
    }

    @Override
    public RandomGenerator random() {
      return random;
    }
  }

  /// Collects the settings of a client. Not thread-safe.
  public static final class Builder {
    private final String service;
    private List<String> contacts = List.of();
    private @Nullable Discovery discovery;
    private Duration silence = Duration.ofSeconds(1);
    private Duration deadline = Duration.ofSeconds(30);
    private int callsMax = 1024;
    private boolean hedges;
    private boolean bundled;
    private @Nullable Policy policy;
    private @Nullable Duration suspectsAfter;
    private @Nullable Node node;
    private ClientGroup.Kind kind = ClientGroup.Kind.ONE_CLUSIVE;
    private @Nullable Path tls;
    private @Nullable Credentials credentials;

    private Builder(String service) {
      this.service = service;
    }

    /// Says where some replicas are; the client learns of the others.
    ///
    /// @param addresses host and port of each, such as `127.0.0.1:8001`
    /// @return this builder
    public Builder at(String... addresses) {
      contacts = List.of(addresses);
      return this;
    }

    /// Has the client ask where replicas are: when it begins, and each time that it has tried all replicas that it
    /// knows and none serves, at most once a second. It goes to whoever it did not know as soon as it is told, also to
    /// a replica that has come back at another address. [#at] may name others besides.
    ///
    /// ```java
    /// Client.of("counter").discover(new HostDiscovery("counter.default.svc.cluster.local", 8001)).connect();
    /// ```
    ///
    /// The answers have to be the addresses for clients ([Replica#clients]), not those at which the nodes of the
    /// replicas find each other. Others do no harm, but nobody serves there.
    ///
    /// @param source asked on a thread of its own; closed when the client is. The first 256 addresses of an answer are
    ///               used
    /// @return this builder
    public Builder discover(Discovery source) {
      discovery = source;
      return this;
    }

    /// Chooses how long a replica may be silent, with a call open, before the client goes to another one. Each of the
    /// others has a quarter of that to answer at first, then a half, and then all of it.
    ///
    /// @param value at least 10 ms; by default a second
    /// @return this builder
    public Builder silence(Duration value) {
      silence = value;
      return this;
    }

    /// Chooses how long a call may take if nothing else is said.
    ///
    /// @param value by default 30 s
    /// @return this builder
    public Builder deadline(Duration value) {
      deadline = value;
      return this;
    }

    /// Chooses how many calls may be open before the next one blocks.
    ///
    /// @param value 1 to 65,536; by default 1024
    /// @return this builder
    public Builder callsMax(int value) {
      callsMax = value;
      return this;
    }

    /// Has the client connect to a second replica, too, and ask it when the first is later than 95 of the last 100
    /// answers were: its slow answers become rare, and its commands are executed once all the same. At most one request
    /// in twenty is asked twice, and four at once. When the second replica is the faster one three times in a row, the
    /// client goes there.
    ///
    /// @return this builder
    public Builder hedged() {
      hedges = true;
      return this;
    }

    /// Chooses how the client uses the replicas; otherwise it goes to any one of them and takes its reply. Not together
    /// with [#hedged].
    ///
    /// @param value what the client wants; [Client#policy] says what it gets. Replicas that replicate passively refuse
    ///              a client that collects several replies
    /// @return this builder
    public Builder policy(Policy value) {
      policy = value;
      return this;
    }

    /// Has the request manager gather the replies of several replicas, which come in one message: the client is
    /// connected to nobody else. Only with a [#policy] that sends to the manager and collects several replies; a client
    /// in a one-clusive [#group] does so anyway. Not together with [#allOnSuspicion]. When a deadline comes before a
    /// bundle, the client knows of no reply, also if the manager has some.
    ///
    /// @return this builder
    public Builder bundled() {
      bundled = true;
      return this;
    }

    private boolean isBundled() {
      return bundled || node != null && kind == ClientGroup.Kind.ONE_CLUSIVE;
    }

    private void checkBundles() {
      boolean toManager = policy != null && policy.dissemination() == Policy.Dissemination.MANAGER;
      if (bundled && (policy == null || !policy.collectsSeveral() || !toManager || suspectsAfter != null)) {
        throw new IllegalArgumentException(
            "the manager gathers replies for a client that sends to it alone and collects several, not for "
                + (policy == null ? "one without a policy" : policy));
      }
    }

    /// Has a client that sends its commands to the request manager send them to all replicas while it suspects the
    /// manager: as soon as the connection to it ends, or when nothing comes from it for a time although a command has
    /// no reply. Whatever has no reply is sent to the others then, under its number, so it is executed once, and so is
    /// each later command until the manager answers one again. The client is connected to all replicas for it, over
    /// connections that carry nothing else meanwhile. [Client#suspicions] counts.
    ///
    /// ```java
    /// var policy = new Policy(Dissemination.MANAGER, Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER);
    /// Client.of("tickets").at(contacts).policy(policy).allOnSuspicion(Duration.ofMillis(300)).connect();
    /// ```
    ///
    /// Only with a [#policy] whose dissemination is [Policy.Dissemination#MANAGER]; in groups only in one with all
    /// servers ([ClientGroup.Kind#INCLUSIVE]).
    ///
    /// @param silence how long the manager may say nothing while a command waits: at least 10 ms, and shorter than
    ///              [#silence], after which the client leaves the manager. It should be longer than a call takes
    ///              normally, as each call that takes longer is sent to all
    /// @return this builder
    public Builder allOnSuspicion(Duration silence) {
      suspectsAfter = silence;
      return this;
    }

    /// Encrypts, shows a certificate, and believes replicas that show one of the same authority and cluster.
    ///
    /// @param directory with `cert.pem`, `key.pem` and `ca.pem`; files that change are taken into use
    /// @return this builder
    public Builder tls(Path directory) {
      tls = directory;
      credentials = null;
      return this;
    }

    /// Encrypts, with credentials that others may use, too. [Credentials#trusting] makes some that show no certificate,
    /// for replicas that allow it ([Replica.Builder#withoutClientCertificates]).
    ///
    /// @param shared the own certificate, and whom to believe
    /// @return this builder
    public Builder tls(Credentials shared) {
      credentials = shared;
      return this;
    }

    /// Has the client be a member of groups with its servers, instead of connecting to them: with one of them, which is
    /// founded anew with each that the client goes to, or with all ([ClientGroup.Kind]). The replicas have to allow it
    /// ([Replica.Builder#clientGroups]), and [#at] has to name some of them as they name themselves
    /// ([Replica#clients], or [Replica.Builder#advertise]). Not together with [#discover], [#hedged] or [#tls]; with
    /// [ClientGroup.Kind#ONE_CLUSIVE], no policy that sends to all. That one server, the request manager, gathers the
    /// replies of several.
    ///
    /// @param member  the client's node, whose contacts name the servers' nodes; other clients may have it too. A
    ///                replica of the service that it has cannot be in this client's groups. It is closed by whoever
    ///                started it
    /// @param servers which servers are in a group
    /// @return this builder
    public Builder group(Node member, ClientGroup.Kind servers) {
      node = member;
      kind = servers;
      return this;
    }

    private void checkSuspicion() {
      if (suspectsAfter == null) {
        return;
      }
      if (policy == null || policy.dissemination() != Policy.Dissemination.MANAGER) {
        throw new IllegalArgumentException(
            "on suspicion of the manager: only for a client whose policy sends to the manager, not one with "
                + (policy == null ? "no policy" : policy));
      }
      if (suspectsAfter.compareTo(SILENCE_MIN) < 0 || suspectsAfter.compareTo(silence) >= 0) {
        throw new IllegalArgumentException(
            "the manager is suspected after at least 10 ms, and sooner than the client leaves it after "
                + silence
                + ", not after "
                + suspectsAfter);
      }
    }

    private void checkGroup() {
      if (node == null) {
        return;
      }
      boolean toAll = policy != null && policy.dissemination() == Policy.Dissemination.ALL;
      if (toAll && kind == ClientGroup.Kind.ONE_CLUSIVE) {
        throw new IllegalArgumentException("a one-clusive group has one server: " + policy + " needs an inclusive one");
      }
      if (suspectsAfter != null && kind == ClientGroup.Kind.ONE_CLUSIVE) {
        throw new IllegalArgumentException("a one-clusive group has one server: there are no others to send to");
      }
      if (discovery != null) {
        throw new IllegalArgumentException("a client in groups is told by at(...) how its servers name themselves");
      }
      if (hedges || tls != null || credentials != null) {
        throw new IllegalArgumentException("a client in groups has no connections: neither hedged nor TLS of its own");
      }
      List<String> names = new ArrayList<>();
      names.add(service + ".client." + node.self().name() + "0".repeat(2 * Long.BYTES + 20));
      contacts.forEach(at -> names.add(ClientBinding.contactGroup(service, at)));
      for (String name : names) {
        String fault = Names.fault(name);
        if (fault != null) {
          throw new IllegalArgumentException("the name of a group of \"" + service + "\" " + fault);
        }
      }
    }

    private static void require(boolean holds, String words) {
      if (!holds) {
        throw new IllegalArgumentException(words);
      }
    }

    private @Nullable Credentials credentials() throws IOException {
      return credentials == null && tls != null ? Credentials.load(tls) : credentials;
    }

    /// Begins to connect; returns at once, and calls wait until a replica serves.
    ///
    /// @return the client
    /// @throws IllegalArgumentException when a setting is out of its range, or an address is not of the form host:port
    /// @throws IllegalStateException    when the node of a client in groups is closed
    /// @throws UncheckedIOException     when certificates cannot be used; the message names the file
    public Client connect() {
      String fault = Names.fault(service);
      require(fault == null, "the name of a service " + fault);
      require(callsMax >= 1 && callsMax <= 1 << 16, "calls are 1 to 65536, not " + callsMax);
      require(silence.compareTo(SILENCE_MIN) >= 0, "silence is at least 10 ms, not " + silence);
      require(deadline.isPositive(), "a deadline is to come, not " + deadline);
      if (hedges && policy != null) {
        throw new IllegalArgumentException("a client has a policy, or is hedged, not both");
      }
      checkSuspicion();
      checkBundles();
      checkGroup();
      if (contacts.isEmpty() && discovery == null) {
        throw new IllegalArgumentException("a client needs the address of a replica, or a discovery");
      }
      for (String address : contacts) {
        if (!isContact(address)) {
          throw new IllegalArgumentException("an address is host:port, with a port of 1 to 65535, not " + address);
        }
      }
      try {
        var client = new Client(this, credentials());
        client.begin();
        return client;
      } catch (IOException e) {
        throw new UncheckedIOException(e.getMessage(), e);
      }
    }
  }
}
