package org.tutti.bench.member;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.tutti.Dissemination;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.Guarantee;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Ordering;
import org.tutti.Outcome;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.metrics.NodeMeters;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpKey;
import org.tutti.net.udp.UdpMulticast;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

/// A member of a Tutti group. The first one founds it, so it is sequencer and coordinator.
final class TuttiTarget implements BenchTarget {
  static final String NAME = "tutti";

  private static final String GROUP = "choir";
  static final Duration HEARTBEAT = Duration.ofMillis(100);
  static final Duration SUSPECT = Duration.ofSeconds(10); // a busy machine is no reason for a view change
  private static final Duration TAKE_WAIT = Duration.ofMillis(100);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long POLL_NANOS = 500_000;
  private static final long NAP_NANOS = 200_000; // shorter waits are too late anyway

  private @Nullable Transport transport;
  private GroupConfig config = GroupConfig.standard();
  private MemberConfig member = MemberConfig.standard();
  private @Nullable Node node;
  private @Nullable Group group;
  private @Nullable PackingGroups packingGroups;
  private @Nullable DeliveryTable table; // deliveries in groups of packing are written there
  private int size;
  private Duration spin = Duration.ZERO;
  private @Nullable Duration metricsEvery; // or nobody reads metrics
  private @Nullable NodeMeters meters;
  private boolean futures; // whether floods ask what becomes of each message
  private @Nullable Thread taker;
  private final AtomicLong delivered = new AtomicLong(); // written by the one thread that delivers
  private volatile long engine = -1;
  private volatile long views; // written by the one thread that delivers
  private volatile long slowNanos;
  private volatile @Nullable String closed;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String open(Map<String, String> settings) throws IOException {
    transport = transport(settings, settings.getOrDefault(HOST, LOOPBACK) + ":0");
    config =
        GroupConfig.builder()
            .ordering(Ordering.valueOf(upper(settings.getOrDefault("ordering", "sequencer"))))
            .guarantee(Guarantee.valueOf(upper(settings.getOrDefault("guarantee", "uniform"))))
            .build();
    String window = settings.get("window");
    if (window != null) {
      member = MemberConfig.builder().windowBytes(Integer.parseInt(window)).build();
    }
    String dissemination = settings.get("dissemination");
    if (dissemination != null) {
      member = member.toBuilder().dissemination(Dissemination.valueOf(upper(dissemination))).build();
    }
    spin = Duration.ofNanos(Long.parseLong(settings.getOrDefault("spin", "0")));
    futures = "true".equals(settings.get("futures"));
    String every = settings.get("metrics");
    metricsEvery = every == null ? null : Duration.ofNanos(Long.parseLong(every));
    String database = settings.get("database");
    table = database == null ? null : DeliveryTable.open(Path.of(database));
    if ("true".equals(settings.get("receive"))) {
      taker = new Thread(this::take, "taker");
    }
    return transport.address().text();
  }

  /// What the settings say.
  static Transport transport(Map<String, String> settings, String at) throws IOException {
    var address = new Address(at);
    String datagram = settings.get("udp");
    if (datagram != null) {
      UdpConfig lan = UdpConfig.lan().withDatagramBytesMax(Integer.parseInt(datagram));
      String key = settings.get("key");
      lan = key == null ? lan : lan.withKey(UdpKey.of(HexFormat.of().parseHex(key)));
      String multicast = settings.get("multicast");
      lan = multicast == null ? lan : lan.withMulticast(UdpMulticast.parse(multicast));
      return UdpTransport.open(address, lan.withTrains(!"false".equals(settings.get("trains"))));
    }
    boolean unix = "unix".equals(settings.get("transport"));
    TcpConfig tcp = unix ? TcpConfig.lan() : TcpConfig.lan().withSocketDirectory(null);
    return TcpTransport.open(address, "true".equals(settings.get("insecure")) ? tcp.withInsecure() : tcp);
  }

  private Group enter(Node at, MemberConfig how, int rank) {
    return rank == 0 ? at.create(GROUP, config, how) : at.join(GROUP, config, how);
  }

  private static String upper(String name) {
    return name.toUpperCase(Locale.ROOT);
  }

  @Override
  public void form(int rank, List<String> addresses) throws TimeoutException, InterruptedException {
    size = addresses.size();
    List<Address> contacts = rank == 0 ? List.of() : List.of(new Address(addresses.getFirst()));
    NodeBuilder how = Node.named("n" + rank).contacts(contacts).times(HEARTBEAT, SUSPECT).spin(spin);
    node = how.transport(opened(transport)).start();
    if (taker == null) {
      group = enter(node, member.toBuilder().listener(new Listener()).build(), rank);
    } else {
      group = enter(node, member, rank);
      taker.start();
    }
    await(rank + 1);
    if (metricsEvery != null) {
      meters = NodeMeters.bind(new SimpleMeterRegistry(), metricsEvery, node, group());
    }
  }

  @Override
  public void ready() throws TimeoutException, InterruptedException {
    await(size);
  }

  private void await(int members) throws TimeoutException, InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    for (View view = group().view(); view == null || view.size() < members; view = group().view()) {
      if (closed != null || System.nanoTime() > end) {
        throw new TimeoutException("no view of " + members + " members but " + view + ", closed: " + closed);
      }
      LockSupport.parkNanos(POLL_NANOS);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  @Override
  public long flood(int bytes, long forNanos) throws InterruptedException {
    byte[] payload = new byte[bytes];
    ByteBuffer buffer = ByteBuffer.wrap(payload);
    long end = System.nanoTime() + forNanos;
    long sent = 0;
    while (System.nanoTime() < end) {
      if (futures) {
        group().multicast(payload);
      } else {
        group().post(buffer);
      }
      sent++;
    }
    return sent;
  }

  @Override
  public Histogram closedLoop(int bytes, long forNanos, SendingThread sendingThread)
      throws InterruptedException, ExecutionException {
    return sendingThread == SendingThread.THREAD
        ? ClosedLoop.run(group(), bytes, forNanos)
        : ClosedLoop.runOnEngine(group(), bytes, forNanos);
  }

  @Override
  public Histogram openLoop(int bytes, int perSecond, long forNanos) throws InterruptedException {
    return OpenLoop.run(group(), bytes, perSecond, forNanos);
  }

  /// Each caller multicasts with a future.
  @Override
  public Callers.Result calls(Calls calls) throws InterruptedException, ExecutionException, TimeoutException {
    byte[] payload = new byte[calls.bytes()];
    boolean waits = calls.sendingThread() == SendingThread.THREAD;
    Callers.Caller caller = waits ? () -> group().multicast(payload) : () -> withoutBlocking(payload);
    return Callers.run(Collections.nCopies(calls.callers(), caller), calls.nanos(), calls.sendingThread());
  }

  /// With the window full, a thread of its own waits until there is room.
  private CompletableFuture<Outcome> withoutBlocking(byte[] payload) {
    return group()
        .tryMulticast(payload)
        .thenCompose(outcome -> {
          if (!(outcome instanceof Outcome.Refused)) {
            return CompletableFuture.completedFuture(outcome);
          }
          var late = new CompletableFuture<Outcome>();
          Thread.startVirtualThread(() -> {
            try {
              late.complete(group().multicast(payload).get());
            } catch (InterruptedException | ExecutionException failure) {
              late.completeExceptionally(failure);
            }
          });
          return late;
        });
  }

  @Override
  public long delivered() {
    if (closed != null) {
      throw new IllegalStateException("the membership has ended: " + closed);
    }
    return delivered.get();
  }

  @Override
  public long engineThread() {
    return engine;
  }

  @Override
  public Map<String, Long> counters() throws InterruptedException {
    var metrics = new ArrayList<>(opened(node).metrics());
    metrics.removeIf(metric -> metric.kind() == Metric.Kind.GAUGE);
    Map<String, Long> counters = Metric.byKey(metrics);
    counters.put(VIEWS, views);
    counters.put(REPEATED, repeatedBytes(counters));
    return counters;
  }

  /// Packets and datagrams are counted when they are sent again, and not how long they are: taken as long as others. A
  /// reliable transport sends nothing again here.
  private static long repeatedBytes(Map<String, Long> counters) {
    long datagrams = counters.getOrDefault("udp.datagrams.sent", 0L);
    long repeated = counters.getOrDefault("link.packets.repeated", 0L);
    for (Map.Entry<String, Long> each : counters.entrySet()) {
      repeated += each.getKey().startsWith("udp.repairs.sent") ? each.getValue() : 0;
    }
    return datagrams == 0 ? 0 : repeated * counters.getOrDefault("udp.bytes.sent", 0L) / datagrams;
  }

  @Override
  public void slow(long nanos) {
    slowNanos = nanos;
  }

  @Override
  public void turn(boolean ours) {
    if (table != null) {
      try {
        table.clear();
      } catch (SQLException e) {
        throw new IllegalStateException("the deliveries of the trial before are not forgotten", e);
      }
    }
  }

  @Override
  public Map<String, ?> perform(String[] command) throws InterruptedException, TimeoutException {
    if (packingGroups == null) {
      packingGroups = new PackingGroups(opened(node), config, member, size, this::count, table);
    }
    return packingGroups.perform(command);
  }

  private Group group() {
    return opened(group);
  }

  private static <T> T opened(@Nullable T thing) {
    if (thing == null) {
      throw new IllegalStateException("not opened or not formed yet");
    }
    return thing;
  }

  private void count() {
    delivered.lazySet(delivered.getPlain() + 1);
  }

  private void viewed() {
    views = views + 1;
  }

  /// An application with a thread of its own, which can be slow without its node being slow.
  private void take() {
    try {
      long due = System.nanoTime();
      while (true) {
        Event event = group().receive(TAKE_WAIT);
        long pace = slowNanos;
        if (event instanceof Event.ViewChange) {
          viewed();
        }
        if (event instanceof Event.Delivery) {
          count();
          if (pace > 0) {
            long now = System.nanoTime();
            due = Math.max(due + pace, now - NAP_NANOS);
            if (due - now > NAP_NANOS) {
              LockSupport.parkNanos(due - now);
            }
          }
        }
      }
    } catch (GroupClosedException end) {
      closed = end.getMessage();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    if (taker != null) {
      taker.interrupt();
    }
    if (meters != null) {
      meters.close();
    }
    if (node != null) {
      node.close();
    }
    if (table != null) {
      table.close();
    }
  }

  /// Counts, and nothing else.
  private final class Listener implements GroupListener {
    @Override
    public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
      count();
    }

    @Override
    public void install(View view) {
      engine = Thread.currentThread().threadId();
      viewed();
    }

    @Override
    public void closed(End end) {
      closed = end.words();
    }
  }
}
