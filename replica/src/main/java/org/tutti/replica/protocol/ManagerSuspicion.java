package org.tutti.replica.protocol;

/// Whether a client that sends its commands to the request manager suspects it, and sends them to all replicas
/// meanwhile: to the manager as long as that answers, which costs one message for each command, and to all when it does
/// not, so that its failure delays no command by the time that the client takes to find the next manager.
///
/// ```
///  client --- CALL 7 ---> manager A    nothing comes, for a time; or the connection ends
///         --- CALL 7 ---> replica B    suspected: the same number, it is executed once
///         --- CALL 7 ---> replica C    so is each later one sent to all
///         <-- REPLY 7 --- C
///         --- CALL 8 ---> A, B, C
///         <-- REPLY 8 --- A            it answers: the next one goes to it alone
/// ```
///
/// It is suspected for its silence when a command has no reply from anybody and nothing at all has come from the
/// manager for some time; and at once, if there are commands, when the connection to it ends or an attempt to have one
/// fails. That it says who the manager is now, or that it does not serve, is no failure. The suspicion is the client's
/// alone: nobody is told, and the first connection goes on as that of every client. It ends with a reply over the first
/// connection, which only leads to the manager. A message of another kind does not end it: who says that it is there
/// may still not execute anything.
///
/// A replica that refuses a command for lack of room tells only the connection over which it came first; so what has no
/// reply for the time in which a client leaves a silent replica is sent to all again.
///
/// Source: Morgan and Ezhilchelvan, *Policies for using Replica Groups and their effectiveness over the Internet*,
/// section 5.5: a client with policy P2 that uses P4 for what it sends while it suspects.
final class ManagerSuspicion {
  private final ClientProtocol client;
  private final ClientProtocol.Host host;
  private final long afterNanos;
  private final long silenceNanos;

  private boolean lost; // the connection to the manager
  private long lostAt;
  private boolean holds;
  private long heardAt;
  private long againAt = Long.MAX_VALUE;
  private long count;

  /// @param afterNanos   how long the manager may say nothing while a command has no reply
  /// @param silenceNanos after which what has no reply is sent to all again
  ManagerSuspicion(ClientProtocol client, ClientProtocol.Host host, long afterNanos, long silenceNanos) {
    this.client = client;
    this.host = host;
    this.afterNanos = afterNanos;
    this.silenceNanos = silenceNanos;
    this.heardAt = host.nanos();
  }

  /// Something has come over the first connection.
  void heard() {
    heardAt = host.nanos();
  }

  /// The first connection, or an attempt to have it, has ended without a word.
  void lost() {
    lost = true;
    lostAt = host.nanos();
  }

  /// A manager has taken the client.
  void welcomed() {
    lost = false;
  }

  /// The manager has answered a command.
  void answered() {
    holds = false;
    againAt = Long.MAX_VALUE;
  }

  /// Whether commands go to all.
  boolean holds() {
    return holds;
  }

  /// How often it began.
  long count() {
    return count;
  }

  /// Begins to suspect, and has sent again what is due.
  ///
  /// @return whether what has no reply is to be sent to all now
  boolean isDue(long now) {
    if (now < dueNanos()) {
      return false;
    }
    if (!holds) {
      holds = true;
      count++;
    }
    againAt = now + silenceNanos;
    return true;
  }

  /// When [#isDue] is to be asked.
  long dueNanos() {
    ClientRequest waiting = client.firstWithoutReply();
    if (holds) {
      return waiting == null ? Long.MAX_VALUE : againAt;
    }
    if (lost && client.session() > 0 && (waiting != null || client.hasUnsent())) {
      return lostAt; // a clock that is read again is later than the time that is asked for
    }
    return waiting == null ? Long.MAX_VALUE : Math.max(heardAt, waiting.sentAt) + afterNanos;
  }
}
