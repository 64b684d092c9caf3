package org.tutti.orbs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.UserException;
import org.omg.PortableGroup.GOAHelper;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.ThreadPolicyValue;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.View;
import org.tutti.bench.member.BenchTarget;
import org.tutti.bench.member.Callers;
import org.tutti.orbs.idl.Counted;
import org.tutti.orbs.idl.CountedHelper;

/// An ORB of its own: the first processes are servers of one object, the last one is their client. Which transport the
/// ORBs use is said by their properties and by the client's reference; servant and client are the same for all.
///
/// | stack | what it is |
/// | --- | --- |
/// | `iiop` | plain IIOP, to one server |
/// | `ordered` | Tutti's plug-in: reliable, totally ordered |
/// | `reliable` | Tutti's plug-in: reliable, in the order of each client |
/// | `miop` | JacORB's own multicasts, which may be lost, and go where the system's route for them leads |
///
/// All object adapters have one thread: it is the fastest for one client, and keeps the order of a connection.
public final class OrbTarget implements BenchTarget {
  private static final String CLUSTER = "bench";
  private static final String GROUP = "counted";
  private static final String SERVER = "CountedServer";
  private static final String ADAPTER = "counted";
  private static final String OBJECT = "main";
  private static final String KEY = "Counted";
  private static final String IIOP = "iiop";
  private static final String MIOP = "miop";
  private static final String RELIABLE = "reliable";

  /// JacORB takes ports below 32768 only.
  private static final String MULTICASTS = "corbaloc:miop:1.0@1.0-" + CLUSTER + "-1/239.1.2.3:20999";

  private static final Duration SUSPECT = Duration.ofSeconds(10); // a busy machine is no reason for a view change
  private static final Duration DEADLINE = Duration.ofSeconds(20); // of a call

  private final CountedServant servant = new CountedServant();
  private final AtomicLong sent = new AtomicLong();
  private String stack = IIOP;
  private String address = "";
  private List<String> servers = List.of(); // their addresses
  private String clientIs = "";
  private boolean isClient;
  private @Nullable ORB orb;
  private @Nullable Counted object;

  /// As services are made.
  public OrbTarget() {}

  @Override
  public String name() {
    return "orb";
  }

  /// Settings: `stack`.
  @Override
  public String open(Map<String, String> settings) throws IOException {
    stack = settings.getOrDefault("stack", IIOP);
    String host = settings.getOrDefault(HOST, LOOPBACK);
    try (var free = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      address = host + ":" + free.getLocalPort();
    }
    return address;
  }

  private boolean isGroup() {
    return !stack.equals(IIOP) && !stack.equals(MIOP);
  }

  @Override
  public void form(int rank, List<String> addresses) throws UserException {
    servers = addresses.subList(0, addresses.size() - 1);
    isClient = rank == servers.size();
    if (!isClient) {
      serve(rank);
    }
  }

  /// An ordinary server.
  private void serve(int rank) throws UserException {
    ORB own = ORB.init(new String[0], isGroup() ? member(rank) : alone());
    orb = own;
    POA root = POAHelper.narrow(own.resolve_initial_references("RootPOA"));
    Policy[] policies = {
      root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
      root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID),
      root.create_thread_policy(ThreadPolicyValue.SINGLE_THREAD_MODEL)
    };
    POA adapter = root.create_POA(ADAPTER, root.the_POAManager(), policies);
    byte[] id = OBJECT.getBytes(StandardCharsets.US_ASCII);
    adapter.activate_object_with_id(id, servant);
    if (stack.equals(MIOP)) {
      GOAHelper.narrow(adapter).associate_reference_with_id(own.string_to_object(MULTICASTS), id);
    }
    root.the_POAManager().activate();
    Thread.ofPlatform().daemon().name("orb").start(own::run);
  }

  private Properties common() {
    var properties = new Properties();
    if (stack.equals(MIOP)) {
      properties.put(
          "jacorb.transport.factories", "org.jacorb.orb.iiop.IIOPFactories,org.jacorb.orb.miop.MIOPFactories");
    }
    properties.put("jacorb.orb.print_version", "off");
    properties.put("jacorb.implname", SERVER);
    properties.put("jacorb.poa.queue_wait", "on"); // else JacORB drops one-way requests when there are many
    properties.put("OAIAddr", LOOPBACK);
    return properties;
  }

  private Properties alone() {
    Properties properties = common();
    int colon = address.lastIndexOf(':');
    properties.put("OAIAddr", address.substring(0, colon));
    properties.put("OAPort", address.substring(colon + 1));
    return properties;
  }

  private Properties plugIn() {
    Properties properties = common();
    properties.put("jacorb.transport.factories", "org.jacorb.orb.iiop.IIOPFactories,org.tutti.romiop.RomiopFactories");
    properties.put("tutti.romiop.suspect_after", Long.toString(SUSPECT.toMillis()));
    properties.put("tutti.romiop.join_timeout", Long.toString(DEADLINE.toMillis()));
    return properties;
  }

  private Properties member(int rank) {
    Properties properties = plugIn();
    properties.put("jacorb.transport.server.listeners", "0");
    properties.put("org.omg.PortableInterceptor.ORBInitializerClass.tutti", "org.tutti.romiop.RomiopInitializer");
    properties.put("jacorb.orb_initializer.fail_on_error", "on");
    properties.put("jacorb.orb.objectKeyMap." + KEY, SERVER + "/" + ADAPTER + "/" + OBJECT);
    properties.put("tutti.romiop.cluster", CLUSTER);
    properties.put("tutti.romiop.group", GROUP);
    properties.put("tutti.romiop.name", "s" + rank);
    properties.put("tutti.romiop.listen", address);
    properties.put("tutti.romiop.contacts", String.join(",", servers));
    properties.put(
        "tutti.romiop.members",
        IntStream.range(0, servers.size()).mapToObj(each -> "s" + each).collect(Collectors.joining(",")));
    properties.put("tutti.romiop.objects", KEY);
    properties.put("tutti.romiop.stack", stack);
    properties.put("tutti.romiop.recoverable", Boolean.toString(stack.equals(RELIABLE)));
    return properties;
  }

  /// The client waits until all servers are there: who called before would lose the one that is missing.
  @Override
  public void ready() throws InterruptedException {
    if (!isClient || !isGroup()) {
      return;
    }
    try (Node watcher =
        Node.named("watcher").cluster(CLUSTER).contacts(servers.getFirst()).suspectAfter(SUSPECT).start()) {
      Group group =
          watcher.observe(
              stack.equals(RELIABLE) ? GROUP + "!" + stack : GROUP, MemberConfig.builder().takesState(false).build());
      while (!(group.receive() instanceof Event.ViewChange(View view))
          || !view.primary()
          || view.voting() < servers.size()) {
        // Other events do not matter.
      }
    }
  }

  /// `client RULE MILLIS`: from now on the client is one of this rule for replies whose requests wait so long for
  /// others. Another one has an ORB of its own, and only one of them is there at a time, as each observes the group.
  @Override
  public Map<String, ?> perform(String[] command) {
    if (!command[0].equals("client") || !isClient) {
      throw new IllegalArgumentException("no command: " + command[0]);
    }
    String wanted = String.join(" ", command);
    if (!wanted.equals(clientIs)) {
      close();
      connect(command[1], command[2]);
      clientIs = wanted;
    }
    return Map.of();
  }

  private void connect(String rule, String gatherMillis) {
    Properties properties = isGroup() ? plugIn() : common();
    properties.put("tutti.romiop.gather", gatherMillis);
    ORB own = ORB.init(new String[0], properties);
    orb = own;
    Counted called = CountedHelper.unchecked_narrow(own.string_to_object(reference(rule)));
    if (!stack.equals(MIOP)) { // which has no two-way calls
      called.call(new byte[0]);
    }
    object = called;
  }

  private String reference(String rule) {
    if (isGroup()) {
      return String.format(
          "corbaloc:tutti:1.0@%s!%s!%s!%s~%dms!%s/%s",
          CLUSTER, GROUP, String.join("+", servers), rule, DEADLINE.toMillis(), stack, KEY);
    }
    return stack.equals(MIOP)
        ? MULTICASTS
        : "corbaloc:iiop:1.2@" + servers.getFirst() + "/" + SERVER + "/" + ADAPTER + "/" + OBJECT;
  }

  /// JacORB's MIOP opens a socket for each message and closes none. The collector does.
  @Override
  public void turn(boolean ours) {
    if (!ours && isClient && stack.equals(MIOP)) {
      System.gc();
    }
  }

  private Counted called() {
    Counted called = object;
    if (called == null) {
      throw new IllegalStateException("no client yet, or a server");
    }
    return called;
  }

  @Override
  public Callers.Result calls(Calls calls) throws InterruptedException, ExecutionException, TimeoutException {
    Counted called = called();
    byte[] what = new byte[calls.bytes()];
    Callers.Caller caller = () -> CompletableFuture.completedFuture(called.call(what));
    return Callers.run(Collections.nCopies(calls.callers(), caller), calls.nanos(), calls.sendingThread());
  }

  @Override
  public long flood(int bytes, long forNanos) {
    Counted called = called();
    byte[] what = new byte[bytes];
    long messages = 0;
    for (long end = System.nanoTime() + forNanos; System.nanoTime() < end; messages++) {
      called.tell(what);
      sent.incrementAndGet();
    }
    return messages;
  }

  /// Of a client, what it has sent one-way.
  @Override
  public long delivered() {
    return isClient ? sent.get() : servant.count();
  }

  @Override
  public Histogram closedLoop(int bytes, long forNanos, SendingThread sendingThread) {
    throw new UnsupportedOperationException("not measured");
  }

  @Override
  public void close() {
    ORB own = orb;
    if (own != null) {
      orb = null;
      object = null;
      own.shutdown(true);
      own.destroy();
    }
  }
}
