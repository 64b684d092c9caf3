package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Answer;
import org.tutti.replica.CallTimeoutException;
import org.tutti.replica.ClientClosedException;
import org.tutti.replica.Policy;
import org.tutti.replica.Read;
import org.tutti.replica.SessionExpiredException;
import org.tutti.replica.StateComparison;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.consolidation.Consolidator;

/// One client of a replicated service: connected to one replica at a time, and to the next one when that is gone,
/// silent, or does not serve.
///
/// Commands are numbered when they are sent first. What has no reply is sent again, in order, to each replica that the
/// client comes to; the replicas see to it that it is executed once ([SessionTable]). A command that the caller has
/// given up keeps its number and is sent as one to skip, so that it is not executed later if it was not before.
///
/// One thread at a time; nothing here waits.
public final class ClientProtocol {
  /// A connection to a replica, and to another one later.
  public interface Line {
    /// Begins to connect, instead of whatever connection there was; [#connected] or [#disconnected] follows.
    ///
    /// @param address the replica's
    void connect(String address);

    /// Ends the connection, or the attempt; [#disconnected] is not called for it.
    void disconnect();

    /// Sends a frame over the connection.
    ///
    /// @param frame with its length, never changed from now on
    void send(ByteBuffer frame);
  }

  /// What a client asks of its host.
  public interface Host {
    /// The first connection.
    ///
    /// @return the same each time
    Line first();

    /// A further connection, of a client that hedges or sends to all.
    ///
    /// @param of who is told of it
    /// @return a new one
    default Line beside(QuietConnection of) {
      throw new IllegalStateException("this host has one connection");
    }

    /// Asks for further addresses of replicas, if there is anybody who can be asked; [#found] tells. Called again and
    /// again as long as no replica serves.
    default void lookUp() {}

    /// How long it may take until a replica can be spoken to, besides its silence: to form a group with it.
    ///
    /// @return nanoseconds
    default long formingNanos() {
      return 0;
    }

    /// Steady time.
    ///
    /// @return nanoseconds since some moment
    long nanos();

    /// For nonces, and for who is asked when.
    ///
    /// @return the same each time
    RandomGenerator random();
  }

  private enum Phase {
    IDLE,
    CONNECTING,
    GREETING,
    READY
  }

  private static final int PINGS_PER_SILENCE = 3;
  private static final int PINGS_PER_LIFE = 8;
  private static final int COMPARISONS_MAX = 8;
  private static final long AGAIN_NANOS = 5_000_000; // after a refusal

  private final String service;
  private final long silenceNanos;
  private final Host host;
  private final Line line;
  private final Route route;

  private final ArrayDeque<ClientRequest> unsent = new ArrayDeque<>(); // commands
  private final TreeMap<Long, ClientRequest> sent = new TreeMap<>(); // commands without a reply, also those given up
  private final TreeMap<Long, ClientRequest> questions = new TreeMap<>();
  private Phase phase = Phase.IDLE;
  private @Nullable String lastTrouble;
  private long connectAt;
  private long heardAt;
  private long pingAt;
  private long againAt = Long.MAX_VALUE;
  private long checkAt = Long.MAX_VALUE; // the earliest deadline of a request, or before
  private long session;
  private SessionTable.Secret secret = new SessionTable.Secret(0, 0); // of the session, or of the one it waits for
  private long nonce; // of the session that it waits for, or 0
  private long numberNext = 1;
  private long questionNext = 1;
  private int window = 1;
  private long lifeNanos = Long.MAX_VALUE;
  private long seen; // all before this position was seen
  private long moves;
  private long repeated;
  private @Nullable Hedge hedge;
  private @Nullable ToAll toAll;
  private @Nullable ManagerSuspicion suspicion;
  private @Nullable Collecting collecting;
  private Frame.@Nullable Live live; // as the replica of the first connection has told it last
  private @Nullable Policy wish;
  private boolean bundled; // several replies come in one message
  private @Nullable Policy agreed;
  private boolean closed;

  /// Makes a client that is not connected.
  ///
  /// @param service      the service's name
  /// @param contacts     addresses of some replicas; the others are learned from these, and from [Host#lookUp]
  /// @param silenceNanos how long a replica may be silent before the client asks another one
  /// @param host         connects and sends
  public ClientProtocol(String service, Collection<String> contacts, long silenceNanos, Host host) {
    this.service = service;
    this.silenceNanos = silenceNanos;
    this.host = host;
    this.line = host.first();
    this.route = new Route(contacts, silenceNanos, host);
    this.connectAt = host.nanos();
  }

  /// Has the client ask a second replica when the first is late. To be called before anything else is.
  ///
  /// @return the second connection, which the host tells what happens to it
  public Hedge hedge() {
    hedge = new Hedge(this, host, silenceNanos);
    return hedge;
  }

  /// Chooses a policy. To be called before anything else is.
  ///
  /// @param policy what the client wants of the replicas
  public void wish(Policy policy) {
    wish = policy;
    boolean sends = policy.dissemination() == Policy.Dissemination.ALL;
    if (sends || policy.collectsSeveral()) {
      toAll = new ToAll(this, host, silenceNanos, sends ? () -> true : () -> false);
    }
    collecting = policy.collectsSeveral() ? new Collecting(policy.collection()) : null;
  }

  /// Has the request manager gather the replies of several replicas: the client has no connection but that to it. To be
  /// called after [#wish] and before anything else is.
  ///
  /// @throws IllegalStateException when the client has not wished to send to the manager and to collect several replies
  public void bundled() {
    if (wish == null || !wish.collectsSeveral() || wish.dissemination() != Policy.Dissemination.MANAGER) {
      throw new IllegalStateException("a client with " + wish + " does not collect what the manager gathers");
    }
    bundled = true;
    toAll = null;
  }

  /// Has a client that sends to the request manager send to all replicas while it suspects the manager. To be called
  /// after [#wish] and before anything else is.
  ///
  /// @param afterNanos how long the manager may say nothing while a command has no reply
  /// @throws IllegalStateException when the client has not wished to send to the manager
  public void allOnSuspicion(long afterNanos) {
    if (wish == null || wish.dissemination() != Policy.Dissemination.MANAGER) {
      throw new IllegalStateException("a client with " + wish + " does not send to the manager");
    }
    var suspected = new ManagerSuspicion(this, host, afterNanos, silenceNanos);
    suspicion = suspected;
    toAll = new ToAll(this, host, silenceNanos, suspected::holds);
  }

  /// How often the client suspected the manager, and sent to all.
  ///
  /// @return a count since the start
  public long suspicions() {
    return suspicion == null ? 0 : suspicion.count();
  }

  /// What the replicas do for this client.
  ///
  /// @return the policy that was agreed on with the replica that it is, or was, connected to, which also tells when the
  ///     ordering was switched; null before, and when it has wished nothing
  public @Nullable Policy policy() {
    return agreed;
  }

  // ---- what the caller wants -------------------------------------------------------------------------------------

  /// Makes a command or asks a question.
  ///
  /// @param request not used before
  public void request(ClientRequest request) {
    if (closed) {
      request.failed(new ClientClosedException("the client is closed"));
      return;
    }
    checkAt = earlier(checkAt, request.deadlineNanos);
    if (hedge != null) {
      hedge.called();
    }
    if (request.read == null) {
      unsent.add(request);
      pump();
    } else {
      request.number = questionNext++;
      request.sentAt = host.nanos();
      questions.put(request.number, request);
      if (phase == Phase.READY) {
        ask(request);
      }
    }
  }

  /// Gives a request up: nothing is told of it any more. A command that was not executed yet is not executed.
  ///
  /// @param request any
  /// @return whether it had no outcome yet
  public boolean cancel(ClientRequest request) {
    if (request.over) {
      return false;
    }
    request.over = true; // a command that was sent keeps its number until a replica has answered
    if (request.read != null) {
      forget(request);
    } else if (request.number == 0) {
      unsent.remove(request);
    } else if (request.reached) { // the others may never answer
      sent.remove(request.number);
      pump();
    }
    return true;
  }

  /// A question that waits at a replica is to be forgotten there, too.
  private void forget(ClientRequest question) {
    if (!questions.remove(question.number, question)) {
      return;
    }
    ByteBuffer frame = new Frame.Forget(question.number).encode();
    if (hedge != null && question.hedged) {
      hedge.forget(frame.duplicate());
    }
    if (phase == Phase.READY) {
      line.send(frame);
    }
    if (question.compares) {
      askNextComparison();
    }
  }

  /// Ends the client; what has no outcome fails.
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (phase == Phase.READY && session > 0) {
      line.send(new Frame.Close(session).encode());
    }
    for (ClientRequest request : all()) {
      request.fail(new ClientClosedException("the client was closed before the reply came"));
    }
    unsent.clear();
    sent.clear();
    questions.clear();
    phase = Phase.IDLE;
    if (hedge != null) {
      hedge.close();
    }
    if (toAll != null) {
      toAll.close();
    }
  }

  private List<ClientRequest> all() {
    List<ClientRequest> all = new ArrayList<>(sent.values());
    all.addAll(unsent);
    all.addAll(questions.values());
    return all;
  }

  // ---- what the network tells ------------------------------------------------------------------------------------

  /// The answer to [Host#lookUp]. A client that is connected to nobody goes to the first one that it did not know.
  ///
  /// @param addresses of replicas; they replace those of the answer before
  public void found(List<String> addresses) {
    if (route.found(addresses) && phase == Phase.IDLE) {
      connectAt = host.nanos();
    }
  }

  /// The connection that was begun last is there.
  public void connected() {
    if (phase == Phase.CONNECTING) {
      phase = Phase.GREETING;
      heard();
      line.send(hello());
    }
  }

  ByteBuffer hello() {
    int policy = wish == null ? Frame.NO_POLICY : wish.code();
    return new Frame.Hello(service, bundled ? policy | Frame.BUNDLED : policy).encode();
  }

  /// A replica that is not the first one is asked for its replies, or sent commands, whoever the manager is.
  ByteBuffer quietHello() {
    Policy its = wish;
    if (its == null || !its.collectsSeveral() && suspicion == null) {
      return hello();
    }
    var anywhere = new Policy(Policy.Dissemination.ALL, its.collection(), its.replication(), its.ordering());
    return new Frame.Hello(service, anywhere.code()).encode();
  }

  /// The connection, or the attempt, has ended.
  ///
  /// @param why in words, for who waits
  public void disconnected(String why) {
    if (phase != Phase.IDLE) {
      lost(why);
      leave();
    }
  }

  /// A frame has come over the connection.
  ///
  /// @param in without its length; lent
  public void received(ByteBuffer in) {
    if (phase != Phase.GREETING && phase != Phase.READY) {
      return;
    }
    heard();
    if (suspicion != null) {
      suspicion.heard();
    }
    try {
      handle(Frame.decode(in), null);
    } catch (Frame.MalformedException wrong) {
      lost(wrong.getMessage());
      move();
    }
  }

  private void heard() {
    heardAt = host.nanos();
  }

  /// The first connection is no use any more, and its replica has not said where to go.
  private void lost(@Nullable String why) {
    lastTrouble = route.at() + ": " + why;
    if (suspicion != null) {
      suspicion.lost();
    }
  }

  /// @param over the quiet connection over which it came, or null
  void handle(Frame frame, @Nullable QuietConnection over) throws Frame.MalformedException {
    switch (frame) {
      case Frame.Welcome welcome -> welcome(welcome);
      case Frame.Opened(long its, long opened) -> {
        if (its == nonce && opened == 0) {
          lastTrouble = route.at() + ": there are too many sessions";
          nonce = 0;
          move();
        } else if (its == nonce) {
          nonce = 0;
          route.served();
          session = opened;
          sessionChanged();
          pump();
        }
      }
      case Frame.Replied(long its, long number, CommandReply reply) -> {
        if (its == session) {
          replied(number, reply, over);
        }
      }
      case Frame.Bundle bundle -> gathered(bundle);
      case Frame.Refused(long its, long number, SessionTable.Refusal why) -> {
        if (its == session && why == SessionTable.Refusal.EXPIRED) {
          expired();
        } else if (its == session && sent.containsKey(number)) {
          againAt = Math.min(againAt, host.nanos() + AGAIN_NANOS);
        }
      }
      case Frame.Answer(long id, boolean failed, long position, ByteBuffer payload) -> {
        ClientRequest question = take(id, false);
        if (question != null) {
          seen = Math.max(seen, position);
          answered(question, over != null);
          question.tell(failed, payload, position);
        }
      }
      case Frame.Compared(long id, StateComparison outcome) -> compared(id, outcome);
      case Frame.Away(List<String> others) -> {
        route.tell(others);
        lastTrouble = route.at() + ": it does not serve now";
        move();
      }
      case Frame.Replicas(List<String> others) -> route.replicas = others;
      case Frame.Move(String replica) -> {
        if (over == null && !isAt(replica) && candidates().contains(replica)) {
          moveTo(replica, "it has more to do than another replica");
        }
      }
      case Frame.Redirected(String manager) -> {
        if (!candidates().contains(manager)) {
          route.replicas = List.of(manager);
        }
        moveTo(manager, "it is not the request manager");
      }
      case Frame.Live told -> {
        live = over == null ? told : live;
        viewed(told);
      }
      case Frame.Agreed(int policy) -> agreed = agreedOn(policy);
      case Frame.Pong() -> {}
      case Frame.Wrong(String words) -> {
        lastTrouble = route.at() + ": " + words;
        move();
      }
      default -> throw new Frame.MalformedException("what a client says came from a replica");
    }
  }

  private void welcome(Frame.Welcome welcome) throws Frame.MalformedException {
    agreed = agreedOn(welcome.policy());
    phase = Phase.READY;
    window = welcome.window();
    lifeNanos = welcome.sessionMillis() * 1_000_000;
    route.replicas = welcome.replicas();
    pingAt = host.nanos() + pingNanos();
    if (suspicion != null) {
      suspicion.welcomed();
    }
    if (session > 0) {
      line.send(new Frame.Resume(session, secret, false).encode());
    }
    sendAgain();
  }

  private static @Nullable Policy agreedOn(int policy) throws Frame.MalformedException {
    try {
      return policy == Frame.NO_POLICY ? null : Policy.of(policy);
    } catch (IllegalArgumentException unknown) {
      throw new Frame.MalformedException(String.valueOf(unknown.getMessage()));
    }
  }

  /// The question with this number, which has its outcome now.
  ///
  /// @return null when it is answered, or given up, or of the other kind
  private @Nullable ClientRequest take(long id, boolean compares) {
    route.served();
    ClientRequest question = questions.get(id);
    if (question == null || question.compares != compares) {
      return null;
    }
    questions.remove(id);
    question.over = true;
    return question;
  }

  private void compared(long id, StateComparison outcome) {
    ClientRequest question = take(id, true);
    if (question != null) {
      question.compared(outcome);
      askNextComparison();
    }
  }

  private void answered(ClientRequest request, boolean bySecond) {
    if (hedge != null && !request.waits) {
      hedge.answered(host.nanos() - request.sentAt, request.hedged, bySecond);
    }
  }

  private void viewed(Frame.Live told) {
    Collecting all = collecting;
    if (all != null && all.told(told)) {
      for (ClientRequest command : List.copyOf(sent.values())) {
        if (command.replies != null) {
          all.view(command.replies);
          settle(command);
        }
      }
      pump();
    }
  }

  private void replied(long number, CommandReply reply, @Nullable QuietConnection over) {
    served(over);
    ClientRequest collected = sent.get(number);
    if (collecting != null && collected != null && collected.replies != null && !collected.over) {
      Frame.Live of = over == null ? live : over.live();
      if (of != null) {
        seen = Math.max(seen, reply.position() + 1);
        collecting.replied(collected.replies, !collected.reached, of, reply);
        collected.reached = true;
        settle(collected);
      }
    } else {
      single(number, reply, over != null);
    }
    pump();
  }

  /// The outcome of a bundle is made by the rule by which the manager has found it complete.
  private void gathered(Frame.Bundle bundle) {
    served(null);
    Collecting all = collecting;
    ClientRequest command = bundle.session() == session ? sent.get(bundle.number()) : null;
    if (all != null && command != null && command.over) {
      sent.remove(bundle.number());
    } else if (all != null && command != null) {
      Consolidator<Answer> call = all.begin(command.sentAt, command.deadlineNanos);
      all.gathered(call, bundle);
      if (call.outcome() != null) {
        bundle.replies().forEach(reply -> seen = Math.max(seen, reply.value().position() + 1));
        command.replies = call;
        command.reached = true;
        settle(command);
      }
    }
    pump();
  }

  /// A reply over another connection says nothing of the first one, which may not lead to anybody while the manager is
  /// suspected.
  private void served(@Nullable QuietConnection over) {
    if (suspicion == null || over == null) {
      route.served();
    }
    if (suspicion != null && over == null) {
      suspicion.answered();
    }
  }

  /// A command that has its outcome is acknowledged, if any replica has answered: it was executed.
  private void settle(ClientRequest command) {
    Consolidated<Answer> outcome = command.replies == null ? null : command.replies.outcome();
    if (outcome != null && !command.over) {
      command.over = true;
      if (command.reached) {
        sent.remove(command.number);
      }
      command.collected(outcome);
    }
  }

  private void single(long number, CommandReply reply, boolean bySecond) {
    ClientRequest command = sent.remove(number);
    if (command != null && !command.over) {
      command.over = true;
      answered(command, bySecond);
      seen = Math.max(seen, reply.position() + 1);
      command.tell(reply.status() != CommandReply.Status.DONE, reply.payload(), reply.position());
    }
  }

  /// The replicas have forgotten the session: nobody knows what became of what was sent in it.
  private void expired() {
    session = 0;
    sessionChanged();
    if (collecting != null) {
      collecting.forget();
    }
    List<ClientRequest> lost = List.copyOf(sent.values());
    sent.clear();
    numberNext = 1;
    for (ClientRequest command : lost) {
      command.fail(
          new SessionExpiredException(
              "the session had expired; whether the command was executed is not known, and it will not be"));
    }
    pump();
  }

  private void sessionChanged() {
    if (hedge != null) {
      hedge.sessionChanged();
    }
    if (toAll != null) {
      toAll.sessionChanged();
    }
  }

  private void sendAgain() {
    againAt = Long.MAX_VALUE;
    repeated += sent.size();
    for (ClientRequest command : List.copyOf(sent.values())) {
      send(command);
    }
    questions.values().forEach(this::ask);
    pump();
  }

  /// Sends what has not been sent yet, as far as the window allows.
  void pump() {
    boolean toOthers = session > 0 && suspicion != null && suspicion.holds() && toAll != null && toAll.isJoined();
    if (unsent.isEmpty() || phase != Phase.READY && !toOthers) {
      return;
    }
    if (session == 0) {
      if (nonce == 0) {
        nonce = host.random().nextLong();
        secret = new SessionTable.Secret(host.random().nextLong(), host.random().nextLong());
        line.send(new Frame.Open(nonce, secret).encode());
      }
      return;
    }
    while (!unsent.isEmpty() && sent.size() < window) {
      ClientRequest command = unsent.remove();
      command.number = numberNext++;
      command.sentAt = host.nanos();
      command.replies = collecting == null ? null : collecting.begin(command.sentAt, command.deadlineNanos);
      sent.put(command.number, command);
      send(command);
      if (wish != null && wish.collection() == Policy.Collection.NONE && !command.over) {
        command.over = true;
        command.handedOver = true;
        command.replied(ByteBuffer.allocate(0), -1);
      }
    }
  }

  private void send(ClientRequest command) {
    if (phase == Phase.READY) {
      line.send(call(command).encode());
    }
    if (toAll != null) {
      toAll.sent(command);
    }
  }

  private Frame call(ClientRequest command) {
    long below = sent.firstKey();
    boolean skip = command.over && !command.handedOver;
    return new Frame.Call(session, command.number, below, skip, skip ? ByteBuffer.allocate(0) : command.payload);
  }

  private void ask(ClientRequest question) {
    boolean waits = question.compares && comparisons().noneMatch(one -> one == question);
    if (question.read != null && !waits) {
      line.send(query(question, question.read).encode());
    }
  }

  /// The comparisons of states that are asked for now; others wait, as a replica refuses who asks for too many.
  private Stream<ClientRequest> comparisons() {
    return questions.values().stream().filter(question -> question.compares).limit(COMPARISONS_MAX);
  }

  private void askNextComparison() {
    if (phase == Phase.READY) {
      comparisons().skip(COMPARISONS_MAX - 1).toList().forEach(this::ask);
    }
  }

  private Frame query(ClientRequest question, Read read) {
    return question.compares
        ? new Frame.Compare(question.number)
        : new Frame.Query(question.number, read, seen(), question.payload);
  }

  private long seen() {
    return seen;
  }

  // ---- of quiet connections --------------------------------------------------------------------------------------

  /// A request as it is asked once more.
  ByteBuffer again(ClientRequest request) {
    return (request.read == null ? call(request) : query(request, request.read)).encode();
  }

  /// The oldest request that was not asked over the second connection. Of commands only the one without a reply before
  /// all others: what comes before a later one may be missing there.
  @Nullable ClientRequest oldest(boolean commands) {
    ClientRequest found = commands && !sent.isEmpty() ? sent.firstEntry().getValue() : null;
    if (found != null && found.hedged) {
      found = null;
    }
    for (ClientRequest question : questions.values()) {
      if (!question.hedged && !question.waits) {
        return found == null || question.sentAt < found.sentAt ? question : found;
      }
    }
    return found;
  }

  /// Commands without an outcome, in the order of their numbers.
  Collection<ClientRequest> unanswered() {
    return sent.values();
  }

  /// The first command that was sent and has no reply from anybody.
  @Nullable ClientRequest firstWithoutReply() {
    for (ClientRequest command : sent.values()) {
      if (!command.reached) {
        return command;
      }
    }
    return null;
  }

  /// Whether commands wait that have no number yet.
  boolean hasUnsent() {
    return !unsent.isEmpty();
  }

  /// The replicas that are there.
  ///
  /// @return their addresses, as a replica has told them last; empty before
  public List<String> replicas() {
    return route.replicas;
  }

  boolean isReady() {
    return phase == Phase.READY;
  }

  /// Whether connections beside the first one may be begun: there is no hurry before that is there, but who may suspect
  /// the manager needs the others most when it is not.
  boolean wantsOthers() {
    return phase == Phase.READY || suspicion != null && session > 0;
  }

  /// Whether the first connection is to a replica, or will be; only when it is there that is worth another connection
  /// to the replica of a client that may suspect the manager.
  boolean isAt(@Nullable String replica) {
    boolean there = suspicion == null ? phase != Phase.IDLE : phase == Phase.READY;
    return there && replica != null && replica.equals(route.at());
  }

  SessionTable.Secret secret() {
    return secret;
  }

  /// Goes to a certain replica.
  void moveTo(String replica, String why) {
    route.wish(replica);
    lastTrouble = route.at() + ": " + why;
    move();
  }

  /// Goes to another replica.
  private void move() {
    line.disconnect();
    leave();
  }

  private void leave() {
    phase = Phase.IDLE;
    live = null;
    nonce = 0;
    moves++;
    connectAt = route.left();
  }

  /// Where this client may go.
  ///
  /// @return the addresses of the replicas that are there, as far as one of them has told, and its contacts
  public List<String> candidates() {
    return route.candidates();
  }

  // ---- what is done besides --------------------------------------------------------------------------------------

  /// Does what is due: to be called after each run of inputs, and at the latest at [#deadlineNanos].
  public void work() {
    long now = host.nanos();
    if (now >= checkAt) {
      giveUp(now);
    }
    if (closed) {
      return;
    }
    if (suspicion != null && suspicion.isDue(now) && toAll != null) {
      toAll.sendUnanswered();
      pump();
    }
    switch (phase) {
      case IDLE -> {
        if (now - connectAt >= 0) {
          connect(now);
        }
      }
      case CONNECTING, GREETING -> {
        if (now - heardAt > patienceNanos()) {
          lost("no answer");
          move();
        }
      }
      case READY -> ready(now);
    }
    if (hedge != null) {
      hedge.work(now);
    }
    if (toAll != null) {
      toAll.work(now);
    }
  }

  private void connect(long now) {
    if (route.isExhausted()) {
      host.lookUp();
    }
    if (candidates().isEmpty()) {
      lastTrouble = "no address of a replica was found";
      connectAt = route.left();
    } else {
      phase = Phase.CONNECTING;
      heardAt = now;
      line.connect(route.next());
    }
  }

  private void ready(long now) {
    boolean waits = !sent.isEmpty() || !questions.isEmpty() || nonce != 0;
    if (waits && now - heardAt > silenceNanos) {
      lost("silent");
      move();
      return;
    }
    if (now >= againAt) {
      sendAgain();
    }
    if (now - pingAt >= 0) {
      line.send(new Frame.Ping().encode());
      pingAt = now + pingNanos();
    }
  }

  private long patienceNanos() {
    long patience = route.patienceNanos();
    return phase == Phase.CONNECTING ? patience + host.formingNanos() : patience;
  }

  private long pingNanos() {
    return Math.min(silenceNanos / PINGS_PER_SILENCE, lifeNanos / PINGS_PER_LIFE);
  }

  private void giveUp(long now) {
    checkAt = Long.MAX_VALUE;
    for (Iterator<ClientRequest> all = unsent.iterator(); all.hasNext(); ) {
      ClientRequest command = all.next();
      if (now >= command.deadlineNanos) {
        all.remove();
        command.fail(timeout("the command was not sent", false));
      } else {
        checkAt = earlier(checkAt, command.deadlineNanos);
      }
    }
    for (ClientRequest command : List.copyOf(sent.values())) {
      if (now >= command.deadlineNanos && command.replies != null) {
        command.replies.tick(now);
        settle(command);
      } else if (now >= command.deadlineNanos) {
        command.fail(timeout("no reply to the command, which may be executed once", true));
      } else {
        checkAt = earlier(checkAt, command.deadlineNanos);
      }
    }
    for (ClientRequest question : List.copyOf(questions.values())) {
      if (now >= question.deadlineNanos) {
        forget(question);
        question.fail(timeout("no answer to the query", false));
      } else {
        checkAt = earlier(checkAt, question.deadlineNanos);
      }
    }
  }

  private CallTimeoutException timeout(String words, boolean sentIt) {
    String trouble = phase == Phase.READY ? "connected to " + route.at() : "not connected; last " + lastTrouble;
    return new CallTimeoutException(words + " (" + trouble + ")", sentIt);
  }

  private static long earlier(long one, long other) {
    return Math.min(one, other);
  }

  /// When [#work] has something to do although nothing happens.
  ///
  /// @return steady time, as [Host#nanos]
  public long deadlineNanos() {
    long due =
        switch (phase) {
          case IDLE -> closed ? Long.MAX_VALUE : connectAt;
          case CONNECTING, GREETING -> heardAt + patienceNanos() + 1;
          case READY -> {
            boolean waits = !sent.isEmpty() || !questions.isEmpty() || nonce != 0;
            long silent = waits ? heardAt + silenceNanos + 1 : Long.MAX_VALUE;
            yield Math.min(Math.min(silent, pingAt), againAt);
          }
        };
    long second = hedge == null || closed ? Long.MAX_VALUE : hedge.deadlineNanos();
    long copies = toAll == null || closed ? Long.MAX_VALUE : toAll.deadlineNanos();
    long suspected = suspicion == null || closed ? Long.MAX_VALUE : suspicion.dueNanos();
    return Math.min(Math.min(due, second), Math.min(Math.min(copies, suspected), checkAt));
  }

  /// Where the client is connected to, or was last, and what was wrong with the one before; for people.
  @Override
  public String toString() {
    String state =
        switch (phase) {
          case IDLE -> closed ? "closed" : "not connected";
          case CONNECTING -> "connecting";
          case GREETING -> "asking for a session";
          case READY -> "connected";
        };
    String last = phase == Phase.IDLE ? ", last at " : " at ";
    String where = route.at() == null ? "" : last + route.at();
    String before = lastTrouble == null ? "" : "; before that " + lastTrouble;
    return "client of \"" + service + "\", " + state + where + before;
  }

  /// Its session's number, which is no secret.
  ///
  /// @return 0 when it has none
  public long session() {
    return session;
  }

  /// How often it has gone from one replica to the next.
  ///
  /// @return a count since the start
  public long moves() {
    return moves;
  }

  /// Whether a command waits for an outcome.
  ///
  /// @return whether it is so; commands that were given up count as long as the replicas may execute them
  public boolean awaitsCommands() {
    return !sent.isEmpty() || !unsent.isEmpty();
  }

  /// How many commands it has sent again.
  ///
  /// @return a count since the start
  public long repeated() {
    return repeated;
  }

  /// Whether nothing waits for an outcome.
  ///
  /// @return whether it is so; commands that were given up count as long as the replicas may execute them
  public boolean isIdle() {
    return sent.isEmpty() && unsent.isEmpty() && questions.isEmpty();
  }
}
