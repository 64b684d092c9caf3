package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.tutti.Invariant;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.transport.Address;

class WindowCheckTest {
  @Test
  void noMoreLeavesTheWindowThanHasEnteredIt() {
    var window = new Window("group", new MemberId("n1", new Address("here:1"), 1), MemberConfig.standard(), null);
    assertThatThrownBy(() -> window.release(1))
        .isInstanceOf(Invariant.Broken.class)
        .hasMessage("no more leaves the window than has entered it");
  }
}
