package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A file system of a few megabytes that only processes in its own namespace see. It ends with the namespace.
final class SmallDisk implements AutoCloseable {
  private static final String MOUNT = "mount -t tmpfs -o size=16m,mode=700 tmpfs \"$1\" && echo ready && exec cat";

  private final Path at;
  private final Process keeper;

  private SmallDisk(Path at, Process keeper) {
    this.at = at;
    this.keeper = keeper;
  }

  /// Makes one.
  ///
  /// @param at a directory for it, which is made
  /// @return empty where this process may not do so
  static Optional<SmallDisk> at(Path at) throws IOException {
    Files.createDirectory(at);
    Process keeper;
    try {
      keeper =
          new ProcessBuilder("unshare", "-m", "sh", "-c", MOUNT, "sh", at.toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException noUnshare) {
      return Optional.empty();
    }
    if ("ready".equals(keeper.inputReader().readLine())) {
      return Optional.of(new SmallDisk(at, keeper));
    }
    keeper.destroy();
    return Optional.empty();
  }

  /// What runs a program that sees it.
  List<String> enter() {
    return List.of("nsenter", "-m", "-t", Long.toString(keeper.pid()), "--");
  }

  /// Takes all room that is left.
  void fill() throws IOException, InterruptedException {
    assertThat(run("cat /dev/zero > \"$1/fill\" 2>/dev/null")).as("there was room for all").isNotZero();
  }

  /// Gives the room back.
  void makeRoom() throws IOException, InterruptedException {
    assertThat(run("rm \"$1/fill\"")).isZero();
  }

  private int run(String script) throws IOException, InterruptedException {
    var command = new ArrayList<>(enter());
    command.addAll(List.of("sh", "-c", script, "sh", at.toString()));
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
  }

  @Override
  public void close() {
    keeper.destroy();
  }
}
