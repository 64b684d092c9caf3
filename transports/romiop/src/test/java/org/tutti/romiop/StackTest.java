package org.tutti.romiop;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import org.jacorb.orb.CDRInputStream;
import org.jacorb.orb.CDROutputStream;
import org.junit.jupiter.api.Test;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.SendOptions;

class StackTest {
  private static final String PLAIN = "tutti:1.0@c!g!127.0.0.1:1";

  private static RomiopProfile readAgain(RomiopProfile profile) {
    CDROutputStream out = new CDROutputStream();
    profile.writeAddressProfile(out);
    RomiopProfile again = new RomiopProfile();
    again.readAddressProfile(new CDRInputStream(out.getBufferCopy()));
    return again;
  }

  @Test
  void aReferenceNamesTheStack() {
    for (String text : List.of(PLAIN, PLAIN + "!all", PLAIN + "!all!ordered", PLAIN + "!!ordered")) {
      assertThat(RomiopProfile.of(text).stack()).as(text).isEqualTo(Stack.ORDERED);
    }
    assertThat(RomiopProfile.of(PLAIN + "!all!ordered")).isEqualTo(RomiopProfile.of(PLAIN + "!all"));
    for (String rule : List.of("", "all", "first~any~key:s1+s2~5000ms")) {
      RomiopProfile profile = RomiopProfile.of(PLAIN + "!" + rule + "!reliable/Key");
      assertThat(profile.stack()).isEqualTo(Stack.RELIABLE);
      assertThat(profile.rule()).isEqualTo(rule);
      assertThat(profile).isNotEqualTo(RomiopProfile.of(PLAIN + "!" + rule));
      assertThat(RomiopProfile.of(profile.toString())).isEqualTo(profile);
      assertThat(readAgain(profile)).isEqualTo(profile);
    }
    assertThat(RomiopProfile.of(RomiopProfile.address("c", "g", "127.0.0.1:1", Stack.RELIABLE)).stack())
        .isEqualTo(Stack.RELIABLE);
  }

  @Test
  void whatIsNoStackIsNamed() {
    assertThatThrownBy(() -> RomiopProfile.of(PLAIN + "!all!sometimes"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"sometimes\" is no stack: ordered, reliable");
    assertThatThrownBy(() -> RomiopProfile.of(PLAIN + "!all!unreliable"))
        .hasMessageContaining("unreliable is JacORB's own MIOP");
    assertThatThrownBy(() -> RomiopProfile.of(PLAIN + "!all!reliable!ordered")).hasMessageContaining("is the form");
    CDROutputStream out = new CDROutputStream();
    out.write_octet((byte) 1);
    out.write_octet((byte) 2);
    List.of("c", "g", "127.0.0.1:1", "all!sometimes").forEach(out::write_string);
    assertThatThrownBy(() -> new RomiopProfile().readAddressProfile(new CDRInputStream(out.getBufferCopy())))
        .isInstanceOf(org.omg.CORBA.MARSHAL.class)
        .hasMessageContaining("\"sometimes\" is no stack");
  }

  private static ByteBuffer request(String operation, long time) {
    Giop giop = Giop.request("Counter", operation, null);
    return ByteBuffer.wrap(new GroupMessage(false, new UUID(1, 2), 1, time, giop).encoded());
  }

  /// Whoever executed a request that came in another way than the group's would do so in another order than others.
  @Test
  void aMemberExecutesWhatCameAsItsStackSendsIt() throws Exception {
    for (Stack stack : Stack.values()) {
      Stack other = stack == Stack.ORDERED ? Stack.RELIABLE : Stack.ORDERED;
      String address = RomiopProfile.address("c", "g", "127.0.0.1:1", stack);
      try (Node node = Node.named("m").cluster("c").start()) {
        Group group = node.create(stack.groupName("g"), GroupConfig.standard());
        RomiopProfile own = RomiopProfile.of(address);
        ServerConnection connection = new ServerConnection(group, own, List.of("Counter"), false);
        group.post(request("wrong_service", 0), other.requests());
        group.multicast(new byte[1]).get(); // what is before it is delivered
        if (stack == Stack.RELIABLE) {
          group.post(request("wrong_gateway", 5), SendOptions.fifo());
        }
        group.post(request("right", 0), stack.requests());
        assertThat(new String(connection.next(), ISO_8859_1)).contains("right");
        connection.close();
      }
    }
  }
}
