package org.tutti.ipc;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What a program and the host that it is attached to say to each other: one message behind the length of it.
///
/// ```
///   program                                  host
///     | -- Hello(version) -------------------> |
///     | <------------- Welcome(host), Refusal -|
///     | -- Call(1, 0, Open) -----------------> |
///     | <----------------------- Answer(1, 7) -|  process 7
///     | -- Call(2, 7, Receive) --------------> |
///     | <----------------- Answer(2, message) -|  perhaps after others
/// ```
sealed interface ProgramMessage {
  /// What both speak; an end that knows another one only says so.
  int VERSION = 1;

  /// How long a message is at most without its payload.
  int HEAD_BYTES_MAX = 4 << 10;

  /// How long the first message of each is at most.
  int GREETING_BYTES_MAX = 1 << 10;

  /// What tells such a program from any other that has found the socket.
  long MAGIC = 0x7475747469697063L; // "tuttiipc"

  /// The first message of a program.
  ///
  /// @param version what it speaks
  record Hello(int version) implements ProgramMessage {}

  /// The host takes the program.
  ///
  /// @param host its name, address and life
  record Welcome(MemberId host) implements ProgramMessage {}

  /// The host does not take it.
  ///
  /// @param version what the host speaks
  /// @param why     the reason
  record Refusal(int version, Why why) implements ProgramMessage {}

  /// Why a host does not take a program. The order is that of the encoding.
  enum Why {
    OTHER_VERSION,
    TOO_MANY_PROGRAMS
  }

  /// A request of a process.
  ///
  /// @param number  chosen by the program, for the answer
  /// @param process the process; 0 for a new one
  /// @param request what it asks for
  record Call(long number, int process, Request<?> request) implements ProgramMessage {}

  /// What came of a request.
  ///
  /// @param number as it was called
  /// @param status why it was aborted, or null
  /// @param result written in the form of the request; nothing when it was aborted
  record Answer(long number, @Nullable Status status, ByteBuffer result) implements ProgramMessage {
    /// Reads what came of a request.
    ///
    /// @param <T>  what it yields
    /// @param form in which it was written
    /// @return the result
    /// @throws Malformed when the bytes are none
    <T> Result<T> read(AnswerForm<T> form) throws Malformed {
      if (status != null) {
        return new Aborted<>(status);
      }
      var in = new WireReader(result.duplicate());
      T value = form.read().from(in);
      in.end();
      return new Done<>(value);
    }
  }

  /// Writes what came of a request.
  ///
  /// @param <T>    what it yields
  /// @param number of the call
  /// @param form   how it is written
  /// @param result what came of it
  /// @return the message, in parts that do not change
  static <T> List<ByteBuffer> answer(long number, AnswerForm<T> form, Result<T> result) {
    List<ByteBuffer> parts = new ArrayList<>();
    var out = new WireWriter();
    switch (result) {
      case Done(T value) -> {
        write(out, new Answer(number, null, AnswerForm.NOTHING));
        form.write().write(out, parts, value);
      }
      case Aborted(Status status) -> write(out, new Answer(number, status, AnswerForm.NOTHING));
    }
    parts.addFirst(out.copy());
    return parts;
  }

  /// Writes a message.
  ///
  /// @param message any
  /// @return the message, in parts that do not change
  static List<ByteBuffer> parts(ProgramMessage message) {
    var out = new WireWriter();
    write(out, message);
    return message instanceof Call(long _, int _, Request<?> request)
        ? List.of(out.copy(), request.payload())
        : List.of(out.copy());
  }

  /// Writes a message, without the payload of a request.
  ///
  /// @param out     where to
  /// @param message any
  static void write(WireWriter out, ProgramMessage message) {
    switch (message) {
      case Hello(int version) -> {
        out.u8(1);
        out.fixed(MAGIC);
        out.count(version);
      }
      case Welcome(MemberId host) -> {
        out.u8(2);
        out.member(host);
      }
      case Refusal(int version, Why why) -> {
        out.u8(3);
        out.count(version);
        out.u8(why.ordinal());
      }
      case Call(long number, int process, Request<?> request) -> {
        out.u8(4);
        out.count(number);
        out.count(process);
        new RequestCodec().write(request, out);
      }
      case Answer(long number, Status status, ByteBuffer result) -> {
        out.u8(5);
        out.count(number);
        out.u8(status == null ? 0 : 1 + status.ordinal());
        out.raw(result);
      }
    }
  }

  /// Reads a message.
  ///
  /// @param bytes all of it; not to be changed afterwards
  /// @return the message
  /// @throws Malformed when it is none
  static ProgramMessage read(ByteBuffer bytes) throws Malformed {
    var in = new WireReader(bytes);
    ProgramMessage message =
        switch (in.u8()) {
          case 1 -> hello(in);
          case 2 -> new Welcome(in.member());
          case 3 -> new Refusal(in.countUpTo(Integer.MAX_VALUE), one(in, Why.values()));
          case 4 -> new Call(in.count(), in.countUpTo(Integer.MAX_VALUE), new RequestCodec().read(in));
          case 5 -> answer(in);
          default -> throw new Malformed("kind");
        };
    in.end();
    return message;
  }

  /// A later version may say more.
  private static Hello hello(WireReader in) throws Malformed {
    if (in.fixed() != MAGIC) {
      throw new Malformed("magic");
    }
    int version = in.countUpTo(Integer.MAX_VALUE);
    if (version != VERSION) {
      in.rest();
    }
    return new Hello(version);
  }

  private static Answer answer(WireReader in) throws Malformed {
    long number = in.count();
    int outcome = in.u8();
    if (outcome > Status.values().length) {
      throw new Malformed("status");
    }
    ByteBuffer result = in.rest();
    if (outcome > 0 && result.hasRemaining()) {
      throw new Malformed("status with a result");
    }
    return new Answer(number, outcome == 0 ? null : Status.values()[outcome - 1], result);
  }

  private static Why one(WireReader in, Why[] all) throws Malformed {
    int index = in.u8();
    if (index >= all.length) {
      throw new Malformed("reason");
    }
    return all[index];
  }
}
