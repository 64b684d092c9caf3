package org.tutti.ipc;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tutti.ipc.IpcProcess.Answers;
import org.tutti.ipc.IpcProcess.Reply;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.protocol.IpcProtocol;

/// Takes the replies to a question, on the host's thread, so that whoever asks waits once and not for each of them.
final class Collecting {
  private final IpcProtocol protocol;
  private final int process;
  private final GroupId group;
  private final IpcProtocol.Sent sent;
  private final int most;
  private final long deadline;
  private final Consumer<Result<Answers>> done;
  private final List<Reply> replies = new ArrayList<>();

  Collecting(
      IpcProtocol protocol,
      int process,
      Request.Question question,
      IpcProtocol.Sent sent,
      Consumer<Result<Answers>> done) {
    this.protocol = protocol;
    this.process = process;
    this.group = question.group();
    this.sent = sent;
    this.most = Math.min(question.wanted(), sent.count());
    this.deadline = System.nanoTime() + question.nanos();
    this.done = done;
  }

  void begin() {
    protocol.totreply(process, group, sent.session(), most);
    next();
  }

  private void next() {
    long left = Math.max(0, deadline - System.nanoTime());
    protocol.getreply(process, group, sent.session(), left, this::taken);
  }

  private void taken(Result<IpcProtocol.TakenReply> result) {
    switch (result) {
      case Done(IpcProtocol.TakenReply(ProcessId member, ByteBuffer payload)) -> {
        replies.add(new Reply(member, payload));
        if (replies.size() < most) {
          next();
        } else {
          end();
        }
      }
      case Aborted(Status status) when status == Status.TIMED_OUT -> end();
      case Aborted(Status status) -> done.accept(new Aborted<>(status));
    }
  }

  private void end() {
    protocol.totreply(process, group, sent.session(), 0);
    done.accept(new Done<>(new Answers(sent.count(), List.copyOf(replies))));
  }
}
