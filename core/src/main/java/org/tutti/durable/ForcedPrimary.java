package org.tutti.durable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.membership.Forcing;
import org.tutti.membership.Knowledge;
import org.tutti.membership.Lineage;
import org.tutti.membership.PersistentState;
import org.tutti.storage.Region;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageException;

/// What stable storage has of a group, to go on from without a quorum of its last primary view: for the operator who
/// knows that the others are lost.
///
/// [#force] changes the storage as if its member had been, in one life more, alone in a primary view right behind all
/// that it holds, in a history that replaces the one that was there ([Lineage]). The next start on it is a restart like
/// any other. Not thread-safe; the storage must be open, so that no member runs on it.
///
/// ```
///   try (StableStorage storage = FileStorage.open(directory)) {
///     ForcedPrimary stored = ForcedPrimary.of(storage, "bank");
///     stored.force(Incarnation.next(), micros);
///   }
/// ```
public final class ForcedPrimary {
  private final StableStorage storage;
  private final Region region;
  private final PersistentState views;
  private final Lineage lineage;
  private final Restart.Kept history;
  private final Position end; // behind all that is held

  /// When a history was forced before.
  ///
  /// @param by       whose storage it was
  /// @param time     when, by the operator's clock
  /// @param position of the first message behind what that storage held
  public record Earlier(MemberId by, Instant time, long position) {}

  private ForcedPrimary(
      StableStorage storage, Region region, PersistentState views, Restart.Kept history, Position end) {
    this.storage = storage;
    this.region = region;
    this.views = views;
    this.lineage = Objects.requireNonNull(views.lineage());
    this.history = history;
    this.end = end;
  }

  /// Reads what there is of a group.
  ///
  /// @param storage the member's; it stays open
  /// @param group   the group's name
  /// @return what can be gone on from
  /// @throws StorageException when there is nothing to go on from, in words, or what is there is damaged
  public static ForcedPrimary of(StableStorage storage, String group) {
    Region region = storage.region(group);
    RegionCodec.Views kept = RegionCodec.views(region);
    PersistentState views = kept == null ? null : kept.views();
    Lineage lineage = views == null ? null : views.lineage();
    if (views == null || lineage == null) {
      throw new StorageException("it knows no history of group " + group);
    }
    if (lineage.isDraft()) {
      throw new StorageException("group " + group + " was not founded yet: start its members");
    }
    RegionCodec.Base base = RegionCodec.base(region);
    Restart.Kept history = kept.history();
    if (history == null || base == null || !base.base().isKnown()) {
      throw new StorageException("it does not have the state of group " + group + ": its member was still waiting");
    }
    if (lineage.forcings().size() >= Lineage.FORCINGS_MAX) {
      throw new StorageException("group " + group + " was forced " + Lineage.FORCINGS_MAX + " times already");
    }
    Position end = base.base().copy();
    for (long index = region.first(); index < region.next(); index++) {
      end.pass(RegionCodec.at(region, index));
    }
    if (end.index() < history.indexFirst()) {
      throw new StorageException("the log ends before the last primary view begins");
    }
    return new ForcedPrimary(storage, region, views, history, end);
  }

  /// Whose storage it is.
  ///
  /// @return its last life
  public MemberId member() {
    return views.life();
  }

  /// Up to where the history is held.
  ///
  /// @return the position of the first message that is not
  public long position() {
    return end.position();
  }

  /// From where on the log has messages: an application whose own durable state ends before that cannot go on.
  ///
  /// @return the position of the first message that can be delivered again
  public long logFirst() {
    return Objects.requireNonNull(RegionCodec.base(region)).base().position();
  }

  /// The last primary view that this member was in.
  ///
  /// @return the view whose history is held
  public View installed() {
    return history.view();
  }

  /// The latest primary view that this member has heard of.
  ///
  /// @return the view; the same as [#installed], or a later one that went on without it
  public View known() {
    return Objects.requireNonNull(views.primary());
  }

  /// A view after [#known] that this member has agreed to, and of which it does not know whether others have gone
  /// there.
  ///
  /// @return the view, if there is one
  public Optional<View> accepted() {
    Knowledge.Accepted next = views.accepted();
    View view = next == null ? null : next.proposal().view();
    return Optional.ofNullable(view).filter(other -> other.id().compareTo(known().id()) > 0);
  }

  /// Who decides about what follows the latest view, and is given up.
  ///
  /// @return the members of that view that are no observers, and its absentees, but for this one's lives, by seniority
  public List<MemberId> givenUp() {
    List<MemberId> others = new ArrayList<>(voters(known()));
    others.addAll(views.absentees());
    others.removeIf(member -> member.name().equals(views.life().name()));
    return others;
  }

  private static List<MemberId> voters(View of) {
    return of.members().subList(0, of.voters());
  }

  /// Whether the member may go on without being forced: it decides alone about what follows the latest view, and knows
  /// of no other that may have followed.
  ///
  /// @return false when others decide, or may have decided
  public boolean goesOnAlone() {
    boolean decides = voters(known()).stream().anyMatch(voter -> voter.name().equals(views.life().name()));
    return decides && givenUp().isEmpty() && electorate().isEmpty() && accepted().isEmpty();
  }

  /// The names of which a primary view needs a majority, also afterwards.
  ///
  /// @return the electorate; empty when there is none
  public List<String> electorate() {
    return List.copyOf(lineage.group().electorate());
  }

  /// Where the history was forced before.
  ///
  /// @return the earlier forcings, oldest first
  public List<Earlier> earlier() {
    return lineage.forcings().stream()
        .map(forcing -> new Earlier(forcing.by(), forcing.time(), forcing.position()))
        .toList();
  }

  /// Makes the member primary: alone in a view of its own, in a history that replaces what was there. One forced
  /// commit, after which this object is of no use any more.
  ///
  /// @param incarnation a new one ([org.tutti.spi.Incarnation]); the next start has a higher one
  /// @param micros      the time of day, in microseconds since 1970
  /// @return the view that was made, whose successor is the first that anybody is shown
  /// @throws StorageException when it cannot be written
  public View force(long incarnation, long micros) {
    MemberId before = views.life();
    var life = new MemberId(before.name(), before.address(), Math.max(incarnation, before.incarnation() + 1));
    long epoch = Math.max(views.promised().epoch(), known().id().epoch()) + 1;
    var id = new ViewId(epoch, life.incarnation());
    var alone = new View(id, List.of(life), 1, true, List.of(history.view().id()), views.version());
    Lineage next = lineage.forced(new Forcing(life, id, micros, history.view().id(), end.position()));
    RegionCodec.views(region, new RegionCodec.Views(forced(life, alone, next), keptBy(alone)));
    RegionCodec.base(region, Objects.requireNonNull(RegionCodec.base(region)).base(), end.index());
    storage.commit(true);
    return alone;
  }

  /// Nothing that was promised or accepted before is of the new history, and no earlier life is in a view of it.
  private static PersistentState forced(MemberId life, View alone, Lineage next) {
    return new PersistentState(life, List.of(), alone.id(), alone.id(), next, alone, List.of(), null, null);
  }

  private Restart.Kept keptBy(View alone) {
    return new Restart.Kept(alone, end.index(), history.ordering());
  }
}
