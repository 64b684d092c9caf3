package org.tutti.bench;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.tutti.Ordering;
import org.tutti.bench.member.Times;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Clients and servers, each client with one request at a time.
///
/// ```
/// case A   client: multicast in the group of all ---> every server delivers --- reply ---> client takes the first
/// case B   client --- request ---> one server: multicast in the group of servers, delivers --- reply ---> client
///
/// request, multicast := client (4)  server (4)  number (4)  zeros             reply := number (4)
/// ```
///
/// Requests and replies are frames of the transport that the group uses too.
final class ClientServer implements AutoCloseable {
  /// Who multicasts a request.
  enum Case {
    /// The client, to all servers.
    A,
    /// The server that it asks, to the others.
    B
  }

  /// The shortest request.
  static final int BYTES_MIN = 3 * Integer.BYTES;

  private static final long PATIENCE_SECONDS = 30;
  private static final int LATE_MAX = 1024; // requests of one client by which the slowest server is late

  /// What was measured, in nanoseconds.
  ///
  /// @param requests  from a request to its first reply
  /// @param sequencer from the multicast of a request until the first server, who orders, has delivered it
  /// @param others    the same of the other servers
  record Result(Histogram requests, Histogram sequencer, Histogram others) {}

  private final Case how;
  private final LocalGroup localGroup;
  private final List<PolledTransport> servers = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private final AtomicLongArray multicast; // when, by client and number
  private final AtomicLong deliveries = new AtomicLong(); // recorded in this run
  private volatile List<Histogram> delivered = List.of(); // by server, each for its engine thread
  private volatile int bytes;
  private volatile long end;
  private volatile CountDownLatch working = new CountDownLatch(0);

  /// Starts all.
  ///
  /// @param how      the case
  /// @param servers  how many
  /// @param clients  how many; client i asks server i modulo the number of servers
  /// @param ordering of the group
  /// @param provider opens all transports
  ClientServer(Case how, int servers, int clients, Ordering ordering, TransportProvider provider) {
    this.how = how;
    this.multicast = new AtomicLongArray(clients * LATE_MAX);
    this.localGroup = new LocalGroup(how == Case.A ? servers + clients : servers, ordering, provider);
    try {
      for (int i = 0; i < servers; i++) {
        int server = i;
        var polled =
            new PolledTransport(
                provider.open(TransportSettings.at(LocalGroup.ANYWHERE)), request -> requested(server, request));
        this.servers.add(polled);
        localGroup.member(i).whenHeard(payload -> delivered(server, polled, payload));
      }
      for (int i = 0; i < clients; i++) {
        this.clients.add(new Client(i, provider));
      }
    } catch (RuntimeException failure) {
      close();
      throw failure;
    }
  }

  /// Lets all clients ask for a time.
  ///
  /// @param length of each request, in bytes
  /// @param nanos  how long
  Result run(int length, long nanos) throws InterruptedException {
    bytes = length;
    deliveries.set(0);
    delivered = servers.stream().map(_ -> Times.empty()).toList();
    end = System.nanoTime() + nanos;
    working = new CountDownLatch(clients.size());
    clients.forEach(Client::begin);
    if (!working.await(TimeUnit.NANOSECONDS.toSeconds(nanos) + PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("clients wait in vain for replies");
    }
    Histogram requests = Times.empty();
    clients.forEach(client -> requests.add(client.times));
    awaitSlowest((how == Case.A ? servers.size() : 1) * requests.getTotalCount());
    Histogram others = Times.empty();
    delivered.stream().skip(1).forEach(others::add);
    return new Result(requests, delivered.getFirst(), others);
  }

  /// Servers that were not the first to reply may still deliver the last requests.
  private void awaitSlowest(long count) {
    long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (deliveries.get() < count) {
      if (System.nanoTime() > patience) {
        throw new IllegalStateException("a server does not deliver what others have");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private static int index(ByteBuffer request) {
    int at = request.position();
    return request.getInt(at) * LATE_MAX + request.getInt(at + 2 * Integer.BYTES) % LATE_MAX;
  }

  /// Case B, on a server's transport: somebody asks it.
  private void requested(int server, ByteBuffer request) {
    byte[] payload = new byte[request.remaining()];
    request.get(payload);
    multicast.set(index(ByteBuffer.wrap(payload)), System.nanoTime());
    send(server, payload);
  }

  private void send(int member, byte[] payload) {
    if (!localGroup.member(member).group().tryPost(ByteBuffer.wrap(payload))) {
      throw new IllegalStateException("the window is full with one message of each client");
    }
  }

  /// On a server's engine thread.
  private void delivered(int server, PolledTransport polled, ByteBuffer payload) {
    int client = payload.getInt(payload.position());
    boolean asked = payload.getInt(payload.position() + Integer.BYTES) == server;
    if (how == Case.B && !asked) {
      return;
    }
    Times.record(delivered.get(server), System.nanoTime() - multicast.get(index(payload)));
    deliveries.incrementAndGet();
    byte[] reply = ByteBuffer.allocate(Integer.BYTES).putInt(payload.getInt(payload.position() + 8)).array();
    Address to = clients.get(client).polled.address();
    polled.post(() -> polled.send(to, reply));
  }

  /// A transport and the thread that polls it: where requests and replies go between clients and servers that are in no
  /// group together.
  private static final class PolledTransport implements AutoCloseable {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(20);

    private record Letter(Address to, byte[] frame) {}

    private final Transport transport;
    private final Thread thread;
    private final Queue<Runnable> posted = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<Letter> unsent = new ArrayDeque<>(); // of the thread
    private volatile boolean closing;

    /// @param transport owned from now on
    /// @param arrived   gets each frame, on this transport's thread
    PolledTransport(Transport transport, Consumer<ByteBuffer> arrived) {
      this.transport = transport;
      this.thread = Thread.ofPlatform().name("desk").start(() -> work(arrived));
    }

    Address address() {
      return transport.address();
    }

    /// Does something on this transport's thread.
    void post(Runnable work) {
      posted.add(work);
      transport.wakeup();
    }

    /// Sends a frame, as soon as there is a way; on this transport's thread.
    void send(Address to, byte[] frame) {
      if (!unsent.isEmpty() || !sent(to, frame)) {
        unsent.add(new Letter(to, frame));
      }
    }

    private boolean sent(Address to, byte[] frame) {
      ByteBuffer room = transport.claim(to, frame.length);
      if (room == null) {
        return false;
      }
      room.put(frame);
      transport.commit();
      return true;
    }

    private void work(Consumer<ByteBuffer> arrived) {
      transport.start(
          new Receiver() {
            @Override
            public void onFrame(ByteBuffer frame) {
              arrived.accept(frame);
            }

            @Override
            public void onReady(Address peer) {
              // Tried again anyway.
            }
          });
      while (!closing) {
        for (Runnable next = posted.poll(); next != null; next = posted.poll()) {
          next.run();
        }
        while (!unsent.isEmpty() && sent(unsent.getFirst().to(), unsent.getFirst().frame())) {
          unsent.removeFirst();
        }
        transport.poll(unsent.isEmpty() ? WAIT_NANOS : PAUSE_NANOS);
      }
      transport.close();
    }

    @Override
    public void close() {
      closing = true;
      transport.wakeup();
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// Asks again when it is answered, on the thread of its transport.
  private final class Client {
    final int number;
    final PolledTransport polled;
    Histogram times = Times.empty();
    private long begun;
    private int request;

    Client(int number, TransportProvider provider) {
      this.number = number;
      this.polled = new PolledTransport(provider.open(TransportSettings.at(LocalGroup.ANYWHERE)), this::answered);
    }

    void begin() {
      polled.post(() -> {
        times = Times.empty();
        ask();
      });
    }

    private void ask() {
      int server = number % servers.size();
      byte[] payload = new byte[bytes];
      ByteBuffer.wrap(payload).putInt(number).putInt(server).putInt(++request);
      begun = System.nanoTime();
      if (how == Case.A) {
        multicast.set(index(ByteBuffer.wrap(payload)), begun);
        send(servers.size() + number, payload);
      } else {
        polled.send(servers.get(server).address(), payload);
      }
    }

    private void answered(ByteBuffer reply) {
      if (reply.getInt(reply.position()) != request) {
        return; // not the first
      }
      long now = System.nanoTime();
      Times.record(times, now - begun);
      if (now < end) {
        ask();
      } else {
        request++; // what comes now is late
        working.countDown();
      }
    }
  }

  @Override
  public void close() {
    localGroup.close();
    servers.forEach(PolledTransport::close);
    clients.forEach(client -> client.polled.close());
  }
}
