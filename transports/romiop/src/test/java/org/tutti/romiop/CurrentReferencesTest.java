package org.tutti.romiop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.romiop.GroupReference.Id;

/// What a gateway answers to clients that say which version their reference has.
class CurrentReferencesTest {
  private static final Id COUNTER = new Id("demo", "counter", "Counter");
  private static final Id OTHER = new Id("demo", "counter", "Other");
  private static final Requests BIG = new Requests(2, ByteOrder.BIG_ENDIAN);

  private GroupService service;
  private CurrentReferences references;

  @BeforeEach
  void begin() throws Exception {
    service = new GroupService();
    service.create(COUNTER);
    service.add(COUNTER, "s1", "127.0.0.1:7201");
    references = ask(service.address());
  }

  private static CurrentReferences ask(IiopAddress... replicas) {
    return new CurrentReferences(new GroupServiceClient(List.of(replicas)), List.of(COUNTER, OTHER));
  }

  @AfterEach
  void end() throws Exception {
    references.close();
    service.close();
  }

  private Giop instead(String key, int version) throws Exception {
    return references.instead(Giop.of(Requests.versioned(key, 1, version)));
  }

  @Test
  void onlyAnOldReferenceIsForwarded() throws Exception {
    assertThat(instead("Counter", 1)).isEqualTo(Giop.forward(2, service.reference(COUNTER)));
    assertThat(instead("Counter", 2)).isNull();
    assertThat(references.instead(Giop.of(BIG.request(1, 3, "Counter", new byte[4])))).isNull();
    assertThat(Giop.forward(0, service.reference(COUNTER)).isFinal()).isFalse();
    assertThat(Giop.forward(0, service.reference(COUNTER)).bytes()[23]).isEqualTo((byte) 3);
    assertThat(Giop.forward(2, service.reference(COUNTER)).bytes()[19]).isEqualTo((byte) 4);
  }

  @Test
  void theServiceIsAskedWhenAClientHasANewerReference() throws Exception {
    assertThat(instead("Counter", 2)).isNull();
    service.add(COUNTER, "s2", "127.0.0.1:7202");
    assertThat(instead("Counter", 3)).isNull();
    assertThat(instead("Counter", 2)).isEqualTo(Giop.forward(2, service.reference(COUNTER)));
    Giop refused = instead("Counter", -1); // the greatest
    assertThat(refused).isEqualTo(Giop.exception(2, RomiopFailure.UNKNOWN_REFERENCE));
  }

  @Test
  void whoCannotBeLedElsewhereIsServedHere() throws Exception {
    assertThat(instead("Other", 1)).as("the service does not know it").isNull();
    service.add(COUNTER, "s2", "");
    service.remove(COUNTER, "s1");
    assertThat(instead("Counter", 4)).isNull();
    assertThat(instead("Counter", 1)).as("the newest one has no gateway").isNull();
  }

  @Test
  void whileTheServiceDoesNotAnswerAllAreServed() throws Exception {
    service.close();
    assertThat(instead("Counter", 1)).isIn(null, Giop.forward(2, service.reference(COUNTER))); // asked before, perhaps
    assertThat(instead("Counter", 9)).isNull();
    assertThat(instead("Counter", 1)).isNull();
  }

  @Test
  void theNextReplicaIsAskedWhenOneIsGone() throws Exception {
    references.close();
    IiopAddress nobody;
    try (GroupService gone = new GroupService()) {
      nobody = gone.address();
    }
    references = ask(nobody, service.address());
    assertThat(instead("Counter", 1)).isEqualTo(Giop.forward(2, service.reference(COUNTER)));
  }

  @Test
  void theWholeComponentIsReadAsAContextToo() throws Exception {
    CdrOut tag = new CdrOut().octet(0).octet(1).octet(0).string("demo").ulonglong(4711).ulong(2);
    assertThat(FtGroupVersion.of(withContext(tag.bytes()))).isEqualTo(new FtGroupVersion(2));
    ByteBuffer little = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).put((byte) 1).putInt(4, 7);
    assertThat(FtGroupVersion.of(withContext(little.array()))).isEqualTo(new FtGroupVersion(7));
    for (int length : List.of(0, 1, 7, 9, 24)) {
      assertThatThrownBy(() -> FtGroupVersion.of(withContext(new byte[length])))
          .as(length + " bytes")
          .isInstanceOf(Giop.BrokenGiopException.class);
    }
  }

  private static Giop withContext(byte[] context) throws Exception {
    return Giop.of(Requests.withContext("add", "Counter", 1, FtGroupVersion.ID, context, new byte[4]));
  }

  @Test
  void aReferenceLeadsToAllReplicasOfTheService() throws Exception {
    var gateways = List.of(at(7301), at(7302));
    var reference =
        new GroupReference(ObjectGroups.TYPE, new Id("tutti", "corba-groups", "ObjectGroups"), 1, null, gateways);
    assertThat(IiopAddress.all(reference.toString()))
        .containsExactly(new IiopAddress(at(7301), "ObjectGroups"), new IiopAddress(at(7302), "ObjectGroups"));
  }

  private static InetSocketAddress at(int port) {
    return InetSocketAddress.createUnresolved("127.0.0.1", port);
  }
}
