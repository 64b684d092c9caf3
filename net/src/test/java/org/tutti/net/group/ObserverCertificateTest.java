package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilServing;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.LoggedEvent;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Outcome;
import org.tutti.View;
import org.tutti.certs.Authority;
import org.tutti.fixture.ForwardingTransport;
import org.tutti.fixture.Told;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;
import org.tutti.transport.Transport;

/// A node whose certificate is only for observers, over TLS.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ObserverCertificateTest {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Address HERE = new Address("127.0.0.1:0");

  /// What a node uses that does not look at its own certificate.
  private static final class Unlooked extends ForwardingTransport {
    Unlooked(Transport inner) {
      super(inner);
    }

    @Override
    public @Nullable String votingObjection() {
      return null;
    }
  }

  private final List<Node> nodes = new ArrayList<>();
  private Authority authority;
  @TempDir Path directory;

  @BeforeEach
  void begin() throws Exception {
    authority = Authority.in(directory);
  }

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
  }

  private NodeBuilder named(String name) {
    List<Address> contacts = nodes.stream().map(node -> node.self().address()).toList();
    return Node.named(name).contacts(contacts).times(Duration.ofMillis(50), Duration.ofSeconds(10));
  }

  private Node start(NodeBuilder settings) {
    Node node = settings.start();
    nodes.add(node);
    return node;
  }

  private Path certificate(String name, String role) throws Exception {
    return authority.issue(name, "tutti", List.of(role), DAY);
  }

  private Node member(String name) throws Exception {
    return start(named(name).tls(certificate(name, "member")));
  }

  @Test
  void itObservesAndMulticasts() throws Exception {
    Group first = member("n1").create("bank", GroupConfig.standard());
    Group second = member("n2").join("bank");
    untilViewOf(second, 2);
    Group observer = start(named("o1").tls(certificate("o1", "observer"))).observe("bank");
    View all = untilViewOf(observer, 3);
    assertThat(all.observers()).containsExactly(observer.self());
    untilServing(observer);
    assertThat(observer.multicast(new byte[] {7}).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    assertThat(next(first, Event.Delivery.class).sender()).isEqualTo(observer.self());
    assertThat(next(second, Event.Delivery.class).sender()).isEqualTo(observer.self());
  }

  @Test
  void twoOfThemMeetAmongMembers() throws Exception {
    member("n1").create("bank", GroupConfig.standard());
    Group one = start(named("o1").tls(certificate("o1", "observer"))).observe("bank");
    Group two = start(named("o2").tls(certificate("o2", "observer"))).observe("bank");
    untilViewOf(one, 3);
    untilViewOf(two, 3);
    untilServing(two);
    two.multicast(new byte[] {7}).get(60, TimeUnit.SECONDS);
    assertThat(next(one, Event.Delivery.class).sender()).isEqualTo(two.self());
  }

  @Test
  void itIsRefusedAtOnceWhereItAsksToVote() throws Exception {
    Path own = certificate("o1", "observer");
    Node node = start(named("o1").tls(own));
    GroupConfig group = GroupConfig.standard();
    MemberConfig member = MemberConfig.standard();
    String words =
        "the certificate in "
            + own
            + " is for the role observer, not member, so this node may not vote: observe the"
            + " group (Node.observe, tutti watch, tutti send), or use a certificate for the role member";
    assertThatIllegalArgumentException().isThrownBy(() -> node.join("bank")).withMessage(words);
    assertThatIllegalArgumentException().isThrownBy(() -> node.join("bank", group, member)).withMessage(words);
    assertThatIllegalArgumentException().isThrownBy(() -> node.create("bank", group)).withMessage(words);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> node.joinOrCreate("bank", Set.of("o1", "n1"), group, member))
        .withMessage(words);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> node.joinOrCreate("bank", 2, group, member))
        .withMessage(words);
    assertThat(node.observe("bank").name()).as("it is still free to observe").isEqualTo("bank");
  }

  @Test
  void whoDoesNotLookAtItsOwnIsRefusedByTheMembersAndTold() throws Exception {
    Node n1 = member("n1");
    Group first = n1.create("bank", GroupConfig.standard());
    Node n2 = member("n2");
    Group second = n2.join("bank");
    untilViewOf(second, 2);
    Credentials own = Credentials.load(certificate("o1", "observer"), Credentials.NODES);
    TcpConfig config = TcpConfig.lan();
    // Its only contact is a member that does not make the views: that one passes it on.
    NodeBuilder settings = Node.named("o1").contacts(n2.self().address().text());
    Node node = start(settings.transport(new Unlooked(TcpTransport.open(HERE, null, config, own))));
    Group group = node.join("bank");
    End end = next(group, Event.Closed.class).end();
    assertThat(end.cause()).isEqualTo(End.Cause.REFUSED);
    assertThat(end.words())
        .isEqualTo(
            "this node's certificate is only for the role observer, so n1@"
                + n1.self().address()
                + " does not let it vote: observe the group, or use a certificate for the role member");
    Refused expected =
        new Refused(
            n1.self().address(),
            Refused.Reason.MAY_ONLY_OBSERVE,
            "it lets this node only observe, as its certificate is only for observers");
    assertThat(group.status().refused()).containsExactly(expected);
    assertThat(Told.of(n1.metrics(), "view.joins.refused{reason=observer-certificate}")).isPositive();
    assertThat(first.logged().stream().map(LoggedEvent::words))
        .contains(node.self() + " is not taken in as a voter: its certificate is only for observers");
    assertThat(first.view()).matches(view -> !view.contains(node.self()));
    Group again = node.observe("bank");
    assertThat(untilViewOf(again, 3).observers()).containsExactly(node.self());
  }

  /// By the connection that comes with the new certificate.
  @Test
  void whoComesBackWithACertificateForMembersVotes() throws Exception {
    member("n1").create("bank", GroupConfig.standard());
    Path own = certificate("o1", "observer");
    Node observing = start(named("o1").tls(own));
    Address place = observing.self().address();
    untilViewOf(observing.observe("bank"), 2);
    nodes.remove(observing);
    observing.close();
    Group voter = start(named("o1").listen(place.text()).tls(certificate("o1", "member"))).join("bank");
    assertThat(untilViewOf(voter, 2).voters()).isEqualTo(2);
  }
}
