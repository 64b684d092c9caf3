package org.tutti.lab;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.Outcome;
import org.tutti.StateSink;
import org.tutti.View;
import org.tutti.transport.Address;

/// The program that runs at each node of a lab: a member of one group that multicasts numbered messages and writes its
/// history. Its state is a chain of hashes over all messages, and some ballast.
///
/// It takes commands on standard input: `rate N` multicasts per second, `once` for one more. When standard input ends,
/// the lab has gone, and so does the program.
///
/// Arguments: name, address, history file, `create` or `join`, ordering, transport, seed, addresses of the
/// others.
public final class LabMember {
  /// The group's name.
  static final String GROUP = "lab";

  private static final Duration TICK = Duration.ofMillis(50);
  private static final int OPEN_MAX = 4000; // below the window, so that multicasting never blocks
  private static final int BALLAST_BYTES = 96 << 10; // several chunks
  private static final long NANOS = 1_000_000_000;

  /// A multicast whose outcome is not written yet.
  private record Open(long message, CompletableFuture<Outcome> first) {
    boolean isUndecided() {
      return now(first) instanceof Outcome.Undecided;
    }

    /// The outcome that stays, when it is known.
    @Nullable Outcome settled() {
      Outcome known = now(first);
      return known == null ? null : now(known.settled());
    }

    private static @Nullable Outcome now(CompletableFuture<Outcome> outcome) {
      return outcome.state() == Future.State.SUCCESS ? outcome.resultNow() : null;
    }
  }

  private final HistoryWriter journal;
  private final Node node;
  private final Group group;
  private final SplittableRandom random;
  private final Deque<Open> open = new ArrayDeque<>(); // guarded by itself
  private volatile double rate;
  private long submitted;
  private long position; // of the next delivery
  private long chain;
  private long transfers;
  private boolean beginning; // state was read, and nothing delivered since

  private LabMember(HistoryWriter journal, Node node, Group group, long seed) {
    this.journal = journal;
    this.node = node;
    this.group = group;
    this.random = new SplittableRandom(seed);
  }

  /// Runs a member until its standard input ends.
  ///
  /// @param args see above
  /// @throws Exception when it cannot be started
  public static void main(String[] args) throws Exception {
    LabProgram.haltOnFailure();
    boolean creates = args[3].equals("create");
    GroupConfig config = GroupConfig.builder().ordering(Ordering.valueOf(args[4])).stateTransfer(true).build();
    List<Address> contacts = Arrays.stream(args).skip(7).map(Address::new).toList();
    long seed = Long.parseLong(args[6]);
    Node node =
        Node.named(args[0]).contacts(contacts).transport(LabProgram.open(args[5], new Address(args[1]), seed)).start();
    var journal = new HistoryWriter(Path.of(args[2]), node.self());
    journal.write(nanos -> new HistoryEntry.Entered(nanos, creates));
    Group group = creates ? node.create(GROUP, config) : node.join(GROUP);
    var member = new LabMember(journal, node, group, seed ^ node.self().incarnation());
    Thread.ofPlatform().daemon().name("sender").start(member::sendAtRate);
    Thread.ofPlatform().name("events").start(member::takeEvents);
    LabProgram.obey(member::obey);
  }

  private void obey(String line) {
    if (line.startsWith("rate ")) {
      rate = Double.parseDouble(line.substring(5));
    } else if (line.equals("once")) {
      multicast();
    }
  }

  private void sendAtRate() {
    long next = System.nanoTime();
    while (true) {
      double now = rate;
      LockSupport.parkNanos(now > 0 ? Math.max(1, next - System.nanoTime()) : TICK.toNanos());
      long nanos = System.nanoTime();
      if (now > 0 && next - nanos <= 0) {
        multicast();
        // What was missed while the process stood still is not made up for.
        next = Math.max(next, nanos - TICK.toNanos()) + (long) (NANOS / now);
      } else if (now <= 0) {
        next = nanos;
      }
    }
  }

  private void multicast() {
    synchronized (open) {
      if (open.size() >= OPEN_MAX) {
        return;
      }
      long message = submitted++;
      byte[] payload = LabMessage.make(message, random);
      long hash = LabMessage.hash(ByteBuffer.wrap(payload));
      journal.write(nanos -> new HistoryEntry.Submitted(nanos, message, payload.length, hash));
      try {
        open.add(new Open(message, group.multicast(payload)));
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void takeEvents() {
    try {
      for (boolean more = true; more; ) {
        Event event = group.receive(TICK);
        writeAbsent();
        more = event == null || take(event);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean take(Event event) throws InterruptedException {
    switch (event) {
      case Event.Delivery(MemberId sender, _, long at, ByteBuffer payload) -> deliver(sender, at, payload);
      case Event.ViewChange(View view) -> install(view);
      case Event.StateRequest(_, StateSink sink) -> give(sink);
      case Event.StateOffer(MemberId donor, long at, InputStream source) -> restore(donor, at, source);
      case Event.CaughtUp(long at) -> {
        begin();
        journal.write(nanos -> new HistoryEntry.CaughtUp(nanos, at));
      }
      case Event.Propagated _, Event.LocalCall _ -> throw new IllegalStateException("nobody asked: " + event);
      case Event.Closed(End end) -> {
        journal.write(nanos -> new HistoryEntry.Closed(nanos, end));
        return false;
      }
    }
    return true;
  }

  /// Deliveries may have begun before the last views already; nobody outside can tell, and nothing was missed.
  private void begin() {
    if (beginning) {
      beginning = false;
      journal.write(nanos -> new HistoryEntry.Begun(nanos, position));
    }
  }

  private void deliver(MemberId sender, long at, ByteBuffer payload) {
    begin();
    long message = LabMessage.number(payload);
    if (sender.equals(group.self())) {
      writeOutcomes(message);
    }
    int number = journal.numberOf(sender);
    long hash = LabMessage.hash(payload);
    journal.write(nanos -> new HistoryEntry.Delivered(nanos, at, number, message, payload.remaining(), hash));
    position = at + 1;
    chain = LabMessage.step(LabMessage.step(chain, sender.incarnation()), hash);
  }

  private void install(View view) throws InterruptedException {
    List<Integer> members = view.members().stream().map(journal::numberOf).toList();
    synchronized (open) { // nothing may be multicast between the two
      journal.write(nanos -> new HistoryEntry.Viewed(nanos, view.id(), view.primary(), members, view.predecessors()));
      if (!view.primary()) {
        var _ = node.metrics(); // the engine's turn that installed the view is over now, and futures are told
        int undecided = (int) open.stream().takeWhile(Open::isUndecided).count();
        if (undecided > 0) {
          journal.write(nanos -> new HistoryEntry.Undecided(nanos, undecided));
        }
      }
    }
  }

  /// Writes the outcomes of all multicasts up to one that is being delivered. Each was known before its delivery, or
  /// else it is missing in the history, and the checkers see that.
  private void writeOutcomes(long message) {
    synchronized (open) {
      while (!open.isEmpty() && open.peek().message <= message && open.peek().settled() != null) {
        writeOutcome();
      }
    }
  }

  /// Writes the outcomes of multicasts that are never delivered here, because the state contains them.
  private void writeAbsent() {
    synchronized (open) {
      while (!open.isEmpty() && open.peek().settled() instanceof Outcome.Delivered) {
        writeOutcome();
      }
    }
  }

  private void writeOutcome() {
    long at = open.remove().settled() instanceof Outcome.Ordered(long place) ? place : -1;
    journal.write(nanos -> new HistoryEntry.Decided(nanos, at));
  }

  private void give(StateSink sink) {
    long transfer = transfers++;
    long at = position;
    long hash = chain;
    MemberId self = group.self();
    journal.write(nanos -> new HistoryEntry.Gave(nanos, transfer, at, hash));
    Thread.startVirtualThread(() -> {
      try (sink) {
        var out = new DataOutputStream(sink);
        out.writeUTF(self.name());
        out.writeUTF(self.address().text());
        out.writeLong(self.incarnation());
        out.writeLong(transfer);
        out.writeLong(at);
        out.writeLong(hash);
        out.write(new byte[BALLAST_BYTES]);
        out.flush();
        sink.complete();
      } catch (IOException gone) {
        // The newcomer has gone, or this member is no longer the one to give.
      }
    });
  }

  private void restore(MemberId donor, long at, InputStream source) {
    int number = journal.numberOf(donor);
    journal.write(nanos -> new HistoryEntry.Offered(nanos, number, at));
    try (var in = new DataInputStream(source)) {
      var writer = new MemberId(in.readUTF(), new Address(in.readUTF()), in.readLong());
      long transfer = in.readLong();
      long stateAt = in.readLong();
      long stateChain = in.readLong();
      if (in.readAllBytes().length != BALLAST_BYTES) {
        throw new IllegalStateException("half a state from " + donor);
      }
      int writerNumber = journal.numberOf(writer);
      journal.write(nanos -> new HistoryEntry.Restored(nanos, writerNumber, transfer, stateAt, stateChain));
      position = stateAt;
      chain = stateChain;
      beginning = true;
    } catch (IOException gone) {
      journal.write(HistoryEntry.Interrupted::new);
    }
  }
}
