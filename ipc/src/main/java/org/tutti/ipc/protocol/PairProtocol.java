package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.Status;
import org.tutti.ipc.protocol.IpcProtocol.Received;
import org.tutti.ipc.protocol.IpcProtocol.Sent;
import org.tutti.ipc.protocol.IpcProtocol.TakenReply;
import org.tutti.ipc.protocol.PairMessage.Ask;
import org.tutti.ipc.protocol.PairMessage.Chase;
import org.tutti.ipc.protocol.PairMessage.Edge;
import org.tutti.ipc.protocol.PairMessage.Gone;
import org.tutti.ipc.protocol.PairMessage.More;
import org.tutti.ipc.protocol.PairMessage.Offer;
import org.tutti.ipc.protocol.PairMessage.Over;
import org.tutti.ipc.protocol.PairMessage.Pair;
import org.tutti.ipc.protocol.PairMessage.Part;
import org.tutti.ipc.protocol.PairMessage.Queued;
import org.tutti.ipc.protocol.PairMessage.ReplyTaken;
import org.tutti.ipc.protocol.PairMessage.Wait;
import org.tutti.ipc.protocol.PairMessage.Why;

/// Communications of two processes, at one host: as senders, and as receivers. Deterministic; no thread, no clock.
///
/// Guarantee: a message is received at most once, and those of one sender in the order of sending; what a send says to
/// be in the queue is received, if the receiver receives, whatever becomes of the sender; a reply is taken in the
/// communication in which it was made; every call ends in its time, or when the other process or its host is gone.
/// Everything is bounded: who has too much for a buffer waits.
///
/// ```
///   sender    sender's host                       receiver's host         receiver
///     | send ->  | -- Offer(session, length, first) -> |  is there room?       |
///     |          | <------------- More(from, up to) ---|                       |
///     |          | -- Part ... Part -----------------> |                       |
///     |  <- ok-- | <------------------------ Queued ---|  ------- message ---> |
///     | reply -> | <------- Offer(reply, length, ...) -|  <------- reply ----- |  waits
///     |          | -- ReplyTaken --------------------> |  ------- taken -----> |
/// ```
///
/// Source: H. L. See, *Group Communication in Distributed System T-Shoshin*, sections 3.2 and 3.3: the same calls and
/// statuses as for groups. [Deadlocks] finds cycles of processes that wait for each other.
public final class PairProtocol {
  /// How many messages of a process wait to be received at most; those on their way into the queue count.
  public static final int QUEUE_MAX = 64;

  /// How many messages a process has received and not replied to at most, of those that are not over.
  public static final int RECEIVED_MAX = 1024;

  /// How many messages wait for room in a process's queue at most.
  public static final int OFFERS_MAX = 1024;

  /// To how many processes a process is a sender at most.
  public static final int CALLS_MAX = 64;

  private static final int LIVES_MAX = 1024; // of hosts, whose last sessions are known

  /// How much is sent and kept.
  ///
  /// @param partBytes   of a message in one frame of the link, at most [PairMessage#PART_BYTES_MAX]
  /// @param windowBytes of a message or reply, asked for and not come, at most
  /// @param bufferBytes of a host: of messages that come or wait to be received, of replies that come or wait to be
  ///                    taken, and of both as they are sent; three buffers of this size, no smaller than the longest
  ///                    message
  /// @param bytesMax    the longest message or reply
  public record Settings(int partBytes, int windowBytes, long bufferBytes, int bytesMax) {
    /// What programs have.
    public static final Settings DEFAULT =
        new Settings(PairMessage.PART_BYTES_MAX, 8 * PairMessage.PART_BYTES_MAX, 128 << 20, PairMessage.BYTES_MAX);
  }

  /// How full the fullest of each is.
  ///
  /// @param queue    messages of a process that wait to be received or are on their way
  /// @param received messages of a process that it has received
  /// @param offers   messages that wait for room at a process
  /// @param calls    communications of a process, as the sender
  /// @param in       bytes of messages
  /// @param replies  bytes of replies that come
  /// @param out      bytes that are sent
  public record Sizes(int queue, int received, int offers, int calls, long in, long replies, long out) {}

  /// What this needs of the host's processes.
  interface Local {
    long now();

    Set<MemberId> hosts();

    void post(MemberId to, PairMessage message);

    /// A process begins a call that may wait.
    void begin(int process);

    /// How many calls a process has begun.
    long begun(int process);

    /// The processes.
    Set<Integer> processes();

    /// A number for a message, or a session.
    long next();

    /// A process has another message in its queue.
    void serve(int process);

    /// Calls of a process that wait, those for a process excepted.
    Others others(int process);

    void abortReceive(int process, Status status);
  }

  /// Other calls that wait.
  ///
  /// @param count how many, the receive included
  /// @param from  of the receive: from this process only
  record Others(int count, @Nullable ProcessId from) {}

  private record Origin(MemberId host, long session) {}

  /// A process, as far as it has to do with others one to one.
  private static final class End {
    final Map<ProcessId, Call> own = new LinkedHashMap<>();
    final Map<Origin, Letter> letters = new LinkedHashMap<>();
    final Map<Long, Letter> byId = new TreeMap<>(); // those that are in the queue or received
    private int queued; // or coming
    private int received;

    boolean hasRoom() {
      return queued < QUEUE_MAX && received < RECEIVED_MAX;
    }

    int waiting() {
      return letters.size() - queued - received;
    }
  }

  private final MemberId self;
  private final long probeNanos;
  private final Settings settings;
  private final Local local;
  private final Later later;
  private final Deadlocks deadlocks;

  private final Map<Integer, End> ends = new TreeMap<>();
  private final Set<Letter> line = new LinkedHashSet<>(); // that wait for room, oldest first
  private final Set<Call> replyLine = new LinkedHashSet<>(); // whose replies wait for room, oldest first
  private final Map<MemberId, Long> last = new LinkedHashMap<>(); // sessions that have come, by life
  private long inBytes;
  private long replyBytes;
  private long outBytes;
  private long lookAt;
  private long dueAt = Long.MAX_VALUE; // nothing is due before

  PairProtocol(MemberId self, long probeNanos, Settings settings, Local local, Later later) {
    this.self = self;
    this.probeNanos = probeNanos;
    this.settings = settings;
    this.local = local;
    this.later = later;
    this.deadlocks = new Deadlocks(self, new Waits());
  }

  private End end(int process) {
    return ends.computeIfAbsent(process, _ -> new End());
  }

  private boolean lives(int process) {
    return local.processes().contains(process);
  }

  /// A process has ended: its communications are over, and so are those of others with it.
  void ended(int process) {
    End end = ends.remove(process);
    if (end == null) {
      return;
    }
    for (Call call : List.copyOf(end.own.values())) {
      drop(end, call);
      abort(call, Status.NO_COMM);
      local.post(call.to.host(), new Over(call.pair, true));
    }
    for (Letter letter : List.copyOf(end.letters.values())) {
      remove(end, letter);
      tell(letter.replied, new Aborted<>(Status.NO_COMM));
      if (!letter.over) {
        local.post(letter.host, new Gone(letter.pair, Why.PROCESS_DEAD));
      }
    }
    admit();
  }

  // ---- the sender --------------------------------------------------------------------------------------------------

  /// Sends to one process, and ends the sender's communication with it that there was.
  ///
  /// @param process      the process
  /// @param to           to whom
  /// @param tag          what the receiver may select by
  /// @param payload      what to send
  /// @param timeout how long at most, in nanoseconds
  /// @param caller       told when the message is in the receiver's queue
  public void send(
      int process, ProcessId to, int tag, ByteBuffer payload, long timeout, Consumer<Result<Sent>> caller) {
    local.begin(process);
    Status fault = sendFault(process, to, payload.remaining());
    if (fault != null) {
      tell(caller, new Aborted<>(fault));
    } else {
      Call call = begin(process, to, payload, false);
      call.send = waiting(timeout, caller);
      offer(to.host(), call.pair, false, tag, payload);
    }
    later.run();
  }

  /// Sends to one process, and takes its reply.
  ///
  /// @param process      the process
  /// @param to           to whom
  /// @param tag          what the receiver may select by
  /// @param payload      what to send
  /// @param timeout how long at most, in nanoseconds
  /// @param caller       told the reply
  public void request(
      int process, ProcessId to, int tag, ByteBuffer payload, long timeout, Consumer<Result<TakenReply>> caller) {
    local.begin(process);
    Status fault = sendFault(process, to, payload.remaining());
    if (fault != null) {
      tell(caller, new Aborted<>(fault));
    } else {
      Call call = begin(process, to, payload, true);
      call.take = waiting(timeout, caller);
      offer(to.host(), call.pair, false, tag, payload);
    }
    later.run();
  }

  private @Nullable Status sendFault(int process, ProcessId to, int length) {
    if (!lives(process)) {
      return Status.NO_COMM;
    }
    if (!isHeard(to.host())) {
      return Status.HOST_DEAD;
    }
    End end = end(process);
    Call before = end.own.get(to);
    if (before == null && end.own.size() == CALLS_MAX) {
      Call forgotten = end.own.values().stream().filter(call -> call.fault != null).findFirst().orElse(null);
      if (forgotten == null) {
        return Status.NO_BUFF;
      }
      drop(end, forgotten);
    }
    long freed = before == null || before.payload == null ? 0 : before.payload.length();
    boolean fits = length <= settings.bytesMax && outBytes - freed + length <= settings.bufferBytes;
    return fits ? null : Status.NO_BUFF;
  }

  boolean isHeard(MemberId host) {
    return host.equals(self) || local.hosts().contains(host);
  }

  private Call begin(int process, ProcessId to, ByteBuffer payload, boolean isRequest) {
    End end = end(process);
    Call before = end.own.get(to);
    if (before != null) {
      over(end, before, Status.NO_COMM);
    }
    var call = new Call(new Pair(process, to.number(), local.next()), to, payload, isRequest);
    call.askAt = due(local.now() + probeNanos);
    outBytes += payload.remaining();
    end.own.put(to, call);
    return call;
  }

  private void offer(MemberId to, Pair pair, boolean reply, int tag, ByteBuffer payload) {
    int first = Math.min(settings.partBytes, payload.remaining());
    local.post(to, new Offer(pair, reply, tag, payload.remaining(), payload.slice(payload.position(), first)));
  }

  private void parts(MemberId to, More more, @Nullable Outgoing out) {
    if (out != null && out.isToSend(more.from(), more.upTo())) {
      out.sent(more.upTo());
      for (int at = more.from(); at < more.upTo(); at += settings.partBytes) {
        int end = Math.min(at + settings.partBytes, more.upTo());
        local.post(to, new Part(more.pair(), more.reply(), at, out.part(at, end)));
      }
    }
  }

  private void queued(Call call) {
    releasePayload(call);
    Waiting<Sent> send = call.send;
    call.send = null;
    if (send != null) {
      tell(send.caller(), new Done<>(new Sent(1, call.pair.session())));
    }
  }

  private void releasePayload(Call call) {
    if (call.payload != null) {
      outBytes -= call.payload.length();
      call.payload = null;
    }
  }

  /// The communication that goes on, of which another host speaks.
  private @Nullable Call find(MemberId from, Pair pair) {
    Call call = call(pair.process(), new ProcessId(from, pair.to()), pair.session());
    return call == null || call.fault != null ? null : call;
  }

  private @Nullable Call call(int process, ProcessId to, long session) {
    End end = ends.get(process);
    Call call = end == null ? null : end.own.get(to);
    return call != null && call.pair.session() == session ? call : null;
  }

  /// Nothing more will come of a communication, which its sender has not ended: a call that waits is told, or the next
  /// one.
  private void fault(Call call, Status status) {
    if (call.reply != null && call.reply.isWhole()) {
      return; // it may still be taken
    }
    End end = end(call.pair.process());
    if (call.send != null || call.take != null) {
      drop(end, call);
      abort(call, status);
    } else {
      releasePayload(call);
      releaseReply(call);
      call.fault = status;
    }
    admitReplies();
  }

  /// The sender, or this host for it, ends a communication.
  private void over(End end, Call call, Status status) {
    drop(end, call);
    if (call.fault == null) {
      local.post(call.to.host(), new Over(call.pair, false));
    }
    abort(call, status);
    admitReplies();
  }

  private void drop(End end, Call call) {
    end.own.remove(call.to, call);
    releasePayload(call);
    releaseReply(call);
  }

  private void releaseReply(Call call) {
    if (call.reply != null) {
      replyBytes -= call.replyLength;
      call.reply = null;
    }
    replyLine.remove(call);
  }

  private void abort(Call call, Status status) {
    if (call.send != null) {
      tell(call.send.caller(), new Aborted<>(status));
    }
    if (call.take != null) {
      tell(call.take.caller(), new Aborted<>(status));
    }
    call.send = null;
    call.take = null;
  }

  private <T> void tell(@Nullable Consumer<Result<T>> caller, Result<T> result) {
    if (caller != null) {
      later.add(() -> caller.accept(result));
    }
  }

  /// Says whether a reply is wanted; 0 ends the communication.
  ///
  /// @param process the process
  /// @param to      to whom it was sent
  /// @param session as it was sent
  /// @param wanted  how many
  /// @return 1, or 0 when the communication is over
  public Result<Integer> totreply(int process, ProcessId to, long session, int wanted) {
    Call call = call(process, to, session);
    if (call == null) {
      return new Aborted<>(Status.NO_COMM);
    }
    if (wanted < 0 || wanted > IpcProtocol.REPLIES_MAX) {
      return new Aborted<>(Status.CM_ERROR);
    }
    if (wanted == 0) {
      over(end(process), call, Status.NO_COMM);
      later.run();
    }
    return new Done<>(Math.min(wanted, 1));
  }

  /// Takes the reply of a communication, and waits for it.
  ///
  /// @param process      the process
  /// @param to           to whom it was sent
  /// @param session      as it was sent
  /// @param timeout how long at most, in nanoseconds
  /// @param caller       told the reply
  public void getreply(int process, ProcessId to, long session, long timeout, Consumer<Result<TakenReply>> caller) {
    local.begin(process);
    Call call = call(process, to, session);
    if (call == null) {
      tell(caller, new Aborted<>(Status.NO_COMM));
    } else if (call.fault != null) {
      drop(end(process), call);
      tell(caller, new Aborted<>(call.fault));
    } else if (call.take != null) {
      tell(caller, new Aborted<>(Status.CM_ERROR));
    } else {
      call.take = waiting(timeout, caller);
      if (call.replyLength >= 0 && call.reply == null) {
        replyLine.add(call);
        admitReplies();
      }
      take(call);
    }
    later.run();
  }

  private void take(Call call) {
    Waiting<TakenReply> take = call.take;
    if (take != null && call.reply != null && call.reply.isWhole()) {
      ByteBuffer reply = call.reply.whole();
      call.take = null;
      drop(end(call.pair.process()), call);
      tell(take.caller(), new Done<>(new TakenReply(call.to, reply)));
      local.post(call.to.host(), new ReplyTaken(call.pair));
      admitReplies();
    }
  }

  private void replyOffered(MemberId from, Offer offer) {
    Call call = find(from, offer.pair());
    if (call == null) {
      local.post(from, new Over(offer.pair(), !lives(offer.pair().process())));
    } else if (call.replyLength < 0 && offer.length() <= settings.bytesMax) {
      call.replyLength = offer.length();
      if (call.take != null || offer.first().remaining() == offer.length()) { // a long one comes when it is wanted
        call.replyFirst = offer.first();
        replyLine.add(call);
        admitReplies();
        call.replyFirst = null;
      }
    }
  }

  private void admitReplies() {
    for (Iterator<Call> each = replyLine.iterator(); each.hasNext(); ) {
      Call call = each.next();
      if (replyBytes + call.replyLength > settings.bufferBytes) {
        return;
      }
      each.remove();
      replyBytes += call.replyLength;
      var in = new Incoming(call.replyLength);
      call.reply = in;
      if (call.replyFirst != null) {
        in.add(0, call.replyFirst);
      }
      if (in.isWhole()) {
        later.add(() -> take(call)); // it ends the communication, which may let in another one
      } else {
        ask(call.to.host(), call.pair, true, in);
      }
    }
  }

  private void ask(MemberId of, Pair pair, boolean reply, Incoming in) {
    int from = in.next();
    int upTo = in.askUpTo(settings.windowBytes);
    if (upTo > from) {
      in.asked(upTo);
      local.post(of, new More(pair, reply, from, upTo));
    }
  }

  // ---- the receiver ------------------------------------------------------------------------------------------------

  private void offered(MemberId from, Offer offer) {
    Pair pair = offer.pair();
    if (isOld(from, pair.session()) || offer.length() > settings.bytesMax) {
      return;
    }
    if (!lives(pair.to())) {
      local.post(from, new Gone(pair, Why.PROCESS_DEAD));
      return;
    }
    End end = end(pair.to());
    for (Letter letter : List.copyOf(end.letters.values())) {
      if (letter.host.equals(from) && letter.pair.process() == pair.process()) {
        finish(end, letter, Status.NO_COMM);
      }
    }
    if (end.waiting() >= OFFERS_MAX) {
      local.post(from, new Gone(pair, Why.NO_ROOM));
      return;
    }
    var letter = new Letter(from, offer);
    letter.askAt = due(local.now() + probeNanos);
    end.letters.put(new Origin(from, pair.session()), letter);
    line.add(letter);
    admit(letter, offer.first());
  }

  /// Whether this message has come before: links may repeat what they do not know to have arrived, when hosts have lost
  /// each other meanwhile. Sessions of a host come in their order.
  private boolean isOld(MemberId from, long session) {
    Long before = last.remove(from);
    last.put(from, before == null ? session : Math.max(before, session));
    for (Iterator<MemberId> each = last.keySet().iterator(); last.size() > LIVES_MAX && each.hasNext(); ) {
      if (!isHeard(each.next())) {
        each.remove();
      }
    }
    return before != null && before >= session;
  }

  private void admit() {
    admit(null, null);
  }

  /// Lets messages in that wait for room: oldest first, but a full queue holds only its own messages up.
  ///
  /// @param newest has its first bytes with it
  private void admit(@Nullable Letter newest, @Nullable ByteBuffer first) {
    List<Letter> whole = new ArrayList<>();
    for (Iterator<Letter> each = line.iterator(); each.hasNext(); ) {
      Letter letter = each.next();
      End end = end(letter.pair.to());
      if (!end.hasRoom()) {
        continue;
      }
      if (inBytes + letter.length > settings.bufferBytes) {
        break;
      }
      each.remove();
      inBytes += letter.length;
      end.queued++;
      letter.state = Letter.State.COMING;
      var in = new Incoming(letter.length);
      letter.in = in;
      if (letter == newest && first != null) {
        in.add(0, first);
      }
      if (in.isWhole()) {
        whole.add(letter);
      } else {
        ask(letter.host, letter.pair, false, in);
      }
    }
    whole.forEach(this::arrived);
  }

  private void arrived(Letter letter) {
    letter.state = Letter.State.QUEUED;
    letter.id = local.next();
    end(letter.pair.to()).byId.put(letter.id, letter);
    local.post(letter.host, new Queued(letter.pair));
    local.serve(letter.pair.to());
  }

  /// The oldest message in the queue that a receive takes.
  @Nullable Letter oldest(int process, Selection selection) {
    End end = ends.get(process);
    if (end != null) {
      for (Letter letter : end.byId.values()) {
        if (letter.state == Letter.State.QUEUED && selection.takes(letter.sender(), letter.tag)) {
          return letter;
        }
      }
    }
    return null;
  }

  /// Takes a message out of the queue. If it is over, nobody can reply.
  Received receive(Letter letter) {
    End end = end(letter.pair.to());
    Incoming in = letter.in;
    var received =
        new Received(letter.id, letter.sender(), null, letter.pair.session(), letter.tag, in.whole().duplicate());
    if (letter.over) {
      remove(end, letter);
    } else {
      release(end, letter);
      letter.state = Letter.State.RECEIVED;
      end.received++;
    }
    later.add(this::admit);
    return received;
  }

  /// Whether a message that was received is one of these.
  boolean has(int process, long id) {
    return ends.containsKey(process) && ends.get(process).byId.containsKey(id);
  }

  void reply(int process, long id, ByteBuffer payload, Consumer<Result<Integer>> caller) {
    Letter letter = end(process).byId.get(id);
    if (letter.state != Letter.State.RECEIVED) {
      tell(caller, new Aborted<>(Status.NO_COMM));
    } else if (letter.reply != null) {
      tell(caller, new Aborted<>(Status.CM_MISMATCH));
    } else if (payload.remaining() > settings.bytesMax || outBytes + payload.remaining() > settings.bufferBytes) {
      tell(caller, new Aborted<>(Status.NO_BUFF));
    } else {
      outBytes += payload.remaining();
      letter.reply = new Outgoing(payload);
      letter.replied = caller;
      offer(letter.host, letter.pair, true, 0, payload);
    }
  }

  private void replyTaken(MemberId from, Pair pair) {
    Letter letter = letter(from, pair);
    if (letter != null && letter.reply != null) {
      tell(letter.replied, new Done<>(letter.reply.length()));
      remove(end(pair.to()), letter);
      admit();
    }
  }

  private @Nullable Letter letter(MemberId from, Pair pair) {
    End end = ends.get(pair.to());
    Letter letter = end == null ? null : end.letters.get(new Origin(from, pair.session()));
    return letter == null || letter.over ? null : letter;
  }

  /// The sender takes no reply any more. What is in the queue stays there, as the sender knows it to be there.
  private void finish(End end, Letter letter, Status status) {
    if (letter.state == Letter.State.QUEUED) {
      letter.over = true;
    } else {
      remove(end, letter);
      tell(letter.replied, new Aborted<>(status));
      later.add(this::admit);
    }
  }

  private void remove(End end, Letter letter) {
    end.letters.remove(new Origin(letter.host, letter.pair.session()));
    end.byId.remove(letter.id);
    line.remove(letter);
    release(end, letter);
    if (letter.state == Letter.State.RECEIVED) {
      end.received--;
    }
    if (letter.reply != null) {
      outBytes -= letter.reply.length();
      letter.reply = null;
    }
  }

  /// Of a message that is in the queue no longer.
  private void release(End end, Letter letter) {
    if (letter.in != null) {
      letter.in = null;
      inBytes -= letter.length;
      end.queued--;
    }
  }

  // ---- other hosts, and time ---------------------------------------------------------------------------------------

  void arrived(MemberId from, PairMessage message) {
    switch (message) {
      case Offer offer -> {
        if (offer.reply()) {
          replyOffered(from, offer);
        } else {
          offered(from, offer);
        }
      }
      case More more -> {
        if (more.reply()) {
          Letter letter = letter(from, more.pair());
          parts(from, more, letter == null ? null : letter.reply);
        } else {
          Call call = find(from, more.pair());
          parts(from, more, call == null ? null : call.payload);
        }
      }
      case Part part -> part(from, part);
      case Queued(Pair pair) -> {
        Call call = find(from, pair);
        if (call != null) {
          queued(call);
        }
      }
      case Gone(Pair pair, Why why) -> {
        Call call = find(from, pair);
        if (call != null) {
          fault(call, status(why));
        }
      }
      case ReplyTaken(Pair pair) -> replyTaken(from, pair);
      case Over(Pair pair, boolean dead) -> {
        Letter letter = letter(from, pair);
        if (letter != null) {
          finish(end(pair.to()), letter, dead ? Status.PROC_DEAD : Status.NO_COMM);
        }
      }
      case Ask(Pair pair, boolean bySender) -> asked(from, pair, bySender);
      case Chase chase -> deadlocks.arrived(from, chase);
    }
  }

  private static Status status(Why why) {
    return switch (why) {
      case PROCESS_DEAD -> Status.PROC_DEAD;
      case NO_ROOM -> Status.NO_BUFF;
      case HOST_LOST -> Status.HOST_DEAD;
    };
  }

  private void part(MemberId from, Part part) {
    if (part.reply()) {
      Call call = find(from, part.pair());
      if (call != null && call.reply != null && call.reply.add(part.offset(), part.bytes())) {
        ask(from, call.pair, true, call.reply);
        take(call);
      }
      return;
    }
    Letter letter = letter(from, part.pair());
    if (letter != null && letter.state == Letter.State.COMING && letter.in.add(part.offset(), part.bytes())) {
      if (letter.in.isWhole()) {
        arrived(letter);
      } else {
        ask(from, letter.pair, false, letter.in);
      }
    }
  }

  private void asked(MemberId from, Pair pair, boolean bySender) {
    if (bySender) {
      if (letter(from, pair) == null) {
        local.post(from, new Gone(pair, lives(pair.to()) ? Why.HOST_LOST : Why.PROCESS_DEAD));
      }
    } else if (find(from, pair) == null) {
      local.post(from, new Over(pair, !lives(pair.process())));
    }
  }

  /// A host is not heard any more, or has another life.
  void lost(MemberId host) {
    for (End end : List.copyOf(ends.values())) {
      for (Call call : List.copyOf(end.own.values())) {
        if (call.fault == null && call.to.host().equals(host)) {
          fault(call, Status.HOST_DEAD);
        }
      }
      for (Letter letter : List.copyOf(end.letters.values())) {
        if (letter.host.equals(host) && !letter.over) {
          finish(end, letter, Status.HOST_DEAD);
        }
      }
    }
  }

  /// A process waits for another one.
  void waits() {
    due(lookAt);
  }

  private <T> Waiting<T> waiting(long nanos, Consumer<Result<T>> caller) {
    waits();
    return new Waiting<>(due(local.now() + nanos), caller);
  }

  private long due(long at) {
    dueAt = Math.min(dueAt, at);
    return at;
  }

  void tick() {
    long now = local.now();
    if (dueAt > now) {
      return;
    }
    for (End end : List.copyOf(ends.values())) {
      for (Call call : List.copyOf(end.own.values())) {
        expire(end, call, now);
        if (call.fault == null && call.askAt <= now) {
          call.askAt = now + probeNanos;
          local.post(call.to.host(), new Ask(call.pair, true));
        }
      }
      for (Letter letter : end.letters.values()) {
        if (!letter.over && letter.askAt <= now) {
          letter.askAt = now + probeNanos;
          local.post(letter.host, new Ask(letter.pair, false));
        }
      }
    }
    if (lookAt <= now) {
      lookAt = now + probeNanos;
      deadlocks.look();
    }
    dueAt = nextDue();
  }

  private void expire(End end, Call call, long now) {
    if (call.send != null && call.send.deadline() <= now || call.isRequest && call.take.deadline() <= now) {
      over(end, call, Status.TIMED_OUT);
    } else if (call.take != null && call.take.deadline() <= now) {
      abort(call, Status.TIMED_OUT);
    }
  }

  /// Perhaps earlier than something is due, as it is computed anew only then.
  long deadline() {
    return dueAt;
  }

  private long nextDue() {
    long deadline = Long.MAX_VALUE;
    for (End end : ends.values()) {
      for (Call call : end.own.values()) {
        deadline = call.send == null && call.take == null ? deadline : Math.min(deadline, lookAt);
        deadline = call.send == null ? deadline : Math.min(deadline, call.send.deadline());
        deadline = call.take == null ? deadline : Math.min(deadline, call.take.deadline());
        deadline = call.fault != null ? deadline : Math.min(deadline, call.askAt);
      }
      for (Letter letter : end.letters.values()) {
        deadline = letter.over ? deadline : Math.min(deadline, letter.askAt);
      }
    }
    for (int process : local.processes()) {
      deadline = local.others(process).from == null ? deadline : Math.min(deadline, lookAt);
    }
    return deadline;
  }

  // ---- who waits for whom ------------------------------------------------------------------------------------------

  private Deadlocks.@Nullable Waiting waiting(int process) {
    Others others = local.others(process);
    int count = others.count;
    Edge edge = null;
    ProcessId target = others.from;
    if (target != null) {
      edge = new Edge(Wait.RECEIVE, new Pair(process, target.number(), 0));
    }
    End end = ends.get(process);
    if (end != null) {
      for (Call call : end.own.values()) {
        if (call.send != null || call.take != null) {
          count++;
          target = call.to;
          edge = new Edge(call.send != null ? Wait.SEND : Wait.REPLY, call.pair);
        }
      }
      for (Letter letter : end.letters.values()) {
        count += letter.replied == null ? 0 : 1;
      }
    }
    return count == 1 && edge != null ? new Deadlocks.Waiting(target, edge, local.begun(process)) : null;
  }

  private final class Waits implements Deadlocks.Graph {
    @Override
    public List<Integer> processes() {
      return List.copyOf(local.processes());
    }

    @Override
    public Deadlocks.@Nullable Waiting waiting(int process) {
      return PairProtocol.this.waiting(process);
    }

    @Override
    public boolean stands(MemberId from, Edge edge) {
      if (edge.by() == Wait.RECEIVE) {
        return true;
      }
      Letter letter = letter(from, edge.pair());
      if (letter == null) {
        return false;
      }
      return switch (letter.state) {
        case WAITING -> !end(edge.pair().to()).hasRoom();
        case COMING -> false;
        case QUEUED -> edge.by() == Wait.REPLY;
        case RECEIVED -> edge.by() == Wait.REPLY && letter.reply == null;
      };
    }

    @Override
    public void post(MemberId to, Chase chase) {
      local.post(to, chase);
    }

    @Override
    public void found(int process) {
      End end = ends.get(process);
      if (end != null) {
        for (Call call : List.copyOf(end.own.values())) {
          if (call.send != null || call.take != null) {
            over(end, call, Status.CM_DEADLOCK);
            return;
          }
        }
      }
      local.abortReceive(process, Status.CM_DEADLOCK);
    }
  }

  // ---- what is seen from outside -----------------------------------------------------------------------------------

  /// Communications that are not over, of this host's processes as senders.
  ///
  /// @return how many
  public int open() {
    return ends.values().stream().mapToInt(end -> end.own.size()).sum();
  }

  /// How much is kept, each at its fullest place.
  ///
  /// @return each at most as large as the bound of that kind
  public Sizes sizes() {
    int queue = 0;
    int received = 0;
    int offers = 0;
    int calls = 0;
    for (End end : ends.values()) {
      queue = Math.max(queue, end.queued);
      received = Math.max(received, end.received);
      offers = Math.max(offers, end.waiting());
      calls = Math.max(calls, end.own.size());
    }
    return new Sizes(queue, received, offers, calls, inBytes, replyBytes, outBytes);
  }

  void check() {
    long in = 0;
    long replies = 0;
    long out = 0;
    int waiting = 0;
    for (End end : ends.values()) {
      int queued = 0;
      int received = 0;
      for (Letter letter : end.letters.values()) {
        queued += letter.in == null ? 0 : 1;
        received += letter.state == Letter.State.RECEIVED ? 1 : 0;
        waiting += letter.state == Letter.State.WAITING ? 1 : 0;
        in += letter.in == null ? 0 : letter.length;
        out += letter.reply == null ? 0 : letter.reply.length();
        Invariant.check(!letter.over || letter.state == Letter.State.QUEUED, "what is over waits to be received");
        Invariant.check(end.byId.get(letter.id) == letter == letter.id > 0, "a message in the queue has its number");
      }
      for (Call call : end.own.values()) {
        replies += call.reply == null ? 0 : call.replyLength;
        out += call.payload == null ? 0 : call.payload.length();
        Invariant.check(call.fault == null || call.send == null && call.take == null, "a fault was told");
        Invariant.check(!call.isRequest || call.take != null, "a request waits until it is over");
      }
      Invariant.check(queued == end.queued && received == end.received, "the messages of a process are counted");
      Invariant.check(end.byId.size() <= end.letters.size(), "what has a number is there");
    }
    Invariant.check(waiting == line.size(), "what waits for room is in the line");
    Invariant.check(in == inBytes && replies == replyBytes && out == outBytes, "bytes that are kept are counted");
  }
}
