package org.tutti.replica.protocol;

import java.io.DataInputStream;
import java.io.DataOutputStream;
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
import org.tutti.replica.Command;
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

  private static final int FORMAT = 1;

  private static final class Session {
    final long id;
    final Secret secret;
    long last; // the last command that was executed; all up to it were
    long below = 1; // the client has the replies of all commands before this one
    long heard; // agreed time
    int replyBytes;
    final ArrayDeque<CommandReply> replies = new ArrayDeque<>(4); // of the commands from below to last

    Session(long id, Secret secret, long heard) {
      this.id = id;
      this.secret = secret;
      this.heard = heard;
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
  private long time; // agreed, in milliseconds since 1970
  private long positionNext;
  private long executed; // in this life; no part of the state
  private long repeated; // in this life
  private final Map<Long, Session> sessions = new LinkedHashMap<>(); // in the order in which they were opened
  private final SortedMap<String, String> addresses = new TreeMap<>();

  /// A table of a service that nothing has happened to.
  public SessionTable() {
    this(0, 0);
  }

  /// A table to be restored.
  ///
  /// @param executed how many commands were executed in this life
  /// @param repeated how many of them came again
  SessionTable(long executed, long repeated) {
    this.executed = executed;
    this.repeated = repeated;
  }

  /// What bounds sessions.
  ///
  /// @return null as long as no replica has said it
  public @Nullable Limits limits() {
    return limits;
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
        }
      }
      case OrderedMessage.ANNOUNCE -> addresses.put(sender, StandardCharsets.UTF_8.decode(message).toString());
      case OrderedMessage.OPEN -> {
        advance(message.getLong());
        open(position, message.getLong(), new Secret(message.getLong(), message.getLong()), answers);
      }
      case OrderedMessage.CALL -> {
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
        advance(message.getLong());
        expire(position, machine);
      }
      case OrderedMessage.CLOSE -> {
        long id = message.getLong();
        if (sessions.remove(id) != null) {
          machine.sessionEnded(id, position, Instant.ofEpochMilli(time));
        }
      }
      default -> throw new IllegalStateException("a replica sent message " + kind + ", which is not of this version");
    }
  }

  private void advance(long said) {
    time = Math.max(time, said);
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
    } else if (number > session.last + 1) {
      answers.refused(id, number, Refusal.GAP);
    } else if (isFull(session)) {
      answers.refused(id, number, Refusal.FULL);
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

  private boolean isFull(Session session) {
    Limits most = limits;
    return most != null && (session.replies.size() >= most.window || session.replyBytes >= most.replyBytesMax);
  }

  private static CommandReply run(StateMachine machine, Command command) {
    try {
      ByteBuffer result = machine.apply(command).slice().asReadOnlyBuffer();
      if (result.remaining() > REPLY_BYTES_MAX) {
        throw new IllegalStateException("a reply of " + result.remaining() + " bytes; it may have " + REPLY_BYTES_MAX);
      }
      return new CommandReply(CommandReply.Status.DONE, command.position(), result);
    } catch (RuntimeException failure) {
      return new CommandReply(CommandReply.Status.FAILED, command.position(), words(failure));
    }
  }

  static ByteBuffer words(RuntimeException failure) {
    String message = failure.getMessage();
    String words = message == null ? failure.getClass().getSimpleName() : message;
    return StandardCharsets.UTF_8.encode(words).asReadOnlyBuffer();
  }

  private void expire(long position, StateMachine machine) {
    if (limits != null) {
      long oldest = time - limits.sessionMillis;
      List<Session> expired = sessions.values().stream().filter(session -> session.heard < oldest).toList();
      for (Session session : expired) {
        sessions.remove(session.id);
        machine.sessionEnded(session.id, position, Instant.ofEpochMilli(time));
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
      data.flush();
    };
  }

  /// Replaces all of this by what [#snapshot] has written.
  ///
  /// @param in the same bytes; what follows is left in it
  /// @throws IOException when it fails, or is of another version
  public void restore(DataInputStream in) throws IOException {
    int format = in.readUnsignedShort();
    if (format != FORMAT) {
      throw new IOException("a snapshot of format " + format + ", not " + FORMAT);
    }
    limits = in.readBoolean() ? new Limits(in.readLong(), in.readInt(), in.readInt(), in.readInt()) : null;
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
        int length = in.readInt();
        if (length < 0 || length > REPLY_BYTES_MAX) {
          throw new IOException("a reply of " + length + " bytes in a snapshot");
        }
        byte[] payload = new byte[length];
        in.readFully(payload);
        session.keep(new CommandReply(status, position, ByteBuffer.wrap(payload).asReadOnlyBuffer()));
      }
      return session;
    }
  }
}
