package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;
import org.tutti.MemberId;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.SendKey;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What hosts say to each other about a communication. Who sends to a group is a process of the host that sends
/// [Deliver], and of the host that gets [Reply].
public sealed interface IpcMessage {
  /// The longest message of a program, in bytes.
  int PAYLOAD_BYTES_MAX = 1 << 20;

  /// The communication that is meant.
  ///
  /// @return the sender, the group and the session
  Key key();

  /// One communication of a process of the sender's host.
  ///
  /// @param process the sender's number at its host
  /// @param group   to whom it was sent
  /// @param session larger than those of all earlier communications of that host
  record Key(int process, GroupId group, long session) {}

  /// To hosts that may have members: put this into the queues of the group's members there.
  ///
  /// @param key     the communication
  /// @param tag     what members may select by
  /// @param payload what was sent
  record Deliver(Key key, int tag, ByteBuffer payload) implements IpcMessage {}

  /// To the sender's host: it is in so many queues; other queues were full.
  ///
  /// @param key     the communication
  /// @param count   in how many queues it is
  /// @param refused whether a queue was full
  record Delivered(Key key, int count, boolean refused) implements IpcMessage {}

  /// To the sender's host: a member's reply.
  ///
  /// @param key     the communication
  /// @param member  its number at its host
  /// @param payload what it replied
  record Reply(Key key, int member, ByteBuffer payload) implements IpcMessage {}

  /// To the member's host: the sender has taken its reply.
  ///
  /// @param key     the communication
  /// @param member  its number at its host
  record Taken(Key key, int member) implements IpcMessage {}

  /// To the sender's host: does this go on? The member may have a reply that waits.
  ///
  /// @param key     the communication
  /// @param member  its number at its host
  /// @param offers  whether it has a reply that waits
  record Probe(Key key, int member, boolean offers) implements IpcMessage {}

  /// To the member's host: its reply is wanted now; it was dropped before.
  ///
  /// @param key     the communication
  /// @param member  its number at its host
  record Wanted(Key key, int member) implements IpcMessage {}

  /// To a member's host: this communication and all earlier ones of the sender to the group are over. TERMINATE in the
  /// source.
  ///
  /// @param key     the communication
  record Ended(Key key) implements IpcMessage {}

  /// To every host that is heard: the server has said to this one that the group is destroyed. Whoever has members asks
  /// the server itself, so that nobody destroys a group by this alone.
  ///
  /// @param key the call that destroyed it: process, group and a number of its own
  record Destroyed(Key key) implements IpcMessage {}

  /// To the host of [Destroyed]: there are no members here any more.
  ///
  /// @param key the same
  record Gone(Key key) implements IpcMessage {}

  /// A [Deliver] to a group that has a send password.
  ///
  /// @param message what it delivers
  /// @param code    made of it with the group's [org.tutti.ipc.SendKey], and read-only
  record Coded(Deliver message, ByteBuffer code) implements IpcMessage {
    @Override
    public Key key() {
      return message.key();
    }

    /// What the code is made of.
    ///
    /// @param from    the sender's host
    /// @param message what it delivers
    /// @return bytes that differ when anything of these does
    static ByteBuffer signed(MemberId from, Deliver message) {
      var out = new WireWriter();
      out.member(from);
      write(out, message);
      return out.copy();
    }
  }

  /// Writes a message.
  ///
  /// @param out     where to
  /// @param message the message
  static void write(WireWriter out, IpcMessage message) {
    out.u8(
        switch (message) {
          case Deliver _ -> 1;
          case Delivered _ -> 2;
          case Reply _ -> 3;
          case Taken _ -> 4;
          case Probe _ -> 5;
          case Wanted _ -> 6;
          case Ended _ -> 7;
          case Destroyed _ -> 8;
          case Gone _ -> 9;
          case Coded _ -> 10;
        });
    out.count(message.key().process());
    out.fixed(message.key().group().value());
    out.count(message.key().session());
    switch (message) {
      case Deliver(Key _, int tag, ByteBuffer payload) -> {
        out.fixed(tag);
        out.raw(payload.duplicate());
      }
      case Delivered(Key _, int count, boolean refused) -> {
        out.count(count);
        out.flag(refused);
      }
      case Reply(Key _, int member, ByteBuffer payload) -> {
        out.count(member);
        out.raw(payload.duplicate());
      }
      case Taken(Key _, int member) -> out.count(member);
      case Probe(Key _, int member, boolean offers) -> {
        out.count(member);
        out.flag(offers);
      }
      case Wanted(Key _, int member) -> out.count(member);
      case Ended _, Destroyed _, Gone _ -> {}
      case Coded(Deliver delivered, ByteBuffer code) -> {
        out.raw(code.duplicate());
        out.fixed(delivered.tag());
        out.raw(delivered.payload().duplicate());
      }
    }
  }

  /// Reads a message; its payload is a copy.
  ///
  /// @param bytes all of it
  /// @return the message
  /// @throws Malformed when it is none
  static IpcMessage read(ByteBuffer bytes) throws Malformed {
    var in = new WireReader(bytes);
    int kind = in.u8();
    int process = in.countUpTo(Integer.MAX_VALUE);
    var key = new Key(process, group(in.fixed()), in.count());
    IpcMessage message =
        switch (kind) {
          case 1 -> new Deliver(key, tag(in.fixed()), payload(in));
          case 2 -> new Delivered(key, in.countUpTo(IpcProtocol.PROCESSES_MAX), in.flag());
          case 3 -> new Reply(key, number(in), payload(in));
          case 4 -> new Taken(key, number(in));
          case 5 -> new Probe(key, number(in), in.flag());
          case 6 -> new Wanted(key, number(in));
          case 7 -> new Ended(key);
          case 8 -> new Destroyed(key);
          case 9 -> new Gone(key);
          case 10 -> coded(key, in);
          default -> throw new Malformed("kind");
        };
    if (process == 0) {
      throw new Malformed("process");
    }
    in.end();
    return message;
  }

  private static Coded coded(Key key, WireReader in) throws Malformed {
    var code = ByteBuffer.allocate(SendKey.BYTES).put(in.raw(SendKey.BYTES)).flip().asReadOnlyBuffer();
    return new Coded(new Deliver(key, tag(in.fixed()), payload(in)), code);
  }

  /// Reads the id of a group.
  ///
  /// @param value as it was written
  /// @return the id
  /// @throws Malformed when it is none
  static GroupId group(long value) throws Malformed {
    try {
      return new GroupId(Math.toIntExact(value));
    } catch (IllegalArgumentException | ArithmeticException _) {
      throw new Malformed("group");
    }
  }

  private static int tag(long value) throws Malformed {
    if (value != (int) value) {
      throw new Malformed("tag");
    }
    return (int) value;
  }

  private static int number(WireReader in) throws Malformed {
    int number = in.countUpTo(Integer.MAX_VALUE);
    if (number == 0) {
      throw new Malformed("process");
    }
    return number;
  }

  private static ByteBuffer payload(WireReader in) throws Malformed {
    if (in.remaining() > PAYLOAD_BYTES_MAX) {
      throw new Malformed("payload");
    }
    ByteBuffer lent = in.rest();
    return ByteBuffer.allocate(lent.remaining()).put(lent).flip().asReadOnlyBuffer();
  }
}
