package org.tutti.peers;

import io.aeron.Aeron;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.client.ArchiveException;
import java.nio.file.Path;

/// Keeps the log of a member from filling the disk: drops whole files of it that everybody is past. A member that came
/// back could not read it from its beginning any more, but here none does.
final class LogPurge implements AutoCloseable {
  private static final int LOG_STREAM = 100; // Aeron Cluster's default
  private static final int RECORDINGS_MAX = 16;
  private static final int KEPT = 2; // files, for what others have not got yet

  private final AeronArchive archive;
  private long recording = Aeron.NULL_VALUE;
  private long start; // of what is kept

  LogPurge(Aeron aeron, Path directory) {
    archive = AeronArchive.connect(AeronNode.archive(directory).aeron(aeron).ownsAeronClient(false));
  }

  /// Drops what is far enough before a position.
  void before(long position) {
    long base = position - position % AeronNode.SEGMENT - (long) KEPT * AeronNode.SEGMENT;
    if (base <= start) {
      return;
    }
    if (recording == Aeron.NULL_VALUE) {
      archive.listRecordings(
          0,
          RECORDINGS_MAX,
          (_, _, id, _, _, _, _, _, _, _, _, _, stream, _, _, _) -> {
            if (stream == LOG_STREAM) {
              recording = id;
            }
          });
    }
    try {
      archive.purgeSegments(recording, base);
      start = base;
    } catch (ArchiveException early) {
      // The files of it are still in use; the next time they are not.
    }
  }

  @Override
  public void close() {
    archive.close();
  }
}
