package org.tutti.middleware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.tutti.middleware.RoleNumbers.Name;
import org.tutti.transport.Address;
import org.tutti.transport.RoleRegistration.Registrant;
import org.tutti.transport.RoleRegistration.Role;
import org.tutti.transport.RoleRegistration.State;

/// Numbers by names, one call after the other; what happens at once is tried by [RoleNumbersScheduleTest].
class RoleNumbersTest {
  private static final int CLIENTS = 2;
  private static final int SERVERS = 2;

  private final Set<Name> bound = new LinkedHashSet<>();
  private final AtomicLong nanos = new AtomicLong(1);
  private int bindsUntilCrash = Integer.MAX_VALUE;
  private boolean isForeign;

  private static final class CrashedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final class Bound implements RoleNumbers.Bindings {
    @Override
    public boolean bind(Name name) {
      if (bindsUntilCrash-- == 0) {
        throw new CrashedException();
      }
      return !isForeign && bound.add(name);
    }

    @Override
    public void unbind(Name name) {
      bound.remove(name);
    }

    @Override
    public List<Name> list() {
      return List.copyOf(bound);
    }

    @Override
    public String refusal() {
      return "refused";
    }

    @Override
    public void close() {}
  }

  private RoleNumbers process(Role role, String name, int life) {
    var self = new Registrant(0, role, name, new Address(name + ":" + life));
    return new RoleNumbers(new Bound(), self, CLIENTS, SERVERS, nanos::get);
  }

  private RoleNumbers client(String name) {
    return process(Role.CLIENT, name, 1);
  }

  private RoleNumbers server(String name) {
    return process(Role.SERVER, name, 1);
  }

  private void pass(long seconds) {
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }

  private static List<String> told(State state) {
    return state.registrants().stream().map(one -> one.id() + " " + one.name()).toList();
  }

  @Test
  void clientsHaveTheLowNumbersAndServersTheOthers() throws IOException {
    RoleNumbers s1 = server("s1");
    RoleNumbers c1 = client("c1");
    assertThat(s1.register())
        .isEqualTo(new State(2, 2, false, List.of(new Registrant(2, Role.SERVER, "s1", at("s1")))));
    assertThat(c1.register().id()).isZero();
    State all = server("s2").register();
    assertThat(all.complete()).isTrue();
    assertThat(told(all)).containsExactly("0 c1", "2 s1", "3 s2");
    assertThat(client("c2").register().id()).isOne();
    assertThat(server("s3").register().id()).as("one that was not expected").isEqualTo(4);
    assertThat(s1.find()).containsExactlyInAnyOrder(at("s1"), at("c1"), at("s2"), at("c2"), at("s3"));
  }

  private static Address at(String name) {
    return new Address(name + ":1");
  }

  @Test
  void whoLeavesFreesItsNumberAndTheMaximumIsSaid() throws IOException {
    RoleNumbers c1 = client("c1");
    c1.register();
    client("c2").register();
    RoleNumbers c3 = client("c3");
    assertThatIOException().isThrownBy(c3::register).withMessage("no number is free for a client: all 2 are taken");
    c1.close();
    assertThat(c3.register().id()).isZero();
    assertThat(bound).hasSize(4);
  }

  @Test
  void whoComesBackHasItsNumberAgain() throws IOException {
    client("c1").register();
    client("c2").register();
    server("s1").register();
    server("s2").register();
    assertThat(process(Role.CLIENT, "c2", 2).register().id()).isOne();
    State state = process(Role.SERVER, "s1", 2).register();
    assertThat(state.id()).isEqualTo(2);
    assertThat(state.registrants()).contains(new Registrant(2, Role.SERVER, "s1", new Address("s1:2")));
    assertThat(bound).as("nothing of earlier lives").hasSize(8);
    assertThat(process(Role.CLIENT, "s3", 1)).isNotNull();
  }

  @Test
  void anEarlierLifeIsTold() throws IOException {
    RoleNumbers first = server("s1");
    first.register();
    RoleNumbers second = process(Role.SERVER, "s1", 2);
    assertThat(second.register().id()).isEqualTo(2);
    pass(1);
    assertThatIOException().isThrownBy(first::register).withMessage("a later life of s1 is registered");
    assertThat(second.register().id()).isEqualTo(2);
    first.close();
    assertThat(second.find()).containsExactly(new Address("s1:2"));
  }

  /// A client that comes back as a server has a server's number.
  @Test
  void aNumberIsOfARole() throws IOException {
    client("p").register();
    assertThat(process(Role.SERVER, "p", 2).register().id()).isEqualTo(2);
    assertThat(client("q").register().id()).isZero();
  }

  @Test
  void aRegistryThatHasForgottenEverythingIsFilledWithTheSameNumbers() throws IOException {
    RoleNumbers c1 = client("c1");
    RoleNumbers c2 = client("c2");
    RoleNumbers s1 = server("s1");
    RoleNumbers s2 = server("s2");
    for (RoleNumbers each : List.of(c1, c2, s1, s2)) {
      each.register();
    }
    bound.clear();
    assertThat(told(s2.register())).containsExactly("3 s2");
    pass(3);
    c2.register();
    assertThat(client("c3").register().id()).as("before the one that had it").isZero();
    s1.register();
    assertThatIOException().isThrownBy(c1::register).withMessageContaining("all 2 are taken");
    assertThat(told(s2.register())).containsExactly("0 c3", "1 c2", "2 s1", "3 s2");
  }

  /// One bind is the claim, the next one the entry.
  @Test
  void aCrashBetweenTheStepsHindersNobodyForLongerThanALease() throws IOException {
    RoleNumbers s1 = server("s1");
    s1.register();
    for (int binds = 0; binds < 3; binds++) {
      bindsUntilCrash = binds;
      try {
        client("crashed" + binds).register();
      } catch (CrashedException _) {
        // As planned.
      }
      bindsUntilCrash = Integer.MAX_VALUE;
    }
    assertThat(bound).extracting(Name::text).filteredOn(text -> text.length() == 1).containsExactly("2", "0", "1");
    RoleNumbers c1 = client("c1");
    RoleNumbers c2 = client("c2");
    assertThatIOException().isThrownBy(c1::register).withMessageContaining("all 2 are taken");
    for (int i = 0; i < 12; i++) {
      assertThatIOException().isThrownBy(c2::register).withMessageContaining("all 2 are taken");
      pass(1);
      s1.register(); // who renews is not taken for crashed
    }
    assertThat(c1.register().id()).isZero();
    assertThat(c2.register().id()).isOne();
    assertThat(server("s2").register().id()).isEqualTo(3);
  }

  @Test
  void theNumberOfACrashedProcessIsKeptWhileOthersAreFree() throws IOException {
    client("c1").register();
    server("s1").register();
    RoleNumbers s2 = server("s2");
    assertThat(s2.register().complete()).isTrue();
    pass(12);
    State state = s2.register();
    assertThat(state.complete()).isFalse();
    assertThat(told(state)).containsExactly("3 s2");
    assertThat(s2.find()).as("hints").contains(at("s1"));
    assertThat(client("c2").register().id()).isOne();
    assertThat(process(Role.SERVER, "s1", 2).register().id()).isEqualTo(2);
    assertThat(process(Role.CLIENT, "c1", 2).register().id()).isZero();
  }

  @Test
  void anotherEntryOfTheNumberIsSeenBeforeItIsTold() throws IOException {
    bound.add(new Name("other server 2 1", "other:1"));
    bound.add(new Name("s1 server 2 1", "s1:1")); // crashed between the entry and the list
    assertThat(server("s1").register().id()).isEqualTo(3);
    assertThat(process(Role.SERVER, "other", 2).register().id()).isEqualTo(2);
  }

  @Test
  void aClaimWithoutAnAnswerIsTakenUp() throws IOException {
    RoleNumbers s1 = server("s1");
    bound.add(new Name("2", "")); // as s1's bind would leave it, whose answer is lost
    bindsUntilCrash = 0;
    assertThatThrownBy(s1::register).isInstanceOf(CrashedException.class);
    bindsUntilCrash = Integer.MAX_VALUE;
    bound.add(new Name("3", ""));
    assertThat(s1.register().id()).isEqualTo(3);
    assertThat(server("s2").register().id()).isEqualTo(4);
  }

  @Test
  void aRegistryThatAcceptsNoNamesIsSaid() {
    isForeign = true;
    assertThatIOException().isThrownBy(server("s1")::register).withMessage("refused");
    assertThat(bound).isEmpty();
  }

  @Test
  void whatIsNoEntryIsNotRead() throws IOException {
    var some = new ArrayList<Name>();
    for (String text :
        List.of("", "n1", "n1 server", "n1 boss 2 1", "n1 server -2 1", "n1 server 1234567890 1", "n1  server 2 1")) {
      some.add(new Name(text, "n1:1"));
      some.add(new Name(text, ""));
    }
    some.add(new Name("a\u202eb server 2 1", "n1:1"));
    some.add(new Name("2", "n1:1"));
    bound.addAll(some);
    State state = server("s1").register();
    assertThat(told(state)).containsExactly("2 s1");
    assertThat(server("s1").find()).containsExactlyInAnyOrder(at("n1"), at("s1"));
    assertThatIllegalArgumentException().isThrownBy(() -> server("a b")).withMessageContaining("has no blanks");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RoleNumbers(new Bound(), new Registrant(0, Role.SERVER, "s", at("s")), 0, 0));
  }
}
