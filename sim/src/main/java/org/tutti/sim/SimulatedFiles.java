package org.tutti.sim;

import java.io.ByteArrayInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.tutti.replica.protocol.SnapshotStore;

/// A directory on a place's disk, in which a replica keeps its snapshots. What a power failure leaves: of each file the
/// bytes that were forced and perhaps some more; of what was done to names since they were forced, the first part.
final class SimulatedFiles implements SnapshotStore.Disk {
  /// Something that is done to the directory.
  interface Change {
    void make(SimulatedFiles files) throws IOException;
  }

  private static final class Content {
    byte[] bytes = new byte[0];
    int forced; // bytes
  }

  private interface Renaming {
    void make(TreeMap<String, Content> names);
  }

  private final TreeMap<String, Content> forcedNames = new TreeMap<>();
  private final TreeMap<String, Content> names = new TreeMap<>();
  private final List<Renaming> unforced = new ArrayList<>();
  private final List<Change> changes = new ArrayList<>(); // all there were

  /// A copy, to find out what is going to be done to this one, step by step.
  SimulatedFiles draft() {
    var copy = new SimulatedFiles();
    names.forEach((name, content) -> {
      var same = new Content();
      same.bytes = content.bytes;
      copy.names.put(name, same);
    });
    return copy;
  }

  /// What was done to a [#draft].
  List<Change> changes() {
    return changes;
  }

  private void rename(Renaming renaming) {
    renaming.make(names);
    unforced.add(renaming);
  }

  /// The power fails.
  void loseUnforced(SplittableRandom random) {
    if (unforced.isEmpty() && names.values().stream().allMatch(content -> content.forced == content.bytes.length)) {
      return; // nothing to draw for
    }
    names.clear();
    names.putAll(forcedNames);
    unforced.subList(0, random.nextInt(unforced.size() + 1)).forEach(renaming -> renaming.make(names));
    unforced.clear();
    forcedNames.clear();
    forcedNames.putAll(names);
    for (Content content : names.values()) {
      int lost = content.bytes.length - content.forced;
      if (lost > 0) {
        content.bytes = Arrays.copyOf(content.bytes, content.forced + random.nextInt(lost + 1));
        content.forced = content.bytes.length;
      }
    }
  }

  /// Changes a byte of the newest snapshot, if there is one to go back to.
  ///
  /// @return whether there was
  boolean damageNewest(SplittableRandom random) {
    List<String> snapshots = names.keySet().stream().filter(name -> name.endsWith(".snapshot")).toList();
    if (snapshots.size() < 2) {
      return false;
    }
    Content newest = names.get(snapshots.getLast());
    byte[] other = newest.bytes.clone();
    other[random.nextInt(other.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
    newest.bytes = other;
    return true;
  }

  void clear() {
    names.clear();
    forcedNames.clear();
    unforced.clear();
  }

  private Content find(String name) throws IOException {
    Content content = names.get(name);
    if (content == null) {
      throw new FileNotFoundException(name);
    }
    return content;
  }

  @Override
  public List<String> names() {
    return List.copyOf(names.keySet());
  }

  @Override
  public InputStream read(String name) throws IOException {
    return new ByteArrayInputStream(find(name).bytes);
  }

  @Override
  public OutputStream write(String name) throws IOException {
    change(files -> {
      var content = new Content();
      files.rename(at -> at.put(name, content));
    });
    return new OutputStream() {
      @Override
      public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        byte[] piece = Arrays.copyOfRange(bytes, offset, offset + length);
        change(files -> files.append(name, piece));
      }
    };
  }

  private void append(String name, byte[] piece) throws IOException {
    Content content = find(name);
    int before = content.bytes.length;
    content.bytes = Arrays.copyOf(content.bytes, before + piece.length);
    System.arraycopy(piece, 0, content.bytes, before, piece.length);
  }

  @Override
  public void force(String name) throws IOException {
    change(files -> {
      Content content = files.find(name);
      content.forced = content.bytes.length;
    });
  }

  @Override
  public void rename(String from, String to) throws IOException {
    change(files -> {
      Content content = files.find(from);
      files.rename(at -> {
        at.remove(from);
        at.put(to, content);
      });
    });
  }

  @Override
  public void delete(String name) throws IOException {
    change(files -> {
      files.find(name);
      files.rename(at -> at.remove(name));
    });
  }

  @Override
  public void forceNames() throws IOException {
    change(files -> {
      files.forcedNames.clear();
      files.forcedNames.putAll(files.names);
      files.unforced.clear();
    });
  }

  private void change(Change change) throws IOException {
    change.make(this);
    changes.add(change);
  }

  @Override
  public String toString() {
    return names.keySet().toString();
  }
}
