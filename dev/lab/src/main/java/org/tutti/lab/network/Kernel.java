package org.tutti.lab.network;

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

/// The system calls that Java has no other way to make. Linux only. Not for several threads at once.
final class Kernel {
  /// For [#open]: reading and writing, without waiting, not for child processes.
  static final int READ_WRITE_NONBLOCK_CLOEXEC = 0x2 | 0x800 | 0x80000;

  private static final int EINTR = 4;
  private static final int EAGAIN = 11;
  private static final int PRIO_PROCESS = 0;
  private static final long NANOS = 1_000_000_000;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle OPEN =
      handle(
          "open",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle IOCTL =
      handle(
          "ioctl",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
          Linker.Option.firstVariadicArg(2));
  private static final FunctionDescriptor TRANSFER =
      FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
  private static final MethodHandle READ = handle("read", TRANSFER);
  private static final MethodHandle WRITE = handle("write", TRANSFER);
  private static final MethodHandle CLOSE =
      handle("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
  private static final MethodHandle PPOLL =
      handle(
          "ppoll",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS));
  private static final MethodHandle SETPRIORITY =
      handle(
          "setpriority",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  private final MemorySegment state;
  private final MemorySegment time;

  Kernel(Arena arena) {
    state = arena.allocate(STATE);
    time = arena.allocate(ValueLayout.JAVA_LONG, 2);
  }

  private static MethodHandle handle(String name, FunctionDescriptor type, Linker.Option... more) {
    var options = new Linker.Option[more.length + 1];
    options[0] = Linker.Option.captureCallState("errno");
    System.arraycopy(more, 0, options, 1, more.length);
    return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, options);
  }

  int open(String path, int flags) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      return checked((int) OPEN.invokeExact(state, arena.allocateFrom(path), flags), "open " + path);
    } catch (Throwable e) {
      throw passed(e);
    }
  }

  void ioctl(int fd, long request, MemorySegment argument, String what) throws IOException {
    try {
      checked((int) IOCTL.invokeExact(state, fd, request, argument), what);
    } catch (Throwable e) {
      throw passed(e);
    }
  }

  /// Reads without waiting.
  ///
  /// @return the number of bytes, or -1 when there are none, or none any more
  long read(int fd, MemorySegment to) {
    try {
      return (long) READ.invokeExact(state, fd, to, to.byteSize());
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /// Writes without waiting.
  ///
  /// @return whether it could be done
  boolean write(int fd, MemorySegment from, long length) {
    try {
      return (long) WRITE.invokeExact(state, fd, from, length) == length;
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  void close(int fd) {
    try {
      int _ = (int) CLOSE.invokeExact(state, fd);
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /// Waits until one of some descriptors is ready.
  ///
  /// @return how many are; 0 also when a signal came
  int poll(MemorySegment descriptors, int count, long nanos) throws IOException {
    time.setAtIndex(ValueLayout.JAVA_LONG, 0, nanos / NANOS);
    time.setAtIndex(ValueLayout.JAVA_LONG, 1, nanos % NANOS);
    try {
      int ready = (int) PPOLL.invokeExact(state, descriptors, (long) count, time, MemorySegment.NULL);
      if (ready < 0 && (errno() == EINTR || errno() == EAGAIN)) {
        return 0;
      }
      return checked(ready, "ppoll");
    } catch (Throwable e) {
      throw passed(e);
    }
  }

  /// Has the calling thread run before others. It does without where that is not allowed.
  void hurry(int nice) {
    try {
      int _ = (int) SETPRIORITY.invokeExact(state, PRIO_PROCESS, 0, nice);
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  private int checked(int result, String what) throws IOException {
    if (result < 0) {
      throw new IOException(what + ": error " + errno());
    }
    return result;
  }

  private int errno() {
    return (int) ERRNO.get(state, 0L);
  }

  private static IOException passed(Throwable e) {
    return e instanceof IOException known ? known : new IOException(e);
  }

  private static IllegalStateException broken(Throwable e) {
    return new IllegalStateException(e);
  }
}
