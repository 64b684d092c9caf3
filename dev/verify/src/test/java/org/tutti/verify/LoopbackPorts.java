package org.tutti.verify;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/// TCP ports of loopback for processes that are started later, and again. They lie outside of the range from which the
/// kernel gives ports to whoever asks for any, so that nobody gets one meanwhile.
public final class LoopbackPorts {
  private static final int LOWEST = 10_000;
  private static final int HIGHEST = 30_000;
  private static final int EACH = 100; // a JVM begins so far from the next one: several run tests at a time
  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * EACH % (HIGHEST - LOWEST)));

  private LoopbackPorts() {}

  /// One that is free, and that this process has not given out.
  ///
  /// @return the port
  public static int free() {
    while (true) {
      int port = LOWEST + NEXT.getAndIncrement() % (HIGHEST - LOWEST);
      try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return port;
      } catch (BindException _) {
        // It is somebody else's.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
