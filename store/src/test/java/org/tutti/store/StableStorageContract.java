package org.tutti.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.storage.Region;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageException;

/// What every [StableStorage] does; its sentences are the tests' names.
abstract class StableStorageContract {
  private StableStorage storage;

  /// Opens the storage; the same one each time.
  abstract StableStorage open();

  /// What a sudden end of the process leaves; the storage that is open must not be used any more.
  abstract void endSuddenly(StableStorage open);

  private Region region(String name) {
    if (storage == null) {
      storage = open();
    }
    return storage.region(name);
  }

  private void commit(boolean force) {
    storage.commit(force);
  }

  private void reopen() {
    storage.close();
    storage = open();
  }

  private void die() {
    endSuddenly(storage);
    storage = open();
  }

  @AfterEach
  void close() {
    if (storage != null) {
      storage.close();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  @Test
  void aRegionIsEmptyWhenTheGroupWasNeverHere() {
    assertThat(region("a").record("r")).isNull();
    assertThat(region("a").first()).isZero();
    assertThat(region("a").next()).isZero();
    assertThat(region("a")).isEqualTo(region("a"));
  }

  @Test
  void readingSeesWhatWasWrittenCommittedOrNot() {
    region("a").record("r", bytes("one"));
    region("a").append(7, bytes("seven"));
    assertThat(text(region("a").record("r"))).isEqualTo("one");
    assertThat(text(region("a").read(7))).isEqualTo("seven");
    commit(false);
    region("a").record("r", bytes("two"));
    region("a").append(8, bytes("eight"));
    assertThat(text(region("a").record("r"))).isEqualTo("two");
    assertThat(text(region("a").read(7))).isEqualTo("seven");
    assertThat(text(region("a").read(8))).isEqualTo("eight");
    assertThat(region("a").first()).isEqualTo(7);
    assertThat(region("a").next()).isEqualTo(9);
    assertThat(region("b").record("r")).isNull();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCommitSurvivesASuddenEndAndWhatFollowedItDoesNot(boolean force) {
    region("a").record("r", bytes("one"));
    region("b").append(0, bytes("zero"));
    commit(force);
    region("a").record("r", bytes("two"));
    region("b").append(1, bytes("one"));
    die();
    assertThat(text(region("a").record("r"))).isEqualTo("one");
    assertThat(region("b").next()).isEqualTo(1);
    assertThat(text(region("b").read(0))).isEqualTo("zero");
  }

  @Test
  void closingDropsWhatWasNotCommitted() {
    region("a").record("r", bytes("one"));
    commit(false);
    region("a").record("r", bytes("two"));
    region("b").record("r", bytes("three"));
    reopen();
    assertThat(text(region("a").record("r"))).isEqualTo("one");
    assertThat(region("b").record("r")).isNull();
  }

  @Test
  void theLogBeginsWhereItWasDropped() {
    for (int i = 10; i < 20; i++) {
      region("a").append(i, bytes("e" + i));
    }
    region("a").dropBefore(15);
    region("a").dropBefore(12);
    commit(true);
    reopen();
    assertThat(region("a").first()).isEqualTo(15);
    assertThat(text(region("a").read(15))).isEqualTo("e15");
    region("a").dropBefore(20);
    assertThat(region("a").first()).isEqualTo(20);
    assertThat(region("a").next()).isEqualTo(20);
  }

  @Test
  void theLogEndsWhereItWasTruncatedAndGoesOnThere() {
    for (int i = 10; i < 20; i++) {
      region("a").append(i, bytes("e" + i));
    }
    commit(true);
    region("a").truncate(15);
    region("a").truncate(30);
    region("a").append(15, bytes("other"));
    commit(true);
    die();
    assertThat(region("a").next()).isEqualTo(16);
    assertThat(text(region("a").read(14))).isEqualTo("e14");
    assertThat(text(region("a").read(15))).isEqualTo("other");
  }

  @Test
  void anEmptyLogBeginsWhereTheNextAppendSays() {
    region("a").append(5, bytes("five"));
    region("a").truncate(5);
    region("a").append(100, bytes("hundred"));
    commit(false);
    reopen();
    assertThat(region("a").first()).isEqualTo(100);
    region("a").dropBefore(101);
    commit(false);
    region("a").append(3, bytes("three"));
    commit(false);
    reopen();
    assertThat(region("a").first()).isEqualTo(3);
    assertThat(region("a").next()).isEqualTo(4);
    assertThat(text(region("a").read(3))).isEqualTo("three");
  }

  @Test
  void entriesAndValuesMayBeEmptyAndLarge() {
    byte[] large = new byte[3_000_000];
    new SplittableRandom(1).nextBytes(large);
    region("a").append(0, new byte[0]);
    region("a").append(1, large);
    region("a").record("", new byte[0]);
    region("a").record("large", large);
    commit(true);
    reopen();
    assertThat(region("a").read(0)).isEmpty();
    assertThat(region("a").read(1)).isEqualTo(large);
    assertThat(region("a").record("")).isEmpty();
    assertThat(region("a").record("large")).isEqualTo(large);
  }

  @Test
  void anOpenStorageCannotBeOpenedAgain() {
    region("a");
    assertThatThrownBy(this::open).isInstanceOf(StorageException.class).hasMessageContaining("in use");
    reopen();
  }

  @Test
  void aClosedStorageIsNotUsed() {
    Region region = region("a");
    storage.close();
    storage.close();
    assertThatThrownBy(() -> region.record("r", bytes("one"))).isInstanceOf(StorageException.class);
    assertThatThrownBy(() -> commit(true)).isInstanceOf(StorageException.class);
    reopen();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void itDoesWhatAModelDoes(int seed) {
    var random = new SplittableRandom(seed);
    var model = new StorageModel();
    for (int step = 0; step < 3000; step++) {
      String group = random.nextBoolean() ? "a" : "b";
      model.change(random, group, region(group));
      if (random.nextInt(4) == 0) {
        commit(random.nextInt(4) == 0);
        model.commit();
      }
      switch (random.nextInt(150)) {
        case 0 -> die();
        case 1 -> reopen();
        default -> {
          continue;
        }
      }
      model.undo();
      model.check("a", region("a"));
      model.check("b", region("b"));
    }
    model.check("a", region("a"));
    model.check("b", region("b"));
  }
}
