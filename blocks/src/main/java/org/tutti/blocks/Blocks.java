package org.tutti.blocks;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;

/// A service that has any number of maps, locks, elections, counters and barriers, each with a name that counts among
/// its kind. One group of replicas serves them all:
///
/// ```java
/// Replica replica = Replica.of("blocks", new Blocks()).expecting("n1", "n2", "n3").start(node);
/// ```
///
/// Programs use them by objects that share a client, and with it a session:
///
/// ```java
/// try (Client client = Client.of("blocks").at(replicas).connect()) {
///   ReplicatedMap<String, Long> stock = ReplicatedMap.of(client, "stock", Codec.text(), Codec.number());
///   stock.put("bolts", 500L);
///   try (FencedLock.Hold hold = FencedLock.of(client, "printer").lock()) {
///     print(hold.token());
///   }
/// }
/// ```
///
/// All of it is linearizable, and executed once ([org.tutti.replica.Client]). What belongs to a client (locks,
/// elections, arrivals at a barrier) is given up when its session ends: when it is closed, or was not heard for the
/// life of a session ([org.tutti.replica.Replica.Builder#session]), in agreed time, at the same place of the history
/// at all replicas.
///
/// State is kept in memory; a snapshot copies references to it, so it takes some 20 ms for a million entries.
public final class Blocks implements StateMachine {
  enum Kind {
    MAP,
    LOCK,
    ELECTION,
    COUNTER,
    BARRIER
  }

  private static final int FORMAT = 2;

  private final List<Block> blocks = // by kind
      List.of(new MapBlock(), new LockBlock(), new LockBlock(), new CounterBlock(), new BarrierBlock());

  /// A service with nothing in it.
  public Blocks() {}

  @Override
  public ByteBuffer apply(Command command) {
    ByteBuffer in = command.payload();
    Block block = block(in);
    return block.apply(command.session(), Message.name(in), in.get(), in);
  }

  @Override
  public @Nullable ByteBuffer query(ByteBuffer in) {
    Block block = block(in);
    return block.query(Message.name(in), in.get(), in);
  }

  private Block block(ByteBuffer in) {
    int kind = in.get();
    if (kind < 0 || kind >= blocks.size()) {
      throw new IllegalArgumentException("there are no blocks of kind " + kind);
    }
    return blocks.get(kind);
  }

  @Override
  public void sessionEnded(long session, long position, Instant time) {
    blocks.forEach(block -> block.sessionEnded(session));
  }

  @Override
  public OptionalLong digest() {
    return OptionalLong.of(
        Digest.of(out -> {
          for (Block block : blocks) {
            out.writeLong(block.digest());
          }
        }));
  }

  @Override
  public Snapshot snapshot() {
    List<Block.Picture> pictures = new ArrayList<>();
    blocks.forEach(block -> pictures.add(block.picture()));
    return out -> {
      var data = new DataOutputStream(out);
      data.writeShort(FORMAT);
      for (Block.Picture picture : pictures) {
        picture.writeTo(data);
      }
      data.flush();
    };
  }

  @Override
  public void restore(InputStream in) throws IOException {
    var data = new DataInputStream(in);
    int format = data.readUnsignedShort();
    if (format != FORMAT) {
      throw new IOException("the blocks are of version " + format + ", this replica reads version " + FORMAT);
    }
    for (Block block : blocks) {
      block.restore(data);
    }
  }
}
