package org.tutti.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.tutti.Event;
import org.tutti.MemberId;
import org.tutti.Names;
import org.tutti.Service;
import org.tutti.View;

/// Standard output, one line per event, in UTF-8. Buffered: whoever writes flushes when there is nothing more to say.
final class Output {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int HEX_BYTES_MAX = 32;

  private final OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER_BYTES);

  /// One line, whatever is in it: much of what is printed was said by others.
  void line(String text) {
    try {
      out.write(Names.printable(text).getBytes(StandardCharsets.UTF_8));
      out.write('\n');
    } catch (IOException closed) {
      throw cannotWrite(closed);
    }
  }

  void flush() {
    try {
      out.flush();
    } catch (IOException closed) {
      throw cannotWrite(closed);
    }
  }

  private static Failure cannotWrite(IOException closed) {
    return new Failure("cannot write to standard output: " + closed.getMessage(), closed);
  }

  void view(View view) {
    String voters = names(view.members().subList(0, view.voters()));
    String observers = view.observers().isEmpty() ? "" : "observers: " + names(view.observers());
    String between = voters.isEmpty() || observers.isEmpty() ? "" : "; ";
    line("view " + view.id() + (view.primary() ? " primary: " : " non-primary: ") + voters + between + observers);
  }

  private static String names(List<MemberId> members) {
    return members.stream().map(MemberId::name).collect(Collectors.joining(" "));
  }

  void delivery(Event.Delivery delivery) {
    // A message without a position says by which service it came.
    String place =
        delivery.service() == Service.TOTAL ? position(delivery.position()) : ServiceConverter.show(delivery.service());
    line(place + " " + delivery.sender().name() + ": " + text(delivery.payload()));
  }

  private static String position(long position) {
    return position < 0 ? "branch" : Long.toString(position);
  }

  /// The message when it is text.
  private static String text(ByteBuffer payload) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(payload.duplicate()).toString();
    } catch (CharacterCodingException binary) {
      byte[] first = new byte[Math.min(payload.remaining(), HEX_BYTES_MAX)];
      payload.get(payload.position(), first);
      String more = payload.remaining() > first.length ? "..." : "";
      return payload.remaining() + " bytes 0x" + HexFormat.of().formatHex(first) + more;
    }
  }
}
