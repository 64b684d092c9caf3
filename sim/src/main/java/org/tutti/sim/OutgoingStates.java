package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.tutti.membership.StateChecksum;
import org.tutti.user.GroupUser;
import org.tutti.user.Request;

/// The states that an application is writing to newcomers, in chunks of drawn sizes, as fast as it has credits.
final class OutgoingStates {
  private static final class Outgoing {
    final long transfer;
    final byte[] bytes;
    final StateChecksum.Sum sum;
    int at;
    int credits = GroupUser.CHUNKS_ON_THE_WAY;
    boolean writing;
    boolean waits;

    Outgoing(long transfer, byte[] bytes) {
      this.transfer = transfer;
      this.bytes = bytes;
      this.sum = StateChecksum.of(ByteBuffer.wrap(bytes));
    }
  }

  private final Simulation.Setting setting;
  private final SimulatedNode node;
  private final String group;
  private final SplittableRandom random;
  private final TreeMap<Long, Outgoing> open = new TreeMap<>();
  private boolean calm;

  OutgoingStates(Simulation.Setting setting, SimulatedNode node, String group, SplittableRandom random) {
    this.setting = setting;
    this.node = node;
    this.group = group;
    this.random = random;
  }

  /// Begins to write a state.
  ///
  /// @return a hash over all its bytes
  long begin(long transfer, StateImage image) {
    int about = setting.plan().stateBytes();
    var state = new Outgoing(transfer, image.bytes(about == 0 ? 0 : random.nextInt(2 * about)));
    if (open.put(transfer, state) != null) {
      throw new IllegalStateException("transfer " + transfer + " was requested twice");
    }
    state.waits = transfer % 2 == 0; // for what the newcomer has already, as half of the applications do
    writeSoon(state);
    return Hash.of(ByteBuffer.wrap(state.bytes));
  }

  void known(long transfer) {
    Outgoing state = open.get(transfer);
    if (state != null) {
      state.waits = false;
      writeSoon(state);
    }
  }

  void wanted(long transfer) {
    Outgoing state = open.get(transfer);
    if (state != null) {
      state.credits++;
      writeSoon(state);
    }
  }

  void cancel(long transfer) {
    open.remove(transfer);
  }

  /// No more trouble from now on.
  void calm() {
    calm = true;
  }

  private void writeSoon(Outgoing state) {
    if (!state.writing && !state.waits && state.credits > 0) {
      state.writing = true;
      setting
          .scheduler()
          .after(
              delay(),
              () -> {
                state.writing = false;
                if (open.get(state.transfer) == state) {
                  write(state);
                }
              });
    }
  }

  private long delay() {
    double trouble = calm ? 0 : setting.plan().strength(FaultKind.STATE_TROUBLE);
    long longest = (long) (trouble * setting.plan().suspectNanos() / 4);
    return 1000 + (longest == 0 ? 0 : random.nextLong(longest));
  }

  private void write(Outgoing state) {
    double trouble = calm ? 0 : setting.plan().strength(FaultKind.STATE_TROUBLE);
    if (random.nextDouble() < 0.3 * trouble) {
      setting.tally().fault(FaultKind.STATE_TROUBLE);
      open.remove(state.transfer);
      node.request(new Request.StateFailed(group, state.transfer), 0);
      return;
    }
    while (state.credits > 0) {
      int left = state.bytes.length - state.at;
      int size = Math.min(left, random.nextInt(GroupUser.CHUNK_BYTES_MAX + 1));
      boolean last = size == left && (left == 0 || random.nextInt(8) > 0); // now and then the last one is empty
      ByteBuffer chunk = ByteBuffer.wrap(state.bytes, state.at, size).slice();
      state.at += size;
      state.credits--;
      node.request(new Request.StateChunk(group, state.transfer, chunk, last ? state.sum : null), 0);
      if (last) {
        open.remove(state.transfer);
        return;
      }
    }
  }
}
