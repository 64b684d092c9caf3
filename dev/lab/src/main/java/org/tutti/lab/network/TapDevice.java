package org.tutti.lab.network;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The end of an Ethernet interface that a program holds: what the interface sends is read here, and what is written
/// here it receives. The interface goes when this is closed, wherever it was moved to.
record TapDevice(String name, int descriptor) {
  /// The device from which all are made.
  static final String DEVICE = "/dev/net/tun";

  private static final long SET_INTERFACE = 0x400454caL; // TUNSETIFF
  private static final short TAP_WITHOUT_HEADER = 0x0002 | 0x1000; // IFF_TAP | IFF_NO_PI
  private static final int NAME_MAX = 15;
  private static final int REQUEST_BYTES = 40;
  private static final int FLAGS_AT = 16;

  static TapDevice open(Kernel kernel, String name) throws IOException {
    if (name.length() > NAME_MAX) {
      throw new IllegalArgumentException("an interface's name has at most 15 characters: " + name);
    }
    int descriptor = kernel.open(DEVICE, Kernel.READ_WRITE_NONBLOCK_CLOEXEC);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = arena.allocate(REQUEST_BYTES);
      request.setString(0, name);
      request.set(ValueLayout.JAVA_SHORT, FLAGS_AT, TAP_WITHOUT_HEADER);
      kernel.ioctl(descriptor, SET_INTERFACE, request, "make interface " + name);
      return new TapDevice(name, descriptor);
    } catch (IOException e) {
      kernel.close(descriptor);
      throw e;
    }
  }
}
