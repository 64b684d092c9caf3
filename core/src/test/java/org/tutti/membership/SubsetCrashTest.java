package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.tutti.Members.A;
import static org.tutti.Members.batch;
import static org.tutti.Members.member;
import static org.tutti.Members.primary;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.effect.RecordingEffects;
import org.tutti.effect.RecordingEffects.Effect;
import org.tutti.order.Clock;
import org.tutti.order.Cut;
import org.tutti.order.Log;
import org.tutti.order.Skeen;
import org.tutti.order.SubsetMessage;
import org.tutti.order.SubsetMulticasts;
import org.tutti.order.SubsetPlace;
import org.tutti.order.Tail;
import org.tutti.order.TotalOrder;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;
import org.tutti.wire.Malformed;

/// Multicasts to some members: what they cost, their order among batches, and what a view change makes of them
/// when their sender crashes at one of the points of the thesis's figure 10.
class SubsetCrashTest {
  private final List<Member> members = new ArrayList<>();
  private View view = primary(1, A);

  /// One member's ordering, log and subset multicasts; what it says waits until it is heard.
  private final class Member implements SubsetMulticasts.User {
    final int rank;
    final Log log;
    final RecordingEffects<Skeen.Message> skeenEffects = new RecordingEffects<>();
    final RecordingEffects<SubsetMessage> subsetEffects = new RecordingEffects<>();
    final Skeen skeen;
    final SubsetMulticasts subsets;
    final List<ArrayDeque<Object>> out = new ArrayList<>();
    final List<String> delivered = new ArrayList<>();
    final List<String> fates = new ArrayList<>();
    long deliveredNext = 10;
    int said; // messages about subset multicasts
    boolean room = true;

    Member(int rank) {
      this.rank = rank;
      this.log = new Log(view, rank, 10, Ordering.SKEEN, _ -> close());
      var context = new TotalOrder.Context(rank, view, 10, _ -> true, new Clock(), _ -> false, Duration.ofMillis(100));
      this.skeen = new Skeen(context, skeenEffects, log::place);
      this.subsets = new SubsetMulticasts(context, log, 1 << 20, subsetEffects, this);
      skeen.accompany(subsets);
      view.members().forEach(_ -> out.add(new ArrayDeque<>()));
    }

    void close() {
      subsets.close();
    }

    void gets(Member sender, Batch batch) {
      log.add(sender.rank, batch);
      skeen.arrived(sender.rank, batch.seq(), 0);
      speak();
    }

    void sends(long number, Integer... to) {
      subsets.send(List.of(to), payload(number));
      speak();
    }

    Batch payload(long number) {
      var bytes = ByteBuffer.wrap(new byte[] {1, (byte) number});
      return new Batch(view.members().get(rank), number, Batch.Kind.TOTAL, 0, CausalPast.NONE, 1, bytes);
    }

    private void speak() {
      skeen.flush();
      subsets.flush();
      boolean more = true;
      while (more) {
        more = subsets.deliver(deliveredNext) | deliver(Math.min(log.heldNext(), subsets.limit()));
      }
      for (Effect<Skeen.Message> effect : skeenEffects.take()) {
        switch (effect) {
          case Effect.Sent<Skeen.Message>(MemberId to, Skeen.Message message) -> out.get(view.rankOf(to)).add(message);
          case Effect.Broadcast<Skeen.Message>(Skeen.Message message) -> out.forEach(queue -> queue.add(message));
          default -> throw new AssertionError("no timers: " + effect);
        }
      }
      for (Effect<SubsetMessage> effect : subsetEffects.take()) {
        if (effect instanceof Effect.Sent<SubsetMessage>(MemberId to, SubsetMessage message)) {
          out.get(view.rankOf(to)).add(message);
          said++;
        } else {
          throw new AssertionError("subset multicasts are not for all: " + effect);
        }
      }
    }

    private boolean deliver(long end) {
      boolean any = false;
      while (deliveredNext < end) {
        Batch batch = log.at(deliveredNext++);
        delivered.add(batch.sender().name() + batch.seq());
        any = true;
      }
      return any;
    }

    /// All that a member has said to this one arrives.
    void hears(Member from) throws Malformed {
      ArrayDeque<Object> queue = from.out.get(rank);
      while (!queue.isEmpty()) {
        MemberId sender = view.members().get(from.rank);
        switch (queue.remove()) {
          case SubsetMessage message -> subsets.receive(sender, message);
          case Skeen.Message message -> skeen.receive(sender, message);
          default -> throw new AssertionError();
        }
        speak();
      }
    }

    void ends(Cut cut) {
      log.adopt(cut, deliveredNext);
      for (SubsetPlace kept : cut.subsets()) {
        if (subsets.awaits(kept)) {
          deliver(kept.index());
          subsets.end(kept, deliveredNext);
        }
      }
      subsets.end(cut.subsets());
      deliver(cut.end());
    }

    @Override
    public boolean hasRoom() {
      return room;
    }

    @Override
    public void deliver(Batch subset) {
      delivered.add(subset.sender().name() + ":" + subset.seq());
    }

    @Override
    public void held(long number) {
      fates.add("held " + number);
    }

    @Override
    public void refused(long number) {
      fates.add("refused " + number);
    }

    @Override
    public void leftOut(long number) {
      fates.add("left out " + number);
    }
  }

  private void viewOf(int size) {
    MemberId[] ids = new MemberId[size];
    for (int rank = 0; rank < size; rank++) {
      ids[rank] = member("abcdefgh".substring(rank, rank + 1), rank + 1);
    }
    view = primary(1, ids);
    for (int rank = 0; rank < size; rank++) {
      members.add(new Member(rank));
    }
  }

  private Member at(int rank) {
    return members.get(rank);
  }

  private void allGet(Member sender, long seq) {
    members.forEach(member -> member.gets(sender, batch(view.members().get(sender.rank), seq)));
  }

  private void settle() throws Malformed {
    for (int round = 0; round < 10; round++) {
      for (Member to : members) {
        for (Member from : members) {
          if (to != from) {
            to.hears(from);
          }
        }
      }
    }
  }

  /// The end of the view for those who are left.
  private Cut cut(Integer... ranks) {
    var histories = new TreeMap<MemberId, Tail>();
    for (int rank : ranks) {
      Member member = at(rank);
      histories.put(view.members().get(rank), member.log.tail(member.deliveredNext).with(member.subsets.tail()));
    }
    Cut cut = CutBuilder.whole(view, histories);
    for (int rank : ranks) {
      at(rank).ends(cut);
    }
    return cut;
  }

  // ---- cost and order --------------------------------------------------------------------------------------------

  /// Three messages for each destination, as in a group of these alone, and one more each, to all who want to know
  /// that it is held there.
  @ParameterizedTest
  @CsvSource({"3, 1", "3, 2", "8, 1", "8, 3", "8, 7"})
  void onlyDestinationsPay(int size, int count) throws Malformed {
    viewOf(size);
    Integer[] destinations = new Integer[count];
    for (int i = 0; i < count; i++) {
      destinations[i] = i + 1;
    }
    at(0).sends(1, destinations);
    settle();
    int sum = members.stream().mapToInt(member -> member.said).sum();
    assertThat(sum).isEqualTo(3 * count + count * count);
    for (Member member : members) {
      boolean isFor = List.of(destinations).contains(member.rank);
      assertThat(member.delivered).isEqualTo(isFor ? List.of("a:1") : List.of());
      assertThat(member.said > 0).isEqualTo(isFor || member.rank == 0);
    }
    assertThat(at(0).fates).containsExactly("held 1");
  }

  @Test
  void aSenderMayBeItsOwnOnlyDestination() throws Malformed {
    viewOf(3);
    at(0).sends(1, 0);
    assertThat(at(0).delivered).containsExactly("a:1");
    assertThat(at(0).fates).containsExactly("held 1");
    assertThat(at(0).said).isZero();
  }

  /// B gets one behind what it has settled, C one before: no member sees all three, and their orders must not go round.
  /// So what is decided moves B's clock, although B proposed less.
  @Test
  void threeMulticastsForTwoOfThreeMembersEachHaveOneOrder() throws Malformed {
    viewOf(6);
    Member ahead = at(0);
    for (long number = 1; number <= 3; number++) {
      ahead.sends(number, 0);
    }
    at(3).sends(1, 0, 2);
    at(4).sends(1, 0, 1);
    for (int sender = 3; sender <= 4; sender++) {
      for (int destination = 0; destination <= 2; destination++) {
        at(destination).hears(at(sender));
        at(sender).hears(at(destination));
      }
    }
    ahead.hears(at(3));
    ahead.hears(at(4));
    at(1).hears(at(4));
    at(1).hears(ahead);
    assertThat(at(1).delivered).containsExactly("e:1");
    at(5).sends(1, 1, 2);
    for (int destination = 1; destination <= 2; destination++) {
      at(destination).hears(at(5)); // C does not know yet where the first one stands
      at(5).hears(at(destination));
    }
    at(1).hears(at(5));
    at(2).hears(at(5));
    settle();
    assertThat(ahead.delivered).endsWith("d:1", "e:1");
    assertThat(at(1).delivered).containsExactly("e:1", "f:1");
    assertThat(at(2).delivered).containsExactly("d:1", "f:1");
  }

  @Test
  void aBatchDecidedHigherWaitsForASubsetMulticast() throws Malformed {
    viewOf(3);
    at(2).sends(1, 0, 1);
    at(0).hears(at(2));
    at(1).hears(at(2));
    allGet(at(0), 0);
    at(0).hears(at(1));
    at(0).hears(at(2));
    at(1).hears(at(0));
    at(2).hears(at(0));
    assertThat(at(0).log.heldNext()).as("placed").isEqualTo(11);
    assertThat(List.of(at(0).delivered, at(1).delivered)).as("c:1 comes first").containsOnly(List.of());
    assertThat(at(2).delivered).as("c:1 is not for its sender").containsExactly("a0");
    settle();
    assertThat(List.of(at(0).delivered, at(1).delivered)).containsOnly(List.of("c:1", "a0"));
  }

  @Test
  void aDestinationWithoutRoomHoldsUpTheOthers() throws Malformed {
    viewOf(3);
    at(1).room = false;
    at(2).sends(1, 0, 1);
    settle();
    assertThat(List.of(at(0).delivered, at(1).delivered)).containsOnly(List.of());
    at(1).room = true;
    at(1).speak();
    settle();
    assertThat(List.of(at(0).delivered, at(1).delivered)).containsOnly(List.of("c:1"));
  }

  @Test
  void anSubsetBehindASwitchIsRefused() throws Malformed {
    viewOf(3);
    Batch change = Batch.toSwitch(view.members().get(0), 0, Ordering.SEQUENCER);
    members.forEach(member -> member.gets(at(0), change));
    at(2).sends(1, 0, 1);
    settle();
    assertThat(at(2).fates).containsExactly("refused 1");
    assertThat(List.of(at(0).delivered, at(1).delivered)).containsOnly(List.of("a0"));
    at(1).sends(1, 0);
    settle();
    assertThat(at(1).fates).as("after it").containsExactly("refused 1");
  }

  // ---- the points of figure 10 -----------------------------------------------------------------------------------

  /// C's subset multicast is pending at A and B, a0 is decided behind it everywhere; C has all proposals and has
  /// decided.
  private void cDecides() throws Malformed {
    viewOf(3);
    at(2).sends(1, 0, 1);
    at(0).hears(at(2));
    at(1).hears(at(2));
    allGet(at(0), 0);
    at(0).hears(at(1));
    at(0).hears(at(2));
    at(1).hears(at(0));
    at(2).hears(at(1));
    at(2).hears(at(0));
  }

  @Test
  void theSenderCrashesBeforeItTellsItsDecision() throws Malformed {
    cDecides();
    assertThat(cut(0, 1).subsets()).isEmpty();
    assertThat(List.of(at(0).delivered, at(1).delivered)).containsOnly(List.of("a0"));
  }

  @Test
  void theSenderCrashesWhileItTellsItsDecision() throws Malformed {
    cDecides();
    at(1).hears(at(2));
    assertThat(at(1).delivered).as("A does not hold it").isEmpty();
    assertThat(cut(0, 1).subsets()).isEmpty();
    assertThat(List.of(at(0).delivered, at(1).delivered)).containsOnly(List.of("a0"));
  }

  @Test
  void theSenderCrashesWhenAllHoldIt() throws Malformed {
    cDecides();
    at(0).hears(at(2));
    at(1).hears(at(2));
    assertThat(List.of(at(0).delivered, at(1).delivered)).as("neither knows of the other").containsOnly(List.of());
    Cut cut = cut(0, 1);
    assertThat(cut.subsets()).extracting(SubsetPlace::index).containsExactly(10L);
    assertThat(List.of(at(0).delivered, at(1).delivered)).containsOnly(List.of("c:1", "a0"));
  }

  /// B delivers and goes; A must not put a0, which B may have delivered behind the subset multicast, before it.
  @Test
  void aDestinationDeliversAndCrashes() throws Malformed {
    cDecides();
    at(0).hears(at(2));
    at(1).hears(at(2));
    at(1).hears(at(0));
    assertThat(at(1).delivered).containsExactly("c:1", "a0");
    assertThat(at(0).delivered).isEmpty();
    cut(0, 2);
    assertThat(at(0).delivered).containsExactly("c:1", "a0");
    assertThat(at(2).fates).containsExactly("held 1");
  }

  @Test
  void aSenderLearnsThatItsSubsetWasLeftOut() throws Malformed {
    cDecides();
    at(1).hears(at(2));
    cut(0, 2);
    assertThat(at(2).fates).containsExactly("left out 1");
  }

  // ---- nonsense --------------------------------------------------------------------------------------------------

  @Test
  void nonsenseIsRefused() {
    viewOf(3);
    MemberId c = view.members().get(2);
    Batch one = at(2).payload(1).sent(5, CausalPast.NONE);
    refuses(c, new SubsetMessage.SubsetMulticast(List.of(1), one));
    refuses(c, new SubsetMessage.SubsetMulticast(List.of(0, 3), one));
    refuses(c, new SubsetMessage.SubsetMulticast(List.of(0), at(2).payload(1).sent(Long.MAX_VALUE, CausalPast.NONE)));
    refuses(c, new SubsetMessage.Proposed(1, 7));
    refuses(c, new SubsetMessage.Final(1, 7));
    refuses(c, new SubsetMessage.Held(0, 1));
    refuses(c, new SubsetMessage.Held(3, 1));
    refuses(view.members().get(0), new SubsetMessage.Refused(1));
  }

  private void refuses(MemberId from, SubsetMessage message) {
    assertThatExceptionOfType(Malformed.class).isThrownBy(() -> at(0).subsets.receive(from, message));
  }
}
