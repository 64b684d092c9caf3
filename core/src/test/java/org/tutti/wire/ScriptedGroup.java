package org.tutti.wire;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.Partitions;
import org.tutti.PrimaryViews;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.engine.Input;
import org.tutti.engine.NodeEngine;
import org.tutti.membership.StateChecksum;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.spi.NodeSettings;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Traits;
import org.tutti.user.GroupUser;
import org.tutti.user.Request;

/// Three engines, a wire that loses nothing, and a script in which everything happens that makes members speak: a group
/// is created, joined, used; state is transferred; a member is cut off and comes back; one leaves and its next life
/// joins; the coordinator stops. The rich play has more: members propagate, put values on the whiteboard, multicast to
/// some members only, and go on without the first one in a branch until it is back. The same configuration gives the
/// same play, frame by frame, so that every moment of it can be had again and again.
final class ScriptedGroup {
  static final String GROUP = "bank";
  static final int NODES = 3;

  private static final int FRAME_BYTES_MAX = 2048; // small, so that messages are cut into pieces
  private static final long FRAME_NANOS = 20_000;
  private static final long CUT_NANOS = 1_500_000_000; // longer than the suspicion
  private static final int CHUNKS = 5;
  private static final int CHUNK_BYTES = 3000;
  private static final int POISON = 0x5a;

  /// A frame on its way.
  record Carried(int from, int to, byte[] frame) {}

  /// Who sees everything that is carried, and may change it.
  interface Listener {
    byte[] arriving(Participant from, Participant to, byte[] frame);

    default void arrived(Participant to) {}
  }

  private record Act(BooleanSupplier when, Runnable what) {}

  private final boolean checksum;
  private final boolean rich;
  private final Listener listener;
  private final Participant[] participants = new Participant[NODES];
  private final boolean[][] cut = new boolean[NODES][NODES];
  private final ArrayDeque<Carried> wire = new ArrayDeque<>();
  private final List<Act> play;
  private int acts;
  private int lives;
  private long now = 1_000_000_000;
  private long mark;

  ScriptedGroup(boolean checksum, boolean rich, Listener listener) {
    this.checksum = checksum;
    this.rich = rich;
    this.listener = listener;
    for (int number = 0; number < NODES; number++) {
      participants[number] = new Participant(number);
    }
    this.play = play();
  }

  private List<Act> play() {
    List<Act> all = new ArrayList<>();
    all.add(new Act(() -> true, () -> participants[0].ask(new Request.Create(GROUP, terms(), participants[0], 0))));
    all.add(new Act(() -> isTogether(0), () -> participants[1].join()));
    all.add(new Act(() -> isTogether(0, 1), () -> participants[2].join()));
    all.add(new Act(() -> isTogether(0, 1, 2), () -> speak(0, 1, 2)));
    all.add(new Act(() -> isQuiet(0, 1, 2), () -> isolate(2, true)));
    all.add(new Act(() -> true, () -> speak(0, 1, 2)));
    all.add(new Act(() -> now - mark > CUT_NANOS && isTogether(0, 1) && isQuiet(0, 1), () -> isolate(2, false)));
    all.add(
        new Act(
            () -> isTogether(0, 1, 2) && isQuiet(0, 1, 2),
            () -> participants[1].ask(new Request.Leave(GROUP, new End(End.Cause.LEFT, "left")))));
    all.add(new Act(() -> participants[1].closed && isTogether(0, 2), () -> speak(0, 2)));
    all.add(new Act(() -> isQuiet(0, 2), () -> participants[1] = new Participant(1)));
    all.add(new Act(() -> true, () -> participants[1].join()));
    all.add(new Act(() -> isTogether(0, 1, 2), () -> speak(0, 1, 2)));
    all.add(new Act(() -> isQuiet(0, 1, 2), () -> isolate(0, true)));
    all.add(new Act(() -> isTogether(1, 2), () -> speak(1, 2)));
    all.add(new Act(() -> isQuiet(1, 2), () -> mark = now));
    if (rich) {
      all.add(new Act(() -> true, () -> isolate(0, false)));
      all.add(new Act(() -> isTogether(0, 1, 2) && isQuiet(0, 1, 2), () -> mark = now));
    }
    return all;
  }

  private Terms terms() {
    var group = GroupConfig.builder().stateTransfer(true);
    if (rich) {
      group.ordering(Ordering.SKEEN).partitions(Partitions.CONTINUE).electorate("n0").primaryViews(PrimaryViews.BOTH);
    }
    return Terms.voter(group.build(), MemberConfig.builder().batchBytesMax(1 << 10).batchMessagesMax(64).build());
  }

  private void speak(int... numbers) {
    for (int number : numbers) {
      for (int size : new int[] {0, 1, 20, 300, 5000, 7}) {
        Service service = size > 300 || number == numbers[0] ? Service.TOTAL : Service.values()[size % 4];
        participants[number].ask(
            new Request.Multicast(GROUP, MessageBlock.of(Batch.Kind.of(service), ByteBuffer.allocate(size))));
        participants[number].owed++;
      }
      if (rich) {
        participants[number].speakRichly();
      }
    }
    mark = now;
  }

  private void isolate(int number, boolean isCut) {
    for (int other = 0; other < NODES; other++) {
      cut[number][other] = isCut;
      cut[other][number] = isCut;
    }
    mark = now;
  }

  private boolean isTogether(int... numbers) {
    View view = participants[numbers[0]].view;
    boolean goesOn = view != null && (view.primary() || rich);
    if (!goesOn || view.size() != numbers.length) {
      return false;
    }
    for (int number : numbers) {
      Participant participant = participants[number];
      if (participant.view == null || !participant.view.id().equals(view.id()) || participant.isWaiting()) {
        return false;
      }
    }
    return true;
  }

  private boolean isQuiet(int... numbers) {
    for (int number : numbers) {
      boolean owes = participants[number].owed != 0 || participants[number].subsetsOwed != 0;
      if (owes || participants[number].indexNext != participants[numbers[0]].indexNext) {
        return false;
      }
    }
    return wire.isEmpty();
  }

  boolean isOver() {
    return acts == play.size();
  }

  @Override
  public String toString() {
    var text = new StringBuilder("after act ").append(acts).append(" of ").append(play.size()).append(", ").append(now);
    for (Participant participant : participants) {
      text.append("; ").append(participant.self).append(' ').append(participant.self.incarnation());
      text.append(" in ").append(participant.view).append(participant.closed ? " closed" : "");
      text.append(participant.isWaiting() ? " waiting" : "").append(" next ").append(participant.indexNext);
      text.append(" owed ").append(participant.owed);
    }
    return text.append(wire.isEmpty() ? "" : "; frames on the way").toString();
  }

  Participant participant(int number) {
    return participants[number];
  }

  /// Lets the next thing happen: an act of the play, a frame's arrival, or the passing of time.
  void tick() {
    if (!isOver() && play.get(acts).when.getAsBoolean()) {
      play.get(acts++).what.run();
    }
    for (Participant participant : participants) {
      Request request = participant.asked.poll();
      if (request != null) {
        participant.take(new Input.Requested(request));
        return;
      }
    }
    Carried next = wire.poll();
    if (next != null) {
      now += FRAME_NANOS;
      arrive(next);
    } else {
      passTime();
    }
  }

  private void arrive(Carried next) {
    if (cut[next.from][next.to]) {
      return;
    }
    byte[] frame = listener.arriving(participants[next.from], participants[next.to], next.frame);
    participants[next.to].take(new Input.Arrived(ByteBuffer.wrap(frame)));
    Arrays.fill(frame, (byte) POISON);
    listener.arrived(participants[next.to]);
  }

  private void passTime() {
    long next = Long.MAX_VALUE;
    for (Participant participant : participants) {
      next = Math.min(next, participant.engine.deadlineNanos());
    }
    now = Math.max(now + FRAME_NANOS, next == Long.MAX_VALUE ? now : next);
    for (Participant participant : participants) {
      if (participant.engine.deadlineNanos() <= now) {
        participant.take(new Input.Expired());
      }
    }
  }

  /// Copies of the frames that will arrive at a participant next.
  List<byte[]> onTheWayTo(Participant to) {
    return wire.stream().filter(next -> next.to == to.number).map(next -> next.frame.clone()).toList();
  }

  /// A frame that nobody on the stage has sent.
  void shoot(int victim, byte[] frame) {
    now += FRAME_NANOS;
    participants[victim].take(new Input.Arrived(ByteBuffer.wrap(frame)));
    Arrays.fill(frame, (byte) POISON);
  }

  /// A node with an application whose state is nothing but its length.
  final class Participant implements FrameSender, GroupUser {
    final int number;
    final MemberId self;
    final NodeEngine engine;
    private final Traits traits = new Traits(FRAME_BYTES_MAX, Duration.ofMillis(50), checksum);
    private final ArrayDeque<Request> asked = new ArrayDeque<>();
    private @Nullable ByteBuffer claimed;
    private int claimedTo;
    private @Nullable View view;
    private boolean founder;
    private boolean offered;
    private boolean begun;
    private boolean closed;
    private long indexNext;
    private long consumed;
    private int owed;
    private int subsetsOwed;
    private long subsets;
    private long inBranches;
    private final TreeMap<String, Long> board = new TreeMap<>();
    private int wanted;

    private Participant(int number) {
      this.number = number;
      this.self = new MemberId("n" + number, address(number), 1000L * ++lives + number + 1);
      NodeSettings config = Node.named(self.name()).contacts(List.of(address(0), address(2))).settings();
      this.engine = new NodeEngine(self, config, this, new SplittableRandom(self.incarnation()));
      this.founder = number == 0;
    }

    private static Address address(int number) {
      return new Address("stage:" + number);
    }

    void ask(Request request) {
      asked.add(request);
    }

    private void speakRichly() {
      View present = view;
      if (present == null) {
        return;
      }
      if (present.primary()) { // in a branch a subset multicast, and whatever follows it, waits for its end
        for (int size : new int[] {0, 40, 4000}) {
          List<MemberId> to = size == 0 ? List.of(self) : present.members();
          ask(new Request.SubsetMulticast(GROUP, ++subsets, ByteBuffer.allocate(size), to));
          subsetsOwed++;
        }
      }
      ask(new Request.Propagate(GROUP, ByteBuffer.allocate(30)));
      owed++;
      board.put("", now);
      board.put("load" + board.size() % 4, now);
      ask(new Request.Whiteboard(GROUP));
    }

    void join() {
      ask(new Request.Join(GROUP, null, terms().member(), false, this));
    }

    boolean isWaiting() {
      return offered || !founder && !begun;
    }

    private void take(Input input) {
      engine.step(now, input);
      engine.flush(now);
    }

    @Override
    public @Nullable ByteBuffer claim(Address to, int length) {
      if (length < 1 || length > FRAME_BYTES_MAX) {
        throw new IllegalArgumentException("a frame of " + length + " bytes was claimed");
      }
      claimedTo = -1;
      for (int other = 0; other < NODES; other++) {
        if (to.equals(address(other))) {
          claimedTo = other;
        }
      }
      claimed = claimedTo < 0 ? null : ByteBuffer.allocate(length);
      return claimed;
    }

    @Override
    public void commit() {
      ByteBuffer frame = claimed;
      if (frame == null || frame.hasRemaining()) {
        throw new IllegalStateException("commit of " + frame);
      }
      claimed = null;
      if (participants[number] == this) {
        wire.add(new Carried(number, claimedTo, frame.array()));
      }
    }

    @Override
    public Traits traits() {
      return traits;
    }

    @Override
    public void begin(long index, long position) {
      begun = true;
      indexNext = index;
    }

    @Override
    public void deliver(long index, Batch batch, long position) {
      indexNext = index + 1;
      consumed++;
    }

    @Override
    public void deliverEarly(Batch batch) {}

    @Override
    public void pass(long index, Batch batch, long position) {
      indexNext = index + 1;
      consumed++;
    }

    @Override
    public void install(View installed) {
      view = installed;
    }

    @Override
    public void decided(int messages, long position) {
      owed -= messages;
    }

    @Override
    public void decidedInBranch(int messages) {
      owed -= messages;
    }

    @Override
    public void deliverInBranch(Batch batch) {
      inBranches++;
    }

    @Override
    public long consumedInBranches() {
      return inBranches;
    }

    @Override
    public void deliverSubset(Batch subset) {}

    @Override
    public void subsetDecided(long subset, GroupUser.SubsetOutcome fate) {
      subsetsOwed--;
    }

    @Override
    public SortedMap<String, Long> whiteboardPut() {
      return Collections.unmodifiableSortedMap(new TreeMap<>(board));
    }

    @Override
    public void released(long cost) {}

    @Override
    public long consumed() {
      return consumed;
    }

    @Override
    public void stateRequested(long transfer, MemberId newcomer) {
      wanted = CHUNKS;
      for (int i = 0; i < CHUNKS - 2; i++) {
        stateWanted(transfer);
      }
    }

    @Override
    public void stateWanted(long transfer) {
      if (wanted > 0) {
        wanted--;
        StateChecksum.Sum end = StateChecksum.of(ByteBuffer.allocate(CHUNKS * CHUNK_BYTES));
        ask(new Request.StateChunk(GROUP, transfer, ByteBuffer.allocate(CHUNK_BYTES), wanted == 0 ? end : null));
      }
    }

    @Override
    public void stateCancelled(long transfer) {
      wanted = 0;
    }

    @Override
    public void stateOffered(long transfer, MemberId donor, long index, long position) {
      offered = true;
      ask(new Request.StateKnown(GROUP, transfer, ByteBuffer.wrap(new byte[] {1, 2, 3})));
    }

    @Override
    public void stateChunk(long transfer, ByteBuffer chunk, StateChecksum.@Nullable Sum end) {
      ask(new Request.StateTaken(GROUP, transfer));
      offered = end == null;
    }

    @Override
    public void stateInterrupted(long transfer) {
      offered = false;
    }

    @Override
    public void closed(End end) {
      closed = true;
    }
  }
}
