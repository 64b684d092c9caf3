package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.tutti.ipc.ProcessId;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What hosts say to each other about communications of two processes. Some messages go both ways: with the flag
/// `reply` they are about the reply, and without it about the message that it answers.
public sealed interface PairMessage {
  /// The longest message or reply, in bytes.
  int BYTES_MAX = 64 << 20;

  /// The most bytes of a message in one frame of the link.
  int PART_BYTES_MAX = 64 << 10;

  /// How many processes a cycle has at most that is found.
  int HOPS_MAX = 256;

  /// The first byte of the encoding is at least this one, those of an [IpcMessage] are smaller.
  int FIRST_KIND = 32;

  /// One communication of two processes.
  ///
  /// @param process the sender's number at its host
  /// @param to      the receiver's number at its host
  /// @param session larger than those of all earlier communications of the sender's host
  record Pair(int process, int to, long session) {}

  /// Here is a message, or a reply: its length, and as much of it as one frame takes.
  ///
  /// @param pair   the communication
  /// @param reply  whether it is the reply
  /// @param tag    what the receiver may select by
  /// @param length of all of it
  /// @param first  the first bytes
  record Offer(Pair pair, boolean reply, int tag, int length, ByteBuffer first) implements PairMessage {}

  /// There is room for these bytes, which were not sent yet, or came when there was none.
  ///
  /// @param pair  the communication
  /// @param reply whether it is about the reply
  /// @param from  the first one
  /// @param upTo  the one behind the last one
  record More(Pair pair, boolean reply, int from, int upTo) implements PairMessage {}

  /// A part.
  ///
  /// @param pair   the communication
  /// @param reply  whether it is of the reply
  /// @param offset where it begins
  /// @param bytes  the part
  record Part(Pair pair, boolean reply, int offset, ByteBuffer bytes) implements PairMessage {}

  /// To the sender's host: the message is in the receiver's queue.
  ///
  /// @param pair the communication
  record Queued(Pair pair) implements PairMessage {}

  /// To the sender's host: the receiver does not have it, and will not.
  ///
  /// @param pair the communication
  /// @param why  why
  record Gone(Pair pair, Why why) implements PairMessage {}

  /// To the receiver's host: the sender has taken the reply, so all is over.
  ///
  /// @param pair the communication
  record ReplyTaken(Pair pair) implements PairMessage {}

  /// To the receiver's host: the sender takes no reply any more.
  ///
  /// @param pair the communication
  /// @param dead whether the sender has ended
  record Over(Pair pair, boolean dead) implements PairMessage {}

  /// To the other host: does it still know this? If not, it says [Gone] or [Over].
  ///
  /// @param pair     the communication
  /// @param bySender whether the sender's host asks
  record Ask(Pair pair, boolean bySender) implements PairMessage {}

  /// Along an edge from a process that waits to the one that it waits for. The first time round, the marks of all
  /// processes that it passes, and of their calls, are collected; the second time, they are compared.
  ///
  /// @param origin who wants to know whether it waits for itself
  /// @param marks  of those passed the first time round, the origin first
  /// @param passed how many of them were passed the second time; 0 the first time
  /// @param edge   on which it travels
  record Chase(ProcessId origin, List<Long> marks, int passed, Edge edge) implements PairMessage {
    /// Copies the list.
    public Chase {
      marks = List.copyOf(marks);
    }
  }

  /// Who waits for whom, between the host that sends this and the host that gets it.
  ///
  /// @param by   by which kind of call
  /// @param pair the communication; of a receive only the numbers: the one waiting, and the one that it waits for
  record Edge(Wait by, Pair pair) {}

  /// By which call a process waits for another.
  enum Wait {
    /// A send: until the message has room in the queue.
    SEND,
    /// A request, or the taking of a reply: until the other replies.
    REPLY,
    /// A receive from this process only.
    RECEIVE
  }

  /// Why a message is not there.
  enum Why {
    /// The receiver has ended, or there never was one with this number.
    PROCESS_DEAD,
    /// Too many messages wait for room.
    NO_ROOM,
    /// The receiver's host has not heard the sender's host for some time, and has forgotten it.
    HOST_LOST
  }

  /// Whether these are the bytes of such a message, and not of an [IpcMessage].
  ///
  /// @param bytes not read
  /// @return whether they are
  static boolean isOne(ByteBuffer bytes) {
    return bytes.hasRemaining() && (bytes.get(bytes.position()) & 0xff) >= FIRST_KIND;
  }

  /// Writes a message.
  ///
  /// @param out     where to
  /// @param message the message
  static void write(WireWriter out, PairMessage message) {
    out.u8(
        FIRST_KIND
            + switch (message) {
              case Offer _ -> 0;
              case More _ -> 1;
              case Part _ -> 2;
              case Queued _ -> 3;
              case Gone _ -> 4;
              case ReplyTaken _ -> 5;
              case Over _ -> 6;
              case Ask _ -> 7;
              case Chase _ -> 8;
            });
    switch (message) {
      case Offer(Pair pair, boolean reply, int tag, int length, ByteBuffer first) -> {
        write(out, pair);
        out.flag(reply);
        out.fixed(tag);
        out.count(length);
        out.raw(first.duplicate());
      }
      case More(Pair pair, boolean reply, int from, int upTo) -> {
        write(out, pair);
        out.flag(reply);
        out.count(from);
        out.count(upTo);
      }
      case Part(Pair pair, boolean reply, int offset, ByteBuffer bytes) -> {
        write(out, pair);
        out.flag(reply);
        out.count(offset);
        out.raw(bytes.duplicate());
      }
      case Queued(Pair pair) -> write(out, pair);
      case Gone(Pair pair, Why why) -> {
        write(out, pair);
        out.u8(why.ordinal());
      }
      case ReplyTaken(Pair pair) -> write(out, pair);
      case Over(Pair pair, boolean dead) -> {
        write(out, pair);
        out.flag(dead);
      }
      case Ask(Pair pair, boolean bySender) -> {
        write(out, pair);
        out.flag(bySender);
      }
      case Chase(ProcessId origin, List<Long> marks, int passed, Edge edge) -> {
        write(out, edge.pair());
        out.u8(edge.by().ordinal());
        out.member(origin.host());
        out.count(origin.number());
        out.count(passed);
        out.count(marks.size());
        marks.forEach(out::fixed);
      }
    }
  }

  private static void write(WireWriter out, Pair pair) {
    out.count(pair.process());
    out.count(pair.to());
    out.count(pair.session());
  }

  /// Reads a message; its bytes are a copy.
  ///
  /// @param bytes all of it
  /// @return the message
  /// @throws Malformed when it is none
  static PairMessage read(ByteBuffer bytes) throws Malformed {
    var in = new WireReader(bytes);
    int kind = in.u8() - FIRST_KIND;
    var pair = new Pair(number(in), number(in), in.count());
    PairMessage message =
        switch (kind) {
          case 0 -> offer(in, pair);
          case 1 -> more(in, pair);
          case 2 -> new Part(pair, in.flag(), in.countUpTo(BYTES_MAX), part(in));
          case 3 -> new Queued(pair);
          case 4 -> new Gone(pair, one(in, Why.values()));
          case 5 -> new ReplyTaken(pair);
          case 6 -> new Over(pair, in.flag());
          case 7 -> new Ask(pair, in.flag());
          case 8 -> chase(in, pair);
          default -> throw new Malformed("kind");
        };
    in.end();
    return message;
  }

  private static Offer offer(WireReader in, Pair pair) throws Malformed {
    boolean reply = in.flag();
    long tag = in.fixed();
    int length = in.countUpTo(BYTES_MAX);
    ByteBuffer first = part(in);
    if (tag != (int) tag || first.remaining() > length) {
      throw new Malformed("offer");
    }
    return new Offer(pair, reply, (int) tag, length, first);
  }

  private static More more(WireReader in, Pair pair) throws Malformed {
    var more = new More(pair, in.flag(), in.countUpTo(BYTES_MAX), in.countUpTo(BYTES_MAX));
    if (more.from > more.upTo) {
      throw new Malformed("range");
    }
    return more;
  }

  private static Chase chase(WireReader in, Pair pair) throws Malformed {
    var edge = new Edge(one(in, Wait.values()), pair);
    var origin = new ProcessId(in.member(), number(in));
    int passed = in.countUpTo(HOPS_MAX);
    int size = in.countUpTo(HOPS_MAX);
    List<Long> marks = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      marks.add(in.fixed());
    }
    if (marks.isEmpty() || passed > size) {
      throw new Malformed("chase");
    }
    return new Chase(origin, marks, passed, edge);
  }

  private static <T> T one(WireReader in, T[] all) throws Malformed {
    int index = in.u8();
    if (index >= all.length) {
      throw new Malformed("kind");
    }
    return all[index];
  }

  private static int number(WireReader in) throws Malformed {
    int number = in.countUpTo(Integer.MAX_VALUE);
    if (number == 0) {
      throw new Malformed("process");
    }
    return number;
  }

  private static ByteBuffer part(WireReader in) throws Malformed {
    if (in.remaining() > PART_BYTES_MAX) {
      throw new Malformed("part");
    }
    ByteBuffer lent = in.rest();
    return ByteBuffer.allocate(lent.remaining()).put(lent).flip().asReadOnlyBuffer();
  }
}
