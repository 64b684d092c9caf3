package org.tutti.romiop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.jacorb.config.Configuration;
import org.jacorb.config.ConfigurationException;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.ORB;

/// A member of a group whose servants are in another process, of any ORB and in any language: it takes the place of the
/// ORB at a [ServerConnection], and has each request executed by a [ServantProcess].
///
/// ```
/// group -- total order --> [ServerConnection] -- one request --> delegate --> [ServantProcess] -- IIOP --> servant
///                                             <-- its reply ---          <--
/// ```
///
/// **Guarantee.** What [ServerConnection] promises of an object in its own process. When that cannot be kept, as the
/// process is gone, does not answer, or has been given another delegate, this member leaves the group at once and says
/// why; it answers nothing any more, and the group goes on without it.
///
/// Its properties are those of [RomiopListener] and:
///
/// | property | meaning, and default |
/// | --- | --- |
/// | `tutti.romiop.delivery` | a file with the reference to the process's `Tutti::Delivery` |
/// | `tutti.romiop.delivery_timeout` | how long the process may take for a request, in ms, 10 to 3600000; 30000 |
///
/// **Threads**: one carries requests; those of its parts.
final class Delegate implements AutoCloseable {
  private static final String DELIVERY = "tutti.romiop.delivery";
  private static final String TIMEOUT = "tutti.romiop.delivery_timeout";
  private static final long TIMEOUT_MILLIS = 30_000;
  private static final long TIMEOUT_MILLIS_MIN = 10;
  private static final long TIMEOUT_MILLIS_MAX = 3_600_000;
  private static final int REFERENCE_BYTES_MAX = 64 << 10;

  private final RomiopListener listener = new RomiopListener();
  private final ServantProcess process;
  private final CountDownLatch ended = new CountDownLatch(1);

  // Guarded by this.
  private @Nullable ServerConnection member;
  private @Nullable String lost; // why the process is of no use any more

  private Delegate(Configuration configuration, IiopAddress address, Duration patience) throws ConfigurationException {
    listener.configure(configuration);
    process = new ServantProcess(address, UUID.randomUUID().toString(), patience, this::lost);
    listener.show(process::metrics);
  }

  /// Begins a life at the process of the servants, and becomes a member of the group.
  ///
  /// @param properties as those of a server with the plug-in
  /// @throws IllegalArgumentException when one is wrong, or does not go with the process
  /// @throws IOException              when the process is not there
  static Delegate start(Properties properties) throws IOException {
    properties.putIfAbsent("jacorb.orb.print_version", "off");
    properties.putIfAbsent("jacorb.transport.server.listeners", "0");
    ORB orb = ORB.init(new String[0], properties);
    Configuration configuration = ((org.jacorb.orb.ORB) orb).getConfiguration();
    Delegate delegate = null;
    boolean joined = false;
    try {
      delegate = new Delegate(configuration, address(configuration), patience(configuration));
      delegate.join();
      joined = true;
      return delegate;
    } catch (ConfigurationException | org.omg.CORBA.INITIALIZE e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } finally {
      if (delegate != null && !joined) {
        delegate.close();
      }
    }
  }

  private static IiopAddress address(Configuration configuration) throws ConfigurationException, IOException {
    Path file = Path.of(configuration.getAttribute(DELIVERY));
    byte[] bytes;
    try (var in = Files.newInputStream(file)) {
      bytes = in.readNBytes(REFERENCE_BYTES_MAX);
    } catch (IOException e) {
      String why = e instanceof NoSuchFileException ? "no such file" : e.toString();
      throw new IOException("cannot read " + file + ", which the servants' process writes: " + why, e);
    }
    try {
      return IiopAddress.of(new String(bytes, StandardCharsets.ISO_8859_1).strip());
    } catch (Giop.BrokenGiopException e) {
      throw new IllegalArgumentException(DELIVERY + "=" + file + ": " + e.getMessage(), e);
    }
  }

  private static Duration patience(Configuration configuration) throws ConfigurationException {
    long millis = configuration.getAttributeAsLong(TIMEOUT, TIMEOUT_MILLIS);
    if (millis < TIMEOUT_MILLIS_MIN || millis > TIMEOUT_MILLIS_MAX) {
      throw new IllegalArgumentException(
          TIMEOUT + ": " + TIMEOUT_MILLIS_MIN + " to " + TIMEOUT_MILLIS_MAX + " ms, not " + millis);
    }
    return Duration.ofMillis(millis);
  }

  private void join() throws ConfigurationException, IOException {
    ServantProcess.Begun begun = process.begin();
    List<String> keys = listener.objects();
    SortedMap<String, String> types = new TreeMap<>(begun.types());
    types.keySet().retainAll(keys);
    if (!types.keySet().containsAll(keys)) {
      throw new IllegalArgumentException(
          "tutti.romiop.objects=" + String.join(",", keys) + ": the process has " + begun.types().keySet());
    } else if (begun.used() && !listener.isRecoverable()) {
      throw new IllegalArgumentException(
          "the servants have executed requests in an earlier life, and tutti.romiop.recoverable=true is not set:"
              + " restart their process");
    }
    listener.writeReferences(types);
    listener.join(this::execute, begun.used());
  }

  private synchronized void execute(ServerConnection connection) {
    member = connection;
    if (lost != null) {
      connection.leave(lost);
    }
    Thread.ofPlatform().daemon().name("tutti-romiop delegate").start(() -> carry(connection));
  }

  private void carry(ServerConnection connection) {
    try {
      for (byte[] request = connection.next(); request != null; request = connection.next()) {
        connection.send(process.deliver(Giop.of(request)).bytes());
      }
    } catch (IOException e) {
      lost(String.valueOf(e.getMessage())); // perhaps before the process has told it
    } catch (Giop.BrokenGiopException e) {
      throw new IllegalStateException("a request that was read before", e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      ended.countDown();
    }
  }

  private synchronized void lost(String why) {
    if (lost == null) {
      lost = why;
      if (member != null) {
        member.leave(why);
      }
    }
  }

  /// Waits until this is no member any more.
  ///
  /// @return why
  String awaitEnd() throws InterruptedException {
    ended.await();
    synchronized (this) {
      String why = member == null ? null : member.end();
      return why == null ? "the membership has ended" : why;
    }
  }

  /// Leaves the group. The process of the servants goes on.
  @Override
  public void close() {
    synchronized (this) {
      lost = lost == null ? "closed" : lost; // what ends now is not told
    }
    listener.destroy();
    process.close();
  }
}
