package org.tutti.durable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.membership.MemberIdentity;
import org.tutti.membership.PersistentState;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.storage.Region;
import org.tutti.storage.StorageException;

/// What stable storage had kept of a member's earlier life, ready for the next one.
///
/// @param identity  as whom the new life counts
/// @param views     what was promised and accepted
/// @param history   the history of the last primary view that was installed, or null when there was none
/// @param base      where the log begins
/// @param entries   what stands from there on
/// @param from      where the application's deliveries go on, or null when its state has to come from others
/// @param persisted where the application's durable state ends, as far as the log knows; the base when it has none
/// @param stable    the place behind what all members of the last primary view held
/// @param region    where the rest is
public record Restart(
    MemberIdentity identity,
    PersistentState views,
    @Nullable Kept history,
    Position base,
    List<Journal.Entry> entries,
    @Nullable Position from,
    Position persisted,
    Position stable,
    Region region) {
  /// A history that is kept.
  ///
  /// @param view       its view
  /// @param indexFirst the index of the view's first place
  /// @param ordering   the ordering in force behind what is held
  public record Kept(View view, long indexFirst, Ordering ordering) {}

  private static final int LIVES_MAX = 1000; // each costs room in every report

  /// Reads what is there.
  ///
  /// @param region where it is
  /// @param self   the new life
  /// @param terms  how it takes part
  /// @param founder whether it founds the group, if no history is known
  /// @return what was kept, or null when there is nothing to go on with
  /// @throws StorageException when it cannot be gone on with, in words
  static @Nullable Restart read(Region region, MemberId self, Terms terms, boolean founder) {
    RegionCodec.Views views = RegionCodec.views(region);
    boolean known = views != null && views.views().knowsHistory();
    if (!known) {
      refuseIfAhead(terms, 0, "knows no history of the group");
    }
    if (views == null || (founder && !known)) {
      return null;
    }
    refuseStranger(views.views().life(), self);
    Kept kept = views.history();
    MemberIdentity identity = views.views().identity(self);
    if (identity.earlier().size() > LIVES_MAX) {
      throw new StorageException("it was restarted " + LIVES_MAX + " times without a primary view");
    }
    if (kept == null) {
      var nowhere = new Position(0, 0);
      return new Restart(
          identity, views.views(), null, nowhere, List.of(), null, nowhere.copy(), nowhere.copy(), region);
    }
    RegionCodec.Base base = RegionCodec.base(region);
    if (base == null || (region.first() < region.next() && region.first() != base.base().index())) {
      throw new StorageException("the log does not begin at the position in its record");
    }
    return read(terms, identity, views, base, region);
  }

  private static Restart read(
      Terms terms, MemberIdentity identity, RegionCodec.Views views, RegionCodec.Base kept, Region region) {
    Kept history = Objects.requireNonNull(views.history());
    Position base = kept.base();
    long held = Math.max(history.indexFirst(), kept.stable());
    Position persisted = base.copy();
    Position stable = base.copy();
    Position end = base.copy();
    List<Journal.Entry> entries = new ArrayList<>();
    for (long index = region.first(); index < region.next(); index++) {
      Batch batch = RegionCodec.at(region, index);
      entries.add(Journal.Entry.of(batch));
      if (stable.index() < held) {
        stable.pass(batch);
      }
      if (persisted.index() == end.index()
          && isBefore(persisted, batch.positions(), terms.member().position().orElse(0))) {
        persisted.pass(batch);
      }
      end.pass(batch);
    }
    if (stable.index() < held) {
      throw new StorageException("the log ends before the last primary view begins");
    }
    if (end.isKnown()) {
      refuseIfAhead(terms, end.position(), "knows the group's history up to " + end.position());
    }
    boolean named = terms.member().position().isPresent() && terms.member().position().getAsLong() >= base.position();
    boolean whole = !terms.group().stateTransfer();
    Position from = base.isKnown() && (named || whole) ? persisted.copy() : null;
    return new Restart(identity, views.views(), history, base, entries, from, persisted, stable, region);
  }

  /// Whether a batch lies wholly before a position.
  static boolean isBefore(Position at, int positions, long position) {
    // What has no positions of its own, right at the position, may not have been delivered.
    return at.isKnown() && at.position() + positions <= position && (positions > 0 || at.position() < position);
  }

  private static void refuseStranger(MemberId life, MemberId self) {
    if (!life.name().equals(self.name())) {
      throw new StorageException("it belongs to node " + life.name() + ", and this one is " + self.name());
    }
    if (self.equals(life)) {
      throw new StorageException("this start of the node was a member before: start it anew to join again");
    }
    if (!self.supersedes(life)) {
      throw new StorageException("it was used by a later start of " + life.name() + ": the clock has gone back");
    }
  }

  private static void refuseIfAhead(Terms terms, long end, String known) {
    if (terms.member().position().orElse(0) > end) {
      throw new StorageException(
          "the application says that its state stands at position "
              + terms.member().position().orElse(0)
              + ", but it "
              + known
              + "; bring back what its storage had, or delete the state of the application, too");
    }
  }

  /// A batch of the log.
  ///
  /// @param index its place
  /// @return the batch
  public Batch at(long index) {
    return RegionCodec.at(region, index);
  }

  /// What was held and may not be held by all: from the stable place on.
  ///
  /// @return the batches, in their order
  public List<Batch> unstable() {
    return RegionCodec.between(region, stable.index(), base.index() + entries.size());
  }

  /// Batches of the last history that came without places.
  ///
  /// @return the batches
  public List<Batch> loose() {
    return history == null ? List.of() : RegionCodec.loose(region, history.view().id());
  }

  /// The last primary view that was known.
  ///
  /// @return the view, or null
  public @Nullable View primary() {
    return views.primary();
  }

  /// Where the application's deliveries go on.
  ///
  /// @return the position; empty when its state has to come from others, or that is not known
  public OptionalLong goesOn() {
    return from == null || from.position() < 0 ? OptionalLong.empty() : OptionalLong.of(from.position());
  }
}
