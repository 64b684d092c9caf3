package org.tutti.romiop;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Messages as ORBs write them, of all versions and byte orders.
record Requests(int minor, ByteOrder order) {
  /// A request for `add`.
  ///
  /// @param flags whether a reply is wanted
  byte[] request(int id, int flags, String key, byte[] body, int... contexts) {
    return request(id, flags, key, "add", body, contexts);
  }

  /// A request for any operation that waits for a reply.
  byte[] request(int id, int flags, String key, String operation, byte[] body, int... contexts) {
    ByteBuffer out = begin(Giop.REQUEST, body.length + 1000);
    if (minor < 2) {
      contexts(out, contexts);
    }
    out.putInt(id).put((byte) flags);
    if (minor > 0) {
      out.put(new byte[3]);
    }
    if (minor == 2) {
      out.putShort((short) 0);
    }
    bytes(out, key.getBytes(US_ASCII));
    bytes(out, (operation + "\0").getBytes(US_ASCII));
    if (minor < 2) {
      bytes(out, new byte[0]);
    } else {
      contexts(out, contexts);
      align(out, 8);
    }
    return end(out.put(body));
  }

  /// A request of GIOP 1.2 with an FT_REQUEST.
  static byte[] withContext(String operation, String key, int id, byte[] ftRequest, byte[] body) {
    return withContext(operation, key, id, FtRequest.ID, ftRequest, body);
  }

  /// A request of GIOP 1.2 for `add` with an FT_GROUP_VERSION.
  static byte[] versioned(String key, int id, int version) {
    byte[] context = ByteBuffer.allocate(8).putInt(4, version).array();
    return withContext("add", key, id, FtGroupVersion.ID, context, new byte[4]);
  }

  static byte[] withContext(String operation, String key, int id, int kind, byte[] context, byte[] body) {
    Requests big = new Requests(2, ByteOrder.BIG_ENDIAN);
    ByteBuffer out = big.begin(Giop.REQUEST, body.length + 1000).putInt(id).put((byte) 3).put(new byte[5]);
    bytes(out, key.getBytes(US_ASCII));
    bytes(out, (operation + "\0").getBytes(US_ASCII));
    align(out, 4);
    out.putInt(1).putInt(kind);
    bytes(out, context);
    align(out, 8);
    return big.end(out.put(body));
  }

  byte[] locate(int id, String key) {
    ByteBuffer out = begin(Giop.LOCATE_REQUEST, 1000).putInt(id);
    if (minor == 2) {
      out.putShort((short) 0);
    }
    bytes(out, key.getBytes(US_ASCII));
    return end(out);
  }

  byte[] cancel(int id) {
    return end(begin(Giop.CANCEL_REQUEST, 100).putInt(id));
  }

  byte[] bare(int type) {
    return end(begin(type, 100));
  }

  /// The message in pieces: the first of so many bytes, and a fragment for each further number.
  byte[][] fragments(byte[] whole, int id, int... ends) {
    byte[][] all = new byte[ends.length + 1][];
    all[0] = withLength(Arrays.copyOf(whole, ends[0]));
    all[0][6] |= Giop.MORE_FRAGMENTS;
    for (int i = 0; i < ends.length; i++) {
      int to = i + 1 < ends.length ? ends[i + 1] : whole.length;
      ByteBuffer out = begin(Giop.FRAGMENT, whole.length + 100);
      if (minor == 2) {
        out.putInt(id);
      }
      all[i + 1] = end(out.put(whole, ends[i], to - ends[i]));
      all[i + 1][6] |= (byte) (i + 1 < ends.length ? Giop.MORE_FRAGMENTS : 0);
    }
    return all;
  }

  private ByteBuffer begin(int type, int most) {
    ByteBuffer out = ByteBuffer.allocate(most).order(order).put("GIOP".getBytes(US_ASCII)).put((byte) 1);
    return out.put((byte) minor).put((byte) (order == ByteOrder.BIG_ENDIAN ? 0 : 1)).put((byte) type).putInt(0);
  }

  private byte[] end(ByteBuffer out) {
    return withLength(Arrays.copyOf(out.array(), out.position()));
  }

  private byte[] withLength(byte[] message) {
    ByteBuffer.wrap(message).order(order).putInt(8, message.length - 12);
    return message;
  }

  private static void contexts(ByteBuffer out, int... ids) {
    align(out, 4);
    out.putInt(ids.length);
    for (int id : ids) {
      align(out, 4);
      out.putInt(id).putInt(5).put(new byte[5]);
    }
  }

  private static void bytes(ByteBuffer out, byte[] bytes) {
    align(out, 4);
    out.putInt(bytes.length).put(bytes);
  }

  private static void align(ByteBuffer out, int to) {
    out.position((out.position() + to - 1) & -to);
  }
}
