package org.tutti.membership;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.pack.Batch;
import org.tutti.wire.Codec;

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
  record Sign(MemberId of, long beat, long agoNanos) {}

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
  /// @param answer  whether this answers one
  record Meet(View view, @Nullable Lineage lineage, @Nullable ViewId primary, List<MemberId> earlier, boolean answer)
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

  /// You are an observer, and do not keep up: you are not in the next view.
  ///
  /// @param bytes how many you may be behind
  record TooSlow(long bytes) implements ViewMessage {}

  /// Our history gives way to an older one of the same group; to the members of a view.
  ///
  /// @param older  names the older history
  /// @param member somebody who is in it
  record Overruled(Lineage older, MemberId member) implements ViewMessage {}

  /// The bytes of these messages.
  Codec<ViewMessage> CODEC = new ViewCodec();
}
