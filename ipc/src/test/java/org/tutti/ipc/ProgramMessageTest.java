package org.tutti.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.MemberId;
import org.tutti.ipc.IpcProcess.Answers;
import org.tutti.ipc.IpcProcess.Reply;
import org.tutti.ipc.ProgramMessage.Answer;
import org.tutti.ipc.ProgramMessage.Call;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.protocol.IpcProtocol.Received;
import org.tutti.ipc.protocol.IpcProtocol.Sent;
import org.tutti.ipc.protocol.IpcProtocol.TakenReply;
import org.tutti.ipc.protocol.Selection;
import org.tutti.transport.Address;
import org.tutti.wire.Malformed;

/// What programs and hosts say arrives as it was said.
class ProgramMessageTest {
  private static final GroupId GROUP = GroupId.issued(5);
  private static final ProcessId ONE = new ProcessId(new MemberId("a", new Address("a:1"), 7), 3);
  private static final ByteBuffer BYTES = ByteBuffer.wrap(new byte[] {1, 2, 3});
  private static final long YEAR = 365L * 24 * 3600 * 1_000_000_000;

  private static ByteBuffer joined(List<ByteBuffer> parts) {
    ByteBuffer all = ByteBuffer.allocate(ProgramLink.length(parts));
    parts.forEach(part -> all.put(part.duplicate()));
    return all.flip();
  }

  @Test
  void requests() throws Malformed {
    List<Request<?>> all =
        List.of(
            new Request.Open(),
            new Request.End(),
            new Request.Join(GROUP, "pässword"),
            new Request.Leave(GROUP, ""),
            new Request.Create("x".repeat(64), "y"),
            new Request.Destroy(GROUP, "x"),
            new Request.Authorize(GROUP, "\uD83D\uDE00".repeat(64)),
            new Request.Groups(),
            new Request.Send(GROUP, -1, 1025, BYTES),
            new Request.Question(GROUP, 1, 0, BYTES),
            new Request.SendTo(ONE, Integer.MIN_VALUE, YEAR, BYTES),
            new Request.AskOne(ONE, 1, 0, ByteBuffer.allocate(0)),
            new Request.Receive(new Selection(null, null), 5),
            new Request.Receive(new Selection(GROUP, 0), 5),
            new Request.Receive(new Selection(null, ONE, null), 5),
            new Request.Reply(1L << 50, BYTES),
            new Request.Want(GROUP, null, 4, -1),
            new Request.Want(null, ONE, 4, 1),
            new Request.Take(GROUP, null, 4, 9),
            new Request.Take(null, ONE, 4, 9));
    for (Request<?> each : all) {
      var call = new Call(300, 4, each);
      assertThat(ProgramMessage.read(joined(ProgramMessage.parts(call)))).isEqualTo(call);
    }
    assertThat(all.stream().map(Object::getClass).distinct())
        .as("all kinds")
        .hasSameSizeAs(Request.class.getPermittedSubclasses());
  }

  @Test
  void whatNoProgramAsksForIsRefused() {
    refused("timeout", new Request.Take(GROUP, null, 4, YEAR + 1));
    refused("password", new Request.Join(GROUP, "x".repeat(65)));
    refused("wanted", new Request.Question(GROUP, 0, 1, BYTES));
    refused("payload", new Request.Send(GROUP, 0, 1, ByteBuffer.allocate((1 << 20) + 1)));
    refused("selection", new Request.Receive(new Selection(GROUP, ONE, 1), 1));
  }

  private static void refused(String reason, Request<?> request) {
    ByteBuffer bytes = joined(ProgramMessage.parts(new Call(1, 1, request)));
    assertThatThrownBy(() -> ProgramMessage.read(bytes)).isInstanceOf(Malformed.class).hasMessage(reason);
  }

  @Test
  void results() throws Malformed {
    same(AnswerForm.NUMBER, Integer.MAX_VALUE);
    same(AnswerForm.GROUP, GROUP);
    same(AnswerForm.GROUPS, new LinkedHashSet<>(List.of(GROUP, GroupId.named("x"))));
    same(AnswerForm.GROUPS, Set.of());
    same(AnswerForm.SENT, new Sent(3, 1L << 50));
    same(AnswerForm.TAKEN, new TakenReply(ONE, BYTES));
    same(AnswerForm.RECEIVED, new Received(1, ONE, GROUP, 2, -3, BYTES));
    same(AnswerForm.RECEIVED, new Received(1, ONE, null, 2, -3, ByteBuffer.allocate(0)));
    same(AnswerForm.ANSWERS, new Answers(2, List.of(new Reply(ONE, BYTES), new Reply(ONE, ByteBuffer.allocate(0)))));
    same(AnswerForm.ANSWERS, new Answers(1, List.of()));
  }

  private static <T> void same(AnswerForm<T> form, T value) throws Malformed {
    assertThat(travelled(form, new Done<>(value))).isEqualTo(new Done<>(value));
  }

  private static <T> Result<T> travelled(AnswerForm<T> form, Result<T> result) throws Malformed {
    var answer = (Answer) ProgramMessage.read(joined(ProgramMessage.answer(300, form, result)));
    assertThat(answer.number()).isEqualTo(300);
    return answer.read(form);
  }

  @ParameterizedTest
  @EnumSource
  void statuses(Status status) throws Malformed {
    assertThat(travelled(AnswerForm.TAKEN, new Aborted<>(status))).isEqualTo(new Aborted<>(status));
  }
}
