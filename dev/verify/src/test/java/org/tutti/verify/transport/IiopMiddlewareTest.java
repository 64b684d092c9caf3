package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tutti.corba.IiopConfig;
import org.tutti.corba.IiopMiddleware;
import org.tutti.middleware.Middleware;
import org.tutti.transport.Address;

/// The ORB below the transport: order, loss, waiting, and failure.
class IiopMiddlewareTest {
  private static final Address ANY = new Address("127.0.0.1:0");
  private static final int BATCH_MAX = 1 << 20;

  private final List<IiopMiddleware> opened = new ArrayList<>();

  @AfterEach
  void closeAll() {
    opened.forEach(IiopMiddleware::close);
  }

  /// Fails when JacORB's queue refuses what it has no room for (`queue_wait`), which for one-way requests means that
  /// they are gone, and when several threads work on it (another policy than `SINGLE_THREAD_MODEL`).
  @Test
  void oneWayRequestsAllArriveInOrderThoughTheServantDoesNotKeepUp() throws Exception {
    int count = 5000;
    Semaphore sent = new Semaphore(0);
    List<Integer> taken = new ArrayList<>();
    CountDownLatch all = new CountDownLatch(count);
    IiopMiddleware to =
        open(batch -> {
          // Twenty requests behind at any time, so that the queue, which holds fewer, is full.
          sent.acquireUninterruptibly(1);
          synchronized (taken) {
            taken.add(ByteBuffer.wrap(batch).getInt());
          }
          all.countDown();
          return true;
        });
    try (Middleware.Call call = open(_ -> true).dial(to.address())) {
      for (int i = 0; i < count; i++) {
        call.send(ByteBuffer.allocate(100).putInt(i).array());
        if (i >= 20) {
          sent.release();
        }
      }
      sent.release(20);
      assertThat(all.await(20, TimeUnit.SECONDS)).as("all requests are there").isTrue();
    }
    for (int i = 0; i < count; i++) {
      assertThat(taken.get(i)).isEqualTo(i);
    }
  }

  @Test
  void whatTheJvmIsToldOfJacorbDoesNotCount() throws Exception {
    System.setProperty("jacorb.poa.queue_wait", "off");
    System.setProperty("jacorb.poa.queue_max", "1");
    System.setProperty("OAPort", "1");
    try {
      oneWayRequestsAllArriveInOrderThoughTheServantDoesNotKeepUp();
    } finally {
      System.clearProperty("jacorb.poa.queue_wait");
      System.clearProperty("jacorb.poa.queue_max");
      System.clearProperty("OAPort");
    }
  }

  @Test
  void aPeerThatTakesNothingMakesTheSourceWaitAndIsGivenUp() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    IiopMiddleware to = open(_ -> isPassed(never));
    IiopMiddleware from = open(_ -> true, Duration.ofMillis(500));
    long begin = System.nanoTime();
    Middleware.Call call = from.dial(to.address());
    byte[] large = new byte[BATCH_MAX];
    assertThatIOException()
        .isThrownBy(() -> {
          for (int i = 0; i < 1000; i++) {
            call.send(large);
          }
        });
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(400));
    call.close();
    never.countDown();
  }

  @Test
  void closeEndsACallThatWaits() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    IiopMiddleware to = open(_ -> isPassed(never));
    IiopMiddleware from = open(_ -> true);
    Middleware.Call call = from.dial(to.address());
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean failed = new AtomicBoolean();
    Thread sender =
        Thread.ofVirtual()
            .start(() -> {
              try {
                for (int i = 0; i < 1000; i++) {
                  call.send(new byte[BATCH_MAX]);
                  begun.countDown();
                }
              } catch (IOException _) {
                failed.set(true);
              }
            });
    begun.await();
    from.close();
    opened.remove(from);
    sender.join();
    assertThat(failed).isTrue();
    never.countDown();
  }

  @Test
  void whoeverIsNoPeerIsNotDialled() throws Exception {
    IiopMiddleware from = open(_ -> true, Duration.ofSeconds(15), Duration.ofSeconds(2));
    for (String text : List.of("nobody", "127.0.0.1", "127.0.0.1:0", "example.org:1", "127.0.0.1:99999", "?")) {
      assertThatExceptionOfType(Middleware.UnusableAddressException.class)
          .isThrownBy(() -> from.dial(new Address(text)));
    }
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Address there = new Address("127.0.0.1:" + silent.getLocalPort());
      assertThatIOException().isThrownBy(() -> from.dial(there)).withMessage("no peer at " + there);
    }
    Address gone = open(_ -> true).address();
    opened.removeLast().close();
    assertThatIOException().isThrownBy(() -> from.dial(gone)).withMessage("no peer at " + gone);
  }

  @Test
  void aPeerOverIpv6IsReached() throws Exception {
    CountDownLatch taken = new CountDownLatch(1);
    IiopMiddleware to = IiopMiddleware.open(new Address("[::1]:0"), null, IiopConfig.lan(BATCH_MAX));
    opened.add(to);
    to.start(_ -> {
      taken.countDown();
      return true;
    });
    assertThat(to.address().text()).startsWith("[::1]:");
    try (Middleware.Call call = open(_ -> true).dial(to.address())) {
      call.send(new byte[5]);
      taken.await();
    }
  }

  @Test
  void closingLeavesNoThreadsBehind() throws Exception {
    open(_ -> true).close();
    opened.clear();
    int before = Thread.activeCount();
    for (int round = 0; round < 5; round++) {
      IiopMiddleware a = open(_ -> true);
      IiopMiddleware b = open(_ -> true);
      try (Middleware.Call call = a.dial(b.address())) {
        call.send(new byte[100]);
      }
      a.close();
      b.close();
      opened.clear();
    }
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (Thread.activeCount() > before && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    Thread[] left = new Thread[Thread.activeCount() + 10];
    Thread.enumerate(left);
    assertThat(Thread.activeCount()).as(Arrays.toString(left)).isLessThanOrEqualTo(before);
  }

  private static boolean isPassed(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException _) {
      return false;
    }
  }

  private IiopMiddleware open(Middleware.Arrivals arrivals) throws IOException {
    return open(arrivals, Duration.ofSeconds(15));
  }

  private IiopMiddleware open(Middleware.Arrivals arrivals, Duration writeTimeout) throws IOException {
    return open(arrivals, writeTimeout, Duration.ofSeconds(20));
  }

  private IiopMiddleware open(Middleware.Arrivals arrivals, Duration writeTimeout, Duration replyTimeout)
      throws IOException {
    IiopConfig lan = IiopConfig.lan(BATCH_MAX);
    IiopConfig config =
        new IiopConfig(
            lan.messageBytesMax(),
            lan.acceptedMax(),
            lan.greetingMax(),
            Duration.ofSeconds(20),
            replyTimeout,
            writeTimeout,
            null);
    IiopMiddleware middleware = IiopMiddleware.open(ANY, null, config);
    opened.add(middleware);
    middleware.start(arrivals);
    return middleware;
  }
}
