package org.tutti.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Names;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.transport.Address;

/// Takes values from a buffer and trusts nothing: every read checks its bounds, every list is shorter than the bytes
/// that are left, so that nothing large is allocated for a small input.
public final class WireReader {
  private static final int COUNT_BITS = 56; // nothing counts so far, and sums of counts do not overflow
  private static final int MEMBERS_MAX = 1 << 12; // of one group, in which everybody is linked with everybody
  private static final int MEMBER_BYTES_MIN = 12;
  private static final int VIEW_ID_BYTES_MIN = 9;

  private final ByteBuffer in;

  /// Reads a buffer.
  ///
  /// @param in read from its position; its position is moved
  public WireReader(ByteBuffer in) {
    this.in = in;
  }

  /// How much is left.
  ///
  /// @return the number of bytes
  public int remaining() {
    return in.remaining();
  }

  private void need(int size) throws Malformed {
    if (in.remaining() < size) {
      throw new Malformed("truncated");
    }
  }

  /// Takes one byte.
  ///
  /// @return 0 to 255
  /// @throws Malformed at the end of the input
  public int u8() throws Malformed {
    need(1);
    return in.get() & 0xff;
  }

  /// Takes a flag.
  ///
  /// @return whether it is 1
  /// @throws Malformed for anything but 0 and 1
  public boolean flag() throws Malformed {
    int value = u8();
    if (value > 1) {
      throw new Malformed("flag");
    }
    return value == 1;
  }

  /// Takes eight bytes.
  ///
  /// @return any value
  /// @throws Malformed at the end of the input
  public long fixed() throws Malformed {
    need(Long.BYTES);
    return in.getLong();
  }

  /// Takes a count.
  ///
  /// @return 0 or more, less than 2 to the power of 56
  /// @throws Malformed when it is longer than eight bytes or cut off
  public long count() throws Malformed {
    long value = 0;
    for (int shift = 0; shift < COUNT_BITS; shift += 7) {
      int next = u8();
      value |= (long) (next & 0x7f) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw new Malformed("count");
  }

  /// Takes a count that must not exceed a limit.
  ///
  /// @param max the limit
  /// @return 0 to max
  /// @throws Malformed when it is larger
  public int countUpTo(int max) throws Malformed {
    long value = count();
    if (value > max) {
      throw new Malformed("count too large");
    }
    return (int) value;
  }

  /// Takes the length of a list whose elements have a least size.
  ///
  /// @param elementBytesMin the least size of an element, at least 1
  /// @return a length that the remaining bytes can hold
  /// @throws Malformed when they cannot
  public int listLength(int elementBytesMin) throws Malformed {
    return countUpTo(in.remaining() / elementBytesMin);
  }

  /// Takes a text.
  ///
  /// @param bytesMax its longest form in UTF-8
  /// @return the text
  /// @throws Malformed when it is longer, cut off, or not UTF-8
  public String text(int bytesMax) throws Malformed {
    int size = countUpTo(bytesMax);
    need(size);
    var utf8 = new byte[size];
    in.get(utf8);
    for (byte each : utf8) {
      if (each < 0) {
        return decoded(utf8);
      }
    }
    return new String(utf8, StandardCharsets.ISO_8859_1); // all of it is ASCII, for which no decoder is needed
  }

  private static String decoded(byte[] utf8) throws Malformed {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new Malformed("text");
    }
  }

  /// Takes bytes that have their length before them.
  ///
  /// @param bytesMax the most that is accepted
  /// @return a view into the input, not a copy
  /// @throws Malformed when there are more, or it is cut off
  public ByteBuffer bytes(int bytesMax) throws Malformed {
    return raw(countUpTo(bytesMax));
  }

  /// Passes over bytes.
  ///
  /// @param size how many
  /// @throws Malformed when there are fewer
  public void bytesSkipped(int size) throws Malformed {
    raw(size);
  }

  /// Takes bytes.
  ///
  /// @param size how many
  /// @return a view into the input, not a copy
  /// @throws Malformed when there are fewer
  public ByteBuffer raw(int size) throws Malformed {
    need(size);
    ByteBuffer slice = in.slice(in.position(), size);
    in.position(in.position() + size);
    return slice;
  }

  /// Takes all that is left.
  ///
  /// @return a view into the input, not a copy
  public ByteBuffer rest() {
    ByteBuffer slice = in.slice();
    in.position(in.limit());
    return slice;
  }

  /// Reads the same once more.
  ///
  /// @return a reader of what is left here, which stays where it is
  public WireReader fork() {
    return new WireReader(in.slice());
  }

  /// Takes a member.
  ///
  /// @return the member
  /// @throws Malformed when a part is out of its range
  public MemberId member() throws Malformed {
    return member(fixed());
  }

  /// Takes the name and address of a member.
  ///
  /// @param incarnation its incarnation, known already
  /// @return the member
  /// @throws Malformed when a part is out of its range
  public MemberId member(long incarnation) throws Malformed {
    String name = text(MemberId.NAME_BYTES_MAX);
    String address = text(Address.BYTES_MAX);
    if (Names.faultOfNode(name) != null || Names.fault(address) != null || incarnation <= 0) {
      throw new Malformed("member");
    }
    return new MemberId(name, new Address(address), incarnation);
  }

  /// Takes a list of members.
  ///
  /// @return the list, without repetition
  /// @throws Malformed when it names a member twice
  public List<MemberId> members() throws Malformed {
    int size = countUpTo(Math.min(MEMBERS_MAX, in.remaining() / MEMBER_BYTES_MIN));
    List<MemberId> members = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      members.add(member());
    }
    if (new LinkedHashSet<>(members).size() != size) {
      throw new Malformed("members");
    }
    return members;
  }

  /// Takes an ordering.
  ///
  /// @return the ordering
  /// @throws Malformed when its number is unknown, or at the end of the input
  public Ordering ordering() throws Malformed {
    return switch (u8()) {
      case 1 -> Ordering.SEQUENCER;
      case 2 -> Ordering.SKEEN;
      case 3 -> Ordering.CONSENSUS;
      case 4 -> Ordering.SYMMETRIC;
      default -> throw new Malformed("ordering");
    };
  }

  /// Takes a view's id.
  ///
  /// @return the id
  /// @throws Malformed at the end of the input
  public ViewId viewId() throws Malformed {
    return new ViewId(count(), fixed());
  }

  /// Takes a view.
  ///
  /// @return the view
  /// @throws Malformed when it has no member, or one twice, or voters that it cannot have
  public View view() throws Malformed {
    ViewId id = viewId();
    List<MemberId> members = members();
    if (members.isEmpty()) {
      throw new Malformed("view");
    }
    int voters = countUpTo(members.size());
    boolean primary = flag();
    if (!View.isPossible(members.size(), voters, primary)) {
      throw new Malformed("voters");
    }
    int size = listLength(VIEW_ID_BYTES_MIN);
    List<ViewId> predecessors = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      predecessors.add(viewId());
    }
    return new View(id, members, voters, primary, predecessors, u8());
  }

  /// Takes a value that may be absent.
  ///
  /// @param <T> the value's type
  /// @param how takes the value
  /// @return the value, or null
  /// @throws Malformed when the value is
  public <T> @Nullable T optional(Taking<T> how) throws Malformed {
    return flag() ? how.from(this) : null;
  }

  /// Takes a list.
  ///
  /// @param <T>             the elements' type
  /// @param elementBytesMin the least size of an element, at least 1
  /// @param how             takes one element
  /// @return the list
  /// @throws Malformed when the list or an element is
  public <T> List<T> list(int elementBytesMin, Taking<T> how) throws Malformed {
    int size = listLength(elementBytesMin);
    List<T> elements = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      elements.add(how.from(this));
    }
    return elements;
  }

  /// Requires that everything was read.
  ///
  /// @throws Malformed when bytes are left
  public void end() throws Malformed {
    if (in.hasRemaining()) {
      throw new Malformed("trailing bytes");
    }
  }

  /// Takes one value from a reader.
  ///
  /// @param <T> the value's type
  @FunctionalInterface
  public interface Taking<T> {
    /// Takes the value.
    ///
    /// @param in where to read
    /// @return the value
    /// @throws Malformed when it is not there or out of range
    T from(WireReader in) throws Malformed;
  }
}
