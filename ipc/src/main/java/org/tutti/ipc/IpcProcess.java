package org.tutti.ipc;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.protocol.IpcMessage;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.ipc.protocol.PairMessage;
import org.tutti.ipc.protocol.Selection;

/// One process: it may be a member of 64 groups, and may communicate with 64 groups at a time, of which it need not be
/// a member, and with 64 processes.
///
/// Any thread may call any method; calls return at once, unless 1024 calls of the host wait already. Futures complete
/// normally, with a [Result], on the [host's thread][Ipc]: what is chained to them must not wait. All calls throw
/// [IllegalStateException] when the host is closed, or this program's [Attachment] to it. When an attached program's
/// host has ended, they give [Status#HOST_DEAD]; when the own one has failed, [Status#HARDWARE_FAIL].
public final class IpcProcess implements AutoCloseable {
  private final Carrier carrier;
  private final int number;

  IpcProcess(Carrier carrier, int number) {
    this.carrier = carrier;
    this.number = number;
  }

  /// Begins a process.
  ///
  /// @param carrier of its calls
  /// @throws IllegalStateException when the host has too many, or has ended
  static IpcProcess of(Carrier carrier) {
    return switch (carrier.call(0, new Request.Open()).join()) {
      case Done(Integer number) when number > 0 -> new IpcProcess(carrier, number);
      case Done(Integer _) ->
          throw new IllegalStateException("a host has " + IpcProtocol.PROCESSES_MAX + " processes at most");
      case Aborted(Status status) -> throw new IllegalStateException("no process: " + status);
    };
  }

  /// Where others send to it.
  ///
  /// @return its host and its number there
  public ProcessId id() {
    return new ProcessId(carrier.host(), number);
  }

  /// Becomes a member. When the future completes, messages that are sent to the group from then on come here, from this
  /// host and from all that are heard and have answered; one that does not answer is waited for a second.
  ///
  /// @param group the group
  /// @return of how many groups it is a member now; [Status#NO_BUFF] when it would be more than 64, or too many wait
  public CompletableFuture<Result<Integer>> join(GroupId group) {
    return join(group, "");
  }

  /// Becomes a member of a group that a server has given out the id of.
  ///
  /// @param group    the group
  /// @param password its control password; none for groups with well-known and named ids
  /// @return as [#join(GroupId)]; or [Status#GROUP_DOES_NOT_EXIST], [Status#WRONG_PASSWORD], [Status#NO_SERVER]
  /// @throws IllegalArgumentException when the password is longer than [GroupIds#PASSWORD_MAX]
  public CompletableFuture<Result<Integer>> join(GroupId group, String password) {
    GroupIds.requirePassword(password);
    return carrier.call(number, new Request.Join(group, password));
  }

  /// Ends the membership; messages of the group that it has are dropped, its replies among them are aborted.
  ///
  /// @param group the group
  /// @return of how many groups it is a member now; [Status#NOT_MEMBER] when it was none of this one
  public CompletableFuture<Result<Integer>> leave(GroupId group) {
    return leave(group, "");
  }

  /// Ends the membership in a group that a server has given out the id of. A process that ends needs no password.
  ///
  /// @param group    the group
  /// @param password its control password; none for groups with well-known and named ids
  /// @return as [#leave(GroupId)]; or [Status#GROUP_DOES_NOT_EXIST], [Status#WRONG_PASSWORD], [Status#NO_SERVER]
  /// @throws IllegalArgumentException when the password is longer than [GroupIds#PASSWORD_MAX]
  public CompletableFuture<Result<Integer>> leave(GroupId group, String password) {
    GroupIds.requirePassword(password);
    return carrier.call(number, new Request.Leave(group, password));
  }

  /// Has the server create a group, of which nobody is a member and to which anybody may send.
  ///
  /// @param password its control password, which may be empty
  /// @return its id; or [Status#NO_BUFF], [Status#NO_SERVER]
  /// @throws IllegalArgumentException when the password is longer than [GroupIds#PASSWORD_MAX]
  public CompletableFuture<Result<GroupId>> create(String password) {
    return create(password, "");
  }

  /// Has the server create a group, of which nobody is a member.
  ///
  /// @param password     its control password, which may be empty
  /// @param sendPassword what senders have to say ([#authorize]); empty: anybody may send
  /// @return its id; or [Status#NO_BUFF], [Status#NO_SERVER]
  /// @throws IllegalArgumentException when a password is longer than [GroupIds#PASSWORD_MAX]
  public CompletableFuture<Result<GroupId>> create(String password, String sendPassword) {
    GroupIds.requirePassword(password);
    GroupIds.requirePassword(sendPassword);
    return carrier.call(number, new Request.Create(password, sendPassword));
  }

  /// Has the server destroy a group, and ends it here and at the hosts that are heard: its members are told by
  /// [#receive], and its communications are over. A host that is not heard learns it when it is back.
  ///
  /// @param group    the group; this process need not be a member
  /// @param password its control password
  /// @return how many other hosts have said within a second that nobody there is a member, a lower bound; or
  ///         [Status#GROUP_DOES_NOT_EXIST], [Status#WRONG_PASSWORD], [Status#NO_SERVER]
  /// @throws IllegalArgumentException when the password is longer than [GroupIds#PASSWORD_MAX]
  public CompletableFuture<Result<Integer>> destroy(GroupId group, String password) {
    GroupIds.requirePassword(password);
    return carrier.call(number, new Request.Destroy(group, password));
  }

  /// Says a group's send password: what this process sends to the group from now on is taken by its members.
  ///
  /// @param group        the group
  /// @param sendPassword its send password
  /// @return of how many groups this process is a member; or [Status#GROUP_DOES_NOT_EXIST], [Status#NO_SERVER];
  ///         [Status#WRONG_PASSWORD], also when it has none
  /// @throws IllegalArgumentException when the password is longer than [GroupIds#PASSWORD_MAX]
  public CompletableFuture<Result<Integer>> authorize(GroupId group, String sendPassword) {
    GroupIds.requirePassword(sendPassword);
    return carrier.call(number, new Request.Authorize(group, sendPassword));
  }

  /// Of which groups this process is a member: all that it has joined and not left, but those that were destroyed.
  ///
  /// @return the groups, in the order in which it has joined them
  public CompletableFuture<Set<GroupId>> groups() {
    return carrier
        .call(number, new Request.Groups())
        .thenApply(result -> result instanceof Done<Set<GroupId>>(Set<GroupId> groups) ? groups : Set.of());
  }

  /// Prepares a question to a group.
  ///
  /// @param group   to whom; this process gets it, too, when it is a member
  /// @param message from position to limit, copied; 1 MiB at most
  /// @return the question, not sent yet
  /// @throws IllegalArgumentException when the message is longer
  public Ask ask(GroupId group, ByteBuffer message) {
    return new Ask(group, copy(message));
  }

  /// Sends to a group, and ends this process's communication with that group if there is one.
  ///
  /// @param group   to whom; this process gets it, too, when it is a member
  /// @param tag     what members may select by
  /// @param message from position to limit, copied; 1 MiB at most
  /// @param replies how many replies are wanted, to 1024; 0 says that this will be said later
  /// @return the communication, when the message is in the queues of the members at all hosts that answer within a
  ///         second; or [Status#NO_MEMBERS], [Status#NO_BUFF], [Status#CM_ERROR], [Status#NO_COMM]; of a group with an
  ///         id that a server gives out also [Status#GROUP_DOES_NOT_EXIST], [Status#NO_SERVER], and
  ///         [Status#WRONG_PASSWORD] when the group has a send password that this process has not said
  /// @throws IllegalArgumentException when the message is longer
  public CompletableFuture<Result<Communication>> send(GroupId group, int tag, ByteBuffer message, int replies) {
    ByteBuffer copy = copy(message);
    return carrier
        .call(number, new Request.Send(group, tag, replies, copy))
        .thenApply(result ->
            switch (result) {
              case Done(IpcProtocol.Sent sent) -> new Done<>(new Communication(group, null, sent));
              case Aborted(Status status) -> new Aborted<>(status);
            });
  }

  /// Sends to one process, and ends this process's communication with it that there was: its reply is not taken any
  /// more, but its message is received if it is in the queue.
  ///
  /// @param to      to whom
  /// @param tag     what it may select by
  /// @param message from position to limit, copied; 64 MiB at most
  /// @param timeout how long to wait for room in its queue at most, to 365 days
  /// @return the communication, when the message is in its queue: it is received unless the process ends before; or
  ///         [Status#HOST_DEAD], [Status#PROC_DEAD], [Status#CM_DEADLOCK], [Status#TIMED_OUT], [Status#NO_COMM], and
  ///         [Status#NO_BUFF] of a longer message, too
  public CompletableFuture<Result<Communication>> send(ProcessId to, int tag, ByteBuffer message, Duration timeout) {
    long nanos = Ipc.nanos(timeout);
    if (message.remaining() > PairMessage.BYTES_MAX) {
      return CompletableFuture.completedFuture(new Aborted<>(Status.NO_BUFF));
    }
    ByteBuffer copy = copyOf(message);
    return carrier
        .call(number, new Request.SendTo(to, tag, nanos, copy))
        .thenApply(result ->
            switch (result) {
              case Done(IpcProtocol.Sent sent) -> new Done<>(new Communication(null, to, sent));
              case Aborted(Status status) -> new Aborted<>(status);
            });
  }

  /// Sends to one process, takes its reply, and ends the communication.
  ///
  /// @param to      to whom
  /// @param tag     what it may select by
  /// @param message from position to limit, copied; 64 MiB at most
  /// @param timeout how long to wait at most, to 365 days
  /// @return the reply; or a status as in [#send(ProcessId, int, ByteBuffer, Duration)]
  public CompletableFuture<Result<Reply>> request(ProcessId to, int tag, ByteBuffer message, Duration timeout) {
    long nanos = Ipc.nanos(timeout);
    if (message.remaining() > PairMessage.BYTES_MAX) {
      return CompletableFuture.completedFuture(new Aborted<>(Status.NO_BUFF));
    }
    ByteBuffer copy = copyOf(message);
    return carrier.call(number, new Request.AskOne(to, tag, nanos, copy)).thenApply(IpcProcess::reply);
  }

  private static Result<Reply> reply(Result<IpcProtocol.TakenReply> result) {
    return switch (result) {
      case Done(IpcProtocol.TakenReply(ProcessId member, ByteBuffer payload)) -> new Done<>(new Reply(member, payload));
      case Aborted(Status status) -> new Aborted<>(status);
    };
  }

  /// Takes the oldest message of any group or process.
  ///
  /// @param timeout how long to wait at most, to 365 days; 0 does not wait
  /// @return the message; [Status#TIMED_OUT] when none came, [Status#NO_COMM] instead of one whose communication is
  ///         over, [Status#CM_ERROR] beside another receive of this process, [Status#GROUP_DOES_NOT_EXIST] once for
  ///         each group that was destroyed while it was a member
  public CompletableFuture<Result<Message>> receive(Duration timeout) {
    return receive(null, null, timeout);
  }

  /// Takes the oldest message that one process has sent to this one.
  ///
  /// @param from    the process
  /// @param tag     the tag, or null for any
  /// @param timeout how long to wait at most, to 365 days; 0 does not wait
  /// @return as [#receive(Duration)], but not [Status#NO_COMM]; [Status#HOST_DEAD] when its host is not heard,
  ///         [Status#PROC_DEAD] when it has ended on this host, [Status#CM_DEADLOCK]
  public CompletableFuture<Result<Message>> receiveFrom(ProcessId from, @Nullable Integer tag, Duration timeout) {
    return receive(new Selection(null, from, tag), timeout);
  }

  /// Takes the oldest message of a group, or of any and of all processes, with a tag or with any.
  ///
  /// @param group   the group, or null for any
  /// @param tag     the tag, or null for any
  /// @param timeout how long to wait at most, to 365 days; 0 does not wait
  /// @return as [#receive(Duration)]; [Status#NOT_MEMBER] when it is no member of the group
  public CompletableFuture<Result<Message>> receive(@Nullable GroupId group, @Nullable Integer tag, Duration timeout) {
    return receive(new Selection(group, tag), timeout);
  }

  private CompletableFuture<Result<Message>> receive(Selection selection, Duration timeout) {
    long nanos = Ipc.nanos(timeout);
    return carrier
        .call(number, new Request.Receive(selection, nanos))
        .thenApply(result ->
            switch (result) {
              case Done(IpcProtocol.Received received) -> new Done<>(new Message(received));
              case Aborted(Status status) -> new Aborted<>(status);
            });
  }

  /// Ends the process: its memberships, its communications and its waits are over. Idempotent.
  @Override
  public void close() {
    try {
      carrier.call(number, new Request.End()).join();
    } catch (IllegalStateException _) {
      // The host is closed, and with it this process.
    }
  }

  private static ByteBuffer copy(ByteBuffer message) {
    if (message.remaining() > IpcMessage.PAYLOAD_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a message has " + IpcMessage.PAYLOAD_BYTES_MAX + " bytes at most, not " + message.remaining());
    }
    return copyOf(message);
  }

  private static ByteBuffer copyOf(ByteBuffer message) {
    return ByteBuffer.allocate(message.remaining()).put(message.duplicate()).flip().asReadOnlyBuffer();
  }

  /// A reply that was taken.
  ///
  /// @param member  whose it is
  /// @param payload its bytes, read-only
  public record Reply(ProcessId member, ByteBuffer payload) {}

  /// What came of a question.
  ///
  /// @param count   how many members had it in their queues, at least
  /// @param replies those that were taken, in their order
  public record Answers(int count, List<Reply> replies) {}

  /// A question to a group, which [#replies] sends.
  public final class Ask {
    private final GroupId group;
    private final ByteBuffer message;

    private Ask(GroupId group, ByteBuffer message) {
      this.group = group;
      this.message = message;
    }

    /// Sends it, takes replies, and ends the communication.
    ///
    /// @param wanted  how many at most, 1 to 1024; never more than the count are waited for
    /// @param timeout how long to take replies at most, to 365 days, after the message was sent
    /// @return the replies, perhaps fewer than wanted, perhaps none; or a status of [#send], among which
    ///         [Status#NO_COMM] says that this process has sent to the group again
    public CompletableFuture<Result<Answers>> replies(int wanted, Duration timeout) {
      long nanos = Ipc.nanos(timeout);
      if (wanted < 1) {
        return CompletableFuture.completedFuture(new Aborted<>(Status.CM_ERROR));
      }
      return carrier.call(number, new Request.Question(group, wanted, nanos, message));
    }
  }

  /// A communication with a group or with one process, from a send until it is over: when this process says so, has all
  /// replies that it wanted, sends to the same one again, or ends. All its calls then give [Status#NO_COMM].
  public final class Communication {
    private final @Nullable GroupId group;
    private final @Nullable ProcessId process; // one of the two
    private final IpcProtocol.Sent sent;

    private Communication(@Nullable GroupId group, @Nullable ProcessId process, IpcProtocol.Sent sent) {
      this.group = group;
      this.process = process;
      this.sent = sent;
    }

    /// How many members had the message in their queues when the send returned.
    ///
    /// @return 1 or more; a lower bound, as a host may have answered too late; 1 of one process
    public int count() {
      return sent.count();
    }

    /// Says how many replies are wanted. The first number counts, and later ones that are not larger; 0 ends the
    /// communication, and with it the messages that members of a group have not received yet. Of one process 1 is
    /// wanted from the beginning.
    ///
    /// @param replies 0 to 1024
    /// @return the number that counts now, 0 when the communication is over; or [Status#CM_ERROR], [Status#NO_COMM]
    public CompletableFuture<Result<Integer>> want(int replies) {
      return carrier.call(number, new Request.Want(group, process, sent.session(), replies));
    }

    /// Takes the next reply; the member that waits with it goes on.
    ///
    /// @param timeout how long to wait at most, to 365 days
    /// @return the reply; or [Status#TIMED_OUT], [Status#NO_COMM], or [Status#CM_ERROR] beside another such call; of
    ///         one process [Status#HOST_DEAD], [Status#PROC_DEAD] or [Status#CM_DEADLOCK], too, after which it is over
    public CompletableFuture<Result<Reply>> reply(Duration timeout) {
      long nanos = Ipc.nanos(timeout);
      return carrier.call(number, new Request.Take(group, process, sent.session(), nanos)).thenApply(IpcProcess::reply);
    }
  }

  /// A message that this process has received.
  public final class Message {
    private final IpcProtocol.Received received;

    private Message(IpcProtocol.Received received) {
      this.received = received;
    }

    /// Who sent it.
    ///
    /// @return the sender
    public ProcessId sender() {
      return received.sender();
    }

    /// To whom it was sent.
    ///
    /// @return the group, or null when it was sent to this process
    public @Nullable GroupId group() {
      return received.group();
    }

    /// What members may select by.
    ///
    /// @return the sender's tag
    public int tag() {
      return received.tag();
    }

    /// What was sent.
    ///
    /// @return the bytes, read-only
    public ByteBuffer payload() {
      return received.payload().duplicate();
    }

    /// Replies, and waits until the sender takes the reply or the communication is over.
    ///
    /// @param reply from position to limit, copied; 1 MiB at most to a message to a group, else 64 MiB
    /// @return the length of the reply when the sender has taken it; [Status#NO_COMM] when the communication is over,
    ///         [Status#CM_MISMATCH] when another reply waits already; to a message to this process [Status#HOST_DEAD]
    ///         or [Status#PROC_DEAD] when that happens while it waits, and [Status#NO_BUFF] of a longer reply, too
    /// @throws IllegalArgumentException when the reply to a message to a group is longer
    public CompletableFuture<Result<Integer>> reply(ByteBuffer reply) {
      if (received.group() == null && reply.remaining() > PairMessage.BYTES_MAX) {
        return CompletableFuture.completedFuture(new Aborted<>(Status.NO_BUFF));
      }
      ByteBuffer copy = received.group() == null ? copyOf(reply) : copy(reply);
      return carrier.call(number, new Request.Reply(received.id(), copy));
    }
  }
}
