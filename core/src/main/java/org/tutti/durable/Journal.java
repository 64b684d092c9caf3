package org.tutti.durable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.GroupConfig;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.membership.Knowledge;
import org.tutti.membership.Lineage;
import org.tutti.membership.PersistentState;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.Terms;
import org.tutti.order.Log;
import org.tutti.pack.Batch;
import org.tutti.storage.Region;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageException;

/// One group's write-ahead log in stable storage: what this member has promised and accepted about views, and all that
/// it holds of the history from where its application's own durable state ends.
///
/// Guarantee: whatever has left the node, and whatever was delivered, was in the storage before (`NodeEngine.flush`).
/// So a later life knows all that this one has ever let anybody count on. After Oki and Liskov, "Viewstamped
/// replication", 1988, where the log is forced before a view is formed, and Keidar and Dolev, "Totally ordered
/// broadcast in the face of network partitions", 2000, whose members log before they acknowledge.
///
/// The log is dropped before what both do without: the application, which says what it has made durable, and the other
/// members of the view, of which each holds what all hold.
public final class Journal {
  /// What a commit has to do for this group.
  public enum Staged {
    /// Nothing.
    NOTHING,
    /// Survive the end of the process.
    WRITE,
    /// Survive a power failure.
    FORCE
  }

  private static final int STEP = 16; // places by which the log's beginning moves, so that not each costs a record

  /// What of a batch has to be known.
  ///
  /// @param sender    who multicast it
  /// @param seq       its number
  /// @param positions how many positions it takes
  public record Entry(MemberId sender, long seq, int positions) {
    static Entry of(Batch batch) {
      return new Entry(batch.sender(), batch.seq(), batch.positions());
    }

    boolean is(Batch batch) {
      return sender.equals(batch.sender()) && seq == batch.seq();
    }
  }

  private final @Nullable Restart restart;
  private final Region region;
  private final Consumer<Staged> commit;
  private final Staged messages; // what they need
  private @Nullable PersistentState views; // as written
  private Restart.@Nullable Kept history; // as written
  private Position base = new Position(0, 0); // where the log begins
  private Position persisted = base.copy(); // where the application's durable state ends
  private List<Entry> entries = new ArrayList<>(); // from the base on, as written
  private long stable; // the index behind what all held, as written
  private long next; // behind what is written and committed
  private boolean begun; // the base is to be written

  /// What was decided for a group, as far as stable storage knows.
  ///
  /// @param storage the node's, or null
  /// @param group   the group's name
  /// @return null when it knows no history of the group
  /// @throws StorageException when it is damaged
  public static @Nullable GroupConfig group(@Nullable StableStorage storage, String group) {
    RegionCodec.Views views = storage == null ? null : RegionCodec.views(storage.region(group));
    Lineage lineage = views == null ? null : views.views().lineage();
    return lineage == null || lineage.isDraft() ? null : lineage.group();
  }

  /// Opens a group's part of the node's stable storage.
  ///
  /// @param storage the node's, or null
  /// @param group   the group's name
  /// @param self    this life of this node
  /// @param terms   how it takes part
  /// @param founder whether it founds the group, if no history is known
  /// @param commit  commits what is written, at once
  /// @return null for a group that keeps nothing
  /// @throws StorageException when it may not go on with what is there, or must not begin anew beside it
  public static @Nullable Journal open(
      @Nullable StableStorage storage,
      String group,
      MemberId self,
      Terms terms,
      boolean founder,
      Consumer<Staged> commit) {
    if (storage == null) {
      if (terms.durability() == Durability.NONE) {
        return null;
      }
      throw new StorageException("the node has none");
    }
    Region region = storage.region(group);
    if (terms.durability() == Durability.NONE) {
      RegionCodec.Views views = RegionCodec.views(region);
      if (views != null && views.views().knowsHistory()) {
        throw new StorageException("it has a history of the group: use a durability, or delete the directory");
      }
      return null;
    }
    GroupConfig kept = group(storage, group);
    String difference = kept == null ? null : terms.group().difference(group, kept);
    if (difference != null) {
      throw new StorageException(difference);
    }
    return new Journal(region, terms.durability(), Restart.read(region, self, terms, founder), commit);
  }

  /// Goes on with what a restart found, or begins with nothing.
  ///
  /// @param region where to
  /// @param policy what is forced
  /// @param found  what was found, or null
  /// @param commit commits what is written, at once
  Journal(Region region, Durability policy, @Nullable Restart found, Consumer<Staged> commit) {
    this.restart = found;
    this.region = region;
    this.commit = commit;
    this.messages = policy == Durability.EACH ? Staged.FORCE : Staged.WRITE;
    this.views = found == null ? null : found.views();
    this.history = found == null ? null : found.history();
    if (found == null) {
      region.truncate(region.first());
    } else {
      base = found.base();
      persisted = found.persisted().copy();
      entries.addAll(found.entries());
      stable = found.stable().index();
    }
    next = end();
    begun = found == null;
  }

  /// What was there when it was opened.
  ///
  /// @return what an earlier life had kept, or null
  public @Nullable Restart restart() {
    return restart;
  }

  /// The index behind what is written.
  private long end() {
    return base.index() + entries.size();
  }

  /// The index behind what is written as durably as it has to be. Only that may be acknowledged, and delivered.
  ///
  /// @return the index
  public long next() {
    return next;
  }

  // ---- what happens ----------------------------------------------------------------------------------------------

  /// Deliveries begin anew with a state that is to come, and that contains everything below an index.
  ///
  /// @param index the index
  public void restarted(long index) {
    begin(Position.unknown(index));
  }

  /// The state is with the application.
  ///
  /// @param start the place up to which it contains the history, at the index of the last [#restarted]
  public void started(StateTransfer.Start start) {
    Invariant.check(base.index() == start.index(), "nothing is dropped before the state is there");
    base = Position.of(start);
    persisted = base.copy();
    begun = true;
  }

  private void begin(Position at) {
    region.truncate(region.first());
    entries = new ArrayList<>();
    base = at;
    persisted = base.copy();
    next = Math.min(next, at.index());
    begun = true;
  }

  /// The application's own durable state contains everything before a position.
  ///
  /// @param position of the first message that it does not contain
  /// @param handed   the index behind what the application got
  public void persisted(long position, long handed) {
    while (persisted.isKnown() && persisted.index() < Math.min(handed, end())) {
      Entry entry = entries.get((int) (persisted.index() - base.index()));
      if (!Restart.isBefore(persisted, entry.positions, position)) {
        return;
      }
      persisted.pass(entry.sender, entry.seq, entry.positions);
    }
  }

  /// A view change has decided the end of a history, perhaps differently from what was held here. It is delivered right
  /// after this.
  ///
  /// @param log ends there
  public void adopted(Log log) {
    long same = Math.max(base.index(), log.first());
    while (same < Math.min(end(), log.heldNext()) && entries.get((int) (same - base.index())).is(log.at(same))) {
      same++;
    }
    if (same < end()) {
      region.truncate(same);
      entries.subList((int) (same - base.index()), entries.size()).clear();
      next = Math.min(next, same);
    }
    if (append(log)) {
      commit.accept(messages);
      next = end();
    }
  }

  private boolean append(Log log) {
    Invariant.check(end() >= log.first(), "what is forgotten was written");
    boolean any = false;
    for (long index = Math.max(end(), log.first()); index < log.heldNext(); index++) {
      Batch batch = log.at(index);
      RegionCodec.append(region, index, batch);
      entries.add(Entry.of(batch));
      any = true;
    }
    return any;
  }

  // ---- a run of inputs ends --------------------------------------------------------------------------------------

  /// A primary view begins. When deliveries begin anew with it, what was before is gone, and that is committed before
  /// the application gets any of the state: otherwise it could know more than the storage.
  ///
  /// @param now what was promised and accepted
  /// @param log the log of the view's history
  public void began(PersistentState now, @Nullable Log log) {
    if (!base.isKnown()) {
      commit.accept(stage(now, log));
      next = end();
    }
  }

  /// Writes what is new; [#committed] follows a commit.
  ///
  /// @param now what was promised and accepted
  /// @param log the log of the last primary view's history, or null
  /// @return what the commit has to do
  public Staged stage(PersistentState now, @Nullable Log log) {
    boolean agreed = stageViews(now, log);
    boolean more = log != null && append(log);
    boolean given = begun && base.isKnown(); // the state: others rely on this member to have it
    boolean moved = log != null && trim(log, agreed);
    if (agreed || ((more || given) && messages == Staged.FORCE)) {
      return Staged.FORCE;
    }
    return more || moved ? Staged.WRITE : Staged.NOTHING;
  }

  private boolean stageViews(PersistentState now, @Nullable Log log) {
    Restart.Kept kept = log == null ? null : kept(log);
    if (now.equals(views) && Objects.equals(kept, history)) {
      return false;
    }
    Knowledge.Accepted before = views == null ? null : views.accepted();
    if (log != null && now.accepted() != null && !now.accepted().equals(before)) {
      RegionCodec.loose(region, log.view().id(), log.unplaced());
    }
    views = now;
    history = kept;
    RegionCodec.views(region, new RegionCodec.Views(now, kept));
    return true;
  }

  private Restart.Kept kept(Log log) {
    Restart.Kept last = history;
    boolean same = last != null && last.view().equals(log.view());
    long first = same ? last.indexFirst() : log.indexFirst(); // after a restart the log begins later than the view
    return new Restart.Kept(log.view(), first, log.ordering());
  }

  /// Drops what nobody needs.
  private boolean trim(Log log, boolean atOnce) {
    long drop = Math.min(persisted.index(), log.first());
    if (!begun && !atOnce && drop < base.index() + STEP && log.first() < stable + STEP) {
      return false;
    }
    int dropped = (int) Math.max(0, drop - base.index());
    entries.subList(0, dropped).forEach(entry -> base.pass(entry.sender, entry.seq, entry.positions));
    entries.subList(0, dropped).clear();
    base.forgetAllBut(log.view());
    if (dropped > 0) {
      region.dropBefore(base.index());
    }
    stable = log.first();
    begun = false;
    RegionCodec.base(region, base, stable);
    return true;
  }

  /// What was staged is where it has to be.
  ///
  /// @return whether more may be acknowledged than before
  public boolean committed() {
    boolean more = end() > next;
    next = end();
    return more;
  }

  /// Fails when an invariant does not hold.
  public void check() {
    base.check();
    persisted.check();
    Invariant.check(
        base.index() <= persisted.index() && persisted.index() <= end(), "the application's state ends within the log");
    Invariant.check(next <= end(), "only what is written is committed");
  }
}
