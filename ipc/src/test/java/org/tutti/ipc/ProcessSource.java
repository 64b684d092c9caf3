package org.tutti.ipc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Begins processes of hosts: for the hosts' own program, or for others, which a test cannot tell apart.
public final class ProcessSource implements AutoCloseable {
  /// For whom.
  public enum Kind {
    /// The program that has the host.
    OWN,
    /// Two other programs for each host, in turn.
    ATTACHED,
    /// The own one and another one, in turn.
    BOTH
  }

  private final Kind kind;
  private final Path directory;
  private final Map<Ipc, List<Attachment>> attached = new HashMap<>();
  private int turn;

  /// @param directory for sockets
  public ProcessSource(Kind kind, Path directory) {
    this.kind = kind;
    this.directory = directory;
  }

  /// Begins a process.
  public IpcProcess of(Ipc host) {
    turn++;
    if (kind == Kind.OWN || kind == Kind.BOTH && turn % 2 == 0) {
      return host.process();
    }
    return attached.computeIfAbsent(host, this::attach).get(turn / 2 % 2).process();
  }

  private List<Attachment> attach(Ipc host) {
    Path socket = directory.resolve(attached.size() + ".sock");
    try {
      host.accept(socket);
      return new ArrayList<>(List.of(Ipc.attach(socket), Ipc.attach(socket)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    attached.values().forEach(programs -> programs.forEach(Attachment::close));
  }
}
