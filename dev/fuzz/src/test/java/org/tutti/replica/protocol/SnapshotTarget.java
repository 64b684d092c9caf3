package org.tutti.replica.protocol;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UTFDataFormatException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.tutti.fuzz.FuzzTarget;

/// The file of a snapshot, and what replicas keep of sessions in it.
public final class SnapshotTarget implements FuzzTarget {
  private static final String NAME = "0000000000000000001.snapshot";

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(
        SnapshotStore.DamagedException.class, IOException.class, EOFException.class, UTFDataFormatException.class);
  }

  @Override
  public long allocationMax(int length) {
    return (1 << 20) + 512L * length; // buffers of files
  }

  @Override
  public void take(ByteBuffer input) throws IOException {
    if (FuzzTarget.choice(input, 2) == 0) {
      file(FuzzTarget.array(input));
    } else {
      byte[] first = written(restored(FuzzTarget.array(input)));
      FuzzTarget.same(ByteBuffer.wrap(first), ByteBuffer.wrap(written(restored(first))));
    }
  }

  private static SessionTable restored(byte[] bytes) throws IOException {
    var table = new SessionTable();
    table.restore(new DataInputStream(new ByteArrayInputStream(bytes)));
    return table;
  }

  private static byte[] written(SessionTable table) throws IOException {
    var out = new ByteArrayOutputStream();
    table.snapshot().writeTo(out);
    return out.toByteArray();
  }

  private static void file(byte[] content) throws IOException {
    var store = new SnapshotStore(new OneFile(content), "s");
    Optional<SnapshotStore.Intact> intact = store.newest();
    if (intact.isPresent()) {
      long bytes = 0;
      try (InputStream in = store.open(intact.get())) {
        bytes = in.readAllBytes().length;
      } catch (IOException e) {
        throw new AssertionError("intact, but not read", e);
      }
      if (bytes != intact.get().bytes()) {
        throw new AssertionError(bytes + " bytes, not " + intact.get().bytes());
      }
    }
  }

  /// A disk that has one file, which cannot be changed.
  private record OneFile(byte[] content) implements SnapshotStore.Disk {
    @Override
    public List<String> names() {
      return List.of(NAME);
    }

    @Override
    public InputStream read(String name) {
      return new ByteArrayInputStream(content);
    }

    @Override
    public OutputStream write(String name) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void force(String name) {}

    @Override
    public void rename(String from, String to) {}

    @Override
    public void delete(String name) {}

    @Override
    public void forceNames() {}

    @Override
    public String toString() {
      return "one file";
    }
  }
}
