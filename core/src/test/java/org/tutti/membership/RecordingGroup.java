package org.tutti.membership;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.order.Cut;

/// What an agreement asks and tells of its group, which holds an empty history of the last primary view.
final class RecordingGroup extends NoBatches implements ViewAgreement.Group {
  final List<View> installed = new ArrayList<>();
  private Knowledge.@Nullable History history;
  final NoBatches branch = new NoBatches();
  boolean allows = true;
  final List<MemberId> spared = new ArrayList<>();
  final List<MemberId> suspected = new ArrayList<>();
  final List<String> omitted = new ArrayList<>();
  boolean deaf;
  int caughtUp;

  @Override
  public void wedge() {}

  @Override
  public @Nullable ViewId of() {
    return history == null ? null : history.view();
  }

  @Override
  public Knowledge.@Nullable History report() {
    return history;
  }

  @Override
  public boolean allows(Knowledge.History report) {
    return allows;
  }

  @Override
  public boolean synced() {
    return true;
  }

  @Override
  public Knowledge.@Nullable Transfer transfer(ViewId view) {
    return null;
  }

  @Override
  public boolean isNeeded() {
    return false;
  }

  @Override
  public boolean suspects(MemberId member) {
    return suspected.contains(member);
  }

  @Override
  public boolean spares(MemberId member) {
    return spared.contains(member);
  }

  @Override
  public boolean heardLately(MemberId member) {
    return !deaf;
  }

  @Override
  public boolean fits(Cut cut) {
    return Objects.requireNonNull(history).view().equals(cut.view());
  }

  @Override
  public void install(View before, Proposal proposal) {
    installed.add(proposal.view());
    if (proposal.view().primary()) {
      history = new Knowledge.History(proposal.view().id(), HistoryText.tail("0: |0| 0-0 0-0"));
    }
  }

  @Override
  public void catchUp(Proposal proposal) {
    caughtUp++;
  }

  @Override
  public void left(@Nullable Proposal proposal) {}

  @Override
  public void omitted(ViewId ballot, List<MemberId> members, Omission why) {
    omitted.add(ballot.epoch() + " without " + members + " " + why);
  }

  @Override
  public void interestChanged() {}
}
