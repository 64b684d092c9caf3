import org.jspecify.annotations.NullMarked;

/// Communication of processes with groups of processes: a message that counts whom it reached, and replies that wait in
/// a queue until the sender takes them. It promises less than a [org.tutti.Group] and costs less.
///
/// Start reading at [org.tutti.ipc.Ipc] (what a program opens), then at `protocol.IpcProtocol` (what happens on a
/// message).
@NullMarked
module org.tutti.ipc {
  requires transitive org.tutti;
  requires static org.jspecify;

  exports org.tutti.ipc;
  exports org.tutti.ipc.protocol to
      org.tutti.sim;
}
