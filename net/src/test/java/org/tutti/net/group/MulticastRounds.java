package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.next;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.tutti.Event;
import org.tutti.Group;

/// Traffic while something is changed: each round, each member multicasts, and all of it is delivered everywhere and
/// nothing else happens.
final class MulticastRounds {
  private final List<Group> groups;
  private long rounds;

  /// @param groups the members of one group, who have all been told of the view with all of them
  MulticastRounds(List<Group> groups) {
    this.groups = List.copyOf(groups);
  }

  /// Goes on until something has come to be, and for another round.
  void until(BooleanSupplier done) throws Exception {
    boolean last;
    do {
      last = done.getAsBoolean();
      byte[] round = ByteBuffer.allocate(Long.BYTES).putLong(rounds).array();
      for (Group group : groups) {
        group.multicast(round).get(30, TimeUnit.SECONDS);
      }
      for (Group group : groups) {
        for (int i = 0; i < groups.size(); i++) {
          assertThat(next(group))
              .isInstanceOfSatisfying(
                  Event.Delivery.class,
                  one -> assertThat(one.payload().getLong(0)).as("nothing is missing").isEqualTo(rounds));
        }
      }
      rounds++;
    } while (!last);
  }
}
