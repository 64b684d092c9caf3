package org.tutti.ipc;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.tutti.MemberId;
import org.tutti.ipc.IpcProcess.Answers;
import org.tutti.ipc.IpcProcess.Reply;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.ipc.protocol.IpcProtocol.Received;
import org.tutti.ipc.protocol.IpcProtocol.Sent;
import org.tutti.ipc.protocol.IpcProtocol.TakenReply;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// How the result of a request travels. Long bytes are not copied: they are sent behind what is written.
///
/// @param <T>   the result
/// @param write writes it
/// @param read  reads it; nothing may follow
record AnswerForm<T>(Writing<T> write, WireReader.Taking<T> read) {
  static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private static final int GROUP_BYTES = Long.BYTES;
  private static final int REPLY_BYTES_MIN = Long.BYTES + 5; // a process with a short name, and a length

  static final AnswerForm<Integer> NUMBER =
      new AnswerForm<>((out, _, value) -> out.count(value), in -> in.countUpTo(Integer.MAX_VALUE));

  static final AnswerForm<GroupId> GROUP =
      new AnswerForm<>((out, _, group) -> out.fixed(group.value()), AnswerForm::group);

  static final AnswerForm<Set<GroupId>> GROUPS =
      new AnswerForm<>(
          (out, _, groups) -> {
            out.count(groups.size());
            groups.forEach(group -> out.fixed(group.value()));
          },
          AnswerForm::groups);

  static final AnswerForm<Sent> SENT =
      new AnswerForm<>(
          (out, _, sent) -> {
            out.count(sent.count());
            out.count(sent.session());
          },
          in -> new Sent(in.countUpTo(Integer.MAX_VALUE), in.count()));

  static final AnswerForm<TakenReply> TAKEN =
      new AnswerForm<>(
          (out, behind, reply) -> {
            write(out, reply.member());
            behind.add(reply.payload());
          },
          in -> new TakenReply(process(in), in.rest().asReadOnlyBuffer()));

  static final AnswerForm<Received> RECEIVED =
      new AnswerForm<>(
          (out, behind, message) -> {
            out.count(message.id());
            write(out, message.sender());
            out.optional(message.group(), (to, group) -> to.fixed(group.value()));
            out.count(message.session());
            out.fixed(message.tag());
            behind.add(message.payload());
          },
          in ->
              new Received(
                  in.count(),
                  process(in),
                  in.optional(AnswerForm::group),
                  in.count(),
                  tag(in),
                  in.rest().asReadOnlyBuffer()));

  static final AnswerForm<Answers> ANSWERS = new AnswerForm<>(AnswerForm::write, AnswerForm::answers);

  /// Writes a result.
  ///
  /// @param <T> the result
  interface Writing<T> {
    /// @param out    where to
    /// @param behind gets the bytes that follow
    /// @param value  the result
    void write(WireWriter out, List<ByteBuffer> behind, T value);
  }

  private static void write(WireWriter out, List<ByteBuffer> behind, Answers answers) {
    out.count(answers.count());
    out.count(answers.replies().size());
    for (Reply reply : answers.replies()) {
      write(out, reply.member());
      out.count(reply.payload().remaining());
      behind.add(reply.payload());
    }
  }

  private static Answers answers(WireReader in) throws Malformed {
    int count = in.countUpTo(Integer.MAX_VALUE);
    int size = in.listLength(REPLY_BYTES_MIN);
    List<ProcessId> members = new ArrayList<>(size);
    List<Integer> lengths = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      members.add(process(in));
      lengths.add(in.countUpTo(Integer.MAX_VALUE));
    }
    List<Reply> replies = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      replies.add(new Reply(members.get(i), in.raw(lengths.get(i)).asReadOnlyBuffer()));
    }
    return new Answers(count, List.copyOf(replies));
  }

  private static Set<GroupId> groups(WireReader in) throws Malformed {
    int size = Math.min(in.listLength(GROUP_BYTES), IpcProtocol.GROUPS_MAX);
    Set<GroupId> groups = new LinkedHashSet<>();
    for (int i = 0; i < size; i++) {
      groups.add(group(in));
    }
    return Collections.unmodifiableSet(groups);
  }

  static GroupId group(WireReader in) throws Malformed {
    long value = in.fixed();
    try {
      return new GroupId(Math.toIntExact(value));
    } catch (IllegalArgumentException | ArithmeticException _) {
      throw new Malformed("group");
    }
  }

  static void write(WireWriter out, ProcessId process) {
    out.member(process.host());
    out.count(process.number());
  }

  static ProcessId process(WireReader in) throws Malformed {
    MemberId host = in.member();
    int number = in.countUpTo(Integer.MAX_VALUE);
    if (number == 0) {
      throw new Malformed("process");
    }
    return new ProcessId(host, number);
  }

  static int tag(WireReader in) throws Malformed {
    long value = in.fixed();
    if (value != (int) value) {
      throw new Malformed("tag");
    }
    return (int) value;
  }
}
