package org.tutti.membership;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.tutti.MemberId;
import org.tutti.pack.Batch;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// The bytes of [ViewMessage]: `u8 kind`, then its parts in order.
final class ViewCodec implements Codec<ViewMessage> {
  private static final int RANK_MAX = Short.MAX_VALUE;

  private static int kind(ViewMessage message) {
    return switch (message) {
      case ViewMessage.Propose _ -> 1;
      case ViewMessage.Wedged _ -> 2;
      case ViewMessage.Refused _ -> 3;
      case ViewMessage.Agreed _ -> 4;
      case ViewMessage.Accept _ -> 5;
      case ViewMessage.Accepted _ -> 6;
      case ViewMessage.Install _ -> 7;
      case ViewMessage.Fetch _ -> 8;
      case ViewMessage.Supply _ -> 9;
      case ViewMessage.Report _ -> 10;
      case ViewMessage.Ask _ -> 11;
      case ViewMessage.Found _ -> 12;
      case ViewMessage.Meet _ -> 13;
      case ViewMessage.Overruled _ -> 14;
      case ViewMessage.Doubted _ -> 15;
      case ViewMessage.Refuted _ -> 16;
      case ViewMessage.NameInUse _ -> 17;
      case ViewMessage.TooSlow _ -> 18;
    };
  }

  @Override
  public void write(ViewMessage message, WireWriter out) {
    out.u8(kind(message));
    switch (message) {
      case ViewMessage.Propose(var ballot) -> out.viewId(ballot);
      case ViewMessage.Wedged(var ballot, var knowledge) -> {
        out.viewId(ballot);
        knowledge.write(out);
      }
      case ViewMessage.Refused(var ballot, var promised) -> {
        out.viewId(ballot);
        out.viewId(promised);
      }
      case ViewMessage.Agreed(var ballot, var proposal) -> {
        out.viewId(ballot);
        proposal.write(out);
      }
      case ViewMessage.Accept(var ballot, var proposal) -> {
        out.viewId(ballot);
        proposal.write(out);
      }
      case ViewMessage.Accepted(var ballot) -> out.viewId(ballot);
      case ViewMessage.Install(var view) -> out.viewId(view);
      case ViewMessage.Fetch fetch -> {
        out.viewId(fetch.view());
        out.count(fetch.rank());
        out.count(fetch.from());
        out.count(fetch.next());
      }
      case ViewMessage.Supply supply -> write(supply, out);
      case ViewMessage.Report(var members) -> out.members(members);
      case ViewMessage.Doubted(var signs) -> write(signs, out);
      case ViewMessage.Refuted(var signs) -> write(signs, out);
      case ViewMessage.TooSlow(var bytes) -> out.count(bytes);
      case ViewMessage.Ask(var leaving) -> out.flag(leaving);
      case ViewMessage.Found(var coordinator) -> out.member(coordinator);
      case ViewMessage.Meet meet -> {
        out.view(meet.view());
        out.optional(meet.lineage(), (to, lineage) -> lineage.write(to));
        out.optional(meet.primary(), WireWriter::viewId);
        out.members(meet.earlier());
        out.flag(meet.answer());
      }
      case ViewMessage.Overruled(var older, var member) -> {
        older.write(out);
        out.member(member);
      }
      case ViewMessage.NameInUse(var holder, var primary) -> {
        out.member(holder);
        out.optional(primary, WireWriter::viewId);
      }
    }
  }

  private static void write(ViewMessage.Supply supply, WireWriter out) {
    out.viewId(supply.view());
    out.count(supply.rank());
    out.member(supply.batch().sender());
    supply.batch().write(out);
  }

  private static void write(List<ViewMessage.Sign> signs, WireWriter out) {
    out.members(signs.stream().map(ViewMessage.Sign::of).toList());
    for (ViewMessage.Sign sign : signs) {
      out.count(sign.beat());
      out.count(sign.agoNanos());
    }
  }

  private static List<ViewMessage.Sign> signs(WireReader in) throws Malformed {
    List<MemberId> members = in.members(); // no more than a view may have, each once
    List<ViewMessage.Sign> signs = new ArrayList<>(members.size());
    for (MemberId member : members) {
      signs.add(new ViewMessage.Sign(member, in.count(), in.count()));
    }
    return signs;
  }

  @Override
  public ByteBuffer tail(ViewMessage message) {
    return message instanceof ViewMessage.Supply supply ? supply.batch().payload() : NOTHING;
  }

  @Override
  public ViewMessage read(WireReader in) throws Malformed {
    ViewMessage message =
        switch (in.u8()) {
          case 1 -> new ViewMessage.Propose(in.viewId());
          case 2 -> new ViewMessage.Wedged(in.viewId(), Knowledge.read(in));
          case 3 -> new ViewMessage.Refused(in.viewId(), in.viewId());
          case 4 -> new ViewMessage.Agreed(in.viewId(), Proposal.read(in));
          case 5 -> new ViewMessage.Accept(in.viewId(), Proposal.read(in));
          case 6 -> new ViewMessage.Accepted(in.viewId());
          case 7 -> new ViewMessage.Install(in.viewId());
          case 8 -> new ViewMessage.Fetch(in.viewId(), in.countUpTo(RANK_MAX), in.count(), in.count());
          case 9 -> new ViewMessage.Supply(in.viewId(), in.countUpTo(RANK_MAX), Batch.copy(in.member(), in));
          case 10 -> new ViewMessage.Report(in.members());
          case 11 -> new ViewMessage.Ask(in.flag());
          case 12 -> new ViewMessage.Found(in.member());
          case 13 -> meet(in);
          case 14 -> new ViewMessage.Overruled(Lineage.read(in), in.member());
          case 15 -> new ViewMessage.Doubted(signs(in));
          case 16 -> new ViewMessage.Refuted(signs(in));
          case 17 -> new ViewMessage.NameInUse(in.member(), in.optional(WireReader::viewId));
          case 18 -> new ViewMessage.TooSlow(in.count());
          default -> throw new Malformed("view message");
        };
    in.end();
    return message;
  }

  private static ViewMessage.Meet meet(WireReader in) throws Malformed {
    var meet =
        new ViewMessage.Meet(
            in.view(), in.optional(Lineage::read), in.optional(WireReader::viewId), in.members(), in.flag());
    if (meet.earlier().size() > ViewMessage.Meet.LIVES_MAX) {
      throw new Malformed("lives");
    }
    return meet;
  }
}
