package org.tutti.engine;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.membership.Lineage;
import org.tutti.storage.Region;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageException;

/// A group's part of the node's stable storage.
///
/// @param journal what goes there
/// @param restart what was there, or null
record GroupStorage(Journal journal, @Nullable Restart restart) {
  /// What was decided for a group, as far as stable storage knows.
  ///
  /// @param storage the node's, or null
  /// @param group   the group's name
  /// @return null when it knows no history of the group
  /// @throws StorageException when it is damaged
  static @Nullable GroupConfig group(@Nullable StableStorage storage, String group) {
    RegionCodec.Views views = storage == null ? null : RegionCodec.views(storage.region(group));
    Lineage lineage = views == null ? null : views.views().lineage();
    return lineage == null || lineage.isDraft() ? null : lineage.group();
  }

  /// Opens it.
  ///
  /// @param storage the node's, or null
  /// @param group   the group's name
  /// @param self    this life of this node
  /// @param terms   how it takes part
  /// @param founder whether it founds the group, if no history is known
  /// @param commit  commits what is written, at once
  /// @return null for a group that keeps nothing
  /// @throws StorageException when it may not go on with what is there, or must not begin anew beside it
  static @Nullable GroupStorage open(
      @Nullable StableStorage storage,
      String group,
      MemberId self,
      Terms terms,
      boolean founder,
      Consumer<Journal.Staged> commit) {
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
    Restart restart = Restart.read(region, self, terms, founder);
    return new GroupStorage(new Journal(region, terms.durability(), restart, commit), restart);
  }
}
