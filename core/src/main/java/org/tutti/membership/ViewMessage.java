package org.tutti.membership;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.pack.Batch;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.Versions;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What members say to each other to agree on views; see [ViewAgreement] for who says what when.
public sealed interface ViewMessage {
  /// Stop, and tell me what you know: I want to make a view.
  ///
  /// @param ballot the attempt
  record Propose(ViewId ballot) implements ViewMessage {}

  /// I have stopped, and answer no lower ballot from now on.
  ///
  /// @param ballot    the attempt
  /// @param knowledge what the sender knows
  record Wedged(ViewId ballot, Knowledge knowledge) implements ViewMessage {}

  /// I have promised a higher ballot.
  ///
  /// @param ballot   the attempt that is refused
  /// @param promised the higher one
  record Refused(ViewId ballot, ViewId promised) implements ViewMessage {}

  /// This is to be the next view; fetch what you miss of the old one's end.
  ///
  /// @param ballot   the attempt
  /// @param proposal the view and the cuts
  record Accept(ViewId ballot, Proposal proposal) implements ViewMessage {}

  /// I have everything and keep the proposal.
  ///
  /// @param ballot the attempt
  record Accepted(ViewId ballot) implements ViewMessage {}

  /// It is agreed: deliver the end of the old view and install this one.
  ///
  /// @param view what was agreed
  record Install(ViewId view) implements ViewMessage {}

  /// This was agreed earlier: follow if you can, then report again.
  ///
  /// @param ballot   the attempt that found it out
  /// @param proposal the view and the cuts
  record Agreed(ViewId ballot, Proposal proposal) implements ViewMessage {}

  /// Send me batches that I miss.
  ///
  /// @param view the primary view whose history they belong to
  /// @param rank their sender's rank
  /// @param from the first one's number
  /// @param next the number behind the last one
  record Fetch(ViewId view, int rank, long from, long next) implements ViewMessage {}

  /// Here is one.
  ///
  /// @param view  the primary view whose history it belongs to
  /// @param rank  its sender's rank
  /// @param batch the batch
  record Supply(ViewId view, int rank, Batch batch) implements ViewMessage {}

  /// I do not hear these members; to the coordinator.
  ///
  /// @param members the silent ones
  record Report(List<MemberId> members) implements ViewMessage {}

  /// I have heard nothing of these members after this: has anybody?
  ///
  /// @param signs the last of each silent member
  record Doubted(List<Sign> signs) implements ViewMessage {
    /// Copies the list.
    public Doubted {
      signs = List.copyOf(signs);
    }
  }

  /// I have heard these members later.
  ///
  /// @param signs the last of each member that was doubted
  record Refuted(List<Sign> signs) implements ViewMessage {
    /// Copies the list.
    public Refuted {
      signs = List.copyOf(signs);
    }
  }

  /// The last that somebody has heard of a member.
  ///
  /// @param of       whose it is: this life of it
  /// @param beat     how many of its heartbeats it had lived when it said that; 0 if nothing was heard
  /// @param agoNanos how long ago that came, by the clock of who heard it; a time of suspicion stands for any
  ///                 longer one
  record Sign(MemberId of, long beat, long agoNanos) {
    private static String summary(List<Sign> signs) {
      return signs.stream()
          .map(sign -> "%s %d ms ago".formatted(sign.of, Duration.ofNanos(sign.agoNanos).toMillis()))
          .collect(Collectors.joining(", "));
    }
  }

  /// I want a new view: to be out of it, or because my state transfer failed; to the coordinator.
  ///
  /// @param leaving whether the sender wants to be out
  record Ask(boolean leaving) implements ViewMessage {}

  /// Somebody of another view is looking for us; to the coordinator.
  ///
  /// @param coordinator who spoke for the other view
  record Found(MemberId coordinator) implements ViewMessage {}

  /// My view, for a merge; from coordinator to coordinator.
  ///
  /// @param view    the sender's view
  /// @param lineage names its history, or null
  /// @param primary the latest primary view that it knows, or null
  /// @param earlier the latest lives of its name for which the sender stands, at most [#LIVES_MAX]
  /// @param versions what the sender's node understands
  /// @param answer  whether this answers one
  record Meet(
      View view,
      @Nullable Lineage lineage,
      @Nullable ViewId primary,
      List<MemberId> earlier,
      Versions versions,
      boolean answer)
      implements ViewMessage {
    /// The most lives that are told.
    static final int LIVES_MAX = 16;

    /// Copies the list.
    public Meet {
      earlier = List.copyOf(earlier);
    }
  }

  /// You are not taken in: somebody here has your name, and is heard.
  ///
  /// @param holder  who has it
  /// @param primary the latest primary view that the sender knows, or null
  record NameInUse(MemberId holder, @Nullable ViewId primary) implements ViewMessage {}

  /// You are not taken in: the group speaks a version of the protocol that you do not have.
  ///
  /// @param version of the group
  /// @param primary the latest primary view that the sender knows, or null
  record OtherVersion(int version, @Nullable ViewId primary) implements ViewMessage {}

  /// You are not taken in: you say that you vote, and your certificate is only for observers.
  ///
  /// @param primary the latest primary view that the sender knows, or null
  record MayNotVote(@Nullable ViewId primary) implements ViewMessage {}

  /// You are an observer, and do not keep up: you are not in the next view.
  ///
  /// @param bytes how many you may be behind
  record TooSlow(long bytes) implements ViewMessage {}

  /// I leave, as my application is too far behind.
  ///
  /// @param nanos how long ago the first thing that it has not taken was delivered
  record Behind(long nanos) implements ViewMessage {}

  /// Our history gives way to an older one of the same group; to the members of a view.
  ///
  /// @param older  names the older history
  /// @param member somebody who is in it
  record Overruled(Lineage older, MemberId member) implements ViewMessage {}

  /// Whether the sender says by this that it votes: in the view that it is in, or in one that it proposes.
  ///
  /// @param from the sender
  /// @return whether it does
  default boolean claimsVote(MemberId from) {
    View its =
        switch (this) {
          case Wedged(_, Knowledge knowledge) -> knowledge.view();
          case Accept(_, Proposal proposal) -> proposal.view();
          case Agreed(_, Proposal proposal) -> proposal.view();
          case Meet meet -> meet.view();
          case Propose _, Refused _, Accepted _, Install _, Fetch _, Supply _, Report _, Doubted _, Refuted _ -> null;
          case Ask _, Found _, NameInUse _, OtherVersion _, MayNotVote _, TooSlow _, Behind _, Overruled _ -> null;
        };
    return its != null && its.contains(from) && !its.isObserver(from);
  }

  /// What it says in a few words, as the log of the receiver or the sender shows it. Batches, and what members hold of
  /// them, are left out, so that it is short; names are as their owners have chosen them.
  ///
  /// @return without an end of sentence
  default String summary() {
    return switch (this) {
      case Propose(var ballot) -> "propose " + ballot;
      case Wedged(var ballot, var its) -> "wedged for " + ballot + " in " + its.summary();
      case Refused(var ballot, var promised) ->
          ballot.equals(promised)
              ? "refuse what " + ballot + " decided, as more is known here"
              : "refuse " + ballot + ", promised is " + promised;
      case Accept(var ballot, var proposal) -> "accept in " + ballot + ": " + proposal.summary();
      case Accepted(var ballot) -> "accepted in " + ballot;
      case Install(var view) -> "install " + view;
      case Agreed(var ballot, var proposal) -> "for " + ballot + ", it was agreed: " + proposal.summary();
      case Fetch(var view, int rank, long from, long next) ->
          "send batches %d to %d of rank %d in %s".formatted(from, next - 1, rank, view);
      case Supply(var view, int rank, var batch) -> "batch %d of rank %d in %s".formatted(batch.seq(), rank, view);
      case Report(var members) ->
          "does not hear " + members.stream().map(MemberId::name).collect(Collectors.joining(", "));
      case Doubted(var signs) -> "who has heard later than this: " + Sign.summary(signs);
      case Refuted(var signs) -> "has heard " + Sign.summary(signs);
      case Ask(var leaving) -> leaving ? "wants to leave" : "wants another view";
      case Found(var coordinator) -> "a member of another view calls, of " + coordinator;
      case Meet meet -> (meet.answer ? "answers from " : "calls from ") + meet.view;
      case NameInUse(var holder, _) -> "the name is in use, by " + holder + " at " + holder.address();
      case OtherVersion(var version, _) -> "the group speaks version " + version;
      case MayNotVote _ -> "the certificate is only for observers";
      case TooSlow(var bytes) -> "more than " + bytes + " bytes behind";
      case Behind(var nanos) -> "leaves, as its application is " + Duration.ofNanos(nanos).toMillis() + " ms behind";
      case Overruled(_, var member) -> "the history gives way to that of " + member;
    };
  }

  /// The bytes of these messages.
  Codec<ViewMessage> CODEC =
      new Codec<>() {
        private static final int RANK_MAX = Short.MAX_VALUE;

        private static int kind(ViewMessage message) {
          return switch (message) {
            case Propose _ -> 1;
            case Wedged _ -> 2;
            case Refused _ -> 3;
            case Agreed _ -> 4;
            case Accept _ -> 5;
            case Accepted _ -> 6;
            case Install _ -> 7;
            case Fetch _ -> 8;
            case Supply _ -> 9;
            case Report _ -> 10;
            case Ask _ -> 11;
            case Found _ -> 12;
            case Meet _ -> 13;
            case Overruled _ -> 14;
            case Doubted _ -> 15;
            case Refuted _ -> 16;
            case NameInUse _ -> 17;
            case TooSlow _ -> 18;
            case Behind _ -> 19;
            case OtherVersion _ -> 20;
            case MayNotVote _ -> 21;
          };
        }

        @Override
        public void write(ViewMessage message, WireWriter out) {
          out.u8(kind(message));
          switch (message) {
            case Propose(var ballot) -> out.viewId(ballot);
            case Wedged(var ballot, var knowledge) -> {
              out.viewId(ballot);
              knowledge.write(out);
            }
            case Refused(var ballot, var promised) -> {
              out.viewId(ballot);
              out.viewId(promised);
            }
            case Agreed(var ballot, var proposal) -> {
              out.viewId(ballot);
              proposal.write(out);
            }
            case Accept(var ballot, var proposal) -> {
              out.viewId(ballot);
              proposal.write(out);
            }
            case Accepted(var ballot) -> out.viewId(ballot);
            case Install(var view) -> out.viewId(view);
            case Fetch fetch -> {
              out.viewId(fetch.view());
              out.count(fetch.rank());
              out.count(fetch.from());
              out.count(fetch.next());
            }
            case Supply supply -> write(supply, out);
            case Report(var members) -> out.members(members);
            case Doubted(var signs) -> write(signs, out);
            case Refuted(var signs) -> write(signs, out);
            case TooSlow(var bytes) -> out.count(bytes);
            case Behind(var nanos) -> out.count(nanos);
            case Ask(var leaving) -> out.flag(leaving);
            case Found(var coordinator) -> out.member(coordinator);
            case Meet meet -> {
              out.view(meet.view());
              out.optional(meet.lineage(), (to, lineage) -> lineage.write(to));
              out.optional(meet.primary(), WireWriter::viewId);
              out.members(meet.earlier());
              SpokenVersions.write(meet.versions(), out);
              out.flag(meet.answer());
            }
            case Overruled(var older, var member) -> {
              older.write(out);
              out.member(member);
            }
            case NameInUse(var holder, var primary) -> {
              out.member(holder);
              out.optional(primary, WireWriter::viewId);
            }
            case OtherVersion(var version, var primary) -> {
              out.u8(version);
              out.optional(primary, WireWriter::viewId);
            }
            case MayNotVote(var primary) -> out.optional(primary, WireWriter::viewId);
          }
        }

        private static void write(Supply supply, WireWriter out) {
          out.viewId(supply.view());
          out.count(supply.rank());
          out.member(supply.batch().sender());
          supply.batch().write(out);
        }

        private static void write(List<Sign> signs, WireWriter out) {
          out.members(signs.stream().map(Sign::of).toList());
          for (Sign sign : signs) {
            out.count(sign.beat());
            out.count(sign.agoNanos());
          }
        }

        private static List<Sign> signs(WireReader in) throws Malformed {
          List<MemberId> members = in.members(); // no more than a view may have, each once
          List<Sign> signs = new ArrayList<>(members.size());
          for (MemberId member : members) {
            signs.add(new Sign(member, in.count(), in.count()));
          }
          return signs;
        }

        @Override
        public ByteBuffer tail(ViewMessage message) {
          return message instanceof Supply supply ? supply.batch().payload() : NOTHING;
        }

        @Override
        public ViewMessage read(WireReader in) throws Malformed {
          ViewMessage message =
              switch (in.u8()) {
                case 1 -> new Propose(in.viewId());
                case 2 -> new Wedged(in.viewId(), Knowledge.read(in));
                case 3 -> new Refused(in.viewId(), in.viewId());
                case 4 -> new Agreed(in.viewId(), Proposal.read(in));
                case 5 -> new Accept(in.viewId(), Proposal.read(in));
                case 6 -> new Accepted(in.viewId());
                case 7 -> new Install(in.viewId());
                case 8 -> new Fetch(in.viewId(), in.countUpTo(RANK_MAX), in.count(), in.count());
                case 9 -> new Supply(in.viewId(), in.countUpTo(RANK_MAX), Batch.copy(in.member(), in));
                case 10 -> new Report(in.members());
                case 11 -> new Ask(in.flag());
                case 12 -> new Found(in.member());
                case 13 -> meet(in);
                case 14 -> new Overruled(Lineage.read(in), in.member());
                case 15 -> new Doubted(signs(in));
                case 16 -> new Refuted(signs(in));
                case 17 -> new NameInUse(in.member(), in.optional(WireReader::viewId));
                case 18 -> new TooSlow(in.count());
                case 19 -> new Behind(in.count());
                case 20 -> new OtherVersion(in.u8(), in.optional(WireReader::viewId));
                case 21 -> new MayNotVote(in.optional(WireReader::viewId));
                default -> throw new Malformed("view message");
              };
          in.end();
          return message;
        }

        private static Meet meet(WireReader in) throws Malformed {
          var meet =
              new Meet(
                  in.view(),
                  in.optional(Lineage::read),
                  in.optional(WireReader::viewId),
                  in.members(),
                  SpokenVersions.readVersions(in),
                  in.flag());
          if (meet.earlier().size() > Meet.LIVES_MAX) {
            throw new Malformed("lives");
          }
          return meet;
        }
      };
}
