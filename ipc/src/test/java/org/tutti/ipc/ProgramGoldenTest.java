package org.tutti.ipc;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.fixture.Golden;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.ipc.protocol.Selection;
import org.tutti.transport.Address;

/// The bytes between a program and the host that it is attached to.
class ProgramGoldenTest {
  private static final MemberId HOST = new MemberId("b\u00e9", new Address("[::1]:65535"), 9);
  private static final GroupId GROUP = GroupId.wellKnown(7);
  private static final ProcessId PROCESS = new ProcessId(HOST, 300);

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(US_ASCII));
  }

  private static byte[] joined(List<ByteBuffer> parts) {
    var out = new ByteArrayOutputStream();
    for (ByteBuffer part : parts) {
      byte[] bytes = new byte[part.remaining()];
      part.duplicate().get(bytes);
      out.writeBytes(bytes);
    }
    return out.toByteArray();
  }

  private static Golden.Format<ProgramMessage> messages() {
    return new Golden.Format<>() {
      @Override
      public byte[] write(ProgramMessage message) {
        return joined(ProgramMessage.parts(message));
      }

      @Override
      public ProgramMessage read(byte[] bytes) throws Exception {
        return ProgramMessage.read(ByteBuffer.wrap(bytes));
      }
    };
  }

  @Test
  void greetingsAndOutcomes() {
    var format = messages();
    Golden golden = new Golden("ipc", "program-message", "between a program and its host: `ProgramMessage`");
    golden
        .example("hello", new ProgramMessage.Hello(ProgramMessage.VERSION), format)
        .example("welcome", new ProgramMessage.Welcome(HOST), format)
        .example("call", new ProgramMessage.Call(300, 2, new Request.Reply(9, bytes("answer"))), format)
        .example("answer", new ProgramMessage.Answer(300, null, bytes("result")), format);
    for (ProgramMessage.Why why : ProgramMessage.Why.values()) {
      golden.example("refusal " + why, new ProgramMessage.Refusal(ProgramMessage.VERSION, why), format);
    }
    for (Status status : Status.values()) {
      golden.example("answer " + status, new ProgramMessage.Answer(300, status, AnswerForm.NOTHING), format);
    }
    golden.covers(ProgramMessage.class).check();
  }

  @Test
  void requests() {
    Golden.Format<Request<?>> format = Golden.Format.of(new RequestCodec());
    new Golden("ipc", "program-request", "what a call of a program asks for: `RequestCodec`")
        .example("open", new Request.Open(), format)
        .example("end", new Request.End(), format)
        .example("join", new Request.Join(GROUP, "secret"), format)
        .example("leave", new Request.Leave(GROUP, "secret"), format)
        .example("create", new Request.Create("secret", "other"), format)
        .example("destroy", new Request.Destroy(GROUP, "secret"), format)
        .example("authorize", new Request.Authorize(GROUP, "secret"), format)
        .example("groups", new Request.Groups(), format)
        .example("send", new Request.Send(GROUP, -7, 3, bytes("hello")), format)
        .example("question", new Request.Question(GROUP, 3, 1_000_000_000, bytes("hello")), format)
        .example("send to", new Request.SendTo(PROCESS, -7, 1_000_000_000, bytes("hello")), format)
        .example("ask one", new Request.AskOne(PROCESS, -7, 1_000_000_000, bytes("hello")), format)
        .example("receive anything", new Request.Receive(new Selection(null, null, null), 0), format)
        .example("receive of a group", new Request.Receive(new Selection(GROUP, null, -7), 9), format)
        .example("receive of a process", new Request.Receive(new Selection(null, PROCESS, null), 9), format)
        .example("reply", new Request.Reply(9, bytes("answer")), format)
        .example("want of a group", new Request.Want(GROUP, null, 9, 3), format)
        .example("want of a process", new Request.Want(null, PROCESS, 9, 1), format)
        .example("take of a group", new Request.Take(GROUP, null, 9, 1_000_000_000), format)
        .example("take of a process", new Request.Take(null, PROCESS, 9, 1_000_000_000), format)
        .covers(Request.class)
        .check();
  }

  private static <T> Golden.Format<T> answers(AnswerForm<T> form) {
    return new Golden.Format<>() {
      @Override
      public byte[] write(T value) {
        return joined(ProgramMessage.answer(1, form, new Result.Done<>(value)));
      }

      @Override
      public T read(byte[] bytes) throws Exception {
        var answer = (ProgramMessage.Answer) ProgramMessage.read(ByteBuffer.wrap(bytes));
        return ((Result.Done<T>) answer.read(form)).value();
      }
    };
  }

  @Test
  void answers() {
    var replies = List.of(new IpcProcess.Reply(PROCESS, bytes("a")), new IpcProcess.Reply(PROCESS, bytes("bcd")));
    Set<GroupId> groups = new LinkedHashSet<>(List.of(GroupId.named("bank"), GROUP));
    var received = new IpcProtocol.Received(9, PROCESS, GROUP, 1L << 33, -7, bytes("hello"));
    var ofOne = new IpcProtocol.Received(9, PROCESS, null, 1L << 33, -7, bytes("hello"));
    new Golden("ipc", "program-answer", "answers to calls of programs that were done: `AnswerForm`")
        .example("number", 300, answers(AnswerForm.NUMBER))
        .example("group", GROUP, answers(AnswerForm.GROUP))
        .example("groups", groups, answers(AnswerForm.GROUPS))
        .example("sent", new IpcProtocol.Sent(3, 1L << 33), answers(AnswerForm.SENT))
        .example("taken", new IpcProtocol.TakenReply(PROCESS, bytes("answer")), answers(AnswerForm.TAKEN))
        .example("received", received, answers(AnswerForm.RECEIVED))
        .example("received, not of a group", ofOne, answers(AnswerForm.RECEIVED))
        .example("answers", new IpcProcess.Answers(3, replies), answers(AnswerForm.ANSWERS))
        .check();
  }
}
