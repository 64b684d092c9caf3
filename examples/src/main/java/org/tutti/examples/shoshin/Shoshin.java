package org.tutti.examples.shoshin;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.IpcProcess;
import org.tutti.ipc.IpcProcess.Communication;
import org.tutti.ipc.IpcProcess.Message;
import org.tutti.ipc.IpcProcess.Reply;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.Status;

/// The calls of T-Shoshin, by their names: they block, and return a number of bytes, of members or of replies, or a
/// status, which is negative. For the record; programs use [IpcProcess], which this wraps for one thread.
///
/// Source: H. L. See, *Group Communication in Distributed System T-Shoshin*, section 3.2 and table 3.1, which names the
/// statuses but not their values: here they are numbered in its order. An id is 32 bits there, and a [GroupId] or a
/// [ProcessId] here. A buffer is filled from its position to its limit, and a longer message is cut off.
public final class Shoshin implements AutoCloseable {
  static final int NO_COMM = -1;
  static final int ADDR_ERROR = -2; // there is no buffer
  static final int HARDWARE_FAIL = -3; // this host has failed
  static final int TIMED_OUT = -4;
  static final int NO_MEMBERS = -5;
  static final int CM_ERROR = -6;
  static final int HOST_DEAD = -7;
  static final int PROC_DEAD = -8;
  static final int NO_BUFF = -9;
  static final int CM_DEADLOCK = -10;
  static final int CM_MISMATCH = -11; // also of a reply to a process that has asked nothing
  static final int NOT_MEMBER = -12; // of section 2.2, as the next two
  static final int GROUP_DOES_NOT_EXIST = -13;
  static final int WRONG_PASSWORD = -14;
  static final int NO_SERVER = -15; // Tutti's

  private static final Duration FOR_EVER = Duration.ofDays(365);
  private static final int KEPT_MAX = 1024; // messages that may be replied to, and communications

  /// What the source writes `(pid, nr)`.
  ///
  /// @param pid the process at the other end, or null when nr is a status
  /// @param nr  the number of bytes received, or a status
  public record Received(@Nullable ProcessId pid, int nr) {}

  private static final Received WRONG_ADDRESS = new Received(null, ADDR_ERROR);

  private final IpcProcess process;
  private final Map<ProcessId, Message> received = bounded(); // the last one of each sender
  private final Map<Object, Communication> sent = bounded(); // by group or process

  /// Takes over a process.
  ///
  /// @param process to be closed with this
  public Shoshin(IpcProcess process) {
    this.process = process;
  }

  /// Sends, and blocks until the message is in the queues of the group's members, or in that of the process.
  ///
  /// @param toid the group or the process
  /// @param msg  the message
  /// @param mtag what receivers may select by
  /// @return how many have it, at least, or a status
  public int bsend(Object toid, @Nullable ByteBuffer msg, int mtag) {
    if (msg == null) {
      return ADDR_ERROR;
    }
    CompletableFuture<Result<Communication>> future =
        toid instanceof ProcessId pid
            ? process.send(pid, mtag, msg, FOR_EVER)
            : process.send((GroupId) toid, mtag, msg, 0);
    return switch (future.join()) {
      case Done(Communication communication) -> {
        sent.put(toid, communication);
        yield communication.count();
      }
      case Aborted(Status status) -> code(status);
    };
  }

  /// Receives a message of a group or of a process; blocks.
  ///
  /// @param fromid the group or the process
  /// @param buf    where the message goes
  /// @return who sent it, and its length
  public Received brec(Object fromid, @Nullable ByteBuffer buf) {
    return received(fromid, buf, null, FOR_EVER);
  }

  /// Receives a message of a group or of a process, with a tag; does not block.
  ///
  /// @param fromid the group or the process
  /// @param buf    where the message goes
  /// @param mtag   the tag
  /// @return who sent it, and its length; [#TIMED_OUT] when there is none
  public Received nrec(Object fromid, @Nullable ByteBuffer buf, int mtag) {
    return received(fromid, buf, mtag, Duration.ZERO);
  }

  /// Receives any message with a tag; blocks.
  ///
  /// @param buf  where the message goes
  /// @param mtag the tag
  /// @return who sent it, and its length
  public Received brecany(@Nullable ByteBuffer buf, int mtag) {
    return received(null, buf, mtag, FOR_EVER);
  }

  /// Receives any message with a tag; does not block.
  ///
  /// @param buf  where the message goes
  /// @param mtag the tag
  /// @return who sent it, and its length; [#TIMED_OUT] when there is none
  public Received nrecany(@Nullable ByteBuffer buf, int mtag) {
    return received(null, buf, mtag, Duration.ZERO);
  }

  private Received received(@Nullable Object from, @Nullable ByteBuffer buf, @Nullable Integer tag, Duration timeout) {
    if (buf == null) {
      return WRONG_ADDRESS;
    }
    CompletableFuture<Result<Message>> future =
        from instanceof ProcessId pid
            ? process.receiveFrom(pid, tag, timeout)
            : process.receive((GroupId) from, tag, timeout);
    return switch (future.join()) {
      case Done(Message message) -> {
        received.put(message.sender(), message);
        yield filled(buf, message.sender(), message.payload());
      }
      case Aborted(Status status) -> new Received(null, code(status));
    };
  }

  /// Replies to the last message received of a process; blocks until that takes the reply.
  ///
  /// @param pid the process
  /// @param msg the reply
  /// @return the number of bytes sent, or a status
  public int reply(ProcessId pid, @Nullable ByteBuffer msg) {
    if (msg == null) {
      return ADDR_ERROR;
    }
    Message message = received.remove(pid);
    if (message == null) {
      return CM_MISMATCH;
    }
    return number(message.reply(msg));
  }

  /// Sends, blocks until a reply comes, and terminates the communication.
  ///
  /// @param toid the group or the process
  /// @param msg  the message
  /// @param buf  where the reply goes
  /// @param mtag what receivers may select by
  /// @return who replied, and the length
  public Received request(Object toid, @Nullable ByteBuffer msg, @Nullable ByteBuffer buf, int mtag) {
    if (msg == null || buf == null) {
      return WRONG_ADDRESS;
    }
    if (toid instanceof ProcessId pid) {
      return replied(buf, process.request(pid, mtag, msg, FOR_EVER));
    }
    int count = bsend(toid, msg, mtag);
    if (count < 0) {
      return new Received(null, count);
    }
    totreply(toid, 1);
    return getreply(toid, buf, FOR_EVER);
  }

  /// Sets how many replies are wanted back; 0 terminates the communication.
  ///
  /// @param toid the group or the process
  /// @param p    the number
  /// @return the number that counts, 0 when the communication has terminated, or a status
  public int totreply(Object toid, int p) {
    Communication communication = sent.get(toid);
    return communication == null ? NO_COMM : number(communication.want(p));
  }

  /// Takes the next reply.
  ///
  /// @param toid    the group or the process
  /// @param buf     where the reply goes
  /// @param timeout how long to wait
  /// @return who replied, and the length
  public Received getreply(Object toid, @Nullable ByteBuffer buf, Duration timeout) {
    Communication communication = sent.get(toid);
    if (communication == null) {
      return new Received(null, NO_COMM);
    }
    return buf == null ? WRONG_ADDRESS : replied(buf, communication.reply(timeout));
  }

  private static Received replied(ByteBuffer buf, CompletableFuture<Result<Reply>> future) {
    return switch (future.join()) {
      case Done(Reply(ProcessId member, ByteBuffer payload)) -> filled(buf, member, payload);
      case Aborted(Status status) -> new Received(null, code(status));
    };
  }

  private static Received filled(ByteBuffer buf, ProcessId from, ByteBuffer payload) {
    int length = Math.min(payload.remaining(), buf.remaining());
    buf.put(payload.slice(payload.position(), length));
    return new Received(from, length);
  }

  private static int number(CompletableFuture<Result<Integer>> future) {
    return switch (future.join()) {
      case Done(Integer number) -> number;
      case Aborted(Status status) -> code(status);
    };
  }

  static int code(Status status) {
    return switch (status) {
      case NO_COMM -> NO_COMM;
      case TIMED_OUT -> TIMED_OUT;
      case NO_MEMBERS -> NO_MEMBERS;
      case CM_ERROR -> CM_ERROR;
      case HOST_DEAD -> HOST_DEAD;
      case PROC_DEAD -> PROC_DEAD;
      case NO_BUFF -> NO_BUFF;
      case CM_DEADLOCK -> CM_DEADLOCK;
      case CM_MISMATCH -> CM_MISMATCH;
      case NOT_MEMBER -> NOT_MEMBER;
      case GROUP_DOES_NOT_EXIST -> GROUP_DOES_NOT_EXIST;
      case WRONG_PASSWORD -> WRONG_PASSWORD;
      case NO_SERVER -> NO_SERVER;
      case HARDWARE_FAIL -> HARDWARE_FAIL;
    };
  }

  private static <K, V> Map<K, V> bounded() {
    return new LinkedHashMap<>() {
      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > KEPT_MAX;
      }
    };
  }

  /// Ends the process.
  @Override
  public void close() {
    process.close();
  }
}
