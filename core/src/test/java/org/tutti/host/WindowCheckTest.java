package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.tutti.Invariant;
import org.tutti.MemberConfig;

class WindowCheckTest {
  @Test
  void noMoreLeavesTheWindowThanHasEnteredIt() {
    var window = new Window("group", MemberConfig.standard(), null);
    assertThatThrownBy(() -> window.release(1))
        .isInstanceOf(Invariant.Broken.class)
        .hasMessage("no more leaves the window than has entered it");
  }
}
