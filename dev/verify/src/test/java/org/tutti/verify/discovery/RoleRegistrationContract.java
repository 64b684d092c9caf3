package org.tutti.verify.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.examples.requests.RequestClient;
import org.tutti.examples.requests.RequestServer;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.RoleRegistration;
import org.tutti.transport.RoleRegistration.Role;
import org.tutti.transport.RoleRegistration.State;

/// What registrations in a role have in common, whatever the registry: Tutti's, Java RMI's, a CORBA naming service. Two
/// clients and three servers are expected.
@Tag("socket")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class RoleRegistrationContract {
  static final int CLIENTS = 2;
  static final int SERVERS = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /// Asks again when there is no answer in time.
  private record Patient(RoleRegistration asked) implements RoleRegistration {
    @Override
    public State register() throws IOException, InterruptedException {
      while (true) {
        try {
          return asked.register();
        } catch (IOException e) {
          if (!e.getMessage().contains("no answer")) {
            throw e;
          }
        }
      }
    }

    @Override
    public List<Address> find() throws IOException, InterruptedException {
      register();
      return asked.find();
    }

    @Override
    public void close() {
      asked.close();
    }
  }

  private final List<AutoCloseable> open = Collections.synchronizedList(new ArrayList<>());
  private final int port = LoopbackPorts.free();
  private @Nullable AutoCloseable registry;
  private String group = "";
  private int addresses = 7000;

  /// Starts a registry that knows nobody.
  abstract AutoCloseable start(int port) throws Exception;

  /// A registration at the registry of this port.
  abstract RoleRegistration process(Address registry, String group, Role role, String name, Address own);

  /// A member without a role.
  abstract Discovery member(Address registry, String group, String name, Address own);

  /// Does what a process has done that crashes between the steps of its registration.
  ///
  /// @return false when there is nothing between them
  abstract boolean crashWithAClaim(Address registry, String group, long number) throws Exception;

  /// Whether a state tells of others as soon as one of them is there.
  abstract boolean tellsBeforeComplete();

  @BeforeAll
  void begin() throws Exception {
    registry = start(port);
  }

  @AfterAll
  void end() throws Exception {
    if (registry != null) {
      registry.close();
    }
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : List.copyOf(open).reversed()) {
      each.close();
    }
    open.clear();
  }

  /// Each test has a group of its own.
  private void inGroupOf(TestInfo test) {
    group = test.getTestMethod().orElseThrow().getName();
  }

  private Address at() {
    return new Address("127.0.0.1:" + port);
  }

  private RoleRegistration process(Role role, String name) {
    addresses++;
    return process(role, name, new Address("127.0.0.1:" + addresses));
  }

  private RoleRegistration process(Role role, String name, Address own) {
    RoleRegistration process = new Patient(process(at(), group, role, name, own));
    open.add(process);
    return process;
  }

  private void leave(RoleRegistration process) {
    open.remove(process);
    process.close();
  }

  private static List<String> told(State state) {
    return state.registrants().stream().map(one -> one.id() + " " + one.role().word() + " " + one.name()).toList();
  }

  private static <T> List<T> atOnce(List<? extends Callable<T>> calls) throws Exception {
    var begin = new CyclicBarrier(calls.size());
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<T>> answers = new ArrayList<>();
      for (Callable<T> call : calls) {
        answers.add(
            threads.submit(() -> {
              begin.await();
              return call.call();
            }));
      }
      List<T> all = new ArrayList<>();
      for (Future<T> answer : answers) {
        all.add(answer.get());
      }
      return all;
    }
  }

  @Test
  void manyThatRegisterAtOnceGetTheNumbersOfTheirRoles(TestInfo test) throws Exception {
    inGroupOf(test);
    int all = 12;
    List<RoleRegistration> processes = new ArrayList<>();
    for (int i = 0; i < all; i++) {
      processes.add(process(i < CLIENTS ? Role.CLIENT : Role.SERVER, "p" + i));
    }
    List<Callable<State>> calls = new ArrayList<>();
    processes.forEach(process -> calls.add(process::register));
    List<Long> numbers = atOnce(calls).stream().map(State::id).toList();
    assertThat(numbers).containsExactlyInAnyOrderElementsOf(LongStream.range(0, all).boxed().toList());
    assertThat(numbers.subList(0, CLIENTS)).containsExactlyInAnyOrder(0L, 1L);
    for (int i = 0; i < all; i++) {
      State state = processes.get(i).register();
      assertThat(state.id()).isEqualTo(numbers.get(i));
      assertThat(state.complete()).isTrue();
      assertThat(state.servers()).isEqualTo(SERVERS);
      assertThat(state.registrants()).hasSize(all);
    }
  }

  @Test
  void allAreToldWhenTheExpectedNumberIsThere(TestInfo test) throws Exception {
    inGroupOf(test);
    RoleRegistration s1 = process(Role.SERVER, "s1");
    RoleRegistration c1 = process(Role.CLIENT, "c1");
    State first = s1.register();
    assertThat(first.id()).isEqualTo(2);
    assertThat(first.servers()).isEqualTo(SERVERS);
    assertThat(first.complete()).isFalse();
    assertThat(told(first)).hasSize(tellsBeforeComplete() ? 1 : 0);
    assertThat(c1.register().id()).isZero();
    assertThat(process(Role.SERVER, "s2").register().complete()).isFalse();
    assertThat(process(Role.CLIENT, "c2").register().id()).isOne();
    assertThat(c1.register().complete()).isFalse();
    assertThat(process(Role.SERVER, "s3").register().id()).isEqualTo(4);
    State all = c1.register();
    assertThat(all.complete()).isTrue();
    assertThat(told(all)).containsExactly("0 client c1", "1 client c2", "2 server s1", "3 server s2", "4 server s3");
    assertThat(c1.find()).hasSize(5);
  }

  @Test
  void processesLeaveCrashAndComeBack(TestInfo test) throws Exception {
    inGroupOf(test);
    RoleRegistration c1 = process(Role.CLIENT, "c1");
    c1.register();
    assertThat(process(Role.CLIENT, "c2").register().id()).isOne(); // crashes
    assertThat(process(Role.SERVER, "s1").register().id()).isEqualTo(2); // crashes
    RoleRegistration c3 = process(Role.CLIENT, "c3");
    assertThatIOException()
        .isThrownBy(c3::register)
        .withMessageContaining("no number is free for a client: all 2 are taken")
        .withMessageNotContaining("\n");
    assertThat(process(Role.CLIENT, "c2").register().id()).isOne();
    assertThat(process(Role.SERVER, "s1").register().id()).isEqualTo(2);
    leave(c1);
    assertThat(c3.register().id()).isZero();
    leave(c3);
    RoleRegistration again = process(Role.CLIENT, "c1");
    assertThat(again.register().id()).isZero();
    RoleRegistration later = process(Role.CLIENT, "c1");
    assertThat(later.register().id()).isZero();
    assertThatIOException().isThrownBy(again::register).withMessageContaining("a later life of c1 is registered");
    assertThat(later.register().id()).isZero();
  }

  @Test
  void membersWithoutARoleAndProcessesWithOneFindEachOther(TestInfo test) throws Exception {
    inGroupOf(test);
    List<Address> all = new ArrayList<>();
    for (int i = 0; i < CLIENTS + SERVERS; i++) {
      RoleRegistration process = process(i < CLIENTS ? Role.CLIENT : Role.SERVER, "p" + i);
      process.register();
      all.add(new Address("127.0.0.1:" + addresses));
    }
    var own = new Address("127.0.0.1:6999");
    Discovery member = member(at(), group, "p", own);
    open.add(member);
    all.add(own);
    assertThat(member.find()).containsExactlyInAnyOrderElementsOf(all);
    RoleRegistration last = process(Role.SERVER, "last");
    all.add(new Address("127.0.0.1:" + addresses));
    assertThat(last.find()).containsExactlyInAnyOrderElementsOf(all);
    assertThat(last.register().registrants()).hasSize(all.size() - 1);
  }

  @Test
  void aRegistryThatHasForgottenEverythingIsFilledWithTheSameNumbers(TestInfo test) throws Exception {
    inGroupOf(test);
    List<RoleRegistration> processes = new ArrayList<>();
    for (int i = 0; i < CLIENTS + SERVERS; i++) {
      RoleRegistration process = process(i < CLIENTS ? Role.CLIENT : Role.SERVER, "p" + i);
      assertThat(process.register().id()).isEqualTo(i);
      processes.add(process);
    }
    end();
    RoleRegistration impatient = process(at(), group, Role.SERVER, "s", new Address("127.0.0.1:6999"));
    open.add(impatient);
    assertThatIOException().isThrownBy(impatient::register).withMessageNotContaining("\n");
    registry = start(port);
    for (int i = processes.size(); i-- > 0; ) {
      assertThat(registered(processes.get(i)).id()).isEqualTo(i);
    }
    State all = processes.getFirst().register();
    assertThat(all.complete()).isTrue();
    assertThat(all.registrants()).hasSize(processes.size());
    assertThat(process(Role.SERVER, "last").register().id()).isEqualTo(5);
  }

  /// A registry that has just been started may not answer in time.
  private static State registered(RoleRegistration process) throws InterruptedException {
    while (true) {
      try {
        return process.register();
      } catch (IOException _) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  @Tag("deep")
  void aNumberOfAClientThatHasCrashedIsGivenAgainAfterTheLease(TestInfo test) throws Exception {
    inGroupOf(test);
    process(Role.CLIENT, "crashed").register();
    RoleRegistration living = process(Role.CLIENT, "living");
    assertThat(living.register().id()).isOne();
    RoleRegistration next = process(Role.CLIENT, "next");
    assertThatIOException().isThrownBy(next::register);
    assertThat(onceThereIsRoom(next, living).id()).isZero();
    assertThat(living.register().id()).isOne();
  }

  /// Registers when a number is free, while another process keeps its own.
  private static State onceThereIsRoom(RoleRegistration next, RoleRegistration living) throws Exception {
    long kept = living.register().id();
    while (true) {
      assertThat(living.register().id()).isEqualTo(kept);
      try {
        return next.register();
      } catch (IOException full) {
        assertThat(full).hasMessageContaining("no number is free for a client");
      }
    }
  }

  @Test
  @Tag("deep")
  void aCrashBetweenTwoStepsHindersNobodyForLongerThanALease(TestInfo test) throws Exception {
    inGroupOf(test);
    RoleRegistration server = process(Role.SERVER, "s1");
    server.register();
    if (!crashWithAClaim(at(), group, 0)) {
      return;
    }
    crashWithAClaim(at(), group, 3);
    RoleRegistration client = process(Role.CLIENT, "c1");
    assertThat(client.register().id()).isOne();
    assertThat(process(Role.SERVER, "s2").register().id()).isEqualTo(4);
    RoleRegistration next = process(Role.CLIENT, "c2");
    assertThatIOException().isThrownBy(next::register).withMessageContaining("no number is free for a client");
    assertThat(onceThereIsRoom(next, server).id()).isZero();
    awaitNumber(3, "s3", server);
  }

  /// Registers a server again and again until it gets this number. Another process has to go on asking meanwhile: it
  /// removes the claim when the lease is over on its own clock, and has perhaps seen it later than others.
  private void awaitNumber(long number, String name, RoleRegistration living) throws Exception {
    while (true) {
      living.register();
      RoleRegistration next = process(Role.SERVER, name);
      if (next.register().id() == number) {
        return;
      }
      leave(next);
    }
  }

  private Node node(String name) {
    Node node = Node.named(name).listen("127.0.0.1:0").times(Duration.ofMillis(100), Duration.ofSeconds(20)).start();
    open.add(node);
    return node;
  }

  private RequestServer server(String name) throws Exception {
    Node node = node(name);
    RoleRegistration registration = process(at(), group, Role.SERVER, name, node.self().address());
    RequestServer server = RequestServer.start(node, group, registration, Ordering.SEQUENCER);
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            while (true) {
              var request = server.waitForRequest(PATIENCE).orElseThrow();
              server.sendReply(request, "OK_" + request.text());
            }
          } catch (RuntimeException | InterruptedException _) {
            // The end of the test.
          }
        });
    return server;
  }

  private RequestClient client(String name) throws Exception {
    Node node = node(name);
    RoleRegistration registration = process(at(), group, Role.CLIENT, name, node.self().address());
    return RequestClient.start(node, group, registration);
  }

  /// The test server and the test client of the source, which know nothing but the registry.
  @Test
  void eachServerRepliesToClientsThatTheRegistryHasNumbered(TestInfo test) throws Exception {
    inGroupOf(test);
    Set<RequestServer> servers = Collections.synchronizedSet(new HashSet<>());
    List<Callable<RequestClient>> calls = new ArrayList<>();
    for (int i = 0; i < SERVERS; i++) {
      String name = "s" + i;
      calls.add(() -> {
        servers.add(server(name));
        return null;
      });
    }
    calls.add(() -> client("c1"));
    calls.add(() -> client("c2"));
    List<RequestClient> clients = atOnce(calls).subList(SERVERS, SERVERS + CLIENTS);
    assertThat(clients.stream().map(RequestClient::id)).containsExactlyInAnyOrder(0, 1);
    assertThat(servers.stream().map(RequestServer::id)).containsExactlyInAnyOrder(2, 3, 4);
    for (RequestClient client : clients) {
      assertThat(client.serverNum()).isEqualTo(SERVERS);
      client.sendRequest("a" + client.id());
      for (int reply = 0; reply < SERVERS; reply++) {
        assertThat(client.getReply(PATIENCE)).contains("OK_a" + client.id());
      }
    }
  }
}
