package org.tutti.replica.protocol;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.tutti.MemberId;
import org.tutti.ViewId;
import org.tutti.replica.Read;
import org.tutti.replica.StateComparison;
import org.tutti.replica.consolidation.Reply;
import org.tutti.transport.Address;

/// What a client and a replica say to each other, each frame behind its length:
///
/// ```
/// i32 length of what follows, u8 kind, ...
///
/// client    HELLO    i32 magic, u16 version, i32 policy,        first on a connection; the policy that the client
///                    service                                    wants, or -1
///           OPEN     i64 nonce, 2 i64 secret
///           RESUME   i64 session, 2 i64 secret, u8 quiet         opened on another connection; once on this one
///           CALL     i64 session, i64 number, i64 below, u8 skip, payload
///           QUERY    i64 id, u8 read, i64 position, payload
///           PING
///           CLOSE    i64 session
///           FORGET   i64 id                                      of what is not wanted any more: QUERY or COMPARE
///           COMPARE  i64 id                                      the states of all replicas
/// replica   WELCOME  i32 window, i64 session's life in ms, i32 policy that was agreed on, or -1, then as REPLICAS
///           OPENED   i64 nonce, i64 session, or 0
///           REPLY    i64 session, i64 number, u8 status, i64 position, payload
///           REFUSED  i64 session, i64 number, u8 why
///           ANSWER   i64 id, u8 failed, i64 position, payload
///           AWAY     u16 n, addresses                            it does not serve now; others may
///           REPLICAS u16 n, addresses                            where clients reach them
///           MOVE     address                                     another replica has less to do
///           MANAGER  address                                     this replica is not the request manager
///           LIVE     3 i64 view, u16 this replica's rank,        to who collects several replies: the replica's
///                    u16 n, n times i64 incarnation, u8 asked,   view, and who of it is to answer
///                    n times name, address
///           COMPARED i64 id, i64 position, u16 n, n times name,  digests of states at that position, and the names
///                    n times i64 digest, u16 n, n times name     of those that have not said theirs
///           BUNDLE   i64 session, i64 number, u16 n,             replies of several replicas to one command: of those
///                    n times i64 incarnation, u8 gone,           that were to answer, who has gone; and who has
///                    n times name, address,                      answered in which order, and what. Equal replies
///                    u16 m, m times u16 rank, u16 place,         stand there once
///                    u16 k, k times u8 status, i64 position, i32 length, payload
///           AGREED   i32 policy                                  to who has one: the ordering was switched
///           PONG
///           WRONG    words                                       last on a connection
/// ```
///
/// Integers are big-endian; an address is `u16 length, UTF-8`. What a client sends is not trusted: everything is
/// bounded and checked, and what is wrong ends its connection with the reason. A session belongs to who knows its
/// secret, which the client chooses: only a connection that has opened or resumed a session can use its number.
public sealed interface Frame {
  /// The first bytes of a client: `TUC1`.
  int MAGIC = 0x54554331;

  /// This version of the protocol.
  int VERSION = 2;

  /// The longest payload of a command or query, in bytes.
  int PAYLOAD_BYTES_MAX = 8 << 20;

  /// What may be beside it in a frame, in bytes: most with the replies of several replicas, the names and addresses of
  /// these, a few hundred of the longest.
  int HEAD_BYTES_MAX = 256 << 10;

  /// The longest frame, in bytes behind its length.
  int BYTES_MAX = HEAD_BYTES_MAX + PAYLOAD_BYTES_MAX;

  /// The longest frame before a client has said HELLO.
  int HELLO_BYTES_MAX = 1024;

  /// How many addresses a replica tells at most.
  int REPLICAS_MAX = 256;

  /// How many members of a view it tells at most: as many as a group may have.
  int MEMBERS_MAX = 1 << 12;

  /// Added to the code of a policy that collects several replies: they are wanted in bundles, of the request manager.
  int BUNDLED = 1 << 30;

  /// No policy is wanted: any replica will do, and its reply.
  int NO_POLICY = -1;

  /// A client begins.
  ///
  /// @param service the name of the service that it wants
  /// @param policy  the policy that it wants, as [org.tutti.replica.Policy#code], with [#BUNDLED] or without; not
  ///                checked; [#NO_POLICY] for none
  record Hello(String service, int policy) implements Frame {}

  /// It wants a session.
  ///
  /// @param nonce  to know the answer by
  /// @param secret that nobody guesses
  record Open(long nonce, SessionTable.Secret secret) implements Frame {}

  /// It has a session, which it opened on another connection.
  ///
  /// @param session its number
  /// @param secret  what it was opened with
  /// @param quiet   whether only commands that come over this connection are to be answered over it
  record Resume(long session, SessionTable.Secret secret, boolean quiet) implements Frame {}

  /// A command.
  ///
  /// @param session the client's
  /// @param number  its number
  /// @param below   the client has the replies of all before this one
  /// @param skip    whether it was given up: if it was not executed yet, it is not to be
  /// @param payload its bytes
  record Call(long session, long number, long below, boolean skip, ByteBuffer payload) implements Frame {}

  /// A question.
  ///
  /// @param id       the client's number for it
  /// @param read     what it is to see
  /// @param position it is to see all before this, with [Read#SEQUENTIAL]
  /// @param payload  its bytes
  record Query(long id, Read read, long position, ByteBuffer payload) implements Frame {}

  /// The client lives.
  record Ping() implements Frame {}

  /// The client does not need its session any more.
  ///
  /// @param session the session
  record Close(long session) implements Frame {}

  /// The client does not wait for an answer any more.
  ///
  /// @param id its number for the question
  record Forget(long id) implements Frame {}

  /// The client wants the states of all replicas compared.
  ///
  /// @param id the client's number for it, among those of questions
  record Compare(long id) implements Frame {}

  /// A replica begins to serve the client.
  ///
  /// @param window        how many commands may be without acknowledgement
  /// @param sessionMillis how long a session lives
  /// @param policy        what was agreed on; [#NO_POLICY] when none was wanted
  /// @param replicas      where clients reach the replicas
  record Welcome(int window, long sessionMillis, int policy, List<String> replicas) implements Frame {}

  /// A session is open.
  ///
  /// @param nonce   the client's
  /// @param session the session, or 0 when there are too many
  record Opened(long nonce, long session) implements Frame {}

  /// What became of a command.
  ///
  /// @param session the session
  /// @param number  the command's
  /// @param reply   what became of it
  record Replied(long session, long number, CommandReply reply) implements Frame {}

  /// A command was not executed.
  ///
  /// @param session the session
  /// @param number  the command's
  /// @param why     the reason
  record Refused(long session, long number, SessionTable.Refusal why) implements Frame {}

  /// An answer to a question.
  ///
  /// @param id       the client's number
  /// @param failed   whether the service threw an exception
  /// @param position what it saw: all before this
  /// @param payload  the answer, or the words of the failure
  record Answer(long id, boolean failed, long position, ByteBuffer payload) implements Frame {}

  /// This replica does not serve now.
  ///
  /// @param replicas where others are
  record Away(List<String> replicas) implements Frame {}

  /// The replicas have changed.
  ///
  /// @param replicas where clients reach them
  record Replicas(List<String> replicas) implements Frame {}

  /// Another replica has less to do: the client is to go there.
  ///
  /// @param replica where
  record Move(String replica) implements Frame {}

  /// In which view the replica is that answers, and who of it is to answer; ahead of the replies that it is about.
  ///
  /// @param view    the view, a primary one
  /// @param self    the replica
  /// @param members of the view
  /// @param asked   those of them whose replies count, the replica among them
  record Live(ViewId view, MemberId self, List<MemberId> members, List<MemberId> asked) implements Frame {
    /// Copies the lists.
    public Live {
      members = List.copyOf(members);
      asked = List.copyOf(asked);
    }
  }

  /// What became of a command at several replicas, for a client that wants their replies in bundles.
  ///
  /// @param session the session
  /// @param number  the command's
  /// @param asked   who was to answer: of the view in which the command was executed
  /// @param gone    those of them that are not waited for, as they left without a reply
  /// @param replies in the order in which they came; of members that were asked, at most one of each
  record Bundle(
      long session, long number, List<MemberId> asked, Collection<MemberId> gone, List<Reply<CommandReply>> replies)
      implements Frame {
    /// Copies the lists.
    public Bundle {
      asked = List.copyOf(asked);
      gone = List.copyOf(gone);
      replies = List.copyOf(replies);
    }
  }

  /// This replica does not serve who goes to the request manager.
  ///
  /// @param replica where the manager is
  record Redirected(String replica) implements Frame {}

  /// The states of all replicas were compared.
  ///
  /// @param id      the client's number
  /// @param outcome what was found
  record Compared(long id, StateComparison outcome) implements Frame {}

  /// The replicas do something else for the client than they did before: they have switched their ordering.
  ///
  /// @param policy what is agreed on now, as in [Welcome]
  record Agreed(int policy) implements Frame {}

  /// The replica lives.
  record Pong() implements Frame {}

  /// The connection ends, and it is the client's fault.
  ///
  /// @param words why
  record Wrong(String words) implements Frame {}

  /// What arrived is not a frame.
  final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    final boolean ofOtherVersion; // it is one in another version of the protocol

    MalformedException(String words) {
      this(words, false);
    }

    MalformedException(String words, boolean ofOtherVersion) {
      super(words);
      this.ofOtherVersion = ofOtherVersion;
    }
  }

  /// Writes a frame behind its length.
  ///
  /// @return from position to limit
  default ByteBuffer encode() {
    return switch (this) {
      case Hello(String service, int policy) -> {
        byte[] name = service.getBytes(StandardCharsets.UTF_8);
        yield begin(1, 4 + 2 + 4 + name.length).putInt(MAGIC).putShort((short) VERSION).putInt(policy).put(name).flip();
      }
      case Open(long nonce, SessionTable.Secret(long high, long low)) ->
          begin(2, 24).putLong(nonce).putLong(high).putLong(low).flip();
      case Call(long session, long number, long below, boolean skip, ByteBuffer payload) ->
          begin(3, 25 + payload.remaining())
              .putLong(session)
              .putLong(number)
              .putLong(below)
              .put((byte) (skip ? 1 : 0))
              .put(payload.duplicate())
              .flip();
      case Query(long id, Read read, long position, ByteBuffer payload) ->
          begin(4, 17 + payload.remaining())
              .putLong(id)
              .put((byte) read.ordinal())
              .putLong(position)
              .put(payload.duplicate())
              .flip();
      case Ping() -> begin(5, 0).flip();
      case Close(long session) -> begin(6, 8).putLong(session).flip();
      case Resume(long session, SessionTable.Secret(long high, long low), boolean quiet) ->
          begin(7, 25).putLong(session).putLong(high).putLong(low).put((byte) (quiet ? 1 : 0)).flip();
      case Forget(long id) -> begin(8, 8).putLong(id).flip();
      case Compare(long id) -> begin(9, 8).putLong(id).flip();
      case Welcome(int window, long millis, int policy, List<String> replicas) -> {
        List<byte[]> texts = texts(replicas, REPLICAS_MAX);
        yield put(begin(16, 16 + length(texts)).putInt(window).putLong(millis).putInt(policy), texts).flip();
      }
      case Opened(long nonce, long session) -> begin(17, 16).putLong(nonce).putLong(session).flip();
      case Replied(long session, long number, CommandReply reply) ->
          begin(18, 25 + reply.payload().remaining())
              .putLong(session)
              .putLong(number)
              .put((byte) reply.status().ordinal())
              .putLong(reply.position())
              .put(reply.payload().duplicate())
              .flip();
      case Refused(long session, long number, SessionTable.Refusal why) ->
          begin(19, 17).putLong(session).putLong(number).put((byte) why.ordinal()).flip();
      case Answer(long id, boolean failed, long position, ByteBuffer payload) ->
          begin(20, 17 + payload.remaining())
              .putLong(id)
              .put((byte) (failed ? 1 : 0))
              .putLong(position)
              .put(payload.duplicate())
              .flip();
      case Away(List<String> replicas) -> {
        List<byte[]> texts = texts(replicas, REPLICAS_MAX);
        yield put(begin(21, length(texts)), texts).flip();
      }
      case Replicas(List<String> replicas) -> {
        List<byte[]> texts = texts(replicas, REPLICAS_MAX);
        yield put(begin(22, length(texts)), texts).flip();
      }
      case Move(String replica) -> withText(25, replica);
      case Redirected(String replica) -> withText(26, replica);
      case Live live -> live(live);
      case Bundle bundle -> bundle(bundle);
      case Compared(long id, StateComparison outcome) -> compared(id, outcome);
      case Agreed(int policy) -> begin(30, 4).putInt(policy).flip();
      case Pong() -> begin(23, 0).flip();
      case Wrong(String words) -> withText(24, words);
    };
  }

  private static ByteBuffer live(Live live) {
    List<byte[]> texts = memberTexts(live.members);
    ByteBuffer out = begin(27, 3 * Long.BYTES + Short.BYTES + length(live.members, texts));
    out.putLong(live.view.epoch()).putLong(live.view.proposer()).putLong(live.view.alone());
    out.putShort((short) live.members.indexOf(live.self));
    return put(out, live.members, live.asked, texts).flip();
  }

  private static List<byte[]> memberTexts(List<MemberId> members) {
    List<byte[]> texts = new ArrayList<>();
    for (MemberId member : members) {
      texts.add(member.name().getBytes(StandardCharsets.UTF_8));
      texts.add(member.address().text().getBytes(StandardCharsets.UTF_8));
    }
    return texts;
  }

  private static int length(List<MemberId> members, List<byte[]> texts) {
    return members.size() * (Long.BYTES + 1) + length(texts);
  }

  /// @param marked some of the members
  private static ByteBuffer put(
      ByteBuffer out, List<MemberId> members, Collection<MemberId> marked, List<byte[]> texts) {
    out.putShort((short) members.size());
    for (MemberId member : members) {
      out.putLong(member.incarnation()).put((byte) (marked.contains(member) ? 1 : 0));
    }
    texts.forEach(text -> out.putShort((short) text.length).put(text));
    return out;
  }

  /// @param marked gets some of the members
  private static List<MemberId> readMembers(ByteBuffer in, Collection<MemberId> marked) throws MalformedException {
    int size = Short.toUnsignedInt(in.getShort());
    if (size > MEMBERS_MAX) {
      throw new MalformedException(size + " members");
    }
    long[] incarnations = new long[size];
    boolean[] marks = new boolean[size];
    for (int i = 0; i < size; i++) {
      incarnations[i] = in.getLong();
      marks[i] = in.get() != 0;
    }
    var members = new ArrayList<MemberId>(size);
    for (int i = 0; i < size; i++) {
      String name = text(in, Short.toUnsignedInt(in.getShort()));
      var address = new Address(text(in, Short.toUnsignedInt(in.getShort())));
      members.add(new MemberId(name, address, incarnations[i]));
      if (marks[i]) {
        marked.add(members.getLast());
      }
    }
    return members;
  }

  private static ByteBuffer bundle(Bundle bundle) {
    List<byte[]> texts = memberTexts(bundle.asked);
    List<CommandReply> said = bundle.replies.stream().map(Reply::value).distinct().toList();
    int size = 2 * Long.BYTES + length(bundle.asked, texts) + 2 * Short.BYTES * (1 + bundle.replies.size());
    for (CommandReply reply : said) {
      size += 1 + Long.BYTES + Integer.BYTES + reply.payload().remaining();
    }
    ByteBuffer out = begin(29, size).putLong(bundle.session).putLong(bundle.number);
    put(out, bundle.asked, bundle.gone, texts).putShort((short) bundle.replies.size());
    for (Reply<CommandReply> reply : bundle.replies) {
      out.putShort((short) bundle.asked.indexOf(reply.member())).putShort((short) said.indexOf(reply.value()));
    }
    out.putShort((short) said.size());
    for (CommandReply reply : said) {
      out.put((byte) reply.status().ordinal()).putLong(reply.position()).putInt(reply.payload().remaining());
      out.put(reply.payload().duplicate());
    }
    return out.flip();
  }

  private static Frame readBundle(ByteBuffer in) throws MalformedException {
    long session = in.getLong();
    long number = in.getLong();
    List<MemberId> gone = new ArrayList<>();
    List<MemberId> asked = readMembers(in, gone);
    int replies = Short.toUnsignedInt(in.getShort());
    if (asked.isEmpty() || replies > asked.size()) {
      throw new MalformedException(replies + " replies of " + asked.size() + " replicas");
    }
    int[] ranks = new int[replies];
    int[] places = new int[replies];
    for (int i = 0; i < replies; i++) {
      ranks[i] = Short.toUnsignedInt(in.getShort());
      places[i] = Short.toUnsignedInt(in.getShort());
    }
    List<CommandReply> said = new ArrayList<>();
    for (int left = Short.toUnsignedInt(in.getShort()); left > 0; left--) {
      CommandReply.Status status = CommandReply.status(in.get());
      long position = in.getLong();
      int length = in.getInt();
      if (length < 0 || length > in.remaining()) {
        throw new BufferUnderflowException();
      }
      said.add(new CommandReply(status, position, in.slice(in.position(), length)));
      in.position(in.position() + length);
    }
    List<Reply<CommandReply>> all = new ArrayList<>();
    for (int i = 0; i < replies; i++) {
      if (ranks[i] >= asked.size() || places[i] >= said.size()) {
        throw new MalformedException("reply " + places[i] + " of replica " + ranks[i]);
      }
      all.add(new Reply<>(asked.get(ranks[i]), said.get(places[i])));
    }
    return new Bundle(session, number, asked, gone, all);
  }

  private static Frame readLive(ByteBuffer in) throws MalformedException {
    var view = new ViewId(in.getLong(), in.getLong(), in.getLong());
    int self = Short.toUnsignedInt(in.getShort());
    List<MemberId> asked = new ArrayList<>();
    List<MemberId> members = readMembers(in, asked);
    if (self >= members.size()) {
      throw new MalformedException("member " + self + " of " + members.size());
    }
    MemberId own = members.get(self);
    if (!asked.contains(own)) {
      asked.add(own);
    }
    return new Live(view, own, members, asked);
  }

  private static ByteBuffer compared(long id, StateComparison outcome) {
    List<byte[]> names = texts(outcome.digests().keySet(), MEMBERS_MAX);
    List<byte[]> silent = texts(outcome.silent(), MEMBERS_MAX);
    ByteBuffer out = begin(28, 16 + length(names) + names.size() * Long.BYTES + length(silent));
    put(out.putLong(id).putLong(outcome.position()), names);
    outcome.digests().values().stream().limit(names.size()).forEach(out::putLong);
    return put(out, silent).flip();
  }

  private static Frame readCompared(ByteBuffer in) throws MalformedException {
    long id = in.getLong();
    long position = in.getLong();
    var digests = new TreeMap<String, Long>();
    for (String name : texts(in, MEMBERS_MAX)) {
      digests.put(name, in.getLong());
    }
    return new Compared(id, new StateComparison(position, digests, texts(in, MEMBERS_MAX)));
  }

  private static ByteBuffer withText(int kind, String words) {
    byte[] text = words.getBytes(StandardCharsets.UTF_8);
    return begin(kind, text.length).put(text).flip();
  }

  private static ByteBuffer begin(int kind, int length) {
    return ByteBuffer.allocate(Integer.BYTES + 1 + length).putInt(1 + length).put((byte) kind);
  }

  private static List<byte[]> texts(Collection<String> texts, int most) {
    return texts.stream().limit(most).map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
  }

  private static int length(List<byte[]> texts) {
    return 2 + texts.stream().mapToInt(text -> 2 + text.length).sum();
  }

  private static ByteBuffer put(ByteBuffer out, List<byte[]> texts) {
    out.putShort((short) texts.size());
    texts.forEach(text -> out.putShort((short) text.length).put(text));
    return out;
  }

  /// Reads a frame without its length.
  ///
  /// @param in the frame, from position to limit; payloads are slices of it
  /// @return the frame
  /// @throws MalformedException when it is none, with the reason
  static Frame decode(ByteBuffer in) throws MalformedException {
    try {
      int kind = in.get();
      Frame frame =
          switch (kind) {
            case 1 -> hello(in);
            case 2 -> new Open(in.getLong(), secret(in));
            case 3 -> call(in);
            case 4 -> new Query(in.getLong(), read(in.get()), in.getLong(), payload(in));
            case 5 -> new Ping();
            case 6 -> new Close(in.getLong());
            case 7 -> new Resume(in.getLong(), secret(in), in.get() != 0);
            case 8 -> new Forget(in.getLong());
            case 9 -> new Compare(in.getLong());
            case 16 -> new Welcome(in.getInt(), in.getLong(), in.getInt(), addresses(in));
            case 17 -> new Opened(in.getLong(), in.getLong());
            case 18 -> replied(in);
            case 19 -> new Refused(in.getLong(), in.getLong(), refusal(in.get()));
            case 20 -> answer(in);
            case 21 -> new Away(addresses(in));
            case 22 -> new Replicas(addresses(in));
            case 23 -> new Pong();
            case 24 -> new Wrong(text(in, in.remaining()));
            case 25 -> new Move(text(in, in.remaining()));
            case 26 -> new Redirected(text(in, in.remaining()));
            case 27 -> readLive(in);
            case 28 -> readCompared(in);
            case 29 -> readBundle(in);
            case 30 -> new Agreed(in.getInt());
            default -> throw new MalformedException("no frame of kind " + kind);
          };
      if (in.hasRemaining()) {
        throw new MalformedException("a frame of kind " + kind + " with " + in.remaining() + " bytes too many");
      }
      return frame;
    } catch (BufferUnderflowException _) {
      throw new MalformedException("a frame that is too short");
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage()));
    }
  }

  private static Frame hello(ByteBuffer in) throws MalformedException {
    if (in.getInt() != MAGIC) {
      throw new MalformedException("this is no client of a service");
    }
    int version = Short.toUnsignedInt(in.getShort());
    if (version != VERSION) {
      throw new MalformedException(
          "the client speaks version " + version + " of the clients' protocol, this replica version " + VERSION, true);
    }
    int policy = in.getInt();
    return new Hello(text(in, in.remaining()), policy);
  }

  private static SessionTable.Secret secret(ByteBuffer in) {
    return new SessionTable.Secret(in.getLong(), in.getLong());
  }

  private static Frame call(ByteBuffer in) throws MalformedException {
    long session = in.getLong();
    long number = in.getLong();
    long below = in.getLong();
    boolean skip = in.get() != 0;
    if (session <= 0 || number <= 0 || below <= 0 || below > number) {
      throw new MalformedException("command " + number + " of session " + session + ", acknowledged below " + below);
    }
    return new Call(session, number, below, skip, payload(in));
  }

  private static Frame replied(ByteBuffer in) throws MalformedException {
    long session = in.getLong();
    long number = in.getLong();
    CommandReply.Status status = CommandReply.status(in.get());
    return new Replied(session, number, new CommandReply(status, in.getLong(), payload(in)));
  }

  private static Frame answer(ByteBuffer in) throws MalformedException {
    long id = in.getLong();
    boolean failed = in.get() != 0;
    return new Answer(id, failed, in.getLong(), payload(in));
  }

  private static Read read(int number) throws MalformedException {
    return switch (number) {
      case 0 -> Read.LINEARIZABLE;
      case 1 -> Read.SEQUENTIAL;
      case 2 -> Read.LOCAL;
      default -> throw new MalformedException("no way to read " + number);
    };
  }

  private static SessionTable.Refusal refusal(int number) throws MalformedException {
    return switch (number) {
      case 0 -> SessionTable.Refusal.GAP;
      case 1 -> SessionTable.Refusal.FULL;
      case 2 -> SessionTable.Refusal.EXPIRED;
      default -> throw new MalformedException("no refusal " + number);
    };
  }

  private static ByteBuffer payload(ByteBuffer in) throws MalformedException {
    if (in.remaining() > PAYLOAD_BYTES_MAX) {
      throw new MalformedException("a payload of " + in.remaining() + " bytes; it may have " + PAYLOAD_BYTES_MAX);
    }
    ByteBuffer payload = in.slice();
    in.position(in.limit());
    return payload;
  }

  private static List<String> addresses(ByteBuffer in) throws MalformedException {
    return texts(in, REPLICAS_MAX);
  }

  private static List<String> texts(ByteBuffer in, int most) throws MalformedException {
    int count = Short.toUnsignedInt(in.getShort());
    if (count > most) {
      throw new MalformedException(count + " texts, where " + most + " may be");
    }
    var texts = new ArrayList<String>(count);
    for (int i = 0; i < count; i++) {
      texts.add(text(in, Short.toUnsignedInt(in.getShort())));
    }
    return texts;
  }

  private static String text(ByteBuffer in, int length) throws MalformedException {
    byte[] bytes = new byte[Math.min(length, in.remaining() + 1)];
    in.get(bytes); // too short when the length is untrue
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException _) {
      throw new MalformedException("text that is not UTF-8");
    }
  }
}
