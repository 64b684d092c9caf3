package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.tutti.ipc.GroupId;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What hosts say to each other about which groups have members there. Each says what changes with it a number, its
/// *version*, that grows.
public sealed interface MembershipMessage {
  /// The first byte of the encoding is at least this one and less than [PairMessage#FIRST_KIND].
  int FIRST_KIND = 16;

  /// All that the sender has: to a host that it hears anew, and to one that asks.
  ///
  /// @param version what it has at this version
  /// @param isAsking whether the receiver shall say what it has, too
  /// @param isListed whether the groups are listed; false when there are too many: then any group may have members
  /// @param groups  those with members; none when they are not listed
  record Whole(long version, boolean isAsking, boolean isListed, List<GroupId> groups) implements MembershipMessage {
    /// Copies the list.
    public Whole {
      groups = List.copyOf(groups);
    }
  }

  /// A group has members now, and had none before.
  ///
  /// @param version of the change
  /// @param group   the group
  record First(long version, GroupId group) implements MembershipMessage {}

  /// A group has no members any more.
  ///
  /// @param version of the change
  /// @param group   the group
  record Last(long version, GroupId group) implements MembershipMessage {}

  /// To the host of [Whole] or [First]: what it has said up to this version is known here.
  ///
  /// @param version the last one
  record Known(long version) implements MembershipMessage {}

  /// Whether these are the bytes of such a message.
  ///
  /// @param bytes not read
  /// @return whether they are
  static boolean isOne(ByteBuffer bytes) {
    int first = bytes.hasRemaining() ? bytes.get(bytes.position()) & 0xff : 0;
    return first >= FIRST_KIND && first < PairMessage.FIRST_KIND;
  }

  /// Writes a message.
  ///
  /// @param out     where to
  /// @param message the message
  static void write(WireWriter out, MembershipMessage message) {
    switch (message) {
      case Whole(long version, boolean isAsking, boolean isListed, List<GroupId> groups) -> {
        out.u8(FIRST_KIND);
        out.count(version);
        out.flag(isAsking);
        out.flag(isListed);
        out.count(groups.size());
        groups.forEach(group -> out.fixed(group.value()));
      }
      case First(long version, GroupId group) -> write(out, 1, version, group);
      case Last(long version, GroupId group) -> write(out, 2, version, group);
      case Known(long version) -> {
        out.u8(FIRST_KIND + 3);
        out.count(version);
      }
    }
  }

  private static void write(WireWriter out, int kind, long version, GroupId group) {
    out.u8(FIRST_KIND + kind);
    out.count(version);
    out.fixed(group.value());
  }

  /// Reads a message.
  ///
  /// @param bytes all of it
  /// @return the message
  /// @throws Malformed when it is none
  static MembershipMessage read(ByteBuffer bytes) throws Malformed {
    var in = new WireReader(bytes);
    int kind = in.u8() - FIRST_KIND;
    long version = in.count();
    MembershipMessage message =
        switch (kind) {
          case 0 -> whole(in, version);
          case 1 -> new First(version, IpcMessage.group(in.fixed()));
          case 2 -> new Last(version, IpcMessage.group(in.fixed()));
          case 3 -> new Known(version);
          default -> throw new Malformed("kind");
        };
    in.end();
    return message;
  }

  private static Whole whole(WireReader in, long version) throws Malformed {
    boolean isAsking = in.flag();
    boolean isListed = in.flag();
    int size = in.countUpTo(isListed ? Memberships.LISTED_MAX : 0);
    List<GroupId> groups = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      groups.add(IpcMessage.group(in.fixed()));
    }
    return new Whole(version, isAsking, isListed, groups);
  }
}
