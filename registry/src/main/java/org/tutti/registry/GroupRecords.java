package org.tutti.registry;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.storage.Region;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageException;

/// All groups of a registry, and their place in stable storage: what has changed is there before anybody hears of it.
/// Everything is one record, written whole: it is small, and changes only when members come and go.
final class GroupRecords {
  private static final long VERSION = 1; // of the record
  private static final String REGION = "registry";
  private static final String RECORD = "rolls";

  private final RegistryConfig config;
  private final @Nullable StableStorage storage;
  private final Consumer<String> news;
  private final Map<String, GroupRecord> groupRecords = new LinkedHashMap<>();

  /// Why something cannot be done, as the status of an answer.
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    final RegistryCount reason;

    Refused(RegistryCount reason, String message) {
      super(message);
      this.reason = reason;
    }
  }

  GroupRecords(RegistryConfig config, @Nullable StableStorage storage, Consumer<String> news, long nowNanos) {
    this.config = config;
    this.storage = storage;
    this.news = news;
    byte[] kept = storage == null ? null : storage.region(REGION).record(RECORD);
    if (kept != null) {
      read(kept, nowNanos);
    }
  }

  private void read(byte[] kept, long nowNanos) {
    try {
      var fields = new Fields(JSON.std.anyFrom(kept));
      long version = fields.number("version");
      if (version != VERSION) {
        throw new StorageException(
            "the stored registrations are of version " + version + ", this registry reads version " + VERSION);
      }
      for (Object each : fields.list("groups")) {
        var group = new Fields(each);
        groupRecords.put(group.text("group"), GroupRecord.ofJson(group, config, nowNanos));
      }
    } catch (IOException e) {
      throw new StorageException("the stored registrations cannot be read: " + e.getMessage(), e);
    }
  }

  GroupState announce(String group, GroupRecord.Announcement said, long nowNanos) throws Refused {
    boolean changed = lapse(group, nowNanos);
    GroupRecord groupRecord = groupRecords.get(group);
    if (groupRecord != null && groupRecord.isOutlived(said.name(), said.life())) {
      throw new Refused(RegistryCount.OUTLIVED, "a later life of " + said.name() + " is registered");
    }
    boolean isNew = groupRecord == null || !groupRecord.knows(said.name());
    if (isNew) {
      groupRecord = roomFor(group, nowNanos);
    }
    if (!groupRecord.hasRoom(said)) {
      forgetIfEmpty(group, groupRecord);
      throw new Refused(RegistryCount.FULL, "no number is free for a client: all " + config.clients() + " are taken");
    }
    changed |= groupRecord.announce(said, nowNanos);
    GroupState state = groupRecord.state(said.name());
    if (changed) {
      keep();
    }
    if (isNew) {
      news.accept(group + ": " + said.name() + " is " + state.id() + ", at " + said.address());
    }
    return state;
  }

  private GroupRecord roomFor(String group, long nowNanos) throws Refused {
    GroupRecord groupRecord = groupRecords.get(group);
    if (groupRecord == null && groupRecords.size() >= config.groupsMax()) {
      List.copyOf(groupRecords.keySet()).forEach(other -> lapse(other, nowNanos));
    }
    if (groupRecord == null && groupRecords.size() >= config.groupsMax()) {
      throw new Refused(RegistryCount.FULL, "there are " + config.groupsMax() + " groups already");
    }
    if (groupRecord != null && groupRecord.size() >= config.membersMax()) {
      throw new Refused(RegistryCount.FULL, "the group has " + config.membersMax() + " members already");
    }
    return groupRecords.computeIfAbsent(group, _ -> new GroupRecord(config));
  }

  void leave(String group, String name, long life, long nowNanos) {
    boolean changed = lapse(group, nowNanos);
    GroupRecord groupRecord = groupRecords.get(group);
    if (groupRecord != null && groupRecord.leave(name, life)) {
      changed = true;
      news.accept(group + ": " + name + " left");
      forgetIfEmpty(group, groupRecord);
    }
    if (changed) {
      keep();
    }
  }

  GroupState look(String group, long nowNanos) {
    if (lapse(group, nowNanos)) {
      keep();
    }
    GroupRecord groupRecord = groupRecords.get(group);
    return (groupRecord == null ? new GroupRecord(config) : groupRecord).state(null);
  }

  private boolean lapse(String group, long nowNanos) {
    GroupRecord groupRecord = groupRecords.get(group);
    List<String> lapsed = groupRecord == null ? List.of() : groupRecord.lapse(nowNanos, config.lease());
    lapsed.forEach(name -> news.accept(group + ": " + name + " was not heard any more"));
    if (groupRecord != null && !lapsed.isEmpty()) {
      forgetIfEmpty(group, groupRecord);
    }
    return !lapsed.isEmpty();
  }

  private void forgetIfEmpty(String group, GroupRecord groupRecord) {
    if (groupRecord.isEmpty()) {
      groupRecords.remove(group);
    }
  }

  private void keep() {
    if (storage == null) {
      return;
    }
    var groups = new ArrayList<Map<String, Object>>();
    groupRecords.forEach((group, groupRecord) -> {
      var fields = new LinkedHashMap<>(groupRecord.toJson());
      fields.put("group", group);
      groups.add(fields);
    });
    try {
      Region region = storage.region(REGION);
      var all = new LinkedHashMap<String, Object>();
      all.put("version", VERSION);
      all.put("groups", groups);
      region.record(RECORD, JSON.std.asBytes(all));
      storage.commit(true);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }
}
