package org.tutti.engine;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.membership.Founding;
import org.tutti.membership.KeptHistory;
import org.tutti.membership.Knowledge;
import org.tutti.membership.MemberIdentity;
import org.tutti.membership.PersistentState;
import org.tutti.membership.Proposal;
import org.tutti.membership.Refutation;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.ViewHost;
import org.tutti.order.Clock;

/// What the view agreement asks about a group: mostly about its history.
final class AgreementHost implements ViewHost {
  /// What it tells the group.
  interface Changes {
    void install(View before, Proposal proposal);

    void catchUp(Proposal proposal);

    void left(@Nullable Proposal proposal);
  }

  private final Terms terms;
  private final OptionalLong founded;
  private final Founding founding;
  private final MemberIdentity identity;
  private final @Nullable PersistentState restored;
  private final NodeContext node;
  private final Refutation refutation;
  private final LastHistory history;
  private final Branch branch;
  private final Deliveries deliveries;
  private final StateTransfer transfer;
  private final Clock clock;
  private final Changes changes;

  AgreementHost(
      Terms terms,
      OptionalLong founded,
      Founding founding,
      MemberIdentity identity,
      @Nullable PersistentState restored,
      NodeContext node,
      Refutation refutation,
      LastHistory history,
      Branch branch,
      Deliveries deliveries,
      StateTransfer transfer,
      Clock clock,
      Changes changes) {
    this.terms = terms;
    this.founded = founded;
    this.founding = founding;
    this.identity = identity;
    this.restored = restored;
    this.node = node;
    this.refutation = refutation;
    this.history = history;
    this.branch = branch;
    this.deliveries = deliveries;
    this.transfer = transfer;
    this.clock = clock;
    this.changes = changes;
  }

  @Override
  public void wedge() {
    history.activate(false);
    branch.stop();
  }

  @Override
  public KeptHistory kept() {
    return history.kept();
  }

  @Override
  public KeptHistory branch() {
    return branch.kept();
  }

  @Override
  public boolean synced() {
    return deliveries.isSynced();
  }

  @Override
  public Knowledge.@Nullable Transfer transfer(ViewId view) {
    return transfer.reported(view);
  }

  @Override
  public GroupConfig group() {
    return terms.group();
  }

  @Override
  public boolean takesState() {
    return terms.member().takesState();
  }

  @Override
  public boolean isObserver() {
    return terms.observer();
  }

  @Override
  public Founding founding() {
    return founding;
  }

  @Override
  public long founded() {
    return founded.orElse(0);
  }

  @Override
  public MemberIdentity identity() {
    return identity;
  }

  @Override
  public @Nullable PersistentState restored() {
    return restored;
  }

  @Override
  public long clock() {
    return clock.now();
  }

  @Override
  public boolean isNeeded() {
    return transfer.isDonor();
  }

  @Override
  public boolean suspects(MemberId member) {
    return refutation.suspects(member);
  }

  @Override
  public boolean spares(MemberId member) {
    return refutation.spares(member);
  }

  @Override
  public void install(View before, Proposal proposal) {
    changes.install(before, proposal);
  }

  @Override
  public void catchUp(Proposal proposal) {
    changes.catchUp(proposal);
  }

  @Override
  public void left(@Nullable Proposal proposal) {
    changes.left(proposal);
  }

  @Override
  public void interestChanged() {
    node.interestChanged().run();
  }
}
