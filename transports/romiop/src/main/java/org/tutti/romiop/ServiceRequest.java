package org.tutti.romiop;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.tutti.romiop.Giop.BrokenGiopException;

/// A request to a replicated service, as it is a command or a question there: with the ports of all replicas, which the
/// service needs for references to its own objects. They go with each request, so that all replicas answer alike,
/// whatever their own settings are.
///
/// ```
/// length (2)   HOST:PORT,HOST:PORT   the request, as GIOP
/// ```
///
/// @param ports for references
/// @param giop  the request
record ServiceRequest(List<InetSocketAddress> ports, Giop giop) {
  private static final int PORTS_MAX = 32;
  private static final int PORTS_BYTES_MAX = 4096;

  /// How long a request may be, with names, a reference and contexts.
  static final int REQUEST_BYTES_MAX = 64 << 10;

  /// Puts one together.
  ///
  /// @param ports with commas
  static ByteBuffer encoded(String ports, Giop giop) {
    byte[] text = ports.getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer out = ByteBuffer.allocate(Short.BYTES + text.length + giop.bytes().length);
    return out.putShort((short) text.length).put(text).put(giop.bytes()).flip();
  }

  /// Reads one.
  ///
  /// @throws IllegalArgumentException when it is none
  static ServiceRequest read(ByteBuffer from) {
    try {
      Giop.require(from.remaining() >= Short.BYTES, "nothing");
      int length = from.getShort() & 0xffff;
      Giop.require(length <= Math.min(from.remaining(), PORTS_BYTES_MAX), "too many ports");
      byte[] text = new byte[length];
      from.get(text);
      List<InetSocketAddress> ports = GroupReference.addresses(new String(text, StandardCharsets.ISO_8859_1));
      Giop.require(ports.size() <= PORTS_MAX, "too many ports");
      Giop.require(from.remaining() <= REQUEST_BYTES_MAX, "more than " + REQUEST_BYTES_MAX + " bytes");
      byte[] bytes = new byte[from.remaining()];
      from.get(bytes);
      Giop giop = Giop.of(bytes);
      Giop.require(giop.type() == Giop.REQUEST, "no request");
      return new ServiceRequest(ports, giop);
    } catch (BrokenGiopException e) {
      throw new IllegalArgumentException("no request of GIOP: " + e.getMessage(), e);
    }
  }
}
