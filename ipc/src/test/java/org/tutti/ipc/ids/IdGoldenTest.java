package org.tutti.ipc.ids;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.fixture.Golden;
import org.tutti.ipc.GroupId;
import org.tutti.replica.Command;

/// The bytes between clients and a server of group ids, and of what the server keeps.
class IdGoldenTest {
  private static final int OPEN = GroupId.issued(0).value(); // the first group that the server has made
  private static final int GUARDED = GroupId.issued(1).value();

  private static Lock lock(int seed) {
    var salt = new byte[Lock.SALT_BYTES];
    Arrays.fill(salt, (byte) seed);
    return new Lock(1000, salt);
  }

  private static byte[] key(int seed) {
    var key = new byte[Lock.KEY_BYTES];
    Arrays.fill(key, (byte) seed);
    return key;
  }

  private static byte[] taken(ByteBuffer from) {
    byte[] bytes = new byte[from.remaining()];
    from.duplicate().get(bytes);
    return bytes;
  }

  private static ByteBuffer say(GroupIdServer server, byte[] message) {
    var in = ByteBuffer.wrap(message);
    return message[0] == IdMessage.CREATE || message[0] == IdMessage.DESTROY
        ? server.apply(new Command(1, 1, 0, Instant.EPOCH, in))
        : server.query(in);
  }

  private static byte[] open() {
    return taken(IdMessage.create(lock(1), key(2)));
  }

  private static byte[] guarded() {
    return taken(IdMessage.create(lock(1), key(2), lock(3), key(4)));
  }

  private static GroupIdServer server() {
    var server = new GroupIdServer();
    say(server, open());
    say(server, guarded());
    return server;
  }

  private record Asked(int kind, byte[] answer) {}

  /// What a server with two groups answers.
  private static Asked asked(byte[] message) {
    return new Asked(message[0], taken(say(server(), message)));
  }

  @Test
  void messages() {
    new Golden("ipc", "id-message", "to a server of group ids with two groups, and its answers: `IdMessage`")
        .written("create", open(), IdGoldenTest::asked)
        .written("create, guarded", guarded(), IdGoldenTest::asked)
        .written("destroy", taken(IdMessage.with(IdMessage.DESTROY, OPEN, key(2))), IdGoldenTest::asked)
        .written("look", taken(IdMessage.look(GUARDED)), IdGoldenTest::asked)
        .written("look, no such group", taken(IdMessage.look(GroupId.issued(9).value())), IdGoldenTest::asked)
        .written("check", taken(IdMessage.with(IdMessage.CHECK, GUARDED, key(2))), IdGoldenTest::asked)
        .written("check send", taken(IdMessage.with(IdMessage.CHECK_SEND, GUARDED, key(4))), IdGoldenTest::asked)
        .written("check send, wrong", taken(IdMessage.with(IdMessage.CHECK_SEND, GUARDED, key(5))), IdGoldenTest::asked)
        .check();
  }

  private static byte[] state(GroupIdServer server) throws IOException {
    var out = new ByteArrayOutputStream();
    server.snapshot().writeTo(out);
    return out.toByteArray();
  }

  private record Restored(List<byte[]> groups, boolean again) {}

  private static Restored restored(byte[] bytes) throws IOException {
    var server = new GroupIdServer();
    server.restore(new ByteArrayInputStream(bytes));
    boolean again = Arrays.equals(state(server), bytes);
    List<byte[]> groups = new ArrayList<>();
    groups.add(taken(say(server, taken(IdMessage.look(OPEN)))));
    groups.add(taken(say(server, taken(IdMessage.look(GUARDED)))));
    return new Restored(groups, again);
  }

  @Test
  void states() throws IOException {
    new Golden("ipc", "id-state", "the state of a server of group ids: `GroupIdServer`")
        .written("nothing", state(new GroupIdServer()), IdGoldenTest::restored)
        .written("two groups", state(server()), IdGoldenTest::restored)
        .check();
  }

  @Test
  void aStateOfAnotherVersionIsRefusedWithBothVersions() throws IOException {
    byte[] state = state(server());
    state[1] = 2;
    assertThatThrownBy(() -> restored(state)).hasMessage("the group ids are of version 2, this server reads version 1");
  }
}
