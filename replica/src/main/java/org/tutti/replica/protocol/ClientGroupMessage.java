package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.List;
import org.tutti.Names;
import org.tutti.Ordering;
import org.tutti.replica.ClientGroup;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What clients and servers say to each other in groups: in the contact groups of servers, and in the groups of clients
/// ([ClientBinding], [ServedGroups]).
public sealed interface ClientGroupMessage {
  /// The version of these messages, which each begins with.
  int VERSION = 1;

  /// The longest address of a server, in bytes.
  int ADDRESS_BYTES_MAX = 512;

  /// In the contact group of a server, by a client: be in a group with me.
  ///
  /// @param group    the group's name
  /// @param kind     whether one server is meant or all
  /// @param ordering of the group: [Ordering#SEQUENCER] or [Ordering#SYMMETRIC]
  /// @param founds   whether the server is to found it; otherwise it is there already, and is to be joined
  record Invite(String group, ClientGroup.Kind kind, Ordering ordering, boolean founds) implements ClientGroupMessage {
    /// Checks the ordering.
    public Invite {
      if (ordering != Ordering.SEQUENCER && ordering != Ordering.SYMMETRIC) {
        throw new IllegalArgumentException("no ordering of a client's group: " + ordering);
      }
    }
  }

  /// By the client: a channel to one of the servers begins, over which both say frames.
  ///
  /// @param channel the client's number of it, from 1
  /// @param at      the server's address
  record Begin(long channel, String at) implements ClientGroupMessage {}

  /// By a server: it has the channel.
  ///
  /// @param channel as above
  record Begun(long channel) implements ClientGroupMessage {}

  /// By the client: a frame to the servers at the other ends of some channels.
  ///
  /// @param to    which channels
  /// @param frame as [Frame#decode] reads it
  record Said(List<Place> to, ByteBuffer frame) implements ClientGroupMessage {
    /// Copies the list.
    public Said {
      to = List.copyOf(to);
    }
  }

  /// By a server: a frame to the client.
  ///
  /// @param place on its channel
  /// @param frame as [Frame#decode] reads it
  record Answered(Place place, ByteBuffer frame) implements ClientGroupMessage {}

  /// By either: nothing more is said on the channel.
  ///
  /// @param channel as above
  record Ended(long channel) implements ClientGroupMessage {}

  /// A frame's place on a channel.
  ///
  /// @param channel   the channel
  /// @param number of its frames in this direction, from 0
  record Place(long channel, long number) {}

  /// Writes a message.
  ///
  /// @return its bytes
  default ByteBuffer encode() {
    var out = new WireWriter();
    out.u8(VERSION);
    switch (this) {
      case Invite(String group, ClientGroup.Kind kind, Ordering ordering, boolean founds) -> {
        out.u8(1);
        out.text(group);
        out.u8(kind.ordinal());
        out.flag(ordering == Ordering.SYMMETRIC);
        out.flag(founds);
      }
      case Begin(long channel, String at) -> {
        out.u8(2);
        out.count(channel);
        out.text(at);
      }
      case Begun(long channel) -> {
        out.u8(3);
        out.count(channel);
      }
      case Said(List<Place> to, ByteBuffer frame) -> {
        out.u8(4);
        out.count(to.size());
        to.forEach(place -> write(out, place));
        out.raw(frame.duplicate());
      }
      case Answered(Place place, ByteBuffer frame) -> {
        out.u8(5);
        write(out, place);
        out.raw(frame.duplicate());
      }
      case Ended(long channel) -> {
        out.u8(6);
        out.count(channel);
      }
    }
    return out.copy();
  }

  private static void write(WireWriter out, Place place) {
    out.count(place.channel);
    out.count(place.number);
  }

  /// Reads a message.
  ///
  /// @param bytes all of it; frames are parts of it
  /// @return the message
  /// @throws Malformed when it is none, or of another version
  static ClientGroupMessage read(ByteBuffer bytes) throws Malformed {
    var in = new WireReader(bytes);
    int version = in.u8();
    if (version != VERSION) {
      throw new Malformed("other version");
    }
    ClientGroupMessage message =
        switch (in.u8()) {
          case 1 -> new Invite(in.text(Names.BYTES_MAX), kind(in.u8()), ordering(in.flag()), in.flag());
          case 2 -> new Begin(in.count(), in.text(ADDRESS_BYTES_MAX));
          case 3 -> new Begun(in.count());
          case 4 -> new Said(in.list(2, ClientGroupMessage::place), in.rest().slice());
          case 5 -> new Answered(place(in), in.rest().slice());
          case 6 -> new Ended(in.count());
          default -> throw new Malformed("kind");
        };
    in.end();
    return message;
  }

  private static Place place(WireReader in) throws Malformed {
    return new Place(in.count(), in.count());
  }

  private static Ordering ordering(boolean symmetric) {
    return symmetric ? Ordering.SYMMETRIC : Ordering.SEQUENCER;
  }

  private static ClientGroup.Kind kind(int ordinal) throws Malformed {
    ClientGroup.Kind[] all = ClientGroup.Kind.values();
    if (ordinal >= all.length) {
      throw new Malformed("kind of a group");
    }
    return all[ordinal];
  }
}
