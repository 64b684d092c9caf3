package org.tutti.romiop;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.omg.IOP.IOR;
import org.omg.IOP.TaggedProfile;

/// Writes values as CORBA does (CDR), big-endian. What is written begins at a multiple of 8 of its message, or is an
/// encapsulation, a message of its own.
final class CdrOut {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private ByteBuffer room(int size) {
    align(size);
    return ByteBuffer.allocate(size);
  }

  private CdrOut put(ByteBuffer number) {
    out.writeBytes(number.array());
    return this;
  }

  private void align(int to) {
    while (out.size() % to != 0) {
      out.write(0);
    }
  }

  CdrOut octet(int value) {
    out.write(value);
    return this;
  }

  CdrOut ushort(int value) {
    ByteBuffer room = room(Short.BYTES);
    return put(room.putShort((short) value));
  }

  CdrOut ulong(int value) {
    ByteBuffer room = room(Integer.BYTES);
    return put(room.putInt(value));
  }

  CdrOut ulonglong(long value) {
    ByteBuffer room = room(Long.BYTES);
    return put(room.putLong(value));
  }

  /// A string of ISO 8859-1.
  CdrOut string(String value) {
    ulong(value.length() + 1);
    out.writeBytes(value.getBytes(StandardCharsets.ISO_8859_1));
    return octet(0);
  }

  /// A `sequence<octet>`.
  CdrOut octets(byte[] value) {
    ulong(value.length);
    out.writeBytes(value);
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
    return out.size();
  }

  byte[] bytes() {
    return out.toByteArray();
  }
}
