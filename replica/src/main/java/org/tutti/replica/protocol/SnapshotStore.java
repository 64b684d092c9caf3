package org.tutti.replica.protocol;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UTFDataFormatException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.tutti.replica.StateMachine;

/// The snapshots of one replica on its disk: the newest and the one before it, each in a file of its own.
///
/// ```
///  0000000000000004711.snapshot := magic, service, (length, bytes)..., 0, length of all bytes, checksum
///                 `--- position of the first message that it does not contain
/// ```
///
/// **Nothing is lost by a crash.** A snapshot is written to a new file, which is forced to the disk and then renamed;
/// when the directory is forced, too, it is there, and only then an older one is deleted. So at each moment what was
/// the newest one is whole, and a file that has the name of a snapshot has all of its content.
///
/// **What another version has written is refused**, with both versions: an older snapshot does not take its place.
///
/// **What is damaged is not read.** A snapshot is compared with its checksum before anything of it is used. When the
/// newest one is damaged, the one before it is taken: the group's log is kept from there on. When none is intact, the
/// replica does not start: whoever deletes the damaged files has it begin with the state of another replica.
public final class SnapshotStore {
  /// A directory for snapshots alone. Names are plain file names.
  public interface Disk {
    /// The files.
    ///
    /// @return their names, in any order
    /// @throws IOException when the disk fails
    List<String> names() throws IOException;

    /// Reads a file.
    ///
    /// @param name which
    /// @return its bytes; the caller closes it
    /// @throws IOException when the disk fails
    InputStream read(String name) throws IOException;

    /// Makes an empty file, in place of one that has this name.
    ///
    /// @param name which
    /// @return takes its bytes; closing it does not force them
    /// @throws IOException when the disk fails
    OutputStream write(String name) throws IOException;

    /// Waits until the bytes of a file survive a power failure.
    ///
    /// @param name which
    /// @throws IOException when the disk fails
    void force(String name) throws IOException;

    /// Gives a file another name, in place of one that has that name, in one step.
    ///
    /// @param from its name
    /// @param to   the other one
    /// @throws IOException when the disk fails
    void rename(String from, String to) throws IOException;

    /// Deletes a file.
    ///
    /// @param name which
    /// @throws IOException when the disk fails
    void delete(String name) throws IOException;

    /// Waits until all names survive a power failure.
    ///
    /// @throws IOException when the disk fails
    void forceNames() throws IOException;

    /// Where it is, for people.
    ///
    /// @return such as a path
    @Override
    String toString();
  }

  /// A snapshot is there and is not what was written.
  public static final class DamagedException extends IOException {
    private static final long serialVersionUID = 1;

    DamagedException(String message) {
      super(message);
    }
  }

  /// A snapshot that is whole.
  ///
  /// @param position of the first message that it does not contain
  /// @param bytes    how long it is
  /// @param damaged  newer ones that are not, and why; in words
  public record Intact(long position, long bytes, List<String> damaged) {}

  private static final long MAGIC = 0x7475747469736eL; // "tuttisn", and then the version as a digit
  private static final char VERSION = '1';
  private static final int POSITION_DIGITS = 19; // of the highest one
  private static final String SUFFIX = ".snapshot";
  private static final String DRAFT = "next.draft";
  private static final String DAMAGED = "newest.damaged"; // set aside, for whoever wants to know how
  private static final Pattern NAME = Pattern.compile("[0-9]{" + POSITION_DIGITS + "}\\" + SUFFIX);
  private static final int KEPT = 2;
  private static final int PIECE_BYTES = 64 << 10;

  private final Disk disk;
  private final String service;

  /// A store on a disk.
  ///
  /// @param disk    where
  /// @param service whose; snapshots of another one are refused
  public SnapshotStore(Disk disk, String service) {
    this.disk = disk;
    this.service = service;
  }

  /// Looks for the newest snapshot that is whole, and forgets what an interrupted life has left.
  ///
  /// @return the snapshot; empty when there has never been one
  /// @throws DamagedException when there are snapshots and none is whole, or they are another service's
  /// @throws IOException      when the disk fails
  public Optional<Intact> newest() throws IOException {
    if (disk.names().contains(DRAFT)) {
      disk.delete(DRAFT);
    }
    List<Long> positions = positions();
    List<String> damaged = new ArrayList<>();
    for (long position : positions.reversed()) {
      try {
        var intact = new Intact(position, verify(name(position)), List.copyOf(damaged));
        for (long newer : positions.subList(positions.indexOf(position) + 1, positions.size())) {
          disk.rename(name(newer), DAMAGED);
        }
        disk.forceNames(); // whoever wrote it may not have come to that, and the group's log is let go up to it
        return Optional.of(intact);
      } catch (DamagedException wrong) {
        damaged.add(name(position) + ": " + wrong.getMessage());
      }
    }
    if (!damaged.isEmpty()) {
      throw new DamagedException(
          "no snapshot in "
              + disk
              + " is intact ("
              + String.join("; ", damaged)
              + "); delete them, and the replica gets the state from another one");
    }
    return Optional.empty();
  }

  /// Positions of all snapshots, rising.
  private List<Long> positions() throws IOException {
    return disk.names().stream()
        .filter(name -> NAME.matcher(name).matches() && name.compareTo(name(Long.MAX_VALUE)) <= 0)
        .map(name -> Long.parseLong(name.substring(0, POSITION_DIGITS)))
        .sorted()
        .toList();
  }

  private static String name(long position) {
    return String.format("%0" + POSITION_DIGITS + "d", position) + SUFFIX;
  }

  /// Reads a snapshot to its end.
  private long verify(String name) throws IOException {
    try (var in = new Content(disk.read(name), service)) {
      return verify(in);
    } catch (EOFException _) {
      throw new DamagedException("it ends too early");
    }
  }

  /// A file of another version, for which an older snapshot must not be taken, does not have the checksum of this one,
  /// which later versions have to see to. If it has, only the version is damaged.
  private static long verify(Content in) throws IOException {
    if (in.version == VERSION) {
      return in.skip(Long.MAX_VALUE);
    }
    try {
      in.skip(Long.MAX_VALUE);
    } catch (EOFException | DamagedException _) {
      throw new IOException("a snapshot is of version " + in.version + ", this replica reads version " + VERSION);
    }
    throw new DamagedException("its version is not what was written");
  }

  /// Opens a snapshot that [#newest] has found.
  ///
  /// @param snapshot which
  /// @return what [StateMachine.Snapshot#writeTo] has written; the caller closes it
  /// @throws IOException when the disk fails
  public InputStream open(Intact snapshot) throws IOException {
    return new Content(disk.read(name(snapshot.position)), service);
  }

  /// Writes a snapshot; when this returns, it survives a power failure, and all but the one before it are deleted.
  ///
  /// @param position of the first message that it does not contain
  /// @param picture  what to write
  /// @return how long it is, in bytes
  /// @throws IOException when the disk fails, or the picture does; what was there before is there
  public long write(long position, StateMachine.Snapshot picture) throws IOException {
    long bytes;
    try (var file = new BufferedOutputStream(disk.write(DRAFT), PIECE_BYTES)) {
      bytes = write(picture, new DataOutputStream(file));
    }
    disk.force(DRAFT);
    disk.rename(DRAFT, name(position));
    disk.forceNames();
    List<Long> positions = positions();
    for (long old : positions.subList(0, Math.max(0, positions.size() - KEPT))) {
      disk.delete(name(old));
    }
    return bytes;
  }

  private long write(StateMachine.Snapshot picture, DataOutputStream file) throws IOException {
    file.writeLong(MAGIC << Byte.SIZE | VERSION);
    file.writeUTF(service);
    var pieces = new Pieces(file);
    var out = new BufferedOutputStream(pieces, PIECE_BYTES);
    picture.writeTo(out);
    out.flush();
    file.writeInt(0);
    file.writeLong(pieces.bytes);
    file.writeInt((int) pieces.checksum.getValue());
    file.flush();
    return pieces.bytes;
  }

  /// Puts a length before each piece.
  private static final class Pieces extends FilterOutputStream {
    final CRC32C checksum = new CRC32C();
    long bytes;

    Pieces(DataOutputStream out) {
      super(out);
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] piece, int offset, int length) throws IOException {
      if (length > 0) {
        ((DataOutputStream) out).writeInt(length);
        out.write(piece, offset, length);
        checksum.update(piece, offset, length);
        bytes += length;
      }
    }

    /// The file is not closed with what is in it: the end follows.
    @Override
    public void close() {}
  }

  /// The content of a file: reading to the end compares it with the checksum.
  private static final class Content extends InputStream {
    private final DataInputStream in;
    private final CRC32C checksum = new CRC32C();
    private final byte[] passed = new byte[PIECE_BYTES];
    private long bytes;
    private int left; // of the piece
    private boolean over;
    private final char version; // that it claims

    Content(InputStream file, String service) throws IOException {
      in = new DataInputStream(new BufferedInputStream(file, PIECE_BYTES));
      try {
        long first = in.readLong();
        if (first >>> Byte.SIZE != MAGIC) {
          throw new DamagedException("it is no snapshot");
        }
        version = (char) (first & 0xff);
        String owner = in.readUTF();
        if (!owner.equals(service)) {
          throw new DamagedException("it is of service \"" + owner + "\", not of \"" + service + "\"");
        }
      } catch (EOFException _) {
        in.close();
        throw new DamagedException("it ends too early");
      } catch (UTFDataFormatException _) {
        in.close();
        throw new DamagedException("it names no service");
      } catch (IOException | RuntimeException e) {
        in.close();
        throw e;
      }
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      if (left == 0 && !over) {
        left = in.readInt();
        over = left == 0;
        if (left < 0) {
          throw new DamagedException("a piece of " + left + " bytes");
        }
        if (over) {
          end();
        }
      }
      if (over) {
        return -1;
      }
      int part = in.read(into, offset, Math.min(length, left));
      if (part < 0) {
        throw new EOFException();
      }
      checksum.update(into, offset, part);
      left -= part;
      bytes += part;
      return part;
    }

    private void end() throws IOException {
      boolean same = in.readLong() == bytes & in.readInt() == (int) checksum.getValue();
      if (!same || in.read() >= 0) {
        throw new DamagedException("its content does not have its checksum");
      }
    }

    @Override
    public long skip(long most) throws IOException {
      long skipped = 0;
      while (skipped < most) {
        int part = read(passed, 0, (int) Math.min(passed.length, most - skipped));
        if (part < 0) {
          return skipped;
        }
        skipped += part;
      }
      return skipped;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
