package org.tutti.ipc;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ipc.IpcProcess.Answers;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.ipc.protocol.IpcProtocol.Received;
import org.tutti.ipc.protocol.IpcProtocol.Sent;
import org.tutti.ipc.protocol.IpcProtocol.TakenReply;
import org.tutti.ipc.protocol.IssuedGroups;
import org.tutti.ipc.protocol.Selection;

/// What a process asks its host for. It runs at the host in the same way, whether it comes from a thread of the host's
/// program or by a socket from another one, so both have the same results. [RequestCodec] is how it travels.
///
/// @param <T> what it yields
sealed interface Request<T> {
  /// What is there at the host, for its thread only.
  interface Desk {
    MemberId host();

    IpcProtocol protocol();

    IssuedGroups groups();

    /// The group-id server; null when the host has none.
    @Nullable GroupIds ids();

    /// Goes on, on the host's thread, when the server has answered; with [Status#NO_SERVER] when that failed.
    <S> void pass(CompletableFuture<Result<S>> outcome, Consumer<Result<S>> answer);
  }

  /// Does it, on the host's thread.
  ///
  /// @param desk    at the host
  /// @param process who asks
  /// @param done    told once, perhaps later
  void run(Desk desk, int process, Consumer<Result<T>> done);

  /// How its result travels.
  AnswerForm<T> form();

  /// What is sent, behind all else.
  default ByteBuffer payload() {
    return AnswerForm.NOTHING;
  }

  /// A new process; yields its number, or 0 when there are too many.
  record Open() implements Request<Integer> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<Integer>> done) {
      done.accept(new Done<>(desk.protocol().open()));
    }

    @Override
    public AnswerForm<Integer> form() {
      return AnswerForm.NUMBER;
    }
  }

  /// The end of the process.
  record End() implements Request<Integer> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<Integer>> done) {
      desk.protocol().end(process);
      done.accept(new Done<>(0));
    }

    @Override
    public AnswerForm<Integer> form() {
      return AnswerForm.NUMBER;
    }
  }

  record Join(GroupId group, String password) implements Request<Integer> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<Integer>> done) {
      desk.groups().join(process, group, password, done);
    }

    @Override
    public AnswerForm<Integer> form() {
      return AnswerForm.NUMBER;
    }
  }

  record Leave(GroupId group, String password) implements Request<Integer> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<Integer>> done) {
      desk.groups().leave(process, group, password, done);
    }

    @Override
    public AnswerForm<Integer> form() {
      return AnswerForm.NUMBER;
    }
  }

  record Create(String password, String sendPassword) implements Request<GroupId> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<GroupId>> done) {
      GroupIds ids = desk.ids();
      if (ids == null) {
        done.accept(new Aborted<>(Status.NO_SERVER));
      } else {
        desk.pass(ids.create(password, sendPassword), done);
      }
    }

    @Override
    public AnswerForm<GroupId> form() {
      return AnswerForm.GROUP;
    }
  }

  record Destroy(GroupId group, String password) implements Request<Integer> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<Integer>> done) {
      desk.groups().destroy(process, group, password, done);
    }

    @Override
    public AnswerForm<Integer> form() {
      return AnswerForm.NUMBER;
    }
  }

  record Authorize(GroupId group, String sendPassword) implements Request<Integer> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<Integer>> done) {
      GroupIds ids = desk.ids();
      if (ids == null) {
        done.accept(new Aborted<>(Status.NO_SERVER));
        return;
      }
      desk.pass(
          ids.sendKey(group, sendPassword),
          result -> {
            switch (result) {
              case Done(SendKey key) -> desk.groups().authorize(process, group, key, done);
              case Aborted(Status status) -> done.accept(new Aborted<>(status));
            }
          });
    }

    @Override
    public AnswerForm<Integer> form() {
      return AnswerForm.NUMBER;
    }
  }

  /// Of which groups it is a member.
  record Groups() implements Request<Set<GroupId>> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<Set<GroupId>>> done) {
      done.accept(new Done<>(desk.protocol().groups(process)));
    }

    @Override
    public AnswerForm<Set<GroupId>> form() {
      return AnswerForm.GROUPS;
    }
  }

  record Send(GroupId group, int tag, int replies, ByteBuffer payload) implements Request<Sent> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<Sent>> done) {
      desk.groups().send(process, group, tag, payload, replies, done);
    }

    @Override
    public AnswerForm<Sent> form() {
      return AnswerForm.SENT;
    }
  }

  /// A send, and the taking of replies.
  record Question(GroupId group, int wanted, long nanos, ByteBuffer payload) implements Request<Answers> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<Answers>> done) {
      desk.groups()
          .send(
              process,
              group,
              0,
              payload,
              wanted,
              result -> {
                switch (result) {
                  case Done(Sent sent) -> new Collecting(desk.protocol(), process, this, sent, done).begin();
                  case Aborted(Status status) -> done.accept(new Aborted<>(status));
                }
              });
    }

    @Override
    public AnswerForm<Answers> form() {
      return AnswerForm.ANSWERS;
    }
  }

  record SendTo(ProcessId to, int tag, long nanos, ByteBuffer payload) implements Request<Sent> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<Sent>> done) {
      desk.protocol().pairs().send(process, to, tag, payload, nanos, done);
    }

    @Override
    public AnswerForm<Sent> form() {
      return AnswerForm.SENT;
    }
  }

  /// A send to a process, and the taking of its reply.
  record AskOne(ProcessId to, int tag, long nanos, ByteBuffer payload) implements Request<TakenReply> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<TakenReply>> done) {
      desk.protocol().pairs().request(process, to, tag, payload, nanos, done);
    }

    @Override
    public AnswerForm<TakenReply> form() {
      return AnswerForm.TAKEN;
    }
  }

  record Receive(Selection selection, long nanos) implements Request<Received> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<Received>> done) {
      desk.protocol().receive(process, selection, nanos, done);
    }

    @Override
    public AnswerForm<Received> form() {
      return AnswerForm.RECEIVED;
    }
  }

  /// A reply to a message that was received.
  record Reply(long message, ByteBuffer payload) implements Request<Integer> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<Integer>> done) {
      desk.protocol().reply(process, message, payload, done);
    }

    @Override
    public AnswerForm<Integer> form() {
      return AnswerForm.NUMBER;
    }
  }

  /// How many replies are wanted from a group, or from a process; the other one is null.
  record Want(@Nullable GroupId group, @Nullable ProcessId one, long session, int replies) implements Request<Integer> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<Integer>> done) {
      done.accept(
          one == null
              ? desk.protocol().totreply(process, group, session, replies)
              : desk.protocol().pairs().totreply(process, one, session, replies));
    }

    @Override
    public AnswerForm<Integer> form() {
      return AnswerForm.NUMBER;
    }
  }

  /// The next reply of a group, or that of a process; the other one is null.
  record Take(@Nullable GroupId group, @Nullable ProcessId one, long session, long nanos)
      implements Request<TakenReply> {
    @Override
    public void run(Desk desk, int process, Consumer<Result<TakenReply>> done) {
      if (one == null) {
        desk.protocol().getreply(process, group, session, nanos, done);
      } else {
        desk.protocol().pairs().getreply(process, one, session, nanos, done);
      }
    }

    @Override
    public AnswerForm<TakenReply> form() {
      return AnswerForm.TAKEN;
    }
  }
}
