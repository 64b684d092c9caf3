package org.tutti.cli;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.storage.StorageException;
import org.tutti.store.FileStorage;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;

/// This process's node and its membership of one group, and their orderly end: at the end of the command, or when a
/// signal (Ctrl-C) ends the process before.
final class Session implements AutoCloseable {
  private static final long LAST_WORDS_MILLIS = 5000; // as long as a busy machine may take
  private static final Duration NODE_WAITS = Duration.ofSeconds(5);
  private static final Duration LEAVE_MORE_MAX = Duration.ofSeconds(10);
  private static final Duration ASK_AGAIN = Duration.ofMillis(500);

  private final MemberOptions options;
  private final CombinedDiscovery search;
  private final List<Registration> registrations;
  private final boolean creator;
  private final Node node;
  private final Group group;
  private final CountDownLatch finished = new CountDownLatch(1);
  private final Thread hook;
  private volatile boolean signalled;
  private volatile int signalCode;
  private volatile Runnable afterLeaving = () -> {};

  private Session(
      MemberOptions options,
      CombinedDiscovery search,
      List<Registration> registrations,
      Node node,
      @Nullable GroupListener listener)
      throws InterruptedException {
    this.options = options;
    this.search = search;
    this.registrations = registrations;
    this.node = node;
    this.creator = search.creates() || (isFounder() && !isJoint());
    if (search.asks()) {
      node.discover(search);
    }
    this.group = enter(listener);
    this.hook = Thread.ofPlatform().name("signal").unstarted(this::onSignal);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /// Joins a group through members that listen at the contacts, or creates it when there are none.
  static Session open(
      String command,
      MemberOptions options,
      @Nullable Address listen,
      List<Contact> contacts,
      @Nullable GroupListener listener)
      throws InterruptedException {
    var search = new CombinedDiscovery(contacts, options);
    String name = options.nodeName(command);
    FileStorage storage = options.keeping.open();
    try {
      Transport transport =
          options.carrier.open(
              listen != null ? listen : facing(search, options), options.advertise, options.cluster, options.profile);
      refuseToVote(options, transport);
      // Who is only there to send or to watch is no member to be counted on.
      List<Registration> registrations = options.enrols ? search.enrol(name, transport.address()) : List.of();
      Node node =
          Node.named(name)
              .cluster(options.cluster)
              .contacts(search.fixed())
              .suspectAfter(options.suspectAfter())
              .groupVersionMax(options.groupVersionMax)
              .transport(transport)
              .storage(storage)
              .spillTo(options.spilling.directory)
              .start();
      try {
        return new Session(options, search, registrations, node, listener);
      } catch (Failure nobody) {
        node.close();
        throw nobody;
      }
    } catch (TransportException | StorageException | IllegalArgumentException e) {
      if (storage != null) {
        storage.close();
      }
      if (e instanceof IllegalArgumentException) { // a setting whose range only the node knows
        throw Failure.ofSetting(e);
      }
      throw e;
    }
  }

  /// A member whose certificate is only for observers is not even announced.
  private static void refuseToVote(MemberOptions options, Transport transport) {
    String objection = options.observes ? null : transport.votingObjection();
    if (objection != null) {
      transport.close();
      throw new IllegalArgumentException(objection);
    }
  }

  /// Whether the registry, if one is asked, lets this member create the group.
  private boolean isFounder() throws InterruptedException {
    boolean founder = false;
    for (Registration registration : registrations) {
      founder |= registration.founds(options.timeout);
    }
    return founder;
  }

  /// This member is in the group.
  void entered() throws InterruptedException {
    for (Registration registration : registrations) {
      registration.entered();
    }
  }

  /// A port of the interface that leads to the first contact, chosen by the kernel; waits until there is one.
  private static Address facing(CombinedDiscovery search, MemberOptions options) throws InterruptedException {
    long startNanos = System.nanoTime();
    List<Address> found = search.fixed();
    while (found.isEmpty()) {
      found = search.find();
      if (found.isEmpty() && System.nanoTime() - startNanos > options.timeout.toNanos()) {
        throw nobodyAnswers("nobody", search, options);
      }
      if (found.isEmpty()) {
        Thread.sleep(ASK_AGAIN);
      }
    }
    return facing(found.getFirst().text());
  }

  /// A port of the interface that leads to an address, chosen by the kernel.
  static Address facing(String text) {
    String host = text.substring(0, text.lastIndexOf(':')).replaceAll("[\\[\\]]", "");
    try (var probe = new DatagramSocket()) {
      // Connecting a datagram socket sends nothing: it only asks for the route.
      probe.connect(new InetSocketAddress(InetAddress.ofLiteral(host), 1));
      return AddressConverter.of(probe.getLocalAddress(), 0);
    } catch (IOException e) {
      throw new Failure("no route to " + text + ": " + e.getMessage(), e);
    }
  }

  private Group enter(@Nullable GroupListener listener) {
    GroupConfig config = options.config();
    MemberConfig member = options.spilling.member().listener(listener).takesState(false).build();
    if (options.observes) {
      return node.observe(options.group, member);
    }
    if (isCreator()) {
      return node.create(options.group, config, member);
    }
    if (options.number > 0) {
      return node.joinOrCreate(options.group, options.number, config, member);
    }
    if (!options.expected.isEmpty()) {
      return node.joinOrCreate(options.group, options.expected, config, member);
    }
    return options.describes ? node.join(options.group, config, member) : node.join(options.group, member);
  }

  /// Whether this command was to start the group.
  boolean isCreator() {
    return creator;
  }

  /// Whether several members found the group together.
  boolean isJoint() {
    return !options.expected.isEmpty() || options.number > 0;
  }

  /// Whether the member keeps the group's history.
  boolean isDurable() {
    return options.keeping.data != null;
  }

  Group group() {
    return group;
  }

  Node node() {
    return node;
  }

  /// Whether a signal ends the process.
  boolean isSignalled() {
    return signalled;
  }

  /// What the process ends with when a signal ends it; 0 unless said otherwise.
  void exitOnSignal(int code) {
    signalCode = code;
  }

  /// What ends the command when a signal ends the process and the group has been left.
  void afterLeavingOnSignal(Runnable ending) {
    afterLeaving = ending;
    if (signalled) {
      ending.run(); // maybe once more
    }
  }

  /// Why there is no view after the timeout.
  Failure nobodyAnswers() throws InterruptedException {
    List<Refused> refused = group.status().refused();
    if (!refused.isEmpty()) {
      return refused(refused);
    }
    boolean reached =
        node.metrics().stream().anyMatch(one -> one.name().endsWith(".peers.connected") && one.value() > 0);
    if (search.contacts().isEmpty()) { // nobody was looked for
      return new Failure("no view yet (waited " + TimeConverter.show(options.timeout) + "); " + group.status());
    }
    String problem = reached ? "no member of group \"" + options.group + "\"" : "nobody";
    return nobodyAnswers(problem, search, options);
  }

  /// Who does not take this node in, and why; the others have not answered.
  private Failure refused(List<Refused> by) {
    Set<String> contacts = new LinkedHashSet<>(search.contacts());
    by.forEach(one -> contacts.remove(one.by().text()));
    String others = contacts.isEmpty() ? "" : "; nobody else answers at " + search.description();
    return new Failure("refused by " + texts(by) + others + " (waited " + TimeConverter.show(options.timeout) + ")");
  }

  static String texts(List<Refused> by) {
    return by.stream().map(Refused::toString).collect(Collectors.joining("; by "));
  }

  private static Failure nobodyAnswers(String problem, CombinedDiscovery search, MemberOptions options) {
    return new Failure(
        problem + " answers at " + search.description() + " (waited " + TimeConverter.show(options.timeout) + ")");
  }

  /// The membership has ended although nobody here wanted that.
  Failure ended(End end) {
    Throwable failure = node.failure();
    boolean named = group.status().refused().stream().anyMatch(one -> one.reason() == Refused.Reason.NAME_IN_USE);
    boolean refused = named || end.cause() == End.Cause.REFUSED || end.cause() == End.Cause.OTHER_VERSION;
    String line = (refused ? "refused by" : "no longer a member of") + " group \"" + options.group + "\": " + end;
    return failure == null ? new Failure(line) : new Failure(line, failure);
  }

  private void onSignal() {
    signalled = true;
    leave();
    afterLeaving.run();
    try {
      boolean said = finished.await(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS);
      // Leaving in an orderly way is the success of a command that runs until it is stopped.
      Runtime.getRuntime().halt(said ? signalCode : 1);
    } catch (InterruptedException impossible) {
      Thread.currentThread().interrupt();
    }
  }

  /// Whoever leaves last waits a time of suspicion for those who were lost, and may have to suspect another one before:
  /// with a long one, for more than the few seconds that a node waits.
  private void leave() {
    Duration more = options.suspectAfter().multipliedBy(2).minus(NODE_WAITS);
    if (more.isPositive()) {
      group.close(more.compareTo(LEAVE_MORE_MAX) < 0 ? more : LEAVE_MORE_MAX);
    }
    node.close();
  }

  @Override
  public void close() {
    leave();
    finished.countDown();
    forget(hook);
  }

  /// Takes away a hook for signals, when the command ends by itself.
  static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException signalling) {
      // The hook runs and ends the process.
    }
  }
}
