package org.tutti.durable;

import java.nio.ByteBuffer;
import java.util.Set;
import org.tutti.ViewId;
import org.tutti.fixture.MemoryStorage;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.pack.Batch;
import org.tutti.storage.Region;
import org.tutti.storage.StorageException;

/// The records and the log that a member finds on its disk.
public final class JournalTarget implements FuzzTarget {
  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(StorageException.class);
  }

  @Override
  public void take(ByteBuffer input) {
    Region found = new MemoryStorage().region("g");
    Region written = new MemoryStorage().region("g");
    switch (FuzzTarget.choice(input, 4)) {
      case 0 -> {
        found.record("views", FuzzTarget.array(input));
        RegionCodec.views(written, RegionCodec.views(found));
        RegionCodec.views(written, RegionCodec.views(again(written, found, "views")));
        same(written, found, "views");
      }
      case 1 -> {
        found.record("base", FuzzTarget.array(input));
        RegionCodec.Base base = RegionCodec.base(found);
        RegionCodec.base(written, base.base(), base.stable());
        base = RegionCodec.base(again(written, found, "base"));
        RegionCodec.base(written, base.base(), base.stable());
        same(written, found, "base");
      }
      case 2 -> {
        found.record("loose", FuzzTarget.array(input));
        RegionCodec.loose(found, new ViewId(0, 0));
      }
      default -> {
        found.append(0, FuzzTarget.array(input));
        Batch batch = RegionCodec.at(found, 0);
        RegionCodec.append(written, 0, batch);
        RegionCodec.append(written, 1, RegionCodec.at(written, 0));
        FuzzTarget.same(ByteBuffer.wrap(written.read(0)), ByteBuffer.wrap(written.read(1)));
      }
    }
  }

  /// Has what was written found.
  private static Region again(Region written, Region found, String name) {
    found.record(name, written.record(name));
    return found;
  }

  private static void same(Region one, Region other, String name) {
    FuzzTarget.same(ByteBuffer.wrap(one.record(name)), ByteBuffer.wrap(other.record(name)));
  }
}
