package org.tutti.host;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.tutti.engine.EventLoop;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.user.Request;

/// Asks a [Discovery] once a second on a thread of its own, and tells the engine when the answer has changed.
public final class DiscoveryPoller {
  private static final System.Logger LOG = System.getLogger("org.tutti.Node");
  private static final long PAUSE_MILLIS = 1000;

  private final String name;
  private final List<Address> configured;
  private final Discovery discovery;
  private final EventLoop.Inbox inbox;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread;

  /// Prepares to ask; [#start] does it.
  ///
  /// @param name       the node's
  /// @param configured contacts that are always asked
  /// @param discovery  is asked, and closed at the end
  /// @param inbox      the engine's
  public DiscoveryPoller(String name, List<Address> configured, Discovery discovery, EventLoop.Inbox inbox) {
    this.name = name;
    this.configured = configured;
    this.discovery = discovery;
    this.inbox = inbox;
    this.thread = Thread.ofVirtual().name("discovery-" + name).unstarted(this::run);
  }

  /// Begins to ask.
  public void start() {
    thread.start();
  }

  /// Asks no more. Returns at once; the discovery is closed as soon as it has given its current answer.
  public void stop() {
    // In this order: an interrupt that came later could disturb the farewell.
    thread.interrupt();
    stopping.countDown();
  }

  /// Waits for the end after [#stop].
  ///
  /// @param millis the longest wait, at least 1
  /// @throws InterruptedException when interrupted while waiting
  public void join(long millis) throws InterruptedException {
    thread.join(millis);
  }

  private void run() {
    try {
      Set<Address> told = new LinkedHashSet<>(configured);
      do {
        Set<Address> found = find(told);
        if (!found.equals(told)) {
          LOG.log(Level.DEBUG, () -> "node %s: the contacts are %s".formatted(name, found));
        }
        if (!found.equals(told) && !inbox.post(new Request.Contacts(List.copyOf(found)))) {
          break;
        }
        told = found;
      } while (!stopping.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException _) {
      // Stopped in the middle of a question or of a pause.
    } finally {
      // The flag of that interrupt must not disturb the farewell.
      Thread.interrupted();
      discovery.close();
    }
  }

  private Set<Address> find(Set<Address> before) throws InterruptedException {
    try {
      var found = new LinkedHashSet<>(configured);
      discovery.find().stream().limit(Discovery.FOUND_MAX).forEach(found::add);
      return found;
    } catch (IOException failure) {
      LOG.log(Level.DEBUG, () -> "node %s: discovery does not answer".formatted(name), failure);
      return before; // a name service that is down for a while must not part those who know each other
    }
  }
}
