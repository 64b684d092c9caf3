package org.tutti.engine;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ViewId;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.ViewAgreement;
import org.tutti.order.Frontier;
import org.tutti.order.Stability;
import org.tutti.order.SubsetCodec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// Lets a message of a view reach its protocol only in that view: what comes for a view that this member is about to
/// install is kept until then, what comes for another one is dropped.
final class ViewFilter {
  private final ViewAgreement agreement;
  private final LastHistory history;
  private final Branch branch;
  private final StateTransfer transfer;
  private final EarlyMessages early;
  private final Counters counters;
  private final Consumer<MemberId> lost; // a member that cannot be heard any more

  ViewFilter(
      ViewAgreement agreement,
      LastHistory history,
      Branch branch,
      StateTransfer transfer,
      EarlyMessages early,
      Counters counters,
      Consumer<MemberId> lost) {
    this.agreement = agreement;
    this.history = history;
    this.branch = branch;
    this.transfer = transfer;
    this.early = early;
    this.counters = counters;
    this.lost = lost;
  }

  /// The history that goes on in the view installed, unless it is wedged.
  @Nullable PrimaryHistory acting() {
    return agreement.view().primary() ? history.acting() : branch.acting();
  }

  void inView(MemberId from, Channel channel, ViewId of, ByteBuffer bytes) throws Malformed {
    PrimaryHistory current = acting();
    if (!of.equals(agreement.view().id())) {
      keepEarly(from, channel, of, bytes);
    } else if (current == null || agreement.isCutOff(from)) {
      counters.count(current == null ? Count.MESSAGE_WHILE_WEDGED : Count.MESSAGE_OF_CUT_OFF);
    } else {
      try {
        inHistory(current, from, channel, new WireReader(bytes));
      } catch (Malformed malformed) {
        cutOff(from);
        throw malformed;
      }
    }
  }

  private void inHistory(PrimaryHistory current, MemberId from, Channel channel, WireReader in) throws Malformed {
    boolean room = true;
    switch (channel) {
      case BATCH -> room = current.batch(from, in);
      case ORDER -> room = current.order(from, in);
      case SUBSET -> room = current.subset(from, new SubsetCodec(from).readAll(in));
      case FRONTIER -> current.frontier(from, Frontier.CODEC.readAll(in));
      default -> current.stability(from, Stability.CODEC.readAll(in));
    }
    if (!room) {
      counters.count(Count.MESSAGE_EARLY);
      lost.accept(from);
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
    if (agreement.expects(message.since(), from)) {
      keepEarly(from, Channel.STATE, message.since(), bytes);
    } else {
      transfer.receive(from, message);
    }
  }

  /// Others may install a view earlier and speak in it; what they say waits for this member's installation.
  private void keepEarly(MemberId from, Channel channel, ViewId of, ByteBuffer bytes) {
    if (!agreement.expects(of, from)) {
      counters.count(Count.MESSAGE_OF_OTHER_VIEW);
    } else if (!early.keep(from, channel, of, bytes)) {
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
}
