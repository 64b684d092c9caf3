package org.tutti.replica.protocol;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.TreeMap;

/// A disk in memory that knows what survives what, and on which a process may die before any step.
final class MemoryDisk implements SnapshotStore.Disk {
  /// The end of the process.
  static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  final TreeMap<String, byte[]> files = new TreeMap<>(); // survive the process
  final TreeMap<String, byte[]> forced = new TreeMap<>(); // their content survives a power failure
  final TreeMap<String, byte[]> survivors = new TreeMap<>(); // so do these names, with what was forced of them
  int stepsLeft = Integer.MAX_VALUE;

  private void step() {
    if (stepsLeft-- <= 0) {
      throw new Crash();
    }
  }

  /// What is found after the power has failed: of each file what was forced; of the names those that were forced, or,
  /// as it may be, all.
  MemoryDisk afterPowerFailure(boolean allNames) {
    var after = new MemoryDisk();
    after.files.putAll(allNames ? forced : survivors);
    return after;
  }

  @Override
  public List<String> names() {
    return List.copyOf(files.keySet());
  }

  @Override
  public InputStream read(String name) {
    return new ByteArrayInputStream(files.get(name));
  }

  @Override
  public OutputStream write(String name) {
    step();
    files.put(name, new byte[0]);
    forced.put(name, new byte[0]);
    return new ByteArrayOutputStream() {
      @Override
      public void write(byte[] bytes, int offset, int length) {
        step();
        super.write(bytes, offset, length);
        files.put(name, toByteArray());
      }
    };
  }

  @Override
  public void force(String name) {
    step();
    forced.put(name, files.get(name));
  }

  @Override
  public void rename(String from, String to) {
    step();
    files.put(to, files.remove(from));
    forced.put(to, forced.remove(from));
  }

  @Override
  public void delete(String name) {
    step();
    files.remove(name);
    forced.remove(name);
  }

  @Override
  public void forceNames() {
    step();
    survivors.clear();
    survivors.putAll(forced);
  }

  @Override
  public String toString() {
    return "memory";
  }
}
