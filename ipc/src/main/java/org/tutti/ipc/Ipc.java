package org.tutti.ipc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.protocol.IpcHost;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.ipc.protocol.IssuedGroups;
import org.tutti.spi.Incarnation;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Refused;
import org.tutti.transport.Transport;

/// One host of group communication, with a thread of its own: it serves the processes that it opens, and a message to a
/// group goes to each host with members once, however many it has there.
///
/// `Ipc.open("a", hub.open(here), List.of(there))`, then [#process]. Guarantees and limits are in `docs/ipc.md`.
///
/// Any thread may call any method. Futures complete on the host's thread: what is chained to them, as by `thenApply`,
/// runs there and must not wait, but may make calls, which are done after what the host has to do anyway, a thousand in
/// a turn; use the forms with `Async` for what waits. Those that are not done when the host stops complete with
/// [IllegalStateException], or, when it stops because it has failed, with [Status#HARDWARE_FAIL]. Source: T-Shoshin.
public final class Ipc implements AutoCloseable {
  private static final int CALLS_MAX = 1024; // that wait for the host's thread; who makes more waits
  private static final int OWN_MAX = 1024; // calls of callbacks in a turn: one may go on for ever
  private static final String CLOSED = "the host is closed";
  private static final IpcHost.Times TIMES =
      new IpcHost.Times(millis(200), millis(2000), new IpcProtocol.Times(millis(1000), millis(500)));

  /// A call that is not done. One that has no value for it fails with an exception when the host does.
  private record Open<T>(CompletableFuture<T> future, @Nullable T failed) {
    void end(@Nullable Throwable failure) {
      if (failure != null && failed != null) {
        future.complete(failed);
      } else {
        String why = failure == null ? CLOSED : "the host has failed: " + failure;
        future.completeExceptionally(new IllegalStateException(why, failure));
      }
    }
  }

  /// Who wants to know when so many hosts are heard.
  private record Waiting(int hosts, Consumer<Set<MemberId>> done) {}

  private final IpcHost host;
  private final Transport transport;
  private final Here here;
  private final List<Waiting> waiting = new ArrayList<>(); // of the host's thread
  private final BlockingQueue<Runnable> calls = new ArrayBlockingQueue<>(CALLS_MAX);
  private final ArrayDeque<Runnable> own = new ArrayDeque<>(); // calls of the host's thread, made by callbacks
  private final ArrayDeque<Runnable> told = new ArrayDeque<>(); // outcomes that wait until all is written
  private final Thread thread;
  private final Set<Open<?>> open = ConcurrentHashMap.newKeySet(); // calls that are not done
  private volatile @Nullable ProgramSocket programs; // where others attach
  private volatile boolean closed;
  private volatile boolean finished; // the thread serves nobody any more
  private volatile @Nullable Throwable failure; // why, when nobody has closed it

  private Ipc(String name, String cluster, Transport transport, List<Address> hosts, @Nullable GroupIds ids) {
    var self = new MemberId(name, transport.address(), Incarnation.next());
    this.host = new IpcHost(self, cluster, transport, hosts, TIMES);
    this.transport = transport;
    this.here = new Here(ids);
    this.thread = Thread.ofPlatform().name("tutti-ipc-" + name).daemon().unstarted(this::run);
    if (ids != null) {
      host.groups().ask(new Asked(ids));
    }
  }

  /// Begins a host.
  ///
  /// @param name      unlike those of all other hosts; the same name with a later life replaces an earlier one
  /// @param transport not started; belongs to the host from now on, which closes it
  /// @param hosts     where other hosts may be; each host lists another one or is listed by it, and its own address
  ///                  does no harm
  /// @return the host
  /// @throws IllegalArgumentException when the name is none, or name and address are too long for the transport
  public static Ipc open(String name, Transport transport, List<Address> hosts) {
    return open(name, "", transport, hosts);
  }

  /// Begins a host of a cluster.
  ///
  /// @param name      as in [#open(String, Transport, List)]
  /// @param cluster   hosts of other clusters, and those of none, do not hear this one
  /// @param transport not started; belongs to the host from now on, which closes it
  /// @param hosts     where other hosts may be
  /// @return the host
  /// @throws IllegalArgumentException when the name is none, or name and address are too long for the transport
  public static Ipc open(String name, String cluster, Transport transport, List<Address> hosts) {
    return new Ipc(name, cluster, transport, hosts, null).begun();
  }

  /// Begins a host that knows a group-id server: its processes create and destroy groups, and join those that were
  /// created.
  ///
  /// @param name      as in [#open(String, Transport, List)]
  /// @param cluster   hosts of other clusters, and those of none, do not hear this one
  /// @param transport not started; belongs to the host from now on, which closes it
  /// @param hosts     where other hosts may be
  /// @param ids       the server, the same for all hosts; stays the caller's, who closes it after the host
  /// @return the host
  /// @throws IllegalArgumentException when the name is none, or name and address are too long for the transport
  public static Ipc open(String name, String cluster, Transport transport, List<Address> hosts, GroupIds ids) {
    return new Ipc(name, cluster, transport, hosts, ids).begun();
  }

  private Ipc begun() {
    thread.start();
    return this;
  }

  /// Where other hosts reach this one.
  ///
  /// @return the address of its transport
  public Address address() {
    return host.self().address();
  }

  /// Begins a process of this host: whoever sends and receives, a thread of the program for example.
  ///
  /// @return the process
  /// @throws IllegalStateException when the host is closed, or has 1024 processes
  public IpcProcess process() {
    return IpcProcess.of(here);
  }

  /// Lets other programs of this user on this machine attach to this host: they have processes here as this program
  /// has, and other hosts see no difference. The file is made so that only its owner can connect, at no moment anybody
  /// else; that of a host that has ended is replaced; it is removed when this host closes.
  ///
  /// @param socket where to make the file of a Unix domain socket, in a directory that is there; 103 bytes at most
  /// @throws IOException           when that cannot be, another host listens there or the file is something else; the
  ///                               message says it in a sentence with the path
  /// @throws IllegalStateException when the host is closed, or programs attach at another path already
  public synchronized void accept(Path socket) throws IOException {
    if (programs != null) {
      throw new IllegalStateException("programs attach at " + programs.path() + " already");
    }
    if (closed) {
      throw new IllegalStateException(CLOSED);
    }
    var listening = new ProgramSocket(this, here, socket);
    programs = listening;
    if (finished) {
      listening.close();
    }
  }

  /// Attaches this program to a host of another one on this machine, which has called [#accept].
  ///
  /// @param socket the file
  /// @return this program at that host
  /// @throws IOException when nobody listens there, the file is something else, or the host does not take this program;
  ///                     the message says it in a sentence with the path
  public static Attachment attach(Path socket) throws IOException {
    return Attachment.to(socket);
  }

  /// The other programs that are attached.
  ///
  /// @return how many, and how many were disconnected and why; none before [#accept]
  public Programs programs() {
    ProgramSocket listening = programs;
    return listening == null ? new Programs(0, Map.of()) : listening.programs();
  }

  /// The other hosts that this one hears now.
  ///
  /// @return their names and addresses, in the order of the names
  /// @throws IllegalStateException when the host is closed
  public Set<MemberId> hosts() {
    return this.<Set<MemberId>>call(Urgency.AT_ONCE, done -> done.accept(hostsNow()), null).join();
  }

  /// Waits until so many other hosts are heard at a time: a message that is sent earlier does not reach them.
  ///
  /// @param hosts how many, 0 to 256
  /// @return completes with their names and addresses, in the order of the names
  /// @throws IllegalArgumentException when the number is out of range
  /// @throws IllegalStateException    when the host is closed
  public CompletableFuture<Set<MemberId>> heard(int hosts) {
    if (hosts < 0 || hosts > IpcHost.HOSTS_MAX) {
      throw new IllegalArgumentException("a host hears 0 to " + IpcHost.HOSTS_MAX + " others, not " + hosts);
    }
    return call(done -> {
      waiting.add(new Waiting(hosts, done));
      tellWaiting();
    });
  }

  private void tellWaiting() {
    for (Iterator<Waiting> each = waiting.iterator(); each.hasNext(); ) {
      Waiting next = each.next();
      if (host.needed().size() >= next.hosts()) {
        each.remove();
        next.done().accept(hostsNow());
      }
    }
  }

  /// Which peers did not take this host in lately, and why: another cluster, TLS, a certificate, a version.
  ///
  /// @return at most 16; a peer that is heard after all is in it no longer, nor one that has not refused it for ten
  ///     seconds
  /// @throws IllegalStateException when the host is closed
  public List<Refused> refused() {
    return this.<List<Refused>>call(Urgency.AT_ONCE, done -> done.accept(host.refused()), null).join();
  }

  private Set<MemberId> hostsNow() {
    return Collections.unmodifiableSet(new TreeSet<>(host.needed()));
  }

  /// Why the host has stopped although nobody has closed it: its transport has failed, mostly.
  ///
  /// @return null while it runs, and after an end in order
  public @Nullable Throwable failure() {
    return failure;
  }

  /// Ends all processes, tells the other hosts as far as that is possible at once, and stops. Idempotent. Waits until
  /// that is done, but on the host's thread.
  @Override
  public void close() {
    closed = true;
    if (isOwnThread()) {
      return;
    }
    transport.wakeup();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- for processes -----------------------------------------------------------------------------------------------

  private boolean isOwnThread() {
    return Thread.currentThread() == thread;
  }

  /// When a call is made, and when its caller is told.
  private enum Urgency {
    /// Made at once by the host's thread itself, which may wait for it.
    AT_ONCE,

    /// Made in its turn.
    IN_TURN,

    /// Made in its turn, and its caller, another thread, is told when the host has written what it has to say: a thread
    /// takes longer to wake up than a frame to be written, and somebody waits for that frame, too.
    AFTER_WRITING
  }

  <T> CompletableFuture<T> call(Consumer<Consumer<T>> step) {
    return call(Urgency.IN_TURN, step, null);
  }

  /// Runs a call on the host's thread, and waits only when too many calls do.
  ///
  /// @param failed its outcome when the host fails; null for an exception
  private <T> CompletableFuture<T> call(Urgency urgency, Consumer<Consumer<T>> step, @Nullable T failed) {
    var future = new CompletableFuture<T>();
    var call = new Open<>(future, failed);
    boolean ours = isOwnThread();
    boolean waits = urgency == Urgency.AFTER_WRITING && !ours;
    Consumer<T> done =
        value -> {
          open.remove(call);
          if (waits) {
            told.add(() -> future.complete(value));
          } else {
            future.complete(value);
          }
        };
    open.add(call);
    if (ours && !closed) {
      if (urgency == Urgency.AT_ONCE) {
        step.accept(done);
      } else {
        own.add(() -> step.accept(done));
      }
      return future;
    }
    boolean posted = false;
    try {
      while (!posted) {
        if (closed) {
          open.remove(call);
          return notBegun(call);
        }
        posted = calls.offer(() -> step.accept(done), 100, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException _) {
      open.remove(call);
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while too many calls wait");
    }
    transport.wakeup();
    if (finished) {
      call.end(failure); // the thread may have looked before it was there
    }
    return future;
  }

  /// @throws IllegalStateException when the host was closed and has not failed
  private <T> CompletableFuture<T> notBegun(Open<T> call) {
    if (failure == null) {
      throw new IllegalStateException(CLOSED);
    }
    call.end(failure);
    return call.future();
  }

  static long nanos(Duration timeout) {
    if (timeout.isNegative() || timeout.compareTo(Duration.ofDays(365)) > 0) {
      throw new IllegalArgumentException("a timeout is 0 to 365 days, not " + timeout);
    }
    return timeout.toNanos();
  }

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  // ---- the host's thread -------------------------------------------------------------------------------------------

  private void run() {
    try (transport) {
      transport.start(new Arrivals());
      long wait = 0;
      while (!closed) {
        transport.poll(wait);
        tell();
        host.begin(System.nanoTime());
        serve();
        host.turn();
        tellWaiting();
        boolean idle = calls.isEmpty() && own.isEmpty() && told.isEmpty();
        wait = idle ? host.deadline() - System.nanoTime() : 0;
      }
      closed = true;
      serve();
      List.copyOf(host.protocol().processes()).forEach(host.protocol()::end);
      host.turn();
      transport.poll(0);
    } catch (RuntimeException | Error e) {
      failure = e; // before it is seen as closed
      throw e;
    } finally {
      closed = true;
      finished = true;
      tell();
      open.forEach(call -> call.end(failure));
      ProgramSocket listening = programs;
      if (listening != null) {
        listening.close();
      }
    }
  }

  private void serve() {
    for (Runnable call = calls.poll(); call != null; call = calls.poll()) {
      call.run();
    }
    for (int made = 0; made < OWN_MAX && !own.isEmpty(); made++) {
      own.remove().run();
    }
  }

  private void tell() {
    while (!told.isEmpty()) {
      told.remove().run();
    }
  }

  /// Carries the calls of this program's processes, and is where all run.
  private final class Here implements Carrier, Request.Desk {
    private final @Nullable GroupIds ids;

    Here(@Nullable GroupIds ids) {
      this.ids = ids;
    }

    @Override
    public MemberId host() {
      return host.self();
    }

    @Override
    public <T> CompletableFuture<Result<T>> call(int process, Request<T> request) {
      Urgency urgency =
          switch (request) {
            case Request.Open _, Request.End _ -> Urgency.AT_ONCE;
            case Request.Receive _ -> Urgency.AFTER_WRITING;
            default -> Urgency.IN_TURN;
          };
      return Ipc.this.call(urgency, done -> request.run(this, process, done), new Aborted<>(Status.HARDWARE_FAIL));
    }

    @Override
    public IpcProtocol protocol() {
      return host.protocol();
    }

    @Override
    public IssuedGroups groups() {
      return host.groups();
    }

    @Override
    public @Nullable GroupIds ids() {
      return ids;
    }

    @Override
    public <T> void pass(CompletableFuture<Result<T>> outcome, Consumer<Result<T>> answer) {
      outcome.handleAsync(
          (result, _) -> {
            Result<T> known = result != null ? result : new Aborted<>(Status.NO_SERVER);
            try {
              return Ipc.this.call(done -> {
                answer.accept(known);
                done.accept(true);
              });
            } catch (IllegalStateException _) {
              return null; // the host is closed, and with it whoever waits
            }
          },
          Thread::startVirtualThread);
    }
  }

  /// The group-id server: its answers come on threads of its own, and are taken by the host's.
  private final class Asked implements IssuedGroups.Directory {
    private final GroupIds server;

    Asked(GroupIds server) {
      this.server = server;
    }

    @Override
    public void look(GroupId group, Consumer<Result<IssuedGroup>> answer) {
      here.pass(server.look(group), answer);
    }

    @Override
    public void check(GroupId group, String password, Consumer<Result<IssuedGroup>> answer) {
      here.pass(server.check(group, password), answer);
    }

    @Override
    public void destroy(GroupId group, String password, Consumer<Result<GroupId>> answer) {
      here.pass(server.destroy(group, password), answer);
    }
  }

  private final class Arrivals implements Receiver {
    @Override
    public void onFrame(ByteBuffer frame) {
      host.begin(System.nanoTime());
      host.arrived(frame);
    }

    @Override
    public void onReconnected(Address peer) {
      host.begin(System.nanoTime());
      host.reconnected(peer);
    }

    @Override
    public void onReady(Address peer) {
      host.begin(System.nanoTime());
      host.ready(peer);
    }

    @Override
    public void onRefused(Refused refused) {
      host.begin(System.nanoTime());
      host.refused(refused);
    }
  }
}
