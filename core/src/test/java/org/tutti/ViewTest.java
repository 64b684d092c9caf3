package org.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ViewTest {
  private static final ViewId ID = new ViewId(1, 1);

  private static List<MemberId> members(int size) {
    return new ArrayList<>(IntStream.range(0, size).mapToObj(i -> Members.member("m" + i, i + 1)).toList());
  }

  private static View view(List<MemberId> members) {
    return new View(ID, members, true, List.of());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, 9, 16, 17, 500})
  void aMemberIsFoundAtItsPlace(int size) {
    List<MemberId> members = members(size);
    View view = view(members);
    for (int rank = 0; rank < size; rank++) {
      assertThat(view.rankOf(Members.member("m" + rank, rank + 1))).isEqualTo(rank);
      assertThat(view.contains(Members.member("m" + rank, rank + 2))).as("another life").isFalse();
    }
    assertThat(view.members()).isEqualTo(members).hasSameHashCodeAs(members);
    assertThat(view).isEqualTo(view(new ArrayList<>(members)));
    assertThat(view.members().contains(null)).isFalse();
    members.clear();
    assertThat(view.size()).as("it has its own list").isEqualTo(size);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8, 9, 500})
  void nobodyIsNamedTwice(int size) {
    List<MemberId> members = members(size);
    members.set(size - 1, members.getFirst());
    assertThatIllegalArgumentException().isThrownBy(() -> view(members));
  }
}
