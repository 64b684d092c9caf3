package org.tutti.dissemination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.Members.batch;
import static org.tutti.Members.member;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.dissemination.Transmission.Way;
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
  private static final int RELAYED = 8; // a flag on the wire

  private final RecordingEffects<Transmission> effects = new RecordingEffects<>();
  private final Counters counters = new Counters();
  private Way way = Way.CHAIN;

  private static View view(int size, int voters) {
    List<MemberId> members = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      members.add(member("n" + rank, rank + 1));
    }
    return new View(new ViewId(1, 1), members, voters, voters > 0, List.of());
  }

  private Disseminator at(View view, int rank) {
    return new Disseminator(view, rank, bytes -> way, effects, counters);
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

  @Test
  void whetherABatchMayLeaveIsAskedWhereWaysDiffer() {
    Disseminator.Choice waits =
        new Disseminator.Choice() {
          @Override
          public Way way(int bytes) {
            return Way.STAR;
          }

          @Override
          public boolean isReady(MemberId next) {
            return false;
          }
        };
    assertThat(new Disseminator(view(3, 3), 0, waits, effects, counters).isReady()).isFalse();
    assertThat(new Disseminator(view(2, 2), 0, waits, effects, counters).isReady()).isTrue();
    assertThat(at(view(3, 3), 0).isReady()).as("of who has chosen one way").isTrue();
  }

  private static Transmission direct(View view, long seq, boolean first, boolean apart) {
    return new Transmission(Way.STAR, 0, first, apart, batch(view.senior(), seq));
  }

  private static Transmission chained(View view, long seq, boolean first, boolean apart) {
    return new Transmission(Way.CHAIN, 0, first, apart, batch(view.senior(), seq));
  }

  @Test
  void aBatchSaysWhetherTheOneBeforeTookTheOtherWay() {
    View view = view(3, 3);
    Disseminator sender = at(view, 0);
    MemberId next = view.members().get(1);
    sender.send(batch(view.senior(), 4));
    sender.send(batch(view.senior(), 5));
    way = Way.STAR;
    sender.send(batch(view.senior(), 6));
    sender.send(batch(view.senior(), 7));
    way = Way.CHAIN;
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

  private static Transmission relayed(View view, int origin, long seq, boolean first, boolean apart) {
    return new Transmission(Way.RELAY, origin, first, apart, batch(view.members().get(origin), seq));
  }

  @Test
  void aRelayedBatchGoesToTheMostSeniorMemberAndFromThereToAllOthers() throws Malformed {
    View view = view(4, 3);
    way = Way.RELAY;
    at(view, 2).send(batch(view.members().get(2), 0));
    Transmission message = relayed(view, 2, 0, true, false);
    assertThat(effects.take()).containsExactly(new Sent<>(view.senior(), message));
    assertThat(counters.get(Count.BATCHES_RELAYED)).isOne();

    Disseminator relay = at(view, 0);
    assertThat(relay.sender(view.members().get(2), message)).isEqualTo(2);
    relay.forward(message);
    assertThat(effects.take())
        .as("the observer, too, and not its sender")
        .containsExactly(new Sent<>(view.members().get(1), message), new Sent<>(view.members().get(3), message));

    Disseminator other = at(view, 3);
    assertThat(other.sender(view.senior(), message)).isEqualTo(2);
    other.forward(message);
    assertThat(effects.take()).isEmpty();
    assertThat(counters.get(Count.BATCHES_FORWARDED)).isOne();
  }

  @Test
  void whoRelaysSendsItsOwnAsAStarAndSoDoTwoMembers() {
    way = Way.RELAY;
    View view = view(3, 3);
    at(view, 0).send(batch(view.senior(), 0));
    assertThat(effects.take()).containsExactly(new Broadcast<>(direct(view, 0, true, false)));
    View two = view(2, 2);
    at(two, 1).send(batch(two.members().get(1), 0));
    var message = new Transmission(Way.STAR, 1, true, false, batch(two.members().get(1), 0));
    assertThat(effects.take()).containsExactly(new Broadcast<>(message));
    assertThat(counters.get(Count.BATCHES_RELAYED)).isZero();
  }

  @Test
  void aRelayedBatchIsTakenFromTheRelayOnlyAndByTheRelayFromItsSender() {
    View view = view(4, 4);
    Transmission message = relayed(view, 2, 0, true, false);
    List<MemberId> members = view.members();
    assertThatThrownBy(() -> at(view, 3).sender(members.get(1), message)).isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> at(view, 3).sender(members.get(2), message)).as("sender").isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> at(view, 3).sender(member("x", 9), message)).as("stranger").isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> at(view, 2).sender(members.get(0), message)).as("own").isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> at(view, 0).sender(members.get(1), message)).as("other").isInstanceOf(Malformed.class);
    Transmission ofRelay = relayed(view, 0, 0, true, false);
    assertThatThrownBy(() -> at(view, 1).sender(members.get(0), ofRelay)).as("relay's").isInstanceOf(Malformed.class);
  }

  @Test
  void aBatchIsApartFromOneOfAnyOtherWay() {
    View view = view(3, 3);
    Disseminator sender = at(view, 1);
    long seq = 0;
    for (Way next : List.of(Way.CHAIN, Way.RELAY, Way.RELAY, Way.STAR, Way.RELAY, Way.CHAIN)) {
      way = next;
      sender.send(batch(view.members().get(1), seq++));
    }
    List<Boolean> apart = new ArrayList<>();
    for (Effect<Transmission> effect : effects.take()) {
      switch (effect) {
        case Sent<Transmission>(_, Transmission message) -> apart.add(message.apart());
        case Broadcast<Transmission>(Transmission message) -> apart.add(message.apart());
        default -> throw new AssertionError(effect);
      }
    }
    assertThat(apart).containsExactly(false, true, false, true, true, true);
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
    Transmission relayed = relayed(view, 1, 7, false, true);
    assertThat(again(view, view.senior(), relayed)).isEqualTo(relayed);
    var stranger = new Transmission(Way.CHAIN, 3, true, false, batch(view.senior(), 0));
    assertThatThrownBy(() -> again(view, from, stranger)).isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> again(view, member("x", 9), direct)).as("a star's").isInstanceOf(Malformed.class);
  }

  @Test
  void aBatchGoesOneWay() throws Malformed {
    View view = view(3, 3);
    var out = new WireWriter();
    ByteBuffer bytes = Encoded.of(out, encoding(null, view.senior()), chained(view, 7, true, false), false).joined();
    bytes.put(bytes.position(), (byte) (bytes.get(bytes.position()) | RELAYED));
    assertThatThrownBy(() -> encoding(view, view.senior()).readAll(new WireReader(bytes)))
        .isInstanceOf(Malformed.class);
  }

  private static Transmission.Encoding encoding(@Nullable View view, MemberId from) {
    return new Transmission.Encoding(view, from, Payloads.used());
  }

  private static Transmission again(View view, MemberId from, Transmission message) throws Malformed {
    ByteBuffer bytes = Encoded.of(new WireWriter(), encoding(null, from), message, false).joined();
    assertThat(Transmission.isIndirect(bytes)).isEqualTo(message.way() != Way.STAR);
    return encoding(view, from).readAll(new WireReader(bytes));
  }
}
