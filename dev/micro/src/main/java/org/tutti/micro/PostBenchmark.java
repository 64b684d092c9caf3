package org.tutti.micro;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.host.Membership;
import org.tutti.pack.Batch;
import org.tutti.pack.Packer;
import org.tutti.user.GroupUser;
import org.tutti.user.Request;

/// The way of messages into a full batch, in one thread: the caller's `post` for each, then the engine takes the
/// block, packs it, and gives the window its room back. What the network and the others do is left out.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PostBenchmark {
  /// The length of a message.
  @Param({"100", "1024"})
  public int bytes;

  private final MemberConfig config = MemberConfig.standard();
  private final Inbox inbox = new Inbox(() -> {});
  private final Membership membership = new Membership("choir", Sample.member(0), config, inbox, ended -> {});
  private final Packer packer =
      new Packer(Sample.member(0), config.batchBytesMax(), config.batchMessagesMax(), config.packing());
  private ByteBuffer message = ByteBuffer.allocate(0);
  private int count;
  private long now; // and the number of the next batch

  /// Made by JMH.
  public PostBenchmark() {}

  /// Makes the message.
  @Setup
  public void make() {
    membership.configured(GroupConfig.standard());
    message = ByteBuffer.allocate(bytes);
    count = Sample.batch(bytes).count();
  }

  /// As many messages as a batch has.
  ///
  /// @return the batch
  /// @throws InterruptedException never
  @Benchmark
  public @Nullable Batch postAndPack() throws InterruptedException {
    for (int i = 0; i < count; i++) {
      membership.post(message);
    }
    inbox.drain(this::take, 1);
    Batch batch = packer.next(now, 0, now);
    now++;
    membership.decided(count, 0);
    membership.released(count * (bytes + GroupUser.MESSAGE_OVERHEAD));
    if (batch != null) {
      membership.giveBack(batch.payload());
    }
    return batch;
  }

  private void take(Request request) {
    if (request instanceof Request.Multicast multicast) {
      packer.add(now, multicast.block());
    }
  }
}
