package org.tutti.durable;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tutti.Durability;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.fixture.Golden;
import org.tutti.fixture.MemoryStorage;
import org.tutti.membership.Knowledge;
import org.tutti.membership.Lineage;
import org.tutti.membership.PersistentState;
import org.tutti.membership.Proposal;
import org.tutti.membership.StateTransfer;
import org.tutti.order.Cut;
import org.tutti.order.Run;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;
import org.tutti.storage.Region;
import org.tutti.storage.StorageException;
import org.tutti.transport.Address;

/// The bytes that a member of a durable group keeps.
class RegionGoldenTest {
  private static final MemberId A = new MemberId("a", new Address("here:1"), 1);
  private static final MemberId B = new MemberId("b", new Address("here:2"), 9);
  private static final ViewId FIRST = new ViewId(1, 1);
  private static final View LAST = new View(FIRST, List.of(A, B), 2, true, List.of(), 5);
  private static final View NEXT = new View(new ViewId(300, 9), List.of(A, B), 2, true, List.of(FIRST), 6);
  private static final Lineage LINEAGE =
      new Lineage(FIRST, 1_700_000_000_000_000L, GroupConfig.builder().durability(Durability.EACH).build());
  private static final Batch BATCH =
      new Batch(B, 300, Batch.Kind.TOTAL, 7, CausalPast.NONE, 2, ByteBuffer.wrap(new byte[] {1, 7, 0}));

  /// Writes one record of a region, and reads it.
  private abstract static class Record<T> implements Golden.Format<T> {
    private final String name;

    Record(String name) {
      this.name = name;
    }

    abstract void write(Region region, T value);

    abstract T read(Region region);

    @Override
    public byte[] write(T value) {
      Region region = new MemoryStorage().region("g");
      write(region, value);
      return region.record(name);
    }

    @Override
    public T read(byte[] bytes) {
      Region region = new MemoryStorage().region("g");
      region.record(name, bytes);
      return read(region);
    }
  }

  private static RegionCodec.Views ofAHistory() {
    var cut = new Cut(FIRST, 10, List.of(new Run(1, 0, 2)), true, List.of(A, B), true);
    var proposal =
        new Proposal(NEXT, LINEAGE, LAST, List.of(), 12, Ordering.SEQUENCER, 7, List.of(cut), List.of(), List.of());
    var accepted = new Knowledge.Accepted(NEXT.id(), proposal);
    var state =
        new PersistentState(B, List.of(A), new ViewId(2, 9), NEXT.id(), LINEAGE, LAST, List.of(A), accepted, accepted);
    return new RegionCodec.Views(state, new Restart.Kept(LAST, 3, Ordering.SKEEN));
  }

  @Test
  void views() {
    var format =
        new Record<RegionCodec.Views>("views") {
          @Override
          void write(Region region, RegionCodec.Views value) {
            RegionCodec.views(region, value);
          }

          @Override
          RegionCodec.Views read(Region region) {
            return RegionCodec.views(region);
          }
        };
    var begin = new PersistentState(B, List.of(), FIRST, FIRST, null, null, List.of(), null, null);
    new Golden("core", "record-views", "the record `views` of a group's region: `RegionCodec`, `PersistentState`")
        .example("a life begins", new RegionCodec.Views(begin, null), format)
        .example("a member of a history", ofAHistory(), format)
        .check();
  }

  private static byte[] withVersion(int version) {
    Region region = new MemoryStorage().region("g");
    RegionCodec.views(region, ofAHistory());
    byte[] record = region.record("views");
    record[0] = (byte) version;
    return record;
  }

  @Test
  void anotherVersionIsRefusedWithBothVersions() {
    for (var each : Map.of(7, "a newer Tutti has written it", 5, "an older Tutti has written it").entrySet()) {
      Region region = new MemoryStorage().region("g");
      region.record("views", withVersion(each.getKey()));
      assertThatThrownBy(() -> RegionCodec.views(region))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("is of version " + each.getKey() + ", this node reads version 6: " + each.getValue());
    }
  }

  /// What `base` says; a position does not say in words what is in it.
  private record Base(StateTransfer.Start start, List<Long> behind, long stable) {}

  private static Position position() {
    var marks = new TreeMap<MemberId, Long>();
    marks.put(A, 300L);
    marks.put(B, 1L);
    return Position.of(new StateTransfer.Start(1000, 1L << 33, marks));
  }

  private static byte[] base(Position position, long stable) {
    Region region = new MemoryStorage().region("g");
    RegionCodec.base(region, position, stable);
    return region.record("base");
  }

  private static Base base(byte[] bytes) {
    Region region = new MemoryStorage().region("g");
    region.record("base", bytes);
    RegionCodec.Base base = RegionCodec.base(region);
    List<Long> behind = new ArrayList<>();
    base.base().start().marks().forEach((sender, _) -> behind.add(behind(base.base(), sender)));
    return new Base(base.base().start(), behind, base.stable());
  }

  /// The index behind a sender's last batch.
  private static long behind(Position position, MemberId sender) {
    long index = 0;
    while (position.mark(sender, index) >= 0) {
      index++;
    }
    return index;
  }

  @Test
  void base() {
    new Golden("core", "record-base", "the record `base` of a group's region: `RegionCodec`, `Position`")
        .written("the beginning", base(new Position(0, 0), 0), RegionGoldenTest::base)
        .written("a position that is not known", base(Position.unknown(300), 7), RegionGoldenTest::base)
        .written("behind batches", base(position(), 1001), RegionGoldenTest::base)
        .check();
  }

  @Test
  void loose() {
    var format =
        new Record<List<Batch>>("loose") {
          @Override
          void write(Region region, List<Batch> value) {
            RegionCodec.loose(region, FIRST, value);
          }

          @Override
          List<Batch> read(Region region) {
            return RegionCodec.loose(region, FIRST);
          }
        };
    new Golden("core", "record-loose", "the record `loose` of a group's region: batches without places")
        .example("none", List.of(), format)
        .example("two", List.of(BATCH, Batch.toSwitch(A, 1, Ordering.SKEEN)), format)
        .check();
  }

  @Test
  void log() {
    var format =
        new Golden.Format<Batch>() {
          @Override
          public byte[] write(Batch batch) {
            Region region = new MemoryStorage().region("g");
            RegionCodec.append(region, 0, batch);
            return region.read(0);
          }

          @Override
          public Batch read(byte[] bytes) {
            Region region = new MemoryStorage().region("g");
            region.append(0, bytes);
            return RegionCodec.at(region, 0);
          }
        };
    Golden golden = new Golden("core", "log-entry", "an entry of a group's log: sender and `Batch`");
    for (Batch.Kind kind : Batch.Kind.values()) {
      Batch batch =
          kind == Batch.Kind.SWITCH
              ? Batch.toSwitch(A, 1, Ordering.SYMMETRIC)
              : new Batch(B, 300, kind, 7, CausalPast.NONE, 2, BATCH.payload());
      golden.example(kind.name(), batch, format);
    }
    golden.check();
  }
}
