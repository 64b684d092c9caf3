package org.tutti.verify.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Durability;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.GroupMetrics;
import org.tutti.LatencyHistogram;
import org.tutti.LocalRequest;
import org.tutti.LoggedEvent;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.Outcome;
import org.tutti.Packing;
import org.tutti.PrimaryViews;
import org.tutti.SendOptions;
import org.tutti.StateSink;
import org.tutti.StateSource;
import org.tutti.Status;
import org.tutti.Suspicion;
import org.tutti.TracedMessage;
import org.tutti.View;
import org.tutti.certs.Authority;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.fixture.Tree;
import org.tutti.spi.NodeHost;
import org.tutti.storage.OwnerOnly;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;
import org.tutti.transport.memory.InProcess;

/// The examples in the documentation of the API. Its comments show regions of this file (`@start`, `@end`), which is
/// compiled, and runs here.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ApiExamplesTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String SOURCE = "dev/verify/src/test/java/org/tutti/verify/docs/ApiExamplesTest.java";
  private static final List<String> PACKAGES = List.of("", "spi", "storage", "transport", "transport/memory");
  private static final Pattern SHOWN = Pattern.compile("\\{@snippet class=\"ApiExamplesTest\" region=\"([a-z-]+)\"}");
  private static final Pattern REGION = Pattern.compile("@start region=\"([a-z-]+)\"");
  private static final Set<String> MAIN_TYPES =
      Set.of(
          "Node",
          "NodeBuilder",
          "Group",
          "GroupConfig",
          "MemberConfig",
          "Event",
          "Outcome",
          "SendOptions",
          "Status",
          "GroupListener",
          "StateSink",
          "StateSource",
          "Whiteboard",
          "LocalRequest",
          "Packing",
          "End",
          "GroupMetrics",
          "Metric");

  private final InProcess hub = new InProcess();
  private final List<Node> nodes = new ArrayList<>();
  private final List<String> log = new ArrayList<>();

  @TempDir Path directory;

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
  }

  /// The first one is whom the others ask.
  private Node node(int number) {
    Node node = Node.named("n" + number).contacts("n1").transport(hub.open(new Address("n" + number))).start();
    nodes.add(node);
    return node;
  }

  private void log(String line) {
    log.add(line);
  }

  // ---- nodes -------------------------------------------------------------------------------------------------------

  private static String firstMessage() throws InterruptedException {
    // @start region="node"
    try (Node node = Node.named("n1").start();
        Group bank = node.create("bank", GroupConfig.standard())) {
      bank.multicast("hello".getBytes(UTF_8));
      while (true) {
        switch (bank.receive()) {
          case Event.ViewChange(View view) -> System.out.println("with " + view.members());
          case Event.Delivery delivery -> {
            return UTF_8.decode(delivery.payload()).toString();
          }
          default -> {} // nothing that this program needs
        }
      }
    }
    // @end
  }

  @Test
  void aNodeIsStartedAndItsGroupDelivers() throws Exception {
    assertThat(firstMessage()).isEqualTo("hello");
  }

  @Test
  void nodesFindEachOtherByTheirAddresses() throws Exception {
    // @start region="named"
    Node first = Node.named("n1").listen("127.0.0.1:0").start(); // port 0: the kernel chooses one
    Node second = Node.named("n2").contacts(first.self().address().text()).start();
    // @end
    nodes.addAll(List.of(first, second));
    first.create("bank", GroupConfig.standard());
    assertThat(second.join("bank").joined().get(SOON.toSeconds(), TimeUnit.SECONDS).size()).isEqualTo(2);
  }

  private static View meet(String name, String here, String there, Path certificates, Path data) throws Exception {
    // @start region="builder"
    try (Node node = Node.named(name).listen(here).contacts(here, there).tls(certificates).data(data).start();
        Group chat = node.joinOrCreate("chat", Set.of("n1", "n2"), GroupConfig.standard())) {
      View view = chat.awaitServing(Duration.ofSeconds(60));
      return view;
    }
    // @end
  }

  @Test
  void nodesAreBuiltByPlainSettings() throws Exception {
    Authority authority = Authority.in(directory.resolve("authority"));
    List<String> places = List.of(LoopbackPorts.address(), LoopbackPorts.address());
    List<CompletableFuture<View>> views = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      String name = "n" + (i + 1);
      String here = places.get(i);
      String there = places.get(1 - i);
      Path certificates = authority.issue(name, "tutti", Duration.ofDays(1));
      views.add(inBackground(() -> meet(name, here, there, certificates, directory.resolve(name))));
    }
    for (CompletableFuture<View> view : views) {
      assertThat(view.get(SOON.toSeconds(), TimeUnit.SECONDS).primary()).isTrue();
    }
  }

  @Test
  void nodesOfOneProcessAreConnectedThroughMemory() throws Exception {
    // @start region="memory"
    var network = new InProcess();
    try (Node n1 = Node.named("n1").transport(network.open(new Address("n1"))).start();
        Node n2 = Node.named("n2").contacts("n1").transport(network.open(new Address("n2"))).start()) {
      Group one = n1.create("bank", GroupConfig.standard());
      Group two = n2.join("bank");
      two.awaitServing(Duration.ofSeconds(10));
      log(one.name() + " has " + two.view().size() + " members");
    }
    // @end
    assertThat(log).containsExactly("bank has 2 members");
  }

  @Test
  void aHostStartsNodes() {
    // @start region="host"
    Node node = NodeHost.installed().start(Node.named("n1").settings()); // what Node.named("n1").start() does
    // @end
    nodes.add(node);
    assertThat(node.self().name()).isEqualTo("n1");
  }

  @Test
  void aMessageCarriesItsTrace() {
    Map<String, String> headers = Map.of("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    ByteBuffer deposit = ByteBuffer.wrap("deposit 100".getBytes(UTF_8));
    // @start region="traced-message"
    ByteBuffer payload =
        TracedMessage.of(headers.get("traceparent"), headers.get("tracestate"), deposit).encode(); // to be sent
    TracedMessage delivered = TracedMessage.decode(payload); // where it arrives
    log(delivered.traceparent() + ": " + UTF_8.decode(delivered.message()));
    // @end
    assertThat(log).containsExactly(headers.get("traceparent") + ": deposit 100");
  }

  @Test
  void aNodeTellsNumbers() throws InterruptedException {
    Node node = node(1);
    // @start region="metric"
    for (Metric metric : node.metrics()) {
      log(metric.toString()); // such as link.packets.dropped{reason=own-packet} 0 packets
    }
    // @end
    assertThat(log).contains("link.packets.dropped{reason=own-packet} 0 packets");
  }

  @Test
  void aNodeTellsWhetherItIsAlive() {
    Node node = node(1);
    // @start region="turning"
    boolean live = node.isTurning(Duration.ofSeconds(2)); // what a liveness probe is answered
    // @end
    assertThat(live).isTrue();
  }

  // ---- settings ----------------------------------------------------------------------------------------------------

  @Test
  void groupsAreConfigured() throws Exception {
    // @start region="group-config"
    GroupConfig bank =
        GroupConfig.builder()
            .ordering(Ordering.SKEEN)
            .electorate("n1", "n2", "n3")
            .stateTransfer(true)
            .durability(Durability.VIEWS)
            .build();
    // @end
    assertThat(bank.toString()).startsWith("GroupConfig{ordering=SKEEN, electorate=[n1, n2, n3], ");
    // @start region="electorate"
    GroupConfig three = GroupConfig.builder().electorate("n1", "n2", "n3").build();
    // @end
    assertThat(three.primaryViews()).isEqualTo(PrimaryViews.STATIC_MAJORITY);
    // @start region="primary-views"
    GroupConfig both = GroupConfig.builder().electorate("n1", "n2", "n3").primaryViews(PrimaryViews.BOTH).build();
    // @end
    assertThat(both.primaryViews()).isEqualTo(PrimaryViews.BOTH);
  }

  @Test
  void expectationsAreCompared() throws Exception {
    Group bank = node(1).create("bank", GroupConfig.standard());
    bank.awaitServing(SOON);
    // @start region="difference"
    GroupConfig expected = GroupConfig.builder().ordering(Ordering.SKEEN).build();
    GroupConfig decided = bank.config();
    String words = decided == null ? null : expected.difference("bank", decided);
    // @end
    assertThat(words).isEqualTo("ordering is SEQUENCER in group bank, SKEEN was asked for");
  }

  @Test
  void membersAreConfigured() throws Exception {
    // @start region="member-config"
    MemberConfig member = MemberConfig.builder().windowBytes(8 << 20).batchMessagesMax(100).build();
    Group bank = node(1).create("bank", GroupConfig.standard(), member);
    // @end
    assertThat(member.toString()).startsWith("MemberConfig{windowBytes=8 MiB, batchMessagesMax=100; ");
    bank.awaitServing(SOON);
    // @start region="refuted-max"
    MemberConfig patient = MemberConfig.builder().suspicion(Suspicion.REFUTABLE).refutedMax(3).build();
    // @end
    assertThat(patient.refutedMax()).isEqualTo(3);
    // @start region="leave-when-behind"
    MemberConfig leaving = MemberConfig.builder().leaveWhenBehind(Duration.ofSeconds(30)).build();
    // @end
    assertThat(leaving.leaveWhenBehind()).isEqualTo(Duration.ofSeconds(30));
    // @start region="spill"
    MemberConfig spilling = MemberConfig.builder().spillBytesMax(10L << 30).build(); // 10 GiB
    // @end
    assertThat(spilling.spillBytesMax()).isEqualTo(10_737_418_240L);
    // @start region="takes-state"
    Group watched = node(2).observe("bank", MemberConfig.builder().takesState(false).build());
    // @end
    watched.awaitServing(SOON);
    assertThat(watched.status().isObserver()).isTrue();
    // @start region="member-version-max"
    MemberConfig common = MemberConfig.builder().groupVersionMax(bank.view().version()).build();
    Group small = node(3).create("small", GroupConfig.standard(), common); // who is in "bank" can join it
    // @end
    small.awaitServing(SOON);
    assertThat(small.view().version()).isEqualTo(bank.view().version());
  }

  // @start region="policy"
  /// Batches leave when they are full, and at once when nobody of this member's is on the way.
  record Full(int messagesMax) implements Packing.Policy {
    @Override
    public int bytesMax() {
      return Integer.MAX_VALUE;
    }

    @Override
    public long delayNanosMax() {
      return Duration.ofMillis(5).toNanos();
    }

    @Override
    public boolean closes(int batchesOnTheWay, long ageNanos) {
      return batchesOnTheWay == 0;
    }

    @Override
    public void delivered(long nowNanos, long messages) {} // a policy without memory
  }

  // @end

  @Test
  void membersPackInTheirWay() throws Exception {
    Node node = node(1);
    // @start region="packing"
    MemberConfig steady = MemberConfig.builder().packing(Packing.fixed(8, Duration.ofMillis(1))).build();
    MemberConfig adaptive = MemberConfig.builder().packing(Packing.hillClimb()).build();
    MemberConfig custom = MemberConfig.builder().packing(Packing.custom(() -> new Full(50))).build();
    // @end
    for (MemberConfig member : List.of(steady, adaptive, custom)) {
      Group group = node.create("g" + nodes.size(), GroupConfig.standard(), member);
      assertThat(group.multicast(new byte[] {1}).get(SOON.toSeconds(), TimeUnit.SECONDS))
          .isEqualTo(new Outcome.Ordered(0));
      group.close();
    }
  }

  // ---- sending -----------------------------------------------------------------------------------------------------

  @Test
  void aGroupIsEnteredAndLeft() throws Exception {
    Node node = node(1);
    // @start region="group"
    Group bank = node.joinOrCreate("bank", 1, GroupConfig.standard());
    View view = bank.awaitServing(Duration.ofSeconds(10)); // a primary view, and all of the history is here
    if (bank.multicast("deposit 100".getBytes(UTF_8)).get() instanceof Outcome.Ordered(long position)) {
      log(view.members() + " deliver it at " + position);
    }
    if (!bank.close(Duration.ofSeconds(5))) { // leaves; what was multicast is delivered first
      log("still leaving: " + bank.status());
    }
    // @end
    assertThat(log).containsExactly("[n1] deliver it at 0");
  }

  @Test
  void aGroupKeepsItsLastLines() throws Exception {
    Group bank = node(1).create("bank", GroupConfig.standard());
    while (bank.logged().isEmpty()) {
      Thread.onSpinWait();
    }
    // @start region="logged"
    for (LoggedEvent event : bank.logged()) {
      log(event.words()); // such as "n3 is suspected: not heard here for 1.0 s"
    }
    // @end
    assertThat(log).contains("caught up at position 0");
  }

  private void send(Group group, byte[] payload) throws InterruptedException, ExecutionException {
    // @start region="outcome"
    switch (group.multicast(payload).get()) {
      case Outcome.Ordered(long position) -> log("at " + position);
      case Outcome.Delivered() -> log("delivered");
      case Outcome.Undecided(CompletableFuture<Outcome> later) -> // do not send it again
          later.thenAccept(outcome -> log("after all: " + outcome));
      case Outcome.Unknown(String why) -> log(why);
      case Outcome.Refused(_, String why) -> log(why);
    }
    // @end
  }

  @Test
  void messagesHaveAnOutcome() throws Exception {
    send(node(1).create("bank", GroupConfig.standard()), new byte[] {1});
    assertThat(log).containsExactly("at 0");
  }

  @Test
  void aQuorumSaysWhereTheHistoryStands() throws Exception {
    Group group = node(1).create("bank", GroupConfig.standard());
    send(group, new byte[] {1});
    // @start region="confirm-position"
    long position = group.confirmPosition().get();
    log("an application that has taken all before " + position + " sees what was answered until now");
    // @end
    assertThat(log).last().asString().contains("all before 1 ");
  }

  @Test
  void messagesAreSentWithOptions() throws Exception {
    GroupConfig config = GroupConfig.builder().ordering(Ordering.SKEEN).build();
    Group group = node(1).create("bank", config);
    Group other = node(2).join("bank");
    other.awaitServing(SOON);
    while (group.view() == null || group.view().size() < 2) {
      group.receive(SOON);
    }
    byte[] payload = {1};
    MemberId alice = group.self();
    MemberId bob = other.self();
    // @start region="send-options"
    group.multicast(payload, SendOptions.fifo()); // to all, in the order of this sender only
    SendOptions both = SendOptions.to(List.of(alice, bob)); // to these, totally ordered
    CompletableFuture<Outcome> outcome = group.multicast(payload, both);
    // @end
    assertThat(outcome.get(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new Outcome.Delivered());
  }

  // ---- events and state --------------------------------------------------------------------------------------------

  // @start region="local-request"
  record Entries(String account) implements LocalRequest<Long> {}

  // @end

  /// A service whose replicas keep a list of lines.
  private static final class Ledger {
    private final List<String> entries = new ArrayList<>();
    private final CompletableFuture<String> serving = new CompletableFuture<>();

    End serve(Group bank) throws InterruptedException {
      // @start region="event"
      while (true) {
        switch (bank.receive()) {
          case Event.Delivery(_, _, _, ByteBuffer payload) -> entries.add(UTF_8.decode(payload).toString());
          case Event.ViewChange(View view) -> announce(view.primary() ? "in " + view.members() : "not serving");
          case Event.CaughtUp(long position) -> announce("serving from " + position);
          case Event.StateRequest request -> give(request);
          case Event.StateOffer offer -> take(offer);
          case Event.LocalCall call -> answer(call);
          case Event.Propagated _ -> {} // follows on Group.propagate only
          case Event.Closed(End end) -> {
            return end;
          }
        }
      }
      // @end
    }

    private void announce(String words) {
      if (words.startsWith("serving")) {
        serving.complete(words);
      }
    }

    private void answer(Event.LocalCall call) {
      // @start region="local-call-answer"
      if (call.request() instanceof Entries asked) {
        call.respond(asked, entries.stream().filter(entry -> entry.startsWith(asked.account() + " ")).count());
      } else {
        call.fail(new IllegalArgumentException("unknown: " + call.request()));
      }
      // @end
    }

    private void give(Event.StateRequest request) {
      // @start region="state-sink"
      try (StateSink sink = request.sink()) {
        int from = ByteBuffer.wrap(sink.token()).getInt(); // what the newcomer has, as it said by resume
        var out = new OutputStreamWriter(sink, UTF_8);
        out.write(from + "\n");
        for (String entry : entries.subList(from, entries.size())) {
          out.write(entry + "\n");
        }
        out.flush(); // streams in between must let go of what they keep
        sink.complete(); // without it, the newcomer gets no state
      } catch (IOException gone) {
        announce("no state for " + request.newcomer() + ": " + gone.getMessage());
      }
      // @end
    }

    private void take(Event.StateOffer offer) {
      // @start region="state-source"
      try (StateSource source = offer.source()) {
        source.resume(ByteBuffer.allocate(Integer.BYTES).putInt(entries.size()).array());
        var in = new BufferedReader(new InputStreamReader(source, UTF_8));
        int from = Integer.parseInt(in.readLine());
        entries.subList(from, entries.size()).clear();
        for (String entry = in.readLine(); entry != null; entry = in.readLine()) { // to the end
          entries.add(entry);
        }
      } catch (IOException gone) {
        announce("half a state: another donor follows");
      }
      // @end
    }
  }

  @Test
  void replicasServeGiveAndTakeStateAndAnswerTheirThreads() throws Exception {
    GroupConfig config = GroupConfig.builder().stateTransfer(true).build();
    Group first = node(1).create("bank", config);
    var one = new Ledger();
    CompletableFuture<End> firstEnd = inBackground(() -> one.serve(first));
    for (String entry : List.of("alice +100", "bob +7", "alice -30")) {
      first.multicast(entry.getBytes(UTF_8)).get(SOON.toSeconds(), TimeUnit.SECONDS);
    }
    Group bank = node(2).join("bank");
    var two = new Ledger();
    CompletableFuture<End> secondEnd = inBackground(() -> two.serve(bank));
    assertThat(two.serving.get(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("serving from 3");
    // @start region="local-call"
    long entries = bank.localCall(new Entries("alice"));
    // @end
    assertThat(entries).isEqualTo(2);
    bank.close();
    assertThat(secondEnd.get(SOON.toSeconds(), TimeUnit.SECONDS).cause()).isEqualTo(End.Cause.LEFT);
    first.close();
    assertThat(firstEnd.get(SOON.toSeconds(), TimeUnit.SECONDS).cause()).isEqualTo(End.Cause.LEFT);
  }

  @Test
  void listenersGetEventsOnTheEngineThread() throws Exception {
    Node node = node(1);
    // @start region="listener"
    var count = new AtomicLong();
    GroupListener counter = (sender, service, position, payload) -> count.incrementAndGet();
    Group chat = node.create("chat", GroupConfig.standard(), MemberConfig.builder().listener(counter).build());
    // @end
    chat.multicast(new byte[] {1}).get(SOON.toSeconds(), TimeUnit.SECONDS);
    chat.close();
    assertThat(count).hasValue(1);
  }

  @Test
  void membersExchangeWhatTheyHave() throws Exception {
    Group group = node(1).create("bank", GroupConfig.standard());
    while (log.isEmpty()) {
      // @start region="propagate"
      switch (group.receive()) {
        case Event.ViewChange _ -> group.propagate("40 entries".getBytes(UTF_8));
        case Event.Propagated(View view, Map<MemberId, ByteBuffer> told) ->
            told.forEach((member, payload) -> log(member + " of " + view.size() + ": " + UTF_8.decode(payload)));
        default -> {}
      }
      // @end
    }
    assertThat(log).containsExactly("n1 of 1: 40 entries");
  }

  @Test
  void membersShowNumbers() throws Exception {
    Group group = node(1).create("bank", GroupConfig.standard());
    Group other = node(2).join("bank");
    other.awaitServing(SOON);
    // @start region="whiteboard"
    group.whiteboard().put("load", 7);
    OptionalLong load = other.whiteboard().get(group.self(), "load"); // empty until it has come; may be old
    // @end
    while (load.isEmpty()) {
      Thread.onSpinWait();
      load = other.whiteboard().get(group.self(), "load");
    }
    assertThat(load).hasValue(7);
  }

  @Test
  void aGroupTellsHowItStands() throws Exception {
    Group bank = node(1).create("bank", GroupConfig.standard());
    bank.awaitServing(SOON);
    // @start region="status"
    Status status = bank.status();
    Status.Wait slow = status.slowest();
    if (slow != null) {
      log(slow.members() + " hold up " + slow.bytes() + " bytes");
    }
    log(status.isServing() ? "serving" : status.toString()); // a sentence that says who is waited for
    // @end
    assertThat(log).containsExactly("serving");
  }

  @Test
  void aGroupTellsNumbers() throws Exception {
    Group bank = node(1).create("bank", GroupConfig.standard());
    bank.awaitServing(SOON);
    bank.multicast(new byte[10]).get();
    // @start region="group-metrics"
    GroupMetrics metrics = bank.metrics();
    log(metrics.sent().messages() + " messages sent, " + metrics.undecided() + " undecided");
    for (GroupMetrics.Peer peer : metrics.peers()) {
      log(peer.member() + " takes up " + peer.windowBytes() + " of " + metrics.windowBytes() + " bytes");
    }
    // @end
    assertThat(log).containsExactly("1 messages sent, 0 undecided");
  }

  @Test
  void latenciesAreCounted() throws Exception {
    Group bank = node(1).create("bank", GroupConfig.standard());
    bank.multicast(new byte[4]).get();
    // @start region="latency"
    LatencyHistogram latency = bank.metrics().latency();
    Duration most = latency.percentile(99); // at most so long took 99 of 100 multicasts
    if (most != null) {
      log("99 % of " + latency.count() + " took at most " + most.toMillis() + " ms");
    }
    // @end
    assertThat(log).hasSize(1).first().asString().startsWith("99 % of 1 took at most ");
  }

  @Test
  void anEndHasACause() throws Exception {
    Group bank = node(1).create("bank", GroupConfig.standard());
    bank.close();
    while (log.isEmpty()) {
      // @start region="end"
      switch (bank.receive()) {
        case Event.Closed(End end) when end.cause() == End.Cause.LEFT -> log("left");
        case Event.Closed(End end) -> log("no longer in the group: " + end);
        default -> {}
      }
      // @end
    }
    assertThat(log).containsExactly("left");
  }

  // ---- for writers of transports -----------------------------------------------------------------------------------

  // @start region="counted"
  enum PigeonCount implements Counts.Counted {
    FRAMES_SENT(Metric.counter("pigeon.frames.sent", "Frames that left with a pigeon."));

    private final Metric metric;

    PigeonCount(Metric metric) {
      this.metric = metric;
    }

    @Override
    public Metric metric() {
      return metric;
    }
  }

  // @end

  @Test
  void transportsCount() {
    // @start region="counts"
    var counts = new Counts<>(PigeonCount.class);
    counts.add(PigeonCount.FRAMES_SENT);
    List<Metric> told = counts.metrics(); // pigeon.frames.sent 1 frames
    // @end
    assertThat(told).hasToString("[pigeon.frames.sent 1 frames]");
  }

  @Test
  void onlyTheOwnerMayUseWhatIsKept() throws IOException {
    Path room = directory.resolve("bank");
    // @start region="owner-only"
    OwnerOnly.make(room);
    OwnerOnly.require(room, "stable storage " + room);
    try (FileChannel log = OwnerOnly.open(room.resolve("log"), Set.of(CREATE, WRITE))) {
      log.write(ByteBuffer.wrap(new byte[] {1}));
    }
    // @end
    assertThat(Files.size(room.resolve("log"))).isEqualTo(1);
  }

  // ---- the documentation shows this --------------------------------------------------------------------------------

  @Test
  void theDocumentationShowsWhatRunsHere() throws IOException {
    var shown = new TreeSet<String>();
    var typed = new ArrayList<String>();
    var without = new TreeSet<>(MAIN_TYPES);
    for (Path file : files()) {
      String text = Files.readString(file);
      List<String> here = found(SHOWN, text);
      shown.addAll(here);
      if (text.contains("```java")) {
        typed.add(file.getFileName().toString());
      }
      String type = file.getFileName().toString().replace(".java", "");
      String comment = text.split("(class|interface|record) " + type + "\\b")[0];
      if (SHOWN.matcher(comment).find()) {
        without.remove(type);
      }
    }
    assertThat(typed).as("files with examples that nothing runs").isEmpty();
    assertThat(without).as("types without an example").isEmpty();
    assertThat(found(REGION, Files.readString(Tree.root().resolve(SOURCE)))).containsExactlyInAnyOrderElementsOf(shown);
  }

  private static List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String name : PACKAGES) {
      try (var all = Files.list(Tree.root().resolve("core/src/main/java/org/tutti").resolve(name))) {
        all.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
      }
    }
    return files;
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(result -> result.group(1)).toList();
  }

  /// What may throw.
  private interface Work<T> {
    T run() throws Exception;
  }

  private static <T> CompletableFuture<T> inBackground(Work<T> work) {
    var result = new CompletableFuture<T>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            result.complete(work.run());
          } catch (Exception e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }
}
