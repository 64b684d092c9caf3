package org.tutti.engine;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.dissemination.Transmission;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.history.Branch;
import org.tutti.history.PrimaryHistory;
import org.tutti.history.ViewHistory;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.ViewAgreement;
import org.tutti.wire.Channel;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// Lets a message of a view reach its protocol only in that view: what comes for a view that this member is about to
/// install is kept until then, what comes for another one is dropped.
final class ViewFilter {
  private final ViewAgreement agreement;
  private final PrimaryHistory history;
  private final Branch branch;
  private final StateTransfer transfer;
  private final EarlyMessages early;
  private final Counters counters;
  private final Consumer<MemberId> lost; // a member that cannot be heard any more

  ViewFilter(
      ViewAgreement agreement,
      PrimaryHistory history,
      Branch branch,
      StateTransfer transfer,
      int windowBytes,
      Counters counters,
      Consumer<MemberId> lost) {
    this.agreement = agreement;
    this.history = history;
    this.branch = branch;
    this.transfer = transfer;
    this.early = new EarlyMessages(windowBytes);
    this.counters = counters;
    this.lost = lost;
  }

  /// The history that goes on in the view installed, unless it is wedged.
  @Nullable ViewHistory acting() {
    return agreement.view().primary() ? history.acting() : branch.acting();
  }

  void inView(MemberId from, Channel channel, ViewId of, ByteBuffer bytes) throws Malformed {
    ViewHistory current = acting();
    if (!of.equals(agreement.view().id())) {
      keepEarly(from, channel, of, bytes);
    } else if (current == null || agreement.isCutOff(from)) {
      counters.count(current == null ? Count.MESSAGE_WHILE_WEDGED : Count.MESSAGE_OF_CUT_OFF);
    } else {
      try {
        MemberId excessive = current.receive(from, channel, new WireReader(bytes));
        if (excessive != null) {
          counters.count(Count.MESSAGE_EARLY);
          lost.accept(excessive);
        }
      } catch (Malformed malformed) {
        cutOff(from);
        throw malformed;
      }
    }
  }

  /// What a member said had to be dropped: what it goes on to say may make no sense without it.
  private void cutOff(MemberId member) {
    if (agreement.view().contains(member)) {
      lost.accept(member);
    }
  }

  void state(MemberId from, ByteBuffer bytes) throws Malformed {
    StateTransfer.Message message = StateTransfer.CODEC.readAll(new WireReader(bytes.duplicate()));
    if (agreement.expected(message.since(), from) != null) {
      keepEarly(from, Channel.STATE, message.since(), bytes);
    } else {
      transfer.receive(from, message);
    }
  }

  /// Others may install a view earlier and speak in it; what they say waits for this member's installation.
  private void keepEarly(MemberId from, Channel channel, ViewId of, ByteBuffer bytes) {
    View next = agreement.expected(of, from);
    if (next == null) {
      counters.count(Count.MESSAGE_OF_OTHER_VIEW);
    } else if (!early.keep(from, channel, next, bytes)) {
      counters.count(Count.MESSAGE_EARLY);
      lost.accept(from);
    }
  }

  /// A view was installed: takes what was said in it before.
  void takeEarly() {
    for (EarlyMessages.Early message : early.take()) {
      try {
        if (message.channel() == Channel.STATE) {
          state(message.from(), message.bytes());
        } else {
          inView(message.from(), message.channel(), message.view(), message.bytes());
        }
      } catch (Malformed malformed) {
        counters.malformed(malformed.reason());
      }
    }
  }

  /// Messages for a view that this member has accepted and not installed yet. Each sender is bounded by its window, and
  /// by the windows of all others whose batches it may pass on: whoever sends more breaks the rules.
  static final class EarlyMessages {
    private static final int SPARE_BYTES = 2 * Group.MESSAGE_BYTES_MAX;
    private static final long OVERHEAD_BYTES = 128; // of a message in memory, however short it is

    /// A message that waits.
    ///
    /// @param from    who sent it
    /// @param channel whose it is
    /// @param view    the view that it is for
    /// @param bytes   a copy
    record Early(MemberId from, Channel channel, ViewId view, ByteBuffer bytes) {}

    private final long bytesMax;
    private final ArrayDeque<Early> waiting = new ArrayDeque<>();
    private final Map<Source, Long> bytesFrom = new LinkedHashMap<>();

    /// Whose messages are counted together.
    private record Source(MemberId from, boolean indirect) {}

    EarlyMessages(int windowBytes) {
      this.bytesMax = (long) windowBytes + SPARE_BYTES;
    }

    /// Keeps a message.
    ///
    /// @return whether the sender is within its bounds
    boolean keep(MemberId from, Channel channel, View view, ByteBuffer bytes) {
      boolean indirect = channel == Channel.BATCH && Transmission.isIndirect(bytes);
      var source = new Source(from, indirect);
      long most = indirect ? bytesMax * view.size() : bytesMax;
      if (bytesFrom.merge(source, OVERHEAD_BYTES + bytes.remaining(), Long::sum) > most) {
        return false;
      }
      waiting.add(new Early(from, channel, view.id(), ByteBuffer.allocate(bytes.remaining()).put(bytes).flip()));
      return true;
    }

    /// Takes everything, in the order in which it came.
    List<Early> take() {
      List<Early> taken = List.copyOf(waiting);
      waiting.clear();
      bytesFrom.clear();
      return taken;
    }
  }
}
