package org.tutti.romiop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.tutti.Group;

class GroupMessageTest {
  private static final UUID CLIENT = new UUID(1, 2);
  private static final GroupMessage REQUEST = new GroupMessage(false, CLIENT, 7, 9, Giop.request("Key", "get", null));

  @Test
  void anAnswerGoesToWhoAsked() throws Exception {
    Giop reply = Giop.reply(2, Giop.RESULT, new byte[] {1, 2, 3, 4});
    GroupMessage answer = REQUEST.answer(reply);
    assertThat(answer).isEqualTo(new GroupMessage(true, CLIENT, 7, 0, reply));
    GroupMessage read = GroupMessage.read(ByteBuffer.wrap(answer.encoded()), CLIENT);
    assertThat(read.call()).isEqualTo(7);
    assertThat(read.giop().bytes()).isEqualTo(reply.bytes());
  }

  @Test
  void anAnswerThatIsTooLongIsAFailureThatFits() {
    int head = REQUEST.answer(Giop.reply(2, Giop.RESULT, new byte[0])).encoded().length;
    Giop longest = Giop.reply(2, Giop.RESULT, new byte[Group.MESSAGE_BYTES_MAX - head]);
    assertThat(REQUEST.answer(longest).giop()).isSameAs(longest);
    assertThat(REQUEST.answer(longest).encoded()).hasSize(Group.MESSAGE_BYTES_MAX);
    Giop tooLong = Giop.reply(2, Giop.RESULT, new byte[Group.MESSAGE_BYTES_MAX - head + 1]);
    GroupMessage answer = REQUEST.answer(tooLong);
    assertThat(answer.giop().bytes()).isEqualTo(Giop.exception(2, RomiopFailure.REPLY_TOO_LONG).bytes());
    assertThat(answer.encoded()).hasSizeLessThan(200);
  }

  @Test
  void aMessageOfAnotherVersionIsNamed() {
    byte[] other = REQUEST.encoded();
    other[3]++;
    assertThatThrownBy(() -> GroupMessage.read(ByteBuffer.wrap(other), CLIENT))
        .hasMessage("a message of version 3, this is version 2");
    other[0]++;
    assertThatThrownBy(() -> GroupMessage.read(ByteBuffer.wrap(other), CLIENT))
        .hasMessage("no message of a group of objects");
  }
}
