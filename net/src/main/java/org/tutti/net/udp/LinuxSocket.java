package org.tutti.net.udp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// `sendmsg` with `UDP_SEGMENT` and `recvmsg` with `UDP_GRO` on the socket of a channel: Linux of 64 bits.
///
/// ```
/// msghdr    0 name  8 its length (u32)  16 iovec  24 how many  32 control  40 its length  48 flags (u32)
/// iovec     0 bytes 8 their length
/// cmsghdr   0 length with this header (u64)  8 level (u32)  12 type (u32)  16 value: u16 sent, i32 read
/// ```
final class LinuxSocket implements TrainDatagrams.TrainSocket {
  private static final int SOL_SOCKET = 1;
  private static final int SO_TYPE = 3;
  private static final int SOCK_DGRAM = 2;
  private static final int SOL_UDP = 17;
  private static final int UDP_SEGMENT = 103;
  private static final int UDP_GRO = 104;
  private static final int MSG_DONTWAIT = 0x40;

  private static final long MESSAGE_BYTES = 56;
  private static final long NAME = 0;
  private static final long NAME_LENGTH = 8;
  private static final long PIECES = 16;
  private static final long PIECES_COUNT = 24;
  private static final long CONTROL = 32;
  private static final long CONTROL_LENGTH = 40;
  private static final long PIECE_BYTES = 16;
  private static final long CONTROL_BYTES = 64;
  private static final long CONTROL_VALUE = 16;
  private static final long SEGMENT_LENGTH = CONTROL_VALUE + Short.BYTES; // CMSG_LEN
  private static final long SEGMENT_SPACE = 24; // CMSG_SPACE
  private static final long WORD = 8;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final FunctionDescriptor MESSAGE = FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, INT);
  private static final MethodHandle SENDMSG = handle("sendmsg", MESSAGE);
  private static final MethodHandle RECVMSG = handle("recvmsg", MESSAGE);
  private static final MethodHandle SETSOCKOPT =
      handle("setsockopt", FunctionDescriptor.of(INT, INT, INT, INT, ValueLayout.ADDRESS, INT));
  private static final MethodHandle GETSOCKOPT =
      handle("getsockopt", FunctionDescriptor.of(INT, INT, INT, INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
  private static final MethodHandle GETSOCKNAME =
      handle("getsockname", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));

  private final MemorySegment state;
  private final MemorySegment value; // of an option, and its length
  private final MemorySegment outName;
  private final MemorySegment outMessage;
  private final MemorySegment outPiece;
  private final MemorySegment outControl;
  private final MemorySegment inMessage;
  private final MemorySegment inControl;
  private final MemorySegment out;
  private final SocketNames names;
  private final MemorySegment inName;
  private final int fd;
  private @Nullable InetSocketAddress named; // outName's
  private boolean closed;

  /// Finds the socket and asks the kernel for what it can do.
  ///
  /// @param local what it is bound to; no other socket of this process is
  /// @throws IOException when it cannot be found or the kernel has no trains, with the reason
  LinuxSocket(InetSocketAddress local, TrainDatagrams.Buffers buffers) throws IOException {
    Arena arena = Arena.ofAuto();
    names = new SocketNames(local.getAddress() instanceof Inet6Address);
    state = arena.allocate(STATE);
    value = arena.allocate(2 * WORD, WORD);
    out = MemorySegment.ofBuffer(buffers.out().duplicate().clear());
    outName = arena.allocate(SocketNames.BYTES_MAX, WORD);
    outPiece = arena.allocate(PIECE_BYTES, WORD);
    outControl = arena.allocate(CONTROL_BYTES, WORD);
    outMessage = message(arena, outName, outPiece, outControl);
    outControl.set(LONG, 0, SEGMENT_LENGTH);
    outControl.set(INT, WORD, SOL_UDP);
    outControl.set(INT, WORD + Integer.BYTES, UDP_SEGMENT);
    inName = arena.allocate(SocketNames.BYTES_MAX, WORD);
    inControl = arena.allocate(CONTROL_BYTES, WORD);
    MemorySegment inPiece = arena.allocate(PIECE_BYTES, WORD);
    inMessage = message(arena, inName, inPiece, inControl);
    MemorySegment in = MemorySegment.ofBuffer(buffers.in().duplicate().clear());
    inPiece.set(ValueLayout.ADDRESS, 0, in);
    inPiece.set(LONG, WORD, in.byteSize());
    fd = find(local);
    option(UDP_SEGMENT, 0, "UDP_SEGMENT");
    option(UDP_GRO, 1, "UDP_GRO");
  }

  private static MemorySegment message(Arena arena, MemorySegment name, MemorySegment piece, MemorySegment control) {
    MemorySegment message = arena.allocate(MESSAGE_BYTES, WORD);
    message.set(ValueLayout.ADDRESS, NAME, name);
    message.set(ValueLayout.ADDRESS, PIECES, piece);
    message.set(LONG, PIECES_COUNT, 1);
    message.set(ValueLayout.ADDRESS, CONTROL, control);
    return message;
  }

  @SuppressWarnings("restricted") // who makes one has looked whether the module may
  private static MethodHandle handle(String name, FunctionDescriptor type) {
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow(name), type, Linker.Option.captureCallState("errno"));
  }

  // ---- the descriptor ----------------------------------------------------------------------------------------------

  /// Asks each descriptor of this process for its name: a channel does not tell its own.
  private int find(InetSocketAddress local) throws IOException {
    names.write(local, outName);
    int found = -1;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path each : all) {
        int one = Integer.parseInt(each.getFileName().toString());
        if (isNamed(one)) {
          if (found >= 0) {
            throw new IOException("two sockets are bound to " + local);
          }
          found = one;
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    if (found < 0) {
      throw new IOException("the descriptor is not found");
    }
    return found;
  }

  /// Whether a descriptor is a datagram socket with the name in [#outName].
  private boolean isNamed(int one) {
    value.set(INT, WORD, SocketNames.BYTES_MAX);
    try {
      if ((int) GETSOCKNAME.invokeExact(state, one, inName, value.asSlice(WORD)) != 0
          || !names.isSame(inName, outName)) {
        return false;
      }
      value.set(INT, WORD, Integer.BYTES);
      return (int) GETSOCKOPT.invokeExact(state, one, SOL_SOCKET, SO_TYPE, value, value.asSlice(WORD)) == 0
          && value.get(INT, 0) == SOCK_DGRAM;
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  private void option(int name, int wish, String text) throws IOException {
    value.set(INT, 0, wish);
    try {
      if ((int) SETSOCKOPT.invokeExact(state, fd, SOL_UDP, name, value, Integer.BYTES) != 0) {
        throw new IOException("the kernel refuses " + text + ": error " + errno());
      }
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  // ---- calls -------------------------------------------------------------------------------------------------------

  @Override
  public int send(InetSocketAddress to, int at, int length, int each) {
    if (to != named) {
      outMessage.set(INT, NAME_LENGTH, names.write(to, outName));
      named = to;
    }
    outPiece.set(LONG, 0, out.address() + at);
    outPiece.set(LONG, WORD, length);
    outMessage.set(LONG, CONTROL_LENGTH, each < length ? SEGMENT_SPACE : 0);
    outControl.set(ValueLayout.JAVA_SHORT, CONTROL_VALUE, (short) each);
    return call(SENDMSG, outMessage);
  }

  @Override
  public int receive() {
    inMessage.set(INT, NAME_LENGTH, SocketNames.BYTES_MAX);
    inMessage.set(LONG, CONTROL_LENGTH, CONTROL_BYTES);
    return call(RECVMSG, inMessage);
  }

  private int call(MethodHandle handle, MemorySegment message) {
    if (closed) {
      return CLOSED; // the descriptor may be another file's by now
    }
    try {
      long result = (long) handle.invokeExact(state, fd, message, MSG_DONTWAIT);
      return result < 0 ? -errno() : (int) result;
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  private int errno() {
    return (int) ERRNO.get(state, 0L);
  }

  private static IllegalStateException broken(Throwable e) {
    return new IllegalStateException(e);
  }

  @Override
  public int each() {
    boolean said =
        inMessage.get(LONG, CONTROL_LENGTH) >= CONTROL_VALUE + Integer.BYTES
            && inControl.get(INT, WORD) == SOL_UDP
            && inControl.get(INT, WORD + Integer.BYTES) == UDP_GRO;
    return said ? inControl.get(INT, CONTROL_VALUE) : 0;
  }

  @Override
  public @Nullable InetSocketAddress from() {
    return names.read(inName);
  }

  @Override
  public void close() {
    closed = true;
  }

  /// Addresses as Linux writes them, and the other way round. Those read lately are remembered, so that a datagram
  /// costs no garbage.
  ///
  /// ```
  /// sockaddr_in    0 family (u16)  2 port, highest byte first  4 address
  /// sockaddr_in6   0 family (u16)  2 port, highest byte first  4 flow  8 address  24 scope (u32)
  /// ```
  static final class SocketNames {
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
      int slot =
          Long.hashCode((high * 31 + low) * 31 + port) * 0x9e3779b9 >>> -Integer.numberOfTrailingZeros(REMEMBERED);
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
}
