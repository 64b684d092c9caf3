package org.tutti.romiop;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.omg.IOP.IOR;
import org.omg.IOP.TaggedProfile;
import org.tutti.romiop.Giop.BrokenGiopException;

/// Reads values out of a message as CORBA writes them (CDR): each is at a multiple of its own size from the beginning
/// of the message. Every length is compared with what is there, and with what the reader can bear, before room is made,
/// which the skeletons of JacORB do not do for a sequence at the end.
final class CdrIn {
  private static final int PROFILES_MAX = 64;

  private final ByteBuffer message;
  private int at;

  /// Begins to read.
  ///
  /// @param message in its byte order
  /// @param at      where
  CdrIn(ByteBuffer message, int at) {
    this.message = message;
    this.at = at;
  }

  /// Begins to read values that stand for themselves, with their byte order before them.
  static CdrIn encapsulated(byte[] bytes) throws BrokenGiopException {
    Giop.require(bytes.length > 0, "an encapsulation without content");
    return new CdrIn(ByteBuffer.wrap(bytes).order(bytes[0] == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN), 1);
  }

  private int next(int size) throws BrokenGiopException {
    int begin = (at + size - 1) & -size;
    return bytes(begin, size);
  }

  private int bytes(int begin, int count) throws BrokenGiopException {
    Giop.require(begin >= 0 && count >= 0 && count <= message.limit() - begin, "a value that ends behind the message");
    at = begin + count;
    return begin;
  }

  int octet() throws BrokenGiopException {
    return message.get(next(1)) & 0xff;
  }

  int ushort() throws BrokenGiopException {
    return message.getShort(next(Short.BYTES)) & 0xffff;
  }

  int ulong() throws BrokenGiopException {
    return message.getInt(next(Integer.BYTES));
  }

  long ulonglong() throws BrokenGiopException {
    return message.getLong(next(Long.BYTES));
  }

  /// The length of a sequence.
  int length(int most) throws BrokenGiopException {
    int length = ulong();
    Giop.require(length >= 0 && length <= most, "a sequence of more than " + most);
    return length;
  }

  /// A string of ISO 8859-1, without the zero at its end.
  ///
  /// @param most how many characters it has at most
  String string(int most) throws BrokenGiopException {
    int length = ulong();
    Giop.require(length > 0 && length - 1 <= most, "a string that has not 0 to " + most + " characters");
    byte[] characters = new byte[length - 1];
    int begin = bytes(at, length);
    message.get(begin, characters);
    Giop.require(message.get(begin + length - 1) == 0, "a string without an end");
    return new String(characters, StandardCharsets.ISO_8859_1);
  }

  /// A `sequence<octet>`.
  byte[] octets(int most) throws BrokenGiopException {
    int length = length(most);
    int begin = bytes(at, length);
    byte[] octets = new byte[length];
    message.get(begin, octets);
    return octets;
  }

  /// A reference to an object.
  ///
  /// @param typeMost how many characters its type has at most
  /// @param most     how many bytes its profiles have at most
  IOR reference(int typeMost, int most) throws BrokenGiopException {
    String type = string(typeMost);
    List<TaggedProfile> profiles = new ArrayList<>();
    int left = most;
    for (int i = length(PROFILES_MAX); i > 0; i--) {
      int tag = ulong();
      byte[] data = octets(left);
      left -= data.length;
      profiles.add(new TaggedProfile(tag, data));
    }
    return new IOR(type, profiles.toArray(new TaggedProfile[0]));
  }
}
