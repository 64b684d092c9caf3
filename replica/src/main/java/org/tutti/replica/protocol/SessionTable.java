package org.tutti.replica.protocol;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.replica.Command;
import org.tutti.replica.PassiveStateMachine;
import org.tutti.replica.Replication;
import org.tutti.replica.StateMachine;

/// The part of the replicated state that is not the service's own: who has a session, and what each was answered. It is
/// a function of the group's messages alone, so it is the same at all replicas, and goes with every snapshot.
///
/// A command has a session and a number. It is executed when it is delivered with the number that follows on the last
/// executed one of its session, and at no other time:
///
/// ```
///  number <= last      a retry: answered with what is kept, not executed
///  number == last + 1  executed; the reply is kept until the client says that it has it
///  number >  last + 1  refused: what is between has not come yet, the client sends it all again
///  session unknown     refused: it has expired, or never was
/// ```
///
/// So a client may send a command as often as it likes, to any replica, before and after crashes, and it is executed
/// once; and the commands of a client are executed in its order. A session's number is the position of the message that
/// opened it, so none is given out twice. A session whose client was not heard for the agreed time expires at the same
/// place of the history at all replicas: by a message that tells the time, not by anybody's clock.
///
/// **Passive replication**: a command that follows on the last one is not executed but gets its place among the
/// [PendingCommands]; its reply is kept, and sent, when the outcome that a primary has multicast is delivered.
///
/// Client sessions are those of Ongaro (Consensus: Bridging Theory and Practice, 2014, section 6.3); that the order of
/// a client is kept, and that it acknowledges replies so that they may be forgotten, is as in RIFL (Lee et al., SOSP
/// 2015).
public final class SessionTable {
  /// What bounds sessions; agreed by the first replica's message and the same at all.
  ///
  /// @param sessionMillis how long a session lives after its client was heard last; 1 or more
  /// @param sessionsMax   how many there may be
  /// @param window        how many commands of a session may be without acknowledgement of their replies
  /// @param replyBytesMax how many bytes of replies a session may have that are not acknowledged; one more is executed
  ///                      below that only
  public record Limits(long sessionMillis, int sessionsMax, int window, int replyBytesMax) {
    /// Checks the ranges.
    public Limits {
      if (sessionMillis < 1 || sessionsMax < 1 || window < 1 || replyBytesMax < 1) {
        throw new IllegalArgumentException(
            "limits of sessions are 1 or more: "
                + sessionMillis
                + " ms, "
                + sessionsMax
                + " sessions, "
                + window
                + " commands, "
                + replyBytesMax
                + " bytes");
      }
    }
  }

  /// What only the client of a session knows, besides the replicas: 128 bits that it has drawn.
  ///
  /// @param high 64 of them
  /// @param low  the others
  public record Secret(long high, long low) {
    /// Without the bits.
    @Override
    public String toString() {
      return "a secret";
    }
  }

  /// Why a command was not executed, and is not answered with a reply.
  public enum Refusal {
    /// One before it has not come; the client sends all again that has no reply.
    GAP,
    /// Too many replies wait to be acknowledged; the client sends it again when it has acknowledged some.
    FULL,
    /// There is no such session.
    EXPIRED
  }

  /// Told what a message has done, at every replica; whoever has the client passes it on.
  public interface Answers {
    /// A session is open.
    ///
    /// @param nonce   what the client has chosen to know its session by
    /// @param session its number, or 0 when there are too many
    void opened(long nonce, long session);

    /// A command has a reply, now or from an earlier time.
    ///
    /// @param session the session
    /// @param number  the command's
    /// @param reply   what became of it
    void replied(long session, long number, CommandReply reply);

    /// A command was refused.
    ///
    /// @param session the session
    /// @param number  the command's
    /// @param why     the reason
    void refused(long session, long number, Refusal why);
  }

  /// The longest reply of a service, in bytes; a longer one is a failure of the command.
  public static final int REPLY_BYTES_MAX = 8 << 20;

  private static final int FORMAT = 2;
  private static final int PAUSES_PER_LIFE = 4; // so long it is not said what time it is only when something is wrong

  private static final class Session {
    final long id;
    final Secret secret;
    long last; // the last command that was executed; all up to it were
    int pending; // commands behind it that have no outcome yet
    long below = 1; // the client has the replies of all commands before this one
    long heard; // agreed time
    int replyBytes;
    final ArrayDeque<CommandReply> replies = new ArrayDeque<>(4); // of the commands from below to last

    Session(long id, Secret secret, long heard) {
      this.id = id;
      this.secret = secret;
      this.heard = heard;
    }

    boolean isPending(long number) {
      return number <= last + pending;
    }

    void acknowledge(long upTo) {
      while (below < upTo && below <= last) {
        replyBytes -= replies.remove().cost();
        below++;
      }
    }

    @Nullable CommandReply reply(long number) {
      if (number < below) {
        return null;
      }
      Iterator<CommandReply> from = replies.iterator();
      for (long at = below; at < number; at++) {
        from.next();
      }
      return from.next();
    }

    void keep(CommandReply reply) {
      last++;
      replies.add(reply);
      replyBytes += reply.cost();
    }
  }

  private @Nullable Limits limits;
  private Replication replication = Replication.ACTIVE; // once there are limits
  private final PendingCommands pending = new PendingCommands();
  private long time; // agreed, in milliseconds since 1970
  private long positionNext;
  private long executed; // in this life; no part of the state
  private long repeated; // in this life
  private long outdated; // in this life
  private final Map<Long, Session> sessions = new LinkedHashMap<>(); // in the order in which they were opened
  private final SortedMap<String, String> addresses = new TreeMap<>();

  /// A table of a service that nothing has happened to.
  public SessionTable() {
    this(0, 0, 0);
  }

  /// A table to be restored.
  ///
  /// @param executed how many commands were executed in this life
  /// @param repeated how many of them came again
  /// @param outdated how many outcomes did not count
  SessionTable(long executed, long repeated, long outdated) {
    this.executed = executed;
    this.repeated = repeated;
    this.outdated = outdated;
  }

  /// What bounds sessions.
  ///
  /// @return null as long as no replica has said it
  public @Nullable Limits limits() {
    return limits;
  }

  /// Who executes commands.
  ///
  /// @return the replication; says something only when there are [#limits]
  public Replication replication() {
    return replication;
  }

  /// What a primary has to execute.
  PendingCommands pending() {
    return pending;
  }

  /// How many outcomes of primaries did not count here, because another one had come before or the state was another.
  ///
  /// @return a count since the start
  public long outdated() {
    return outdated;
  }

  /// The agreed time of the last message.
  ///
  /// @return milliseconds since 1970
  public long time() {
    return time;
  }

  /// How far this replica is.
  ///
  /// @return the position behind the last message that was applied
  public long positionNext() {
    return positionNext;
  }

  /// How many sessions there are.
  ///
  /// @return the number
  public int sessions() {
    return sessions.size();
  }

  /// Whether there is a session.
  ///
  /// @param session a number
  /// @return whether a client has it now
  public boolean isOpen(long session) {
    return sessions.containsKey(session);
  }

  /// Whether a session belongs to who says a secret.
  ///
  /// @param session a number
  /// @param secret  what was said
  /// @return whether there is such a session, opened with that secret
  public boolean belongs(long session, Secret secret) {
    Session its = sessions.get(session);
    return its != null && its.secret.equals(secret);
  }

  /// The replies of a session that its client has not acknowledged.
  List<Frame.Replied> kept(long session) {
    Session its = sessions.get(session);
    List<Frame.Replied> kept = new ArrayList<>();
    if (its != null) {
      for (CommandReply reply : its.replies) {
        kept.add(new Frame.Replied(session, its.below + kept.size(), reply));
      }
    }
    return kept;
  }

  /// How many commands were executed here.
  ///
  /// @return a count since the start; not those contained in a state that was restored
  public long executed() {
    return executed;
  }

  /// How many commands came again here that had been executed.
  ///
  /// @return a count since the start
  public long repeated() {
    return repeated;
  }

  /// Where clients reach the replicas.
  ///
  /// @return addresses by the replica's name; read only
  public SortedMap<String, String> addresses() {
    return addresses;
  }

  /// Where clients reach the members of a view.
  ///
  /// @param view null for nobody
  List<String> addressesIn(@Nullable View view) {
    List<String> here = view == null ? List.of() : view.members().stream().map(MemberId::name).toList();
    return addresses.entrySet().stream()
        .filter(entry -> here.contains(entry.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }

  /// Applies the next message of the group.
  ///
  /// @param sender   the name of the replica that multicast it
  /// @param position its position
  /// @param message  its bytes; lent
  /// @param machine  the service
  /// @param answers  told what it did
  /// @throws IllegalStateException when the message is not of this version of Tutti
  public void apply(String sender, long position, ByteBuffer message, StateMachine machine, Answers answers) {
    positionNext = position + 1;
    int kind = message.get();
    switch (kind) {
      case OrderedMessage.CONFIGURE -> {
        if (limits == null) {
          limits = OrderedMessage.limits(message);
          replication = OrderedMessage.replication(message.get());
          int version = message.get() & 0xff;
          if (version != OrderedMessage.VERSION) {
            throw new IllegalStateException(
                "the replicas speak version " + version + " with each other, this one " + OrderedMessage.VERSION);
          }
        }
      }
      case OrderedMessage.ANNOUNCE -> addresses.put(sender, StandardCharsets.UTF_8.decode(message).toString());
      case OrderedMessage.OPEN -> {
        advance(message.getLong());
        open(position, message.getLong(), new Secret(message.getLong(), message.getLong()), answers);
      }
      case OrderedMessage.CALL, OrderedMessage.COLLECT -> {
        advance(message.getLong());
        call(position, message, machine, answers);
      }
      case OrderedMessage.TOUCH -> {
        advance(message.getLong());
        while (message.hasRemaining()) {
          Session session = sessions.get(message.getLong());
          if (session != null) {
            session.heard = time;
          }
        }
      }
      case OrderedMessage.TICK -> {
        long said = message.getLong();
        advance(said);
        expire(said, position, machine, answers);
      }
      case OrderedMessage.CLOSE -> {
        Session closed = sessions.get(message.getLong());
        if (closed != null) {
          end(closed, position, machine, answers);
        }
      }
      case OrderedMessage.CHANGE -> change(position, message, machine, answers);
      case OrderedMessage.CHECK, OrderedMessage.DIGEST -> {} // of the states, and no part of them
      default -> throw new IllegalStateException("a replica sent message " + kind + ", which is not of this version");
    }
  }

  private void advance(long said) {
    long passed = said - time;
    if (limits != null && passed > limits.sessionMillis / PAUSES_PER_LIFE) {
      pause(passed);
    }
    time = Math.max(time, said);
  }

  /// Nobody has said for long what time it is: no replica has served, so that no client could be heard, or the service
  /// was idle, and a replica that has joined since has believed the last message. That time counts for no session.
  private void pause(long passed) {
    for (Session session : sessions.values()) {
      session.heard += passed;
    }
  }

  private void open(long position, long nonce, Secret secret, Answers answers) {
    if (limits == null || sessions.size() >= limits.sessionsMax) {
      answers.opened(nonce, 0);
      return;
    }
    long id = position + 1; // 0 is none
    sessions.put(id, new Session(id, secret, time));
    answers.opened(nonce, id);
  }

  private void call(long position, ByteBuffer message, StateMachine machine, Answers answers) {
    long id = message.getLong();
    long number = message.getLong();
    long below = message.getLong();
    boolean skip = message.get() != 0;
    Session session = sessions.get(id);
    if (session == null) {
      answers.refused(id, number, Refusal.EXPIRED);
      return;
    }
    session.heard = time;
    session.acknowledge(below);
    if (number <= session.last) {
      repeated++;
      CommandReply kept = session.reply(number);
      if (kept != null) {
        answers.replied(id, number, kept);
      }
    } else if (session.isPending(number)) {
      repeated++; // the reply will come with the outcome
    } else if (number > session.last + session.pending + 1) {
      answers.refused(id, number, Refusal.GAP);
    } else if (isFull(session)) {
      answers.refused(id, number, Refusal.FULL);
    } else if (isPassive()) {
      ByteBuffer payload = ByteBuffer.allocate(message.remaining()).put(message).flip().asReadOnlyBuffer();
      pending.add(new PendingCommands.Pending(position, id, number, skip, payload));
      session.pending++;
      skip(position, answers);
    } else {
      var command = new Command(id, number, position, Instant.ofEpochMilli(time), message.slice().asReadOnlyBuffer());
      CommandReply reply =
          skip
              ? new CommandReply(CommandReply.Status.SKIPPED, position, ByteBuffer.allocate(0))
              : run(machine, command);
      session.keep(reply);
      executed++;
      answers.replied(id, number, reply);
    }
  }

  private boolean isPassive() {
    return replication == Replication.PASSIVE;
  }

  private boolean isFull(Session session) {
    Limits most = limits;
    return most != null
        && (session.replies.size() + session.pending >= most.window
            || session.replyBytes >= most.replyBytesMax
            || pending.isFull());
  }

  /// The outcome of a command: one execution of it on the state of now, or nobody's business any more. The reply says
  /// the position of the outcome: a client that has it has seen the change.
  private void change(long position, ByteBuffer message, StateMachine machine, Answers answers) {
    long of = message.getLong();
    long on = message.getLong();
    CommandReply.Status status = CommandReply.status(message.get());
    boolean changes = message.get() != 0;
    byte[] reply = new byte[message.getInt()];
    message.get(reply);
    PendingCommands.Pending command = pending.decide(of, on);
    if (command == null) {
      outdated++;
      return;
    }
    if (!(machine instanceof PassiveStateMachine passive)) {
      throw new IllegalStateException("the service is replicated passively, and is no PassiveStateMachine here");
    }
    if (changes) {
      passive.change(position, message.slice().asReadOnlyBuffer());
    }
    pending.changed(position);
    decided(command, new CommandReply(status, position, ByteBuffer.wrap(reply).asReadOnlyBuffer()), answers);
    skip(position, answers);
  }

  /// Commands that their client has given up need no primary when it is their turn.
  private void skip(long position, Answers answers) {
    for (var next = pending.pollSkipped(); next != null; next = pending.pollSkipped()) {
      decided(next, new CommandReply(CommandReply.Status.SKIPPED, position, ByteBuffer.allocate(0)), answers);
    }
  }

  private void decided(PendingCommands.Pending command, CommandReply reply, Answers answers) {
    Session session = sessions.get(command.session());
    if (session == null) {
      throw new IllegalStateException(command + " is of no session");
    }
    session.pending--;
    session.keep(reply);
    executed++;
    answers.replied(session.id, command.number(), reply);
  }

  private static CommandReply run(StateMachine machine, Command command) {
    try {
      ByteBuffer result = machine.apply(command).slice().asReadOnlyBuffer();
      if (result.remaining() > REPLY_BYTES_MAX) {
        throw new IllegalStateException("a reply of " + result.remaining() + " bytes; it may have " + REPLY_BYTES_MAX);
      }
      return new CommandReply(CommandReply.Status.DONE, command.position(), result);
    } catch (RuntimeException failure) {
      return new CommandReply(CommandReply.Status.FAILED, command.position(), FailureWords.of(failure));
    }
  }

  /// Nothing of the session is executed from here on. The service changes, so what a primary has executed meanwhile
  /// does not count.
  private void end(Session session, long position, StateMachine machine, Answers answers) {
    sessions.remove(session.id);
    pending.forget(session.id);
    machine.sessionEnded(session.id, position, Instant.ofEpochMilli(time));
    pending.changed(position);
    skip(position, answers);
  }

  /// Where the history tells the time, which is the same place at all replicas: nowhere else.
  ///
  /// @param said the time that the most senior replica said: what others say may be later, and be ordered before it, as
  ///             after an outage in which clients could not be heard
  void expire(long said, long position, StateMachine machine, Answers answers) {
    if (limits != null) {
      long oldest = said - limits.sessionMillis;
      List<Session> expired = sessions.values().stream().filter(session -> session.heard < oldest).toList();
      for (Session session : expired) {
        end(session, position, machine, answers);
        if (session.pending > 0) {
          answers.refused(session.id, 0, Refusal.EXPIRED); // who waits for an outcome asks for nothing, and hears of it
        }
      }
    }
  }

  /// What all of this is now, for a newcomer: replies never change, so only references are copied.
  ///
  /// @return writes it, on any thread
  public StateMachine.Snapshot snapshot() {
    Limits most = limits;
    long now = time;
    long next = positionNext;
    Replication way = replication;
    PendingCommands.Copy waiting = pending.copy();
    var names = new TreeMap<>(addresses);
    var copies = new ArrayList<Copy>(sessions.size());
    for (Session session : sessions.values()) {
      copies.add(new Copy(session.id, session.secret, session.below, session.heard, List.copyOf(session.replies)));
    }
    return out -> {
      var data = new DataOutputStream(out);
      data.writeShort(FORMAT);
      data.writeBoolean(most != null);
      if (most != null) {
        data.writeLong(most.sessionMillis);
        data.writeInt(most.sessionsMax);
        data.writeInt(most.window);
        data.writeInt(most.replyBytesMax);
        data.writeByte(way.ordinal());
      }
      data.writeLong(now);
      data.writeLong(next);
      data.writeInt(names.size());
      for (Map.Entry<String, String> entry : names.entrySet()) {
        data.writeUTF(entry.getKey());
        data.writeUTF(entry.getValue());
      }
      data.writeInt(copies.size());
      for (Copy copy : copies) {
        copy.write(data);
      }
      waiting.write(data);
      data.flush();
    };
  }

  /// Replaces all of this by what [#snapshot] has written.
  ///
  /// @param in the same bytes; what follows is left in it
  /// @throws IOException when it fails, or is of another version, or no replica can have written it
  public void restore(DataInputStream in) throws IOException {
    try {
      read(in);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new IOException("a snapshot that no replica has written: " + e.getMessage(), e);
    }
  }

  private void read(DataInputStream in) throws IOException {
    int format = in.readUnsignedShort();
    if (format != FORMAT) {
      throw new IOException("the sessions are of version " + format + ", this replica reads version " + FORMAT);
    }
    limits = null;
    if (in.readBoolean()) {
      limits = new Limits(in.readLong(), in.readInt(), in.readInt(), in.readInt());
      replication = OrderedMessage.replication(in.readUnsignedByte());
    }
    time = in.readLong();
    positionNext = in.readLong();
    addresses.clear();
    for (int left = in.readInt(); left > 0; left--) {
      addresses.put(in.readUTF(), in.readUTF());
    }
    sessions.clear();
    for (int left = in.readInt(); left > 0; left--) {
      Session session = Copy.read(in);
      sessions.put(session.id, session);
    }
    pending.restore(in, this::awaits);
  }

  /// Reads bytes behind their length: room is made as they come, never for bytes that were only announced.
  static byte[] bytes(DataInputStream in, int most, String what) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > most) {
      throw new IOException(what + " of " + length + " bytes in a snapshot");
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("a snapshot ends in " + what);
    }
    return bytes;
  }

  private void awaits(PendingCommands.Pending command) {
    Session session = sessions.get(command.session());
    if (session != null) {
      session.pending++;
    }
  }

  /// One session in a snapshot.
  private record Copy(long id, Secret secret, long below, long heard, List<CommandReply> replies) {
    void write(DataOutputStream out) throws IOException {
      out.writeLong(id);
      out.writeLong(secret.high);
      out.writeLong(secret.low);
      out.writeLong(below);
      out.writeLong(heard);
      out.writeInt(replies.size());
      for (CommandReply reply : replies) {
        out.writeByte(reply.status().ordinal());
        out.writeLong(reply.position());
        byte[] payload = new byte[reply.payload().remaining()];
        reply.payload().duplicate().get(payload);
        out.writeInt(payload.length);
        out.write(payload);
      }
    }

    static Session read(DataInputStream in) throws IOException {
      long id = in.readLong();
      var secret = new Secret(in.readLong(), in.readLong());
      long below = in.readLong();
      var session = new Session(id, secret, in.readLong());
      session.below = below;
      session.last = below - 1;
      for (int left = in.readInt(); left > 0; left--) {
        CommandReply.Status status = CommandReply.status(in.readUnsignedByte());
        long position = in.readLong();
        byte[] payload = bytes(in, REPLY_BYTES_MAX, "a reply");
        session.keep(new CommandReply(status, position, ByteBuffer.wrap(payload).asReadOnlyBuffer()));
      }
      return session;
    }
  }
}
