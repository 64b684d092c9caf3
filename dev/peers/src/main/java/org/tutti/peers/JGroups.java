package org.tutti.peers;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.conf.ProtocolConfiguration;
import org.jgroups.conf.ProtocolStackConfigurator;
import org.jgroups.conf.XmlConfigurator;
import org.jgroups.protocols.ReliableMulticast;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.stack.Protocol;
import org.jgroups.util.MessageBatch;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.member.BenchTarget;
import org.tutti.bench.member.Callers;
import org.tutti.bench.member.Times;

/// A member of a JGroups cluster with total order (agreed delivery): a stack that it ships, with its sequencer added
/// where its own `sequencer.xml` has it, below fragmentation, and bound to one address, by default that of loopback.
///
/// Settings: `stack`; `sequencer=false` for the stack without one; `calls=true` for calls by `RpcDispatcher` to all
/// members instead of multicasts, `calls=others` for those to all other members.
public final class JGroups implements BenchTarget {
  private static final String CLUSTER = "choir";
  private static final String FRAGMENTATION = "FRAG2";
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long POLL_NANOS = 500_000;

  private final AtomicLong delivered = new AtomicLong();
  private final Semaphore back = new Semaphore(0); // own messages that have come back, while a thread waits for them
  private String stack = "tcp";
  private String host = LOOPBACK;
  private int port;
  private int size;
  private boolean sequenced = true;
  private boolean called; // by RpcDispatcher, instead of multicasts
  private boolean calledByOthers; // only
  private volatile int bytes; // how long messages are
  private volatile long views; // written by the one thread that delivers them
  private @Nullable JChannel channel;
  private volatile @Nullable Loop loop;
  private @Nullable GroupRpc rpc;

  /// As services are made.
  public JGroups() {}

  @Override
  public String name() {
    return "jgroups";
  }

  @Override
  public String open(Map<String, String> settings) throws IOException {
    stack = settings.getOrDefault("stack", stack);
    sequenced = !"false".equals(settings.get("sequencer"));
    calledByOthers = "others".equals(settings.get("calls"));
    called = calledByOthers || "true".equals(settings.get("calls"));
    host = settings.getOrDefault(HOST, LOOPBACK);
    try (var free = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      port = free.getLocalPort();
    }
    return host + ":" + port;
  }

  @Override
  public void form(int rank, List<String> addresses) throws Exception {
    size = addresses.size();
    String first = addresses.getFirst();
    int colon = first.indexOf(':');
    channel = new JChannel(configuration(first.substring(0, colon), Integer.parseInt(first.substring(colon + 1))));
    if (called) {
      rpc = new GroupRpc(channel, calledByOthers, delivered::incrementAndGet);
    } else {
      channel.setReceiver(new Counting());
    }
    channel.connect(CLUSTER);
    await(rank + 1);
  }

  private ProtocolStackConfigurator configuration(String firstHost, int firstPort) throws IOException {
    ProtocolStackConfigurator configuration;
    try (InputStream shipped = JChannel.class.getResourceAsStream("/" + stack + ".xml")) {
      if (shipped == null) {
        throw new IllegalArgumentException("JGroups ships no stack " + stack);
      }
      configuration = XmlConfigurator.getInstance(shipped);
    }
    List<ProtocolConfiguration> protocols = configuration.getProtocolStack();
    Map<String, String> transport = protocols.getFirst().getProperties();
    transport.put("bind_addr", host);
    transport.put("diag.enabled", "false"); // it would listen for anybody
    if (protocols.getFirst().getProtocolName().equals("UDP")) {
      transport.put("mcast_port", Integer.toString(firstPort)); // the loopback interface is named by the address
      transport.put("ip_ttl", host.equals(LOOPBACK) ? "0" : "1");
    } else {
      transport.put("bind_port", Integer.toString(port));
      transport.put("port_range", "0");
    }
    for (ProtocolConfiguration protocol : protocols) {
      switch (protocol.getProtocolName()) {
        case "TCPPING" -> {
          protocol.getProperties().put("initial_hosts", firstHost + "[" + firstPort + "]");
          protocol.getProperties().put("port_range", "0");
        }
        case "FD_SOCK2" -> protocol.getProperties().put("bind_addr", host); // else it listens everywhere
        default -> {}
      }
    }
    if (sequenced) {
      String sequencer = stack.endsWith("-new") ? "SEQUENCER2" : "SEQUENCER";
      protocols.add(place(protocols), new ProtocolConfiguration(sequencer, new HashMap<>()));
    }
    return configuration;
  }

  private static int place(List<ProtocolConfiguration> protocols) {
    List<String> names = new ArrayList<>();
    protocols.forEach(protocol -> names.add(protocol.getProtocolName()));
    int place = names.indexOf(FRAGMENTATION);
    return place < 0 ? names.size() : place;
  }

  @Override
  public void ready() throws TimeoutException {
    await(size);
  }

  private void await(int members) throws TimeoutException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (channel().getView().size() < members) {
      if (System.nanoTime() > end) {
        throw new TimeoutException("no view of " + members + " members but " + channel().getViewAsString());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private JChannel channel() {
    if (channel == null) {
      throw new IllegalStateException("not formed yet");
    }
    return channel;
  }

  private void send(byte[] payload) throws IOException {
    try {
      channel().send(new BytesMessage(null, payload));
    } catch (Exception failure) { // the only type that JGroups declares
      throw new IOException(failure);
    }
  }

  @Override
  public long flood(int length, long forNanos) throws IOException {
    bytes = length;
    byte[] payload = new byte[length];
    long end = System.nanoTime() + forNanos;
    long sent = 0;
    while (System.nanoTime() < end) {
      send(payload);
      sent++;
    }
    return sent;
  }

  @Override
  public Histogram closedLoop(int bytes, long forNanos, SendingThread sendingThread)
      throws InterruptedException, IOException, ExecutionException {
    byte[] payload = new byte[bytes];
    var running = new Loop(payload, forNanos);
    if (sendingThread == SendingThread.LISTENER) {
      loop = running;
      send(payload);
      return running.finished.get();
    }
    back.drainPermits();
    while (running.before < running.end) {
      send(payload);
      back.acquire();
      running.recorded();
    }
    return running.times;
  }

  /// Each caller waits for the replies of all members, or of all others.
  @Override
  public Callers.Result calls(Calls calls) throws InterruptedException, ExecutionException, TimeoutException {
    GroupRpc dispatcher = rpc;
    int repliers = calledByOthers ? size - 1 : size;
    if (dispatcher == null) {
      throw new UnsupportedOperationException("calls were not chosen");
    }
    byte[] request = new byte[calls.bytes()];
    Callers.Caller caller =
        calls.sendingThread() == SendingThread.THREAD
            ? dispatcher.waiting(request, repliers)
            : dispatcher.calledBack(request, repliers);
    return Callers.run(Collections.nCopies(calls.callers(), caller), calls.nanos(), calls.sendingThread());
  }

  @Override
  public long delivered() {
    return delivered.get();
  }

  @Override
  public Map<String, Long> counters() {
    long repeated = 0; // messages; its protocols for multicasts and for single receivers count them
    for (Protocol protocol : channel().getProtocolStack().getProtocols()) {
      repeated +=
          switch (protocol) {
            case NAKACK2 multicasts -> multicasts.getXmitResponsesSent();
            case ReliableMulticast multicasts -> multicasts.getXmitResponsesSent();
            case UNICAST3 unicasts -> unicasts.getNumXmits();
            default -> 0;
          };
    }
    return Map.of(VIEWS, views, REPEATED, repeated * bytes);
  }

  @Override
  public void close() {
    if (channel != null) {
      channel.close();
    }
  }

  /// A closed loop that the delivering thread drives.
  private final class Loop {
    private final byte[] payload;
    private final long end;
    private final Histogram times = Times.empty();
    private final CompletableFuture<Histogram> finished = new CompletableFuture<>();
    private long before;

    Loop(byte[] payload, long forNanos) {
      this.payload = payload;
      this.before = System.nanoTime();
      this.end = before + forNanos;
    }

    void recorded() {
      long now = System.nanoTime();
      Times.record(times, now - before);
      before = now;
    }

    void next() {
      recorded();
      if (before >= end) {
        loop = null;
        finished.complete(times);
        return;
      }
      try {
        send(payload);
      } catch (IOException failure) {
        finished.completeExceptionally(failure);
      }
    }
  }

  /// Counts, and drives closed loops.
  private final class Counting implements Receiver {
    @Override
    public void viewAccepted(View view) {
      views = views + 1;
    }

    @Override
    public void receive(MessageBatch batch) {
      delivered.addAndGet(batch.size());
      for (Message message : batch) {
        own(message);
      }
    }

    @Override
    public void receive(Message message) {
      delivered.incrementAndGet();
      own(message);
    }

    private void own(Message message) {
      if (channel().address().equals(message.src())) {
        Loop running = loop;
        if (running == null) {
          back.release();
        } else {
          running.next();
        }
      }
    }
  }
}
