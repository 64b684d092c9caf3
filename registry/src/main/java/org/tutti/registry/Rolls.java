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
final class Rolls {
  private static final String REGION = "registry";
  private static final String RECORD = "rolls";

  private final RegistryConfig config;
  private final @Nullable StableStorage storage;
  private final Consumer<String> news;
  private final Map<String, Roll> rolls = new LinkedHashMap<>();

  /// Why something cannot be done, as the status of an answer.
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    final Count reason;

    Refused(Count reason, String message) {
      super(message);
      this.reason = reason;
    }
  }

  Rolls(RegistryConfig config, @Nullable StableStorage storage, Consumer<String> news, long nowNanos) {
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
      for (Object each : new Fields(JSON.std.anyFrom(kept)).list("groups")) {
        var group = new Fields(each);
        rolls.put(group.text("group"), Roll.ofJson(group, config.expected(), nowNanos));
      }
    } catch (IOException e) {
      throw new StorageException("what the registry kept cannot be read: " + e.getMessage(), e);
    }
  }

  Standing announce(String group, Roll.Announcement said, long nowNanos) throws Refused {
    boolean changed = lapse(group, nowNanos);
    Roll roll = rolls.get(group);
    if (roll != null && roll.isOutlived(said.name(), said.life())) {
      throw new Refused(Count.OUTLIVED, "a later life of " + said.name() + " is registered");
    }
    boolean isNew = roll == null || !roll.knows(said.name());
    if (isNew) {
      roll = roomFor(group, nowNanos);
    }
    changed |= roll.announce(said, nowNanos);
    Standing standing = roll.standing(said.name());
    if (changed) {
      keep();
    }
    if (isNew) {
      news.accept(group + ": " + said.name() + " is " + standing.id() + ", at " + said.address());
    }
    return standing;
  }

  private Roll roomFor(String group, long nowNanos) throws Refused {
    Roll roll = rolls.get(group);
    if (roll == null && rolls.size() >= config.groupsMax()) {
      List.copyOf(rolls.keySet()).forEach(other -> lapse(other, nowNanos));
    }
    if (roll == null && rolls.size() >= config.groupsMax()) {
      throw new Refused(Count.FULL, "there are " + config.groupsMax() + " groups already");
    }
    if (roll != null && roll.size() >= config.membersMax()) {
      throw new Refused(Count.FULL, "the group has " + config.membersMax() + " members already");
    }
    return rolls.computeIfAbsent(group, _ -> new Roll(config.expected()));
  }

  void leave(String group, String name, long life, long nowNanos) {
    boolean changed = lapse(group, nowNanos);
    Roll roll = rolls.get(group);
    if (roll != null && roll.leave(name, life)) {
      changed = true;
      news.accept(group + ": " + name + " left");
      forgetIfEmpty(group, roll);
    }
    if (changed) {
      keep();
    }
  }

  Standing look(String group, long nowNanos) {
    if (lapse(group, nowNanos)) {
      keep();
    }
    Roll roll = rolls.get(group);
    return (roll == null ? new Roll(config.expected()) : roll).standing(null);
  }

  private boolean lapse(String group, long nowNanos) {
    Roll roll = rolls.get(group);
    List<String> lapsed = roll == null ? List.of() : roll.lapse(nowNanos, config.lease());
    lapsed.forEach(name -> news.accept(group + ": " + name + " was not heard any more"));
    if (roll != null && !lapsed.isEmpty()) {
      forgetIfEmpty(group, roll);
    }
    return !lapsed.isEmpty();
  }

  private void forgetIfEmpty(String group, Roll roll) {
    if (roll.isEmpty()) {
      rolls.remove(group);
    }
  }

  private void keep() {
    if (storage == null) {
      return;
    }
    var groups = new ArrayList<Map<String, Object>>();
    rolls.forEach((group, roll) -> {
      var fields = new LinkedHashMap<>(roll.toJson());
      fields.put("group", group);
      groups.add(fields);
    });
    try {
      Region region = storage.region(REGION);
      region.record(RECORD, JSON.std.asBytes(Map.of("groups", groups)));
      storage.commit(true);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }
}
