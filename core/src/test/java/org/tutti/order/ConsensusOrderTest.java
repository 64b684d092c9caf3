package org.tutti.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.primary;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.MemberId;
import org.tutti.Members;
import org.tutti.View;
import org.tutti.consensus.ChandraToueg;
import org.tutti.consensus.ChandraToueg.Message.Ack;
import org.tutti.consensus.ChandraToueg.Message.Decide;
import org.tutti.consensus.ChandraToueg.Message.Estimate;
import org.tutti.consensus.ChandraToueg.Message.Nack;
import org.tutti.consensus.ChandraToueg.Message.Propose;
import org.tutti.effect.RecordingEffects;
import org.tutti.effect.RecordingEffects.Effect;
import org.tutti.effect.RecordingEffects.Effect.Broadcast;
import org.tutti.effect.RecordingEffects.Effect.Sent;
import org.tutti.order.ConsensusOrder.LaneEnd;
import org.tutti.wire.Malformed;

class ConsensusOrderTest {
  private static final View VIEW = primary(1, A, B, C);

  private final RecordingEffects<ChandraToueg.Message<List<LaneEnd>>> effects = new RecordingEffects<>();
  private final List<String> places = new ArrayList<>(); // rank/number
  private final ConsensusOrder atA = at(VIEW, 0, effects, places);
  private final ConsensusOrder atB = at(VIEW, 1, effects, places);

  private static ConsensusOrder at(
      View view, int self, RecordingEffects<ChandraToueg.Message<List<LaneEnd>>> effects, List<String> places) {
    Stability.Quorum majority = ranks -> 2 * IntStream.range(0, view.size()).filter(ranks).count() > view.size();
    var context = new TotalOrder.Context(self, view, 10, majority, new Clock(), _ -> false, Duration.ofMillis(100));
    return new ConsensusOrder(context, effects, (rank, seq) -> places.add(rank + "/" + seq));
  }

  /// What was sent since the last call, timers left out.
  private List<Effect<ChandraToueg.Message<List<LaneEnd>>>> said() {
    return effects.take().stream().filter(effect -> !(effect instanceof Effect.Scheduled)).toList();
  }

  private static List<LaneEnd> end(int rank, long next) {
    return List.of(new LaneEnd(rank, next));
  }

  @Test
  void theCoordinatorProposesOnceForARunOfInputs() {
    atA.arrived(1, 7, 1);
    atA.arrived(2, 0, 1);
    atA.arrived(1, 8, 2);
    assertThat(said()).isEmpty();
    atA.flush();
    var ends = List.of(new LaneEnd(1, 8), new LaneEnd(2, 1), new LaneEnd(1, 9));
    assertThat(said()).containsExactly(new Broadcast<>(new Propose<>(1, 0, List.of(ends), 0)));
    atA.flush();
    assertThat(said()).isEmpty();
    assertThat(places).isEmpty();
  }

  @Test
  void itPlacesWhatAQuorumHasAdopted() throws Malformed {
    atA.arrived(1, 7, 1);
    atA.flush();
    effects.take();
    atA.receive(C, new Ack<>(1, 1, 0));
    atA.flush();
    assertThat(places).containsExactly("1/7");
    assertThat(said()).containsExactly(new Broadcast<>(new Decide<>(0, List.of(end(1, 8)))));
    atA.receive(B, new Ack<>(1, 1, 0));
    atA.flush();
    assertThat(said()).isEmpty();
  }

  @Test
  void itHasSoManyInstancesUnderWayAtMost() {
    for (int i = 0; i < ChandraToueg.PIPELINE + 5; i++) {
      atA.arrived(1, i, 1 + i);
      atA.flush();
    }
    assertThat(said()).hasSize(ChandraToueg.PIPELINE);
  }

  @Test
  void whatArrivesMeanwhileGoesIntoOneInstance() throws Malformed {
    for (int i = 0; i < ChandraToueg.PIPELINE + 5; i++) {
      atA.arrived(1, i, 1 + i);
      atA.flush();
    }
    effects.take();
    atA.receive(B, new Ack<>(1, 1, 0));
    atA.flush();
    assertThat(said()).contains(new Broadcast<>(new Propose<>(1, ChandraToueg.PIPELINE, List.of(end(1, 13)), 0)));
  }

  @Test
  void aMemberAcksOnceForARunOfInputs() throws Malformed {
    atB.receive(A, new Propose<>(1, 0, List.of(end(1, 8)), 0));
    atB.receive(A, new Propose<>(1, 1, List.of(end(2, 1)), 0));
    atB.flush();
    assertThat(said()).containsExactly(new Sent<>(A, new Ack<>(1, 2, 0)));
    assertThat(places).isEmpty();
  }

  @Test
  void aDecidedBatchThatIsNotHereHoldsUpThoseBehindIt() throws Malformed {
    atB.arrived(1, 7, 1);
    atB.receive(A, new Decide<>(0, List.of(end(2, 2), end(1, 8))));
    assertThat(places).isEmpty();
    atB.arrived(2, 0, 1);
    assertThat(places).containsExactly("2/0");
    atB.arrived(2, 1, 2);
    assertThat(places).containsExactly("2/0", "2/1", "1/7");
  }

  @Test
  void whatIsDecidedAgainIsPlacedOnce() throws Malformed {
    atB.arrived(1, 7, 1);
    atB.arrived(1, 8, 1);
    atB.receive(A, new Decide<>(0, List.of(end(1, 8), end(1, 8), end(1, 9), end(1, 8))));
    atB.receive(C, new Decide<>(1, List.of(end(1, 8), end(1, 9))));
    assertThat(places).containsExactly("1/7", "1/8");
  }

  @Test
  void whoeverIsInALaterRoundAdoptsNothingAndSaysSo() throws Malformed {
    atB.receive(C, new Propose<>(3, 0, List.of(end(1, 8)), 0));
    atB.receive(A, new Propose<>(1, 0, List.of(end(2, 1)), 0));
    atB.receive(A, new Propose<>(1, 1, List.of(end(2, 2)), 0));
    atB.flush();
    assertThat(said()).containsExactly(new Sent<>(A, new Nack<>(3, 0)), new Sent<>(C, new Ack<>(3, 1, 0)));
  }

  @Test
  void aNewCoordinatorProposesWhatWasAdoptedLast() throws Malformed {
    atB.arrived(1, 0, 1);
    atB.receive(A, new Propose<>(1, 0, List.of(end(1, 1)), 0));
    atB.receive(C, new Estimate<>(5, 0, List.of(), 4, List.of(end(2, 9), end(0, 3))));
    assertThat(said()).contains(new Broadcast<>(new Propose<>(5, 0, List.of(end(2, 9), end(0, 3)), 0)));
    atB.flush();
    assertThat(said()).containsExactly(new Broadcast<>(new Propose<>(5, 2, List.of(end(1, 1)), 0)));
  }

  /// What comes behind may follow from what a later round replaced.
  @Test
  void aNewCoordinatorForgetsWhatTheLatestRoundDidNotReach() throws Malformed {
    atB.receive(A, new Propose<>(1, 0, List.of(end(1, 1), end(0, 3)), 0));
    atB.receive(C, new Estimate<>(5, 0, List.of(), 3, List.of(end(2, 9))));
    assertThat(said()).contains(new Broadcast<>(new Propose<>(5, 0, List.of(end(2, 9)), 0)));
  }

  @Test
  void aNewCoordinatorForgetsWhatADecisionOfALaterRoundReplaced() throws Malformed {
    atB.receive(A, new Propose<>(1, 0, List.of(end(1, 1), end(0, 3)), 0));
    atB.receive(C, new Estimate<>(5, 0, List.of(end(2, 9)), 3, List.of()));
    assertThat(said()).contains(new Broadcast<>(new Propose<>(5, 1, List.of(), 0)));
  }

  @Test
  void nonsenseIsRefused() {
    var refused =
        List.<ChandraToueg.Message<List<LaneEnd>>>of(
            new Propose<>(1, 0, List.of(end(3, 1)), 0),
            new Propose<>(2, 0, List.of(end(1, 1)), 0), // B's own round
            new Propose<>(1, 1, List.of(end(1, 1)), 0),
            new Propose<>(4, 1, List.of(end(1, 1)), 0),
            new Decide<>(1, List.of(end(1, 1))),
            new Ack<>(1, 1, 0),
            new Estimate<>(3, 0, List.of(), 1, List.of()),
            new Estimate<>(2, 1, List.of(), 1, List.of()),
            new Estimate<>(2, 0, List.of(), 2, List.of(end(1, 1))));
    for (ChandraToueg.Message<List<LaneEnd>> message : refused) {
      assertThatExceptionOfType(Malformed.class).as("%s", message).isThrownBy(() -> atB.receive(A, message));
    }
    atB.flush();
    assertThat(said()).isEmpty();
    assertThat(places).isEmpty();
  }

  private record Letter(int from, int to, ChandraToueg.Message<List<LaneEnd>> message) {}

  private static List<Letter> letters(Effect<ChandraToueg.Message<List<LaneEnd>>> effect, int from, View view) {
    return switch (effect) {
      case Sent<ChandraToueg.Message<List<LaneEnd>>>(MemberId to, var message) ->
          List.of(new Letter(from, view.rankOf(to), message));
      case Broadcast<ChandraToueg.Message<List<LaneEnd>>>(var message) ->
          IntStream.range(0, view.size())
              .filter(to -> to != from)
              .mapToObj(to -> new Letter(from, to, message))
              .toList();
      default -> List.of();
    };
  }

  /// The cost model: four steps and 4(n-1) messages for one broadcast, the first being the batch itself.
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8})
  void oneBroadcastCostsWhatTheModelSays(int members) throws Malformed {
    List<MemberId> ids = IntStream.range(0, members).mapToObj(i -> Members.member("m" + i, i + 1)).toList();
    View view = primary(1, ids.toArray(MemberId[]::new));
    var protocolPorts = new ArrayList<RecordingEffects<ChandraToueg.Message<List<LaneEnd>>>>();
    var orders = new ArrayList<ConsensusOrder>();
    var placed = new ArrayList<List<String>>();
    for (int rank = 0; rank < members; rank++) {
      protocolPorts.add(new RecordingEffects<>());
      placed.add(new ArrayList<>());
      orders.add(at(view, rank, protocolPorts.get(rank), placed.get(rank)));
    }
    int sender = members - 1;
    orders.get(sender).arrived(sender, 0, 1);
    orders.get(sender).flush();
    int messages = members - 1;
    int steps = 1;
    orders.subList(0, sender).forEach(order -> order.arrived(sender, 0, 1));
    while (true) {
      var letters = new ArrayList<Letter>();
      for (int rank = 0; rank < members; rank++) {
        orders.get(rank).flush();
        for (var effect : protocolPorts.get(rank).take()) {
          letters.addAll(letters(effect, rank, view));
        }
      }
      if (letters.isEmpty()) {
        break;
      }
      messages += letters.size();
      steps++;
      for (Letter letter : letters) {
        orders.get(letter.to).receive(ids.get(letter.from), letter.message);
      }
    }
    assertThat(placed).allSatisfy(at -> assertThat(at).containsExactly(sender + "/0"));
    assertThat(messages).isEqualTo(4 * (members - 1));
    assertThat(steps).isEqualTo(4);
  }
}
