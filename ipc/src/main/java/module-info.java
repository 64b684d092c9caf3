import org.jspecify.annotations.NullMarked;

/// Communication of processes with groups of processes: a message that counts whom it reached, and replies that wait in
/// a queue until the sender takes them. It promises less than a [org.tutti.Group] and costs less.
///
/// Start reading at [org.tutti.ipc.Ipc] (what a program opens), then at `protocol.IpcProtocol` (what happens on a
/// message). Ids and passwords of groups are in [org.tutti.ipc.ids].
@NullMarked
module org.tutti.ipc {
  requires transitive org.tutti;
  requires transitive org.tutti.replica;
  requires static org.jspecify;

  exports org.tutti.ipc;
  exports org.tutti.ipc.ids;
  exports org.tutti.ipc.protocol to
      org.tutti.sim;
}
