package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import org.tutti.MemberId;
import org.tutti.replica.Answer;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What members of a group that call each other multicast.
public sealed interface GroupCallMessage {
  /// Execute this and answer. Totally ordered.
  ///
  /// @param number  of the caller's calls, from 1; 0 when no answer is wanted
  /// @param request what to execute
  record Call(long number, ByteBuffer request) implements GroupCallMessage {}

  /// To the caller, though all get it: what came of it here. In no order.
  ///
  /// @param caller who made the call
  /// @param number of its calls
  /// @param answer what was answered
  record Reply(MemberId caller, long number, Answer answer) implements GroupCallMessage {}

  /// Do not wait for my answers to what lies between these positions: it is contained in the state that I got, or came
  /// before I took part, or I answered it where its caller was not. Totally ordered.
  ///
  /// @param from the first position
  /// @param to   the position behind the last one
  record Skipped(long from, long to) implements GroupCallMessage {}

  /// Writes a message.
  ///
  /// @return its bytes
  default ByteBuffer encode() {
    var out = new WireWriter();
    switch (this) {
      case Call(long number, ByteBuffer request) -> {
        out.u8(1);
        out.count(number);
        out.raw(request.duplicate());
      }
      case Reply(MemberId caller, long number, Answer answer) -> {
        out.u8(2);
        out.member(caller);
        out.count(number);
        out.flag(answer.failed());
        out.count(answer.position() + 1);
        out.raw(answer.payload());
      }
      case Skipped(long from, long to) -> {
        out.u8(3);
        out.count(from);
        out.count(to);
      }
    }
    return out.copy();
  }

  /// Reads a message.
  ///
  /// @param bytes all of it; payloads are parts of it
  /// @return the message
  /// @throws Malformed when it is none
  static GroupCallMessage read(ByteBuffer bytes) throws Malformed {
    var in = new WireReader(bytes);
    GroupCallMessage message =
        switch (in.u8()) {
          case 1 -> new Call(in.count(), in.rest().slice());
          case 2 -> {
            MemberId caller = in.member();
            long number = in.count();
            boolean failed = in.flag();
            long position = in.count() - 1;
            yield new Reply(caller, number, new Answer(failed, in.rest(), position));
          }
          case 3 -> new Skipped(in.count(), in.count());
          default -> throw new Malformed("kind");
        };
    in.end();
    return message;
  }
}
