package org.tutti.ipc.ids;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.GroupIds;
import org.tutti.replica.Command;

/// The service alone: what it answers, keeps and refuses.
class GroupIdServerTest {
  private static final byte[] KEY = key(1);
  private static final byte[] OTHER = key(2);
  private static final byte[] SEND = key(3);
  private static final Lock LOCK = new Lock(100, new byte[Lock.SALT_BYTES]);

  private final GroupIdServer server = new GroupIdServer();
  private long commands;

  private static byte[] key(int value) {
    var key = new byte[Lock.KEY_BYTES];
    Arrays.fill(key, (byte) value);
    return key;
  }

  private ByteBuffer apply(GroupIdServer to, ByteBuffer command) {
    return to.apply(new Command(1, ++commands, commands, Instant.EPOCH, command));
  }

  private int create() {
    ByteBuffer reply = apply(server, IdMessage.create(LOCK, Lock.verifier(KEY)));
    assertThat(reply.get()).isEqualTo(IdMessage.DONE);
    return reply.getInt();
  }

  private static byte asked(GroupIdServer whom, byte kind, int id, byte[] key) {
    return whom.query(IdMessage.with(kind, id, key)).get();
  }

  private byte destroyed(int id, byte[] key) {
    return apply(server, IdMessage.with(IdMessage.DESTROY, id, key)).get();
  }

  @Test
  void eachIdIsGivenOutOnce() {
    int first = create();
    int second = create();
    assertThat(new GroupId(first)).isEqualTo(GroupId.issued(0));
    assertThat(new GroupId(second)).isEqualTo(GroupId.issued(1));
    assertThat(destroyed(second, KEY)).isEqualTo(IdMessage.DONE);
    assertThat(new GroupId(create())).as("not that of the group that is gone").isEqualTo(GroupId.issued(2));
  }

  @Test
  void aGroupIsDestroyedByWhoKnowsItsPasswordOnly() {
    int id = create();
    assertThat(asked(server, IdMessage.CHECK, id, KEY)).isEqualTo(IdMessage.DONE);
    assertThat(asked(server, IdMessage.CHECK, id, OTHER)).isEqualTo(IdMessage.WRONG);
    assertThat(destroyed(id, OTHER)).isEqualTo(IdMessage.WRONG);
    assertThat(destroyed(id, Lock.verifier(KEY))).as("what is on the disk opens nothing").isEqualTo(IdMessage.WRONG);
    assertThat(server.wrongPasswords()).isEqualTo(3);
    assertThat(destroyed(id, KEY)).isEqualTo(IdMessage.DONE);
    assertThat(destroyed(id, KEY)).isEqualTo(IdMessage.UNKNOWN);
    assertThat(asked(server, IdMessage.CHECK, id, KEY)).isEqualTo(IdMessage.UNKNOWN);
    assertThat(server.query(IdMessage.look(id)).get()).isEqualTo(IdMessage.UNKNOWN);
    assertThat(server.query(IdMessage.look(GroupId.named("x").value())).get()).isEqualTo(IdMessage.UNKNOWN);
  }

  @Test
  void theSendKeyIsForThoseThatKnowAPassword() {
    var send = new Lock(100, Arrays.copyOf(KEY, Lock.SALT_BYTES));
    ByteBuffer created = apply(server, IdMessage.create(LOCK, Lock.verifier(KEY), send, SEND));
    assertThat(created.get()).isEqualTo(IdMessage.DONE);
    int id = created.getInt();
    ByteBuffer looked = server.query(IdMessage.look(id));
    assertThat(looked.remaining()).as("two salts, no key").isEqualTo(2 + Integer.BYTES + 2 * Lock.SALT_BYTES);
    ByteBuffer checked = server.query(IdMessage.with(IdMessage.CHECK, id, KEY)).position(2);
    assertThat(checked).isEqualTo(ByteBuffer.wrap(SEND));
    assertThat(asked(server, IdMessage.CHECK_SEND, id, SEND)).isEqualTo(IdMessage.DONE);
    assertThat(asked(server, IdMessage.CHECK_SEND, id, KEY)).isEqualTo(IdMessage.WRONG);
    assertThat(asked(server, IdMessage.CHECK_SEND, create(), SEND)).as("it has none").isEqualTo(IdMessage.WRONG);
    assertThat(server.wrongPasswords()).isEqualTo(2);
  }

  @Test
  void aSnapshotHasAllThatMatters() throws IOException {
    int kept = create();
    int gone = create();
    destroyed(gone, KEY);
    apply(server, IdMessage.create(LOCK, Lock.verifier(OTHER), LOCK, SEND));
    var out = new ByteArrayOutputStream();
    server.snapshot().writeTo(out);
    var other = new GroupIdServer();
    apply(other, IdMessage.create(LOCK, Lock.verifier(SEND)));
    other.restore(new ByteArrayInputStream(out.toByteArray()));
    assertThat(other.digest()).isEqualTo(server.digest()).isNotEqualTo(OptionalLong.of(0));
    assertThat(asked(other, IdMessage.CHECK, kept, KEY)).isEqualTo(IdMessage.DONE);
    assertThat(asked(other, IdMessage.CHECK, gone, KEY)).isEqualTo(IdMessage.UNKNOWN);
    assertThat(asked(other, IdMessage.CHECK_SEND, GroupId.issued(2).value(), SEND)).isEqualTo(IdMessage.DONE);
    ByteBuffer next = apply(other, IdMessage.create(LOCK, Lock.verifier(KEY)));
    assertThat(new GroupId(next.getInt(1))).isEqualTo(GroupId.issued(3));
    assertThat(other.digest()).isNotEqualTo(server.digest());
    assertThatThrownBy(() -> other.restore(new ByteArrayInputStream(new byte[] {9, 9, 9})))
        .isInstanceOf(IOException.class);
  }

  @Test
  void bytesThatAreNoMessageAreRefusedAndChangeNothing() {
    int id = create();
    OptionalLong before = server.digest();
    ByteBuffer whole = IdMessage.create(LOCK, Lock.verifier(KEY), LOCK, SEND);
    for (int length = 0; length < whole.remaining(); length++) {
      ByteBuffer part = whole.duplicate().limit(length);
      assertThatThrownBy(() -> apply(server, part)).isInstanceOf(IllegalArgumentException.class);
    }
    ByteBuffer more = ByteBuffer.allocate(whole.remaining() + 1).put(whole.duplicate()).rewind();
    assertThatThrownBy(() -> apply(server, more)).isInstanceOf(IllegalArgumentException.class);
    ByteBuffer slow = whole.duplicate();
    ByteBuffer endless = ByteBuffer.allocate(slow.remaining()).put(slow).flip().putInt(1, Lock.ITERATIONS_MAX + 1);
    assertThatThrownBy(() -> apply(server, endless)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> apply(server, IdMessage.look(id))).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> server.query(whole.duplicate())).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> server.query(IdMessage.look(7)))
        .as("of a process")
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(server.digest()).isEqualTo(before);
  }

  @Test
  void aPasswordComesToAKeyByItsLettersAndItsSalt() {
    var random = new SecureRandom();
    Lock lock = Lock.draw(1000, random);
    byte[] key = lock.key("caf\u00e9");
    assertThat(lock.key("cafe\u0301")).as("the same letters, composed otherwise").isEqualTo(key);
    assertThat(lock.key("cafe")).isNotEqualTo(key);
    assertThat(Lock.draw(1000, random).key("caf\u00e9")).isNotEqualTo(key);
    assertThat(lock.key("")).hasSize(Lock.KEY_BYTES).isNotEqualTo(key);
    assertThat(Lock.verifier(key)).isNotEqualTo(Lock.sendKey(key));
    assertThat(GroupIds.requirePassword("\ud83d\ude00".repeat(64))).isNotEmpty();
    assertThatThrownBy(() -> lock.key("x".repeat(65)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a password has 64 characters at most, not 65");
  }
}
