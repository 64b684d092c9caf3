package org.tutti.sim;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.engine.NodeEngine;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.replica.StateMachine;

/// How far a campaign is, in a file, so that it goes on there when it was interrupted. Each state of the file takes the
/// place of the one before at once: whoever reads it, even after a crash, finds one of them whole.
///
/// @param <T> what came of the campaign so far
public final class CampaignFile<T extends SeedReport<?>> {
  private static final String TITLE = "tutti simulate, how far it is";
  private static final String CODE = "code ";
  private static final String OPTIONS = "options";
  private static final String FIRST = "first ";
  private static final int HEADER = 4; // lines
  private static final long EVERY_NANOS = 5_000_000_000L;

  private final Path path;
  private final String code;
  private final String options;
  private final long first;
  private final T before;
  private long writtenNanos = System.nanoTime();

  private CampaignFile(Path path, String code, String options, long first, T before) {
    this.path = path;
    this.code = code;
    this.options = options;
    this.first = first;
    this.before = before;
  }

  /// Opens the file of a campaign of groups, which may not exist yet.
  ///
  /// @param path   the file
  /// @param first  the first seed of the campaign; null for that of the file, or a fresh one
  /// @param limits what is left out of every run
  /// @return the campaign so far
  /// @throws IOException              when it cannot be read
  /// @throws IllegalArgumentException when it belongs to another campaign; in words for the user
  public static CampaignFile<CampaignReport> open(Path path, @Nullable Long first, Limits limits) throws IOException {
    return open(path, first, limits.options(), lines -> CampaignReport.read(lines, limits));
  }

  /// Opens the file of a campaign, which may not exist yet.
  ///
  /// @param <T>     what came of the campaign so far
  /// @param path    the file
  /// @param first   the first seed of the campaign; null for that of the file, or a fresh one
  /// @param options what kind of runs these are, as on the command line
  /// @param read    makes a report of its lines; an empty one of none
  /// @return the campaign so far
  /// @throws IOException              when it cannot be read
  /// @throws IllegalArgumentException when it belongs to another campaign; in words for the user
  public static <T extends SeedReport<?>> CampaignFile<T> open(
      Path path, @Nullable Long first, String options, Function<List<String>, T> read) throws IOException {
    String code = CodeFingerprint.of(NodeEngine.class, StateMachine.class, IpcProtocol.class, Simulation.class);
    if (!Files.exists(path)) {
      return new CampaignFile<>(path, code, options, first == null ? FirstSeed.fresh() : first, read.apply(List.of()));
    }
    List<String> lines = Files.readAllLines(path);
    if (lines.size() < HEADER || !lines.getFirst().equals(TITLE) || !lines.get(3).startsWith(FIRST)) {
      throw new IllegalArgumentException(path + " is no file of a campaign");
    }
    if (!lines.get(1).equals(CODE + code)) {
      throw new IllegalArgumentException(
          path + " was begun by other code (" + lines.get(1) + ", this is " + code + "): seeds mean other runs there");
    }
    if (!lines.get(2).equals(OPTIONS + options)) {
      throw new IllegalArgumentException(
          path + " was begun with other options: \"" + lines.get(2) + "\", not \"" + OPTIONS + options + "\"");
    }
    long begun;
    T before;
    try {
      begun = Long.parseLong(lines.get(3).substring(FIRST.length()));
      before = read.apply(lines.subList(HEADER, lines.size()));
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(path + " is damaged: " + e.getMessage(), e);
    }
    if (first != null && first != begun) {
      throw new IllegalArgumentException(path + " was begun with --first " + begun);
    }
    return new CampaignFile<>(path, code, options, begun, before);
  }

  /// The first seed of the whole campaign.
  ///
  /// @return as in the file
  public long first() {
    return first;
  }

  /// What is done.
  ///
  /// @return the report of the seeds from the first one on
  public T before() {
    return before;
  }

  /// Writes how far the campaign is, now and then.
  ///
  /// @param report what is done
  /// @throws IOException when it cannot be written
  public void update(T report) throws IOException {
    if (System.nanoTime() - writtenNanos >= EVERY_NANOS) {
      write(report);
    }
  }

  /// Writes how far the campaign is.
  ///
  /// @param report what is done
  /// @throws IOException when it cannot be written
  public void write(T report) throws IOException {
    writtenNanos = System.nanoTime();
    List<String> lines = new ArrayList<>(List.of(TITLE, CODE + code, OPTIONS + options, FIRST + first));
    lines.addAll(report.lines());
    Path next = path.resolveSibling(path.getFileName() + ".next");
    Files.write(next, lines);
    Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /// Which code this is: a hash over all classes of some modules. Two builds of one commit have the same, whenever and
  /// wherever they were made; a source that was changed and not committed shows, as it changes what a seed means.
  private static final class CodeFingerprint {
    private static final int DIGITS = 16;

    private CodeFingerprint() {}

    /// Hashes the modules that some classes are in.
    static String of(Class<?>... oneOfEach) throws IOException {
      try {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (Class<?> type : oneOfEach) {
          Path place = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
          if (Files.isDirectory(place)) {
            add(place, digest);
          } else {
            try (FileSystem jar = FileSystems.newFileSystem(place)) {
              add(jar.getPath("/"), digest);
            }
          }
        }
        return HexFormat.of().formatHex(digest.digest()).substring(0, DIGITS);
      } catch (NoSuchAlgorithmException | URISyntaxException e) {
        throw new IllegalStateException(e);
      }
    }

    private static void add(Path root, MessageDigest digest) throws IOException {
      List<Path> classes;
      try (Stream<Path> files = Files.walk(root)) {
        classes = files.filter(file -> file.toString().endsWith(".class")).sorted().toList();
      }
      for (Path file : classes) {
        try (InputStream bytes = Files.newInputStream(file)) {
          digest.update(bytes.readAllBytes());
        }
      }
    }
  }
}
