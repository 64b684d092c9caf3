package org.tutti.dissemination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.Members.batch;
import static org.tutti.Members.member;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.effect.RecordingEffects;
import org.tutti.effect.RecordingEffects.Effect;
import org.tutti.effect.RecordingEffects.Effect.Broadcast;
import org.tutti.effect.RecordingEffects.Effect.Sent;
import org.tutti.pack.Payloads;
import org.tutti.wire.Encoded;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

class DisseminatorTest {
  private final RecordingEffects<Transmission> effects = new RecordingEffects<>();
  private final Counters counters = new Counters();
  private boolean chains = true;

  private static View view(int size, int voters) {
    List<MemberId> members = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      members.add(member("n" + rank, rank + 1));
    }
    return new View(new ViewId(1, 1), members, voters, voters > 0, List.of());
  }

  private Disseminator at(View view, int rank) {
    return new Disseminator(view, rank, _ -> chains, effects, counters);
  }

  /// The ranks that get a batch of one member, one after the other.
  private List<Integer> path(View view, int origin) throws Malformed {
    at(view, origin).send(batch(view.members().get(origin), 0));
    List<Integer> path = new ArrayList<>();
    int from = origin;
    for (List<Effect<Transmission>> done = effects.take(); !done.isEmpty(); done = effects.take()) {
      var sent = (Sent<Transmission>) done.getFirst();
      assertThat(done).hasSize(1);
      int to = view.rankOf(sent.to());
      Disseminator there = at(view, to);
      there.check();
      assertThat(there.sender(view.members().get(from), sent.message())).isEqualTo(origin);
      there.forward(sent.message());
      path.add(to);
      from = to;
    }
    return path;
  }

  @Test
  void aChainGoesAroundTheVotersAndThenToTheObservers() throws Malformed {
    assertThat(path(view(3, 3), 1)).containsExactly(2, 0);
    assertThat(path(view(5, 3), 0)).containsExactly(1, 2, 3, 4);
    assertThat(path(view(5, 3), 2)).containsExactly(0, 1, 3, 4);
    assertThat(path(view(5, 3), 3)).containsExactly(0, 1, 2, 4);
    assertThat(path(view(5, 3), 4)).containsExactly(0, 1, 2, 3);
    assertThat(path(view(3, 1), 0)).containsExactly(1, 2);
    assertThat(path(view(3, 1), 1)).containsExactly(0, 2);
  }

  @Test
  void whereNobodyVotesAllAreEqual() throws Malformed {
    assertThat(path(view(4, 0), 2)).containsExactly(3, 0, 1);
  }

  @Test
  void ofTwoMembersEachIsTheOthersStar() {
    View view = view(2, 2);
    at(view, 0).send(batch(view.senior(), 0));
    assertThat(effects.take()).containsExactly(new Broadcast<>(direct(view, 0, true, false)));
    assertThat(counters.get(Count.BATCHES_CHAINED)).isZero();
  }

  private static Transmission direct(View view, long seq, boolean first, boolean apart) {
    return new Transmission(Transmission.DIRECT, first, apart, batch(view.senior(), seq));
  }

  private static Transmission chained(View view, long seq, boolean first, boolean apart) {
    return new Transmission(0, first, apart, batch(view.senior(), seq));
  }

  @Test
  void aBatchSaysWhetherTheOneBeforeTookTheOtherWay() {
    View view = view(3, 3);
    Disseminator sender = at(view, 0);
    MemberId next = view.members().get(1);
    sender.send(batch(view.senior(), 4));
    sender.send(batch(view.senior(), 5));
    chains = false;
    sender.send(batch(view.senior(), 6));
    sender.send(batch(view.senior(), 7));
    chains = true;
    sender.send(batch(view.senior(), 8));
    assertThat(effects.take())
        .containsExactly(
            new Sent<>(next, chained(view, 4, true, false)),
            new Sent<>(next, chained(view, 5, false, false)),
            new Broadcast<>(direct(view, 6, false, true)),
            new Broadcast<>(direct(view, 7, false, false)),
            new Sent<>(next, chained(view, 8, false, true)));
    assertThat(counters.get(Count.BATCHES_CHAINED)).isEqualTo(3);
  }

  @Test
  void aBatchOfAChainIsTakenFromItsPredecessorOnly() throws Malformed {
    View view = view(4, 4);
    Disseminator last = at(view, 3);
    Transmission ofFirst = chained(view, 0, true, false);
    assertThat(last.sender(view.members().get(2), ofFirst)).isZero();
    assertThatThrownBy(() -> last.sender(view.members().get(1), ofFirst)).isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> last.sender(view.senior(), ofFirst)).as("its sender").isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> last.sender(member("x", 9), ofFirst)).as("a stranger").isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> at(view, 0).sender(view.members().get(3), ofFirst))
        .as("an own one, which has gone around")
        .isInstanceOf(Malformed.class);
    assertThat(last.sender(view.senior(), direct(view, 0, true, false))).isZero();
  }

  @Test
  void aStarIsNotForwarded() {
    at(view(4, 4), 1).forward(direct(view(4, 4), 0, true, false));
    assertThat(effects.take()).isEmpty();
  }

  @Test
  void whatIsWrittenIsRead() throws Malformed {
    View view = view(3, 3);
    MemberId from = view.members().get(2);
    for (Transmission message : List.of(chained(view, 7, false, true), chained(view, 7, true, false))) {
      assertThat(again(view, from, message)).isEqualTo(message);
    }
    Transmission direct = direct(view, 7, true, false);
    assertThat(again(view, view.senior(), direct)).isEqualTo(direct);
    var stranger = new Transmission(3, true, false, batch(view.senior(), 0));
    assertThatThrownBy(() -> again(view, from, stranger)).isInstanceOf(Malformed.class);
  }

  private static Transmission again(View view, MemberId from, Transmission message) throws Malformed {
    ByteBuffer bytes =
        Encoded.of(new WireWriter(), new Transmission.Encoding(null, from, Payloads.used()), message).joined();
    assertThat(Transmission.isChained(bytes)).isEqualTo(message.origin() != Transmission.DIRECT);
    return new Transmission.Encoding(view, from, Payloads.used()).readAll(new WireReader(bytes));
  }
}
