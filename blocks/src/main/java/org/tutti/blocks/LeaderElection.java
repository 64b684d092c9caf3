package org.tutti.blocks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Client;
import org.tutti.replica.Read;
import org.tutti.replica.ServiceException;

/// Chooses one of the candidates, the leader, as long as its session lives; then the one that has waited longest.
///
/// ```java
/// try (LeaderElection election = LeaderElection.of(client, "scheduler")) {
///   election.stand("host-7", new LeaderElection.Candidate() {
///     public void elected(long token) { scheduler.start(token); }
///     public void deposed() { scheduler.stop(); }
///   });
///   ...
/// } // resigns
/// ```
///
/// A leader that is cut off from the replicas is told so only when it reaches one again; another one may lead
/// meanwhile. So what a leader does elsewhere has to carry its token, as with a [FencedLock].
///
/// All methods may be called from any thread.
public final class LeaderElection implements AutoCloseable {
  /// Who leads.
  ///
  /// @param id    as the candidate called itself
  /// @param token higher than that of any leader before, of any election of the service
  public record Leader(String id, long token) {}

  /// What wants to lead. Both methods are called on a thread of the candidate's own, one after the other.
  public interface Candidate {
    /// It leads from now on. An exception resigns for good.
    ///
    /// @param token for all that it does elsewhere
    void elected(long token);

    /// It does not lead any more: its session had ended, or the election is being closed. Another one may lead already
    /// in the first case, and not before this method returns in the second. In the first case it is a candidate again,
    /// at the end of the queue.
    void deposed();
  }

  private final Calls calls;
  private @Nullable Thread candidate; // guarded by this

  private LeaderElection(Calls calls) {
    this.calls = calls;
  }

  /// An election, which need not have been used before.
  ///
  /// @param client connected to [Blocks]
  /// @param name   the election's, up to 1024 bytes in UTF-8
  /// @return the election, in which nobody stands for this client yet
  public static LeaderElection of(Client client, String name) {
    return new LeaderElection(new Calls(client, Blocks.Kind.ELECTION, name));
  }

  /// Becomes a candidate, until this or the client is closed; returns at once.
  ///
  /// @param id  what others see of it
  /// @param who is told when it leads
  /// @throws IllegalStateException when there is a candidate of this object already
  public synchronized void stand(String id, Candidate who) {
    if (candidate != null) {
      throw new IllegalStateException("one object has one candidate in an election");
    }
    FencedLock lock = FencedLock.of(calls, UTF_8.encode(id));
    candidate = Thread.ofVirtual().name("candidate-" + id).start(() -> lead(lock, who));
  }

  private static void lead(FencedLock lock, Candidate who) {
    while (!Thread.currentThread().isInterrupted()) {
      try (FencedLock.Hold hold = lock.lock()) {
        who.elected(hold.token());
        try {
          Calls.await(hold.lost());
        } finally {
          who.deposed();
        }
      } catch (ServiceException | InterruptedException _) {
        return;
      }
    }
  }

  /// Who leads.
  ///
  /// @return empty when nobody does; all that anybody was told before is seen
  /// @throws InterruptedException when interrupted while waiting
  /// @throws ServiceException     when there is no answer in time
  public Optional<Leader> leader() throws InterruptedException {
    return leader(calls.query(question(LockBlock.WAITS), Read.LINEARIZABLE));
  }

  private ByteBuffer question(long known) {
    return calls.message(LockBlock.HOLDER, Long.BYTES).putLong(known);
  }

  private static Optional<Leader> leader(ByteBuffer answer) {
    long token = answer.getLong();
    String id = UTF_8.decode(Message.bytes(answer)).toString();
    return token == LockBlock.NONE ? Optional.empty() : Optional.of(new Leader(id, token));
  }

  /// Tells who leads: now, and each time that it is another one. Of changes that follow each other quickly, some may be
  /// left out; the last one is told.
  ///
  /// @param listener called on a thread of its own, one time after the other
  /// @return ends it when closed
  public Watch watch(Consumer<Optional<Leader>> listener) {
    var known = new AtomicLong(LockBlock.WAITS); // no leader's token
    return new Watch(
        calls.name(),
        watch -> {
          Optional<Leader> now = leader(calls.query(question(known.get()), Calls.FOR_EVER));
          known.set(now.map(Leader::token).orElse(LockBlock.NONE));
          watch.check();
          listener.accept(now);
        });
  }

  /// Resigns, or leaves the queue; waits until the candidate has been told.
  @Override
  public synchronized void close() {
    Thread ending = candidate;
    if (ending != null) {
      ending.interrupt();
      boolean interrupted = false;
      while (ending.isAlive() && ending != Thread.currentThread()) {
        try {
          ending.join();
        } catch (InterruptedException _) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
