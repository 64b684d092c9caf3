package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.primary;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.order.Cut;
import org.tutti.order.Tail;

class CutBuilderTest {
  private static final View VIEW = primary(1, A, B, C);

  private static SortedMap<MemberId, Tail> histories(@Nullable String a, @Nullable String b, @Nullable String c) {
    var histories = new TreeMap<MemberId, Tail>();
    String[] tails = {a, b, c};
    for (int rank = 0; rank < tails.length; rank++) {
      if (tails[rank] != null) {
        histories.put(VIEW.members().get(rank), HistoryText.tail(tails[rank]));
      }
    }
    return histories;
  }

  /// What the three members have, as [HistoryText] reads it, and the whole history that follows.
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      nullValues = "-",
      value = {
        "nothing happened,                10: |10| 0-0 0-0 0-0,           10: |10| 0-0 0-0 0-0,     -, 10:",
        "all know all,                    10: a0 b0 |12| 0-1 0-1 0-0,     10: a0 b0 |10| 0-1 0-1 0-0, -, 10: a0 b0",
        "the longest order wins,          10: a0 b0 a1 |10| 0-2 0-1 0-0,  10: a0 |10| 0-1 0-1 0-0,  -, 10: a0 b0 a1",
        "a place whose batch is nowhere,  10: a0 c0 b0 |10| 0-1 0-1 0-0,  10: |10| 0-1 0-1 0-0,     -, 10: a0 b0",
        "and the sender's later batches,  10: c0 c1 a0 |10| 0-1 0-0 0-1,  10: |10| 0-1 0-0 0-1,     -, 10: c0 a0",
        "causes before effects,          10: |10| 0-1@7 0-2@3+8 0-0,     10: |10| 0-1@7 0-0 0-1@5,  -, 10: b0 c0 a0 b1",
        "batches without place by rank,   10: a0 |10| 0-3 0-0 0-1,        10: |10| 0-1 0-2 0-0,     -,"
            + " 10: a0 a1 a2 b0 b1 c0",
        "a place known to another,        10: a0 |10| 0-1 0-1 0-0,        10: |10| 0-1 0-2 0-0,     -, 10: a0 b0 b1",
        "from where somebody has dropped, 12: b1 |13| 2-2 1-2 0-0,        10: a0 b0 b1 |10| 0-1 0-2 0-0, -, 12: b1",
        "the order goes on behind it,     12: |12| 1-1 1-1 0-0,           10: a0 b0 c4 b1 |10| 0-1 0-2 4-5, -,"
            + " 12: c4 b1",
        "numbers do not begin at zero,    10: c7 |10| 0-0 0-0 7-9,        10: |10| 0-0 0-0 7-8,     -, 10: c7 c8",
        "whoever claims what nobody has,  10: a0 |10| 0-1 0-0 0-0,        10: |10| 36028797018963968-36028797018963969"
            + " 0-0 0-0, -, 10: a0",
        "a place out of its sender's order, 10: a1 a0 a5 |10| 0-2 0-0 0-0, 10: |10| 0-2 0-0 0-0,    -, 10: a0 a1",
        "one alone,                       -, -, 10: b3 |11| 0-0 3-5 0-0, 10: b3 b4"
      })
  void theWholeHistory(String what, @Nullable String a, @Nullable String b, @Nullable String c, String expected) {
    Cut cut = CutBuilder.whole(VIEW, histories(a, b, c));
    assertThat(HistoryText.text(cut)).as(what).isEqualTo(expected);
    assertThat(cut.whole()).isTrue();
    assertThat(cut.view()).isEqualTo(VIEW.id());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      nullValues = "-",
      value = {
        "nothing is decided,           10: a0 b0 |10| 0-1 0-1 0-0, 10: |10| 0-1 0-0 0-0, 10:",
        "as far as anybody knows,      10: a0 b0 c0 |11| 0-1 0-1 0-1, 10: a0 b0 |12| 0-1 0-1 0-0, 10: a0 b0",
        "not what is only known,       10: a0 b0 c0 |11| 0-1 0-1 0-1, 10: |10| 0-0 0-0 0-0, 10: a0",
        "from where one has dropped,   12: c0 |12| 1-1 1-1 0-1, 10: a0 b0 c0 |13| 0-1 0-1 0-1, 12: c0",
        "nothing behind the drop,      12: c0 |12| 1-1 1-1 0-1, 10: a0 b0 |12| 0-1 0-1 0-0, 12:"
      })
  void theDecidedPart(String what, @Nullable String a, @Nullable String b, String expected) {
    Cut cut = CutBuilder.decided(VIEW, histories(a, b, null));
    assertThat(HistoryText.text(cut)).as(what).isEqualTo(expected);
    assertThat(cut.whole()).isFalse();
  }

  @Test
  @Timeout(10)
  void aLongLaneCostsNoTime() {
    Cut cut = CutBuilder.whole(VIEW, histories("10: a0 |10| 0-134217728 0-0 0-0", "10: |10| 0-1 0-0 0-0", null));
    assertThat(cut.end()).isEqualTo(10 + (1 << 27));
    assertThat(cut.places()).hasSize(1 << 7);
  }

  @Test
  void batchesAreFetchedFromWhoHasTheMost() {
    SortedMap<MemberId, Tail> histories =
        histories("10: |10| 0-3 0-1 0-0", "10: |10| 0-2 0-4 0-0", "10: |10| 0-3 0-2 0-1");
    assertThat(CutBuilder.sources(histories, 3)).containsExactly(A, B, C);
    assertThat(CutBuilder.whole(VIEW, histories).sources()).containsExactly(A, B, C);
  }

  @Test
  void ofEqualsTheFirstIsAsked() {
    SortedMap<MemberId, Tail> histories = histories(null, "10: |10| 0-0 0-1 0-0", "10: |10| 0-0 0-1 0-0");
    assertThat(CutBuilder.sources(histories, 3)).containsExactly(B, B, B);
  }

  @Test
  void aCutIsAvailableWhenSomebodyHasTheLastOfEachSender() {
    var cut = new Cut(VIEW.id(), 10, HistoryText.places("a0 a1 b0"), true, List.of(A, B, C), true);
    assertThat(CutBuilder.isAvailable(cut, histories("10: |10| 0-2 0-0 0-0", "10: |10| 0-1 0-1 0-0", null))).isTrue();
    assertThat(CutBuilder.isAvailable(cut, histories("10: |10| 0-1 0-0 0-0", "10: |10| 0-1 0-1 0-0", null))).isFalse();
    assertThat(CutBuilder.isAvailable(cut, histories(null, null, null))).isFalse();
  }

  @Test
  void theWholeHistoryIsTheSameWhoeverReportsIt() {
    String more = "10: a0 b0 |11| 0-2 0-1 0-3";
    String less = "11: |11| 1-1 0-1 0-2";
    assertThat(HistoryText.text(CutBuilder.whole(VIEW, histories(more, less, null))))
        .isEqualTo(HistoryText.text(CutBuilder.whole(VIEW, histories(less, null, more))));
  }
}
