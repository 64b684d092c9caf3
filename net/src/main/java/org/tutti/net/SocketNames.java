package org.tutti.net;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// Addresses as Linux writes them, and the other way round. Those read lately are remembered, so that a datagram costs
/// no garbage.
///
/// ```
/// sockaddr_in    0 family (u16)  2 port, highest byte first  4 address
/// sockaddr_in6   0 family (u16)  2 port, highest byte first  4 flow  8 address  24 scope (u32)
/// ```
final class SocketNames {
  static final int BYTES_MAX = 28;

  private static final int BYTES_IPV4 = 16;
  private static final short AF_INET = 2;
  private static final short AF_INET6 = 10;
  private static final long PORT = 2;
  private static final long ADDRESS_IPV4 = 4;
  private static final long ADDRESS_IPV6 = 8;
  private static final long SCOPE = 24;
  private static final int MAPPED = 10; // where an IPv4 address in an IPv6 one begins with two bytes 0xff
  private static final int REMEMBERED = 256;
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;
  private static final ValueLayout.OfShort BIG_SHORT = SHORT.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  private final boolean six;
  private final @Nullable Known[] remembered = new Known[REMEMBERED];

  private record Known(short port, long high, long low, int scope, InetSocketAddress name) {}

  /// Of a socket of IPv6 or IPv4.
  SocketNames(boolean six) {
    this.six = six;
  }

  /// Writes an address.
  ///
  /// @return how long it is
  int write(InetSocketAddress name, MemorySegment into) {
    byte[] address = name.getAddress().getAddress();
    into.fill((byte) 0);
    into.set(SHORT, 0, six ? AF_INET6 : AF_INET);
    into.set(BIG_SHORT, PORT, (short) name.getPort());
    if (!six) {
      MemorySegment.copy(address, 0, into, BYTE, ADDRESS_IPV4, Integer.BYTES);
      return BYTES_IPV4;
    }
    if (address.length == Integer.BYTES) {
      into.set(SHORT, ADDRESS_IPV6 + MAPPED, (short) -1);
      MemorySegment.copy(address, 0, into, BYTE, ADDRESS_IPV6 + MAPPED + Short.BYTES, Integer.BYTES);
    } else {
      MemorySegment.copy(address, 0, into, BYTE, ADDRESS_IPV6, address.length);
    }
    into.set(INT, SCOPE, name.getAddress() instanceof Inet6Address scoped ? scoped.getScopeId() : 0);
    return BYTES_MAX;
  }

  /// Whether two names are the same address and port.
  boolean isSame(MemorySegment one, MemorySegment other) {
    return one.get(SHORT, 0) == other.get(SHORT, 0)
        && one.get(SHORT, 0) == (six ? AF_INET6 : AF_INET)
        && one.get(SHORT, PORT) == other.get(SHORT, PORT)
        && high(one) == high(other)
        && low(one) == low(other);
  }

  private long high(MemorySegment name) {
    return six ? name.get(LONG, ADDRESS_IPV6) : 0;
  }

  private long low(MemorySegment name) {
    return six ? name.get(LONG, ADDRESS_IPV6 + Long.BYTES) : name.get(INT, ADDRESS_IPV4);
  }

  /// Reads an address.
  ///
  /// @return null when it is of another family
  @Nullable InetSocketAddress read(MemorySegment name) {
    if (name.get(SHORT, 0) != (six ? AF_INET6 : AF_INET)) {
      return null;
    }
    short port = name.get(BIG_SHORT, PORT);
    long high = high(name);
    long low = low(name);
    int scope = six ? name.get(INT, SCOPE) : 0;
    int slot = Long.hashCode((high * 31 + low) * 31 + port) * 0x9e3779b9 >>> -Integer.numberOfTrailingZeros(REMEMBERED);
    Known known = remembered[slot];
    if (known == null || known.port != port || known.high != high || known.low != low || known.scope != scope) {
      known = new Known(port, high, low, scope, make(name, port, scope));
      remembered[slot] = known;
    }
    return known.name;
  }

  private InetSocketAddress make(MemorySegment name, short port, int scope) {
    byte[] address = new byte[six ? 2 * Long.BYTES : Integer.BYTES];
    MemorySegment.copy(name, BYTE, six ? ADDRESS_IPV6 : ADDRESS_IPV4, address, 0, address.length);
    try {
      InetAddress inet = InetAddress.getByAddress(address);
      if (inet instanceof Inet6Address && scope != 0) {
        inet = Inet6Address.getByAddress(null, address, scope);
      }
      return new InetSocketAddress(inet, port & 0xffff);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // the length is right
    }
  }
}
