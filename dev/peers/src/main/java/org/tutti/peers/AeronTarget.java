package org.tutti.peers;

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.client.ArchiveException;
import io.aeron.cluster.client.AeronCluster;
import io.aeron.exceptions.AeronException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.HdrHistogram.Histogram;
import org.agrona.CloseHelper;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.member.BenchTarget;
import org.tutti.bench.member.Callers;
import org.tutti.bench.member.Scratch;
import org.tutti.bench.member.Times;

/// A member of an Aeron Cluster and a client of that cluster in one process. The first member leads, and its client
/// reaches it through shared memory; those of the others send to it by UDP. A message that a client offers is
/// replicated (Raft, the log in files that are mapped into memory and never forced to the disk), and then delivered to
/// the service at every member. In a closed loop the leader's service sends it back to the client, whose thread polls.
public final class AeronTarget implements BenchTarget {
  /// The longest message: an eighth of a buffer of what clients send by, without headers.
  static final int BYTES_MAX = (1 << 17) - 64;

  private static final long LEADER_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long POLL_NANOS = 500_000;
  private static final long KEEPING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long ALIVE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int CALLER_OFFSET = 4; // in messages that are sent back to several callers
  private static final String SEND = "|term-length=1m"; // bounds what is under way, and the length of messages

  private final CountingService service = new CountingService();
  private final TurnIdling.Turn turn = new TurnIdling.Turn();
  private final ReentrantLock clientLock = new ReentrantLock(); // a client is for one thread at a time
  private final Thread keeper = new Thread(this::keep, "keeper");
  private final List<DatagramSocket> reserved = new ArrayList<>();
  private AeronNode.Stack stack = AeronNode.Stack.named("shipped");
  private int rank;
  private List<List<Integer>> members = List.of();
  private @Nullable Scratch scratch;
  private @Nullable AeronNode node;
  private @Nullable Aeron aeron;
  private @Nullable LogPurge purge;
  private @Nullable AeronCluster client;
  private @Nullable IdleStrategy idling; // of whoever holds the client's lock
  private long echoes; // that have come back; guarded by the client's lock
  private @Nullable InFlight inFlight; // calls of several callers; guarded by the client's lock
  private volatile boolean closed;
  private volatile @Nullable Throwable error; // the last one that Aeron reported

  /// As services are made.
  public AeronTarget() {}

  @Override
  public String name() {
    return "aeron-cluster";
  }

  @Override
  public String open(Map<String, String> settings) throws IOException {
    stack = AeronNode.Stack.named(settings.getOrDefault("stack", "shipped"));
    String parent = settings.get("scratch");
    scratch = parent == null ? Scratch.create() : Scratch.within(Path.of(parent));
    var ports = new ArrayList<String>();
    for (int i = 0; i < AeronNode.PORTS; i++) {
      var socket = new DatagramSocket(0, InetAddress.getByName(AeronNode.LOOPBACK));
      reserved.add(socket);
      ports.add(Integer.toString(socket.getLocalPort()));
    }
    return String.join(":", ports);
  }

  /// The members find each other in [#ready]: there is no leader without the others.
  @Override
  public void form(int place, List<String> addresses) {
    rank = place;
    members = addresses.stream().map(AeronTarget::ports).toList();
    reserved.forEach(DatagramSocket::close);
    node = new AeronNode(rank, members, directory(), stack, turn, service, this::report);
    aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver()).errorHandler(this::report));
    purge = new LogPurge(aeron, directory());
    keeper.setDaemon(true);
    keeper.start();
  }

  private static List<Integer> ports(String address) {
    return Arrays.stream(address.split(":")).map(Integer::valueOf).toList();
  }

  private Path directory() {
    return opened(scratch).path();
  }

  private String driver() {
    return AeronNode.driverDirectory(directory());
  }

  private void report(Throwable failure) {
    error = failure;
    System.err.println(failure);
  }

  @Override
  public void ready() throws TimeoutException {
    long end = System.nanoTime() + LEADER_NANOS;
    while (service.leader() == CountingService.NOBODY) {
      if (System.nanoTime() > end) {
        throw new TimeoutException("no leader was elected in time; last error: " + error);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    requireFirstLeader();
    idling = stack.idling().get();
    clientLock.lock();
    try {
      client = AeronCluster.connect(clientContext());
    } finally {
      clientLock.unlock();
    }
    turn.change(false);
  }

  private void requireFirstLeader() {
    if (service.leader() > 0 || service.terms() > 1) {
      throw new IllegalStateException("member " + service.leader() + " was elected; last error: " + error);
    }
  }

  private AeronCluster.Context clientContext() {
    var context =
        new AeronCluster.Context()
            .aeron(opened(aeron))
            .ownsAeronClient(false)
            .messageTimeoutNs(CONNECT_NANOS)
            .errorHandler(this::report)
            .egressListener((_, _, buffer, offset, _, _) -> {
              echoes++;
              if (inFlight != null) {
                inFlight.answered(buffer.getInt(offset + CALLER_OFFSET));
              }
            });
    if (rank == service.leader()) {
      return context.ingressChannel("aeron:ipc?" + SEND.substring(1)).egressChannel("aeron:ipc?" + SEND.substring(1));
    }
    var endpoints = new ArrayList<String>();
    for (int i = 0; i < members.size(); i++) {
      endpoints.add(i + "=" + AeronNode.endpoint(members.get(i).getFirst()));
    }
    return context
        .ingressChannel(AeronNode.REMOTE + SEND + stack.mtu())
        .ingressEndpoints(String.join(",", endpoints))
        .egressChannel(AeronNode.REMOTE + "|endpoint=" + AeronNode.endpoint(0));
  }

  @Override
  public long flood(int bytes, long forNanos) throws IOException {
    UnsafeBuffer message = message(bytes);
    clientLock.lock();
    try {
      long end = System.nanoTime() + forNanos;
      long sent = 0;
      while (System.nanoTime() < end) {
        offer(message);
        sent++;
      }
      return sent;
    } finally {
      clientLock.unlock();
    }
  }

  private static UnsafeBuffer message(int bytes) {
    if (bytes > BYTES_MAX) {
      throw new IllegalArgumentException("messages have at most " + BYTES_MAX + " bytes here, not " + bytes);
    }
    return new UnsafeBuffer(new byte[bytes]);
  }

  /// Waits while those who replicate are behind.
  private void offer(UnsafeBuffer message) throws IOException {
    long result = cluster().offer(message, 0, message.capacity());
    for (long since = System.nanoTime(); result < 0; result = cluster().offer(message, 0, message.capacity())) {
      boolean late = System.nanoTime() - since > ANSWER_NANOS;
      if (late || result != Publication.BACK_PRESSURED && result != Publication.ADMIN_ACTION) {
        throw new IOException("cannot send: " + Publication.errorString(result) + "; last error: " + error);
      }
      opened(idling).idle(cluster().pollEgress());
    }
  }

  /// Whatever the seat: the thread that sends is the one that polls.
  @Override
  public Histogram closedLoop(int bytes, long forNanos, SendingThread sendingThread) throws IOException {
    UnsafeBuffer message = message(bytes);
    message.putByte(0, CountingService.ECHO);
    Histogram times = Times.empty();
    clientLock.lock();
    try {
      long before = System.nanoTime();
      long end = before + forNanos;
      while (before < end) {
        long wanted = echoes + 1;
        offer(message);
        while (echoes < wanted) {
          opened(idling).idle(cluster().pollEgress());
          if (System.nanoTime() - before > ANSWER_NANOS) {
            throw new IOException("a message does not come back; last error: " + error);
          }
        }
        long now = System.nanoTime();
        Times.record(times, now - before);
        before = now;
      }
    } finally {
      clientLock.unlock();
    }
    return times;
  }

  /// As its client is for one thread at a time, one makes the calls of all callers, each when the one before of that
  /// caller is answered; it polls meanwhile.
  @Override
  public Callers.Result calls(Calls calls) throws IOException {
    UnsafeBuffer message = message(Math.max(calls.bytes(), CALLER_OFFSET + Integer.BYTES));
    message.putByte(0, CountingService.ECHO);
    clientLock.lock();
    try {
      long start = System.nanoTime();
      var open = new InFlight(calls.callers(), start + calls.nanos());
      inFlight = open;
      while (open.running > 0) {
        for (int caller = open.next(); caller >= 0; caller = open.next()) {
          message.putInt(CALLER_OFFSET, caller);
          offer(message);
        }
        opened(idling).idle(cluster().pollEgress());
        if (System.nanoTime() - open.last > ANSWER_NANOS) {
          throw new IOException(open.running + " calls are not answered; last error: " + error);
        }
      }
      return new Callers.Result(open.times, start, open.last);
    } finally {
      inFlight = null;
      clientLock.unlock();
    }
  }

  /// The calls that are open: one of each caller.
  private static final class InFlight {
    private final Histogram times = Times.empty();
    private final long[] begun; // when the caller was free: whatever holds a message back counts
    private final ArrayDeque<Integer> free = new ArrayDeque<>(); // those whose calls are answered
    private final long end;
    private int running;
    private long last = System.nanoTime(); // when one was answered

    InFlight(int callers, long end) {
      this.begun = new long[callers];
      this.end = end;
      this.running = callers;
      for (int caller = 0; caller < callers; caller++) {
        begun[caller] = last;
        free.add(caller);
      }
    }

    /// Whose turn it is to call, or -1.
    int next() {
      Integer caller = free.poll();
      return caller == null ? -1 : caller;
    }

    void answered(int caller) {
      long now = System.nanoTime();
      Times.record(times, now - begun[caller]);
      begun[caller] = now;
      last = now;
      if (now < end) {
        free.add(caller);
      } else {
        running--;
      }
    }
  }

  private AeronCluster cluster() {
    return opened(client);
  }

  private static <T> T opened(@Nullable T thing) {
    if (thing == null) {
      throw new IllegalStateException("not opened, or not formed yet");
    }
    return thing;
  }

  /// What must be done now and then: tell the cluster that its client lives, and drop the log's beginning.
  private void keep() {
    long told = System.nanoTime();
    while (!closed) {
      LockSupport.parkNanos(turn.isOurs() ? KEEPING_NANOS : ALIVE_NANOS / 2);
      try {
        opened(purge).before(service.position());
        if (System.nanoTime() - told > ALIVE_NANOS && clientLock.tryLock()) {
          try {
            if (client != null) {
              client.pollEgress();
              client.sendKeepAlive();
            }
            told = System.nanoTime();
          } finally {
            clientLock.unlock();
          }
        }
      } catch (AeronException failure) {
        report(failure);
      }
    }
  }

  /// Keeps the log of a member from filling the disk: drops whole files of it that everybody is past. A member that
  /// came back could not read it from its beginning any more, but here none does.
  private static final class LogPurge implements AutoCloseable {
    private static final int LOG_STREAM = 100; // Aeron Cluster's default
    private static final int RECORDINGS_MAX = 16;
    private static final int KEPT = 2; // files, for what others have not got yet

    private final AeronArchive archive;
    private long recording = Aeron.NULL_VALUE;
    private long start; // of what is kept

    LogPurge(Aeron aeron, Path directory) {
      archive = AeronArchive.connect(AeronNode.archive(directory).aeron(aeron).ownsAeronClient(false));
    }

    /// Drops what is far enough before a position.
    void before(long position) {
      long base = position - position % AeronNode.SEGMENT - (long) KEPT * AeronNode.SEGMENT;
      if (base <= start) {
        return;
      }
      if (recording == Aeron.NULL_VALUE) {
        archive.listRecordings(
            0,
            RECORDINGS_MAX,
            (_, _, id, _, _, _, _, _, _, _, _, _, stream, _, _, _) -> {
              if (stream == LOG_STREAM) {
                recording = id;
              }
            });
      }
      try {
        archive.purgeSegments(recording, base);
        start = base;
      } catch (ArchiveException early) {
        // The files of it are still in use; the next time they are not.
      }
    }

    @Override
    public void close() {
      archive.close();
    }
  }

  @Override
  public void turn(boolean ours) {
    turn.change(ours);
  }

  @Override
  public long delivered() {
    requireFirstLeader();
    return service.delivered();
  }

  @Override
  public long engineThread() {
    return service.thread();
  }

  @Override
  public void close() {
    closed = true;
    turn.change(true);
    reserved.forEach(DatagramSocket::close);
    LockSupport.unpark(keeper);
    try {
      keeper.join(ALIVE_NANOS / 1_000_000);
    } catch (InterruptedException hurry) {
      Thread.currentThread().interrupt();
    }
    CloseHelper.quietCloseAll(client, purge, aeron, node, scratch);
  }
}
