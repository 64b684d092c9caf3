package org.tutti.ipc;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireWriter;

/// What programs and the host that they are attached to say to each other: messages, and the results in them.
public final class ProgramTarget implements FuzzTarget {
  private static final List<AnswerForm<?>> FORMS =
      List.of(
          AnswerForm.NUMBER,
          AnswerForm.GROUP,
          AnswerForm.GROUPS,
          AnswerForm.SENT,
          AnswerForm.TAKEN,
          AnswerForm.RECEIVED,
          AnswerForm.ANSWERS);

  @Override
  public void take(ByteBuffer input) throws Malformed {
    int choice = FuzzTarget.choice(input, FORMS.size() + 1);
    if (choice == 0) {
      FuzzTarget.again(in -> ProgramMessage.read(in.rest()), ProgramTarget::write, input);
    } else {
      again(FORMS.get(choice - 1), input);
    }
  }

  private static void write(ProgramMessage message, WireWriter out) {
    ProgramMessage.parts(message).forEach(out::raw);
  }

  private static <T> void again(AnswerForm<T> form, ByteBuffer input) throws Malformed {
    FuzzTarget.again(
        form.read(),
        (value, out) -> {
          List<ByteBuffer> behind = new ArrayList<>();
          form.write().write(out, behind, value);
          behind.forEach(out::raw);
        },
        input);
  }
}
