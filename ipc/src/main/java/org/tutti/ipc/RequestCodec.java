package org.tutti.ipc;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.Request.AskOne;
import org.tutti.ipc.Request.Authorize;
import org.tutti.ipc.Request.Create;
import org.tutti.ipc.Request.Destroy;
import org.tutti.ipc.Request.End;
import org.tutti.ipc.Request.Groups;
import org.tutti.ipc.Request.Join;
import org.tutti.ipc.Request.Leave;
import org.tutti.ipc.Request.Open;
import org.tutti.ipc.Request.Question;
import org.tutti.ipc.Request.Receive;
import org.tutti.ipc.Request.Reply;
import org.tutti.ipc.Request.Send;
import org.tutti.ipc.Request.SendTo;
import org.tutti.ipc.Request.Take;
import org.tutti.ipc.Request.Want;
import org.tutti.ipc.protocol.IpcMessage;
import org.tutti.ipc.protocol.PairMessage;
import org.tutti.ipc.protocol.Selection;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// How requests travel. A payload is the rest of the message; nobody copies it.
final class RequestCodec implements Codec<Request<?>> {
  private static final int PASSWORD_BYTES_MAX = 4 * GroupIds.PASSWORD_MAX;
  private static final long NANOS_MAX = TimeUnit.DAYS.toNanos(365);

  @Override
  public void write(Request<?> request, WireWriter out) {
    out.u8(
        switch (request) {
          case Open _ -> 1;
          case End _ -> 2;
          case Join _ -> 3;
          case Leave _ -> 4;
          case Create _ -> 5;
          case Destroy _ -> 6;
          case Authorize _ -> 7;
          case Groups _ -> 8;
          case Send _ -> 9;
          case Question _ -> 10;
          case SendTo _ -> 11;
          case AskOne _ -> 12;
          case Receive _ -> 13;
          case Reply _ -> 14;
          case Want _ -> 15;
          case Take _ -> 16;
        });
    switch (request) {
      case Open _, End _, Groups _ -> {}
      case Join(GroupId group, String password) -> write(out, group, password);
      case Leave(GroupId group, String password) -> write(out, group, password);
      case Create(String password, String sendPassword) -> {
        out.text(password);
        out.text(sendPassword);
      }
      case Destroy(GroupId group, String password) -> write(out, group, password);
      case Authorize(GroupId group, String sendPassword) -> write(out, group, sendPassword);
      case Send(GroupId group, int tag, int replies, ByteBuffer _) -> {
        out.fixed(group.value());
        out.fixed(tag);
        out.fixed(replies);
      }
      case Question(GroupId group, int wanted, long nanos, ByteBuffer _) -> {
        out.fixed(group.value());
        out.fixed(wanted);
        out.count(nanos);
      }
      case SendTo(ProcessId to, int tag, long nanos, ByteBuffer _) -> write(out, to, tag, nanos);
      case AskOne(ProcessId to, int tag, long nanos, ByteBuffer _) -> write(out, to, tag, nanos);
      case Receive(Selection(GroupId group, ProcessId from, Integer tag), long nanos) -> {
        out.optional(group, (to, value) -> to.fixed(value.value()));
        out.optional(from, AnswerForm::write);
        out.optional(tag, (to, value) -> to.fixed(value));
        out.count(nanos);
      }
      case Reply(long message, ByteBuffer _) -> out.count(message);
      case Want(GroupId group, ProcessId one, long session, int replies) -> {
        write(out, group, one, session);
        out.fixed(replies);
      }
      case Take(GroupId group, ProcessId one, long session, long nanos) -> {
        write(out, group, one, session);
        out.count(nanos);
      }
    }
  }

  private static void write(WireWriter out, GroupId group, String password) {
    out.fixed(group.value());
    out.text(password);
  }

  private static void write(WireWriter out, ProcessId to, int tag, long nanos) {
    AnswerForm.write(out, to);
    out.fixed(tag);
    out.count(nanos);
  }

  private static void write(WireWriter out, @Nullable GroupId group, @Nullable ProcessId one, long session) {
    out.optional(group, (to, value) -> to.fixed(value.value()));
    if (one != null) {
      AnswerForm.write(out, one);
    }
    out.count(session);
  }

  @Override
  public ByteBuffer tail(Request<?> request) {
    return request.payload();
  }

  @Override
  public Request<?> read(WireReader in) throws Malformed {
    return switch (in.u8()) {
      case 1 -> new Open();
      case 2 -> new End();
      case 3 -> new Join(AnswerForm.group(in), password(in));
      case 4 -> new Leave(AnswerForm.group(in), password(in));
      case 5 -> new Create(password(in), password(in));
      case 6 -> new Destroy(AnswerForm.group(in), password(in));
      case 7 -> new Authorize(AnswerForm.group(in), password(in));
      case 8 -> new Groups();
      case 9 -> new Send(AnswerForm.group(in), AnswerForm.tag(in), number(in), groupPayload(in));
      case 10 -> question(in);
      case 11 -> new SendTo(AnswerForm.process(in), AnswerForm.tag(in), nanos(in), payload(in));
      case 12 -> new AskOne(AnswerForm.process(in), AnswerForm.tag(in), nanos(in), payload(in));
      case 13 -> receive(in);
      case 14 -> new Reply(in.count(), payload(in));
      case 15 -> want(in);
      case 16 -> take(in);
      default -> throw new Malformed("kind");
    };
  }

  private static Question question(WireReader in) throws Malformed {
    var question = new Question(AnswerForm.group(in), number(in), nanos(in), groupPayload(in));
    if (question.wanted() < 1) {
      throw new Malformed("wanted");
    }
    return question;
  }

  private static Receive receive(WireReader in) throws Malformed {
    GroupId group = in.optional(AnswerForm::group);
    ProcessId from = in.optional(AnswerForm::process);
    Integer tag = in.optional(AnswerForm::tag);
    if (group != null && from != null) {
      throw new Malformed("selection");
    }
    return new Receive(new Selection(group, from, tag), nanos(in));
  }

  private static Want want(WireReader in) throws Malformed {
    GroupId group = in.optional(AnswerForm::group);
    return new Want(group, group == null ? AnswerForm.process(in) : null, in.count(), number(in));
  }

  private static Take take(WireReader in) throws Malformed {
    GroupId group = in.optional(AnswerForm::group);
    return new Take(group, group == null ? AnswerForm.process(in) : null, in.count(), nanos(in));
  }

  private static String password(WireReader in) throws Malformed {
    try {
      return GroupIds.requirePassword(in.text(PASSWORD_BYTES_MAX));
    } catch (IllegalArgumentException _) {
      throw new Malformed("password");
    }
  }

  private static int number(WireReader in) throws Malformed {
    return AnswerForm.tag(in);
  }

  private static long nanos(WireReader in) throws Malformed {
    long nanos = in.count();
    if (nanos > NANOS_MAX) {
      throw new Malformed("timeout");
    }
    return nanos;
  }

  private static ByteBuffer groupPayload(WireReader in) throws Malformed {
    return payload(in, IpcMessage.PAYLOAD_BYTES_MAX);
  }

  private static ByteBuffer payload(WireReader in) throws Malformed {
    return payload(in, PairMessage.BYTES_MAX);
  }

  private static ByteBuffer payload(WireReader in, int bytesMax) throws Malformed {
    if (in.remaining() > bytesMax) {
      throw new Malformed("payload");
    }
    return in.rest().asReadOnlyBuffer();
  }
}
