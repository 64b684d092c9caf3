package org.tutti.romiop;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.omg.IOP.IOR;
import org.omg.IOP.TaggedProfile;

/// Writes values as CORBA does (CDR), big-endian. What is written begins at a multiple of 8 of its message, or is an
/// encapsulation, a message of its own.
final class CdrOut {
  private static final int FIRST_BYTES = 64;
  private static final int COPIED_BYTES_MAX = 1024; // longer ones are kept as they are, until all is written

  private final List<ByteBuffer> written = new ArrayList<>();
  private int writtenBytes;
  private ByteBuffer out = ByteBuffer.allocate(FIRST_BYTES); // what comes after these

  private ByteBuffer room(int size) {
    if (out.remaining() < size) {
      out = ByteBuffer.allocate(2 * out.capacity() + size).put(out.flip());
    }
    return out;
  }

  private ByteBuffer aligned(int size) {
    int padding = -size() & (size - 1);
    return room(padding + size).put(new byte[padding]);
  }

  private CdrOut put(byte[] value) {
    room(value.length).put(value);
    return this;
  }

  CdrOut octet(int value) {
    room(1).put((byte) value);
    return this;
  }

  CdrOut ushort(int value) {
    aligned(Short.BYTES).putShort((short) value);
    return this;
  }

  CdrOut ulong(int value) {
    aligned(Integer.BYTES).putInt(value);
    return this;
  }

  CdrOut ulonglong(long value) {
    aligned(Long.BYTES).putLong(value);
    return this;
  }

  /// A string of ISO 8859-1.
  CdrOut string(String value) {
    return ulong(value.length() + 1).put(value.getBytes(StandardCharsets.ISO_8859_1)).octet(0);
  }

  /// A `sequence<octet>`.
  ///
  /// @param value must not change until all is written: a long one is copied only then
  CdrOut octets(byte[] value) {
    ulong(value.length);
    if (value.length <= COPIED_BYTES_MAX) {
      return put(value);
    }
    written.add(out.flip());
    written.add(ByteBuffer.wrap(value));
    writtenBytes += out.limit() + value.length;
    out = ByteBuffer.allocate(FIRST_BYTES);
    return this;
  }

  /// A reference to an object.
  CdrOut reference(IOR value) {
    string(value.type_id);
    ulong(value.profiles.length);
    for (TaggedProfile each : value.profiles) {
      ulong(each.tag);
      octets(each.profile_data);
    }
    return this;
  }

  /// A reference to nothing.
  CdrOut nil() {
    return string("").ulong(0);
  }

  int size() {
    return writtenBytes + out.position();
  }

  byte[] bytes() {
    ByteBuffer all = ByteBuffer.allocate(size());
    writeTo(all);
    return all.array();
  }

  /// Writes all of it to a buffer's position.
  void writeTo(ByteBuffer to) {
    written.forEach(each -> to.put(each.duplicate()));
    to.put(out.duplicate().flip());
  }
}
