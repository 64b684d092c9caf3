package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.tutti.replica.StateMachine;

/// The questions of a replica's clients: queries, which change nothing, from when they come until they are answered.
///
/// **Linearizable queries** (ReadIndex: Ongaro, Consensus: Bridging Theory and Practice, 2014, section 6.4) wait until
/// a quorum has confirmed where the history stands ([org.tutti.Group#confirmPosition]), and are then answered from the
/// state at or behind that position. All queries that come while one confirmation is under way share the next one.
///
/// What waits is bounded in bytes; when it is too much, the client that waits for most loses its connection.
final class Questions {
  private static final long WAITING_BYTES_MAX = 16L << 20; // of what waits for a position
  private static final int WAITING_OVERHEAD = 128; // bytes, for each

  /// Something to be done for a client once this replica has applied all before a position.
  ///
  /// @param question the client's number for it; 0 if it is none
  private record Waiting(Connection from, long question, long position, long bytes, Runnable then) {}

  private final ReplicaProtocol replica;
  private final StateMachine machine;
  private final ReplicaProtocol.Group group;

  private final List<Waiting> nextRound = new ArrayList<>(); // to be confirmed by the next round
  private final List<Waiting> thisRound = new ArrayList<>();
  private final List<Waiting> waiting = new ArrayList<>(); // for a position
  private final List<Waiting> unanswered = new ArrayList<>(); // until the service has executed more
  private long askedAt; // the position at which these were asked last
  private long waitingBytes;
  private boolean confirming;
  private long answered;

  Questions(ReplicaProtocol replica, StateMachine machine, ReplicaProtocol.Group group) {
    this.replica = replica;
    this.machine = machine;
    this.group = group;
  }

  /// A client asks, where it may.
  void ask(Connection from, Frame.Query query) {
    ByteBuffer payload = ByteBuffer.allocate(query.payload().remaining()).put(query.payload()).flip();
    Runnable then = () -> answer(from, query.id(), payload);
    var kept = new Waiting(from, query.id(), query.position(), payload.remaining() + WAITING_OVERHEAD, then);
    switch (query.read()) {
      case LOCAL -> then.run();
      case SEQUENTIAL -> {
        if (query.position() <= replica.positionNext()) {
          then.run();
        } else {
          keep(waiting, kept);
        }
      }
      case LINEARIZABLE -> {
        keep(nextRound, kept);
        confirm();
      }
    }
  }

  /// Does something for a client when this replica has applied all that anybody was told of before now.
  void whenCurrent(Connection from, Runnable then) {
    keep(nextRound, new Waiting(from, 0, 0, WAITING_OVERHEAD, then));
    confirm();
  }

  /// The client does not want an answer any more.
  void withdraw(Connection from, long question) {
    for (List<Waiting> some : List.of(nextRound, thisRound, waiting, unanswered)) {
      some.removeIf(one -> one.from == from && one.question == question && dropped(one));
    }
  }

  /// A client's connection has ended.
  void forget(Connection gone) {
    if (gone.waitingBytes > 0) {
      for (List<Waiting> some : List.of(nextRound, thisRound, waiting, unanswered)) {
        some.removeIf(one -> one.from == gone);
      }
      waitingBytes -= gone.waitingBytes;
      gone.waitingBytes = 0;
    }
  }

  /// Begins a round, if something waits for it.
  void confirm() {
    if (!confirming && !nextRound.isEmpty() && replica.isServing()) {
      confirming = true;
      thisRound.addAll(nextRound);
      nextRound.clear();
      group.confirm();
    }
  }

  /// A round has ended.
  ///
  /// @param position whatever anybody was told before it lies before this
  void confirmed(long position) {
    confirming = false;
    for (Waiting one : thisRound) {
      waiting.add(new Waiting(one.from, one.question, position, one.bytes, one.then));
    }
    thisRound.clear();
    confirm();
    arrivedAt(replica.positionNext());
  }

  /// This replica has applied all before a position.
  void arrivedAt(long position) {
    if (waiting.isEmpty()) {
      return;
    }
    List<Waiting> ready = new ArrayList<>();
    waiting.removeIf(one -> one.position <= position && ready.add(one));
    run(ready);
  }

  /// Asks the service once more what it had no answer to, if it has executed something since.
  void askAgain() {
    if (unanswered.isEmpty() || askedAt == replica.positionNext()) {
      return;
    }
    askedAt = replica.positionNext();
    List<Waiting> again = List.copyOf(unanswered);
    unanswered.clear();
    run(again);
  }

  /// How many were answered.
  long answered() {
    return answered;
  }

  private void keep(List<Waiting> in, Waiting one) {
    in.add(one);
    one.from.waitingBytes += one.bytes;
    waitingBytes += one.bytes;
    if (waitingBytes > WAITING_BYTES_MAX) {
      replica.refuse(greediest(one.from), ReplicaProtocol.Fault.GREEDY, "too many questions wait for an answer");
    }
  }

  private Connection greediest(Connection any) {
    Connection most = any;
    for (List<Waiting> some : List.of(nextRound, thisRound, waiting, unanswered)) {
      for (Waiting one : some) {
        most = one.from.waitingBytes > most.waitingBytes ? one.from : most;
      }
    }
    return most;
  }

  /// Does what is not kept any more, for those who are still there.
  private void run(List<Waiting> ready) {
    ready.forEach(this::dropped);
    for (Waiting one : ready) {
      if (replica.isHere(one.from)) {
        one.then.run();
      }
    }
  }

  private boolean dropped(Waiting one) {
    one.from.waitingBytes -= one.bytes;
    waitingBytes -= one.bytes;
    return true;
  }

  private void answer(Connection from, long id, ByteBuffer payload) {
    ByteBuffer result;
    boolean failed = false;
    try {
      result = machine.query(payload.asReadOnlyBuffer());
      if (result == null) {
        Runnable again = () -> answer(from, id, payload);
        keep(unanswered, new Waiting(from, id, 0, payload.remaining() + WAITING_OVERHEAD, again));
        return;
      }
      result = result.slice();
      if (result.remaining() > SessionTable.REPLY_BYTES_MAX) {
        throw new IllegalStateException("an answer of " + result.remaining() + " bytes");
      }
    } catch (RuntimeException failure) {
      result = FailureWords.of(failure);
      failed = true;
    }
    answered++;
    replica.send(from, new Frame.Answer(id, failed, replica.positionNext(), result));
  }
}
