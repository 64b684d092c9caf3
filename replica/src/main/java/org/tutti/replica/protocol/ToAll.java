package org.tutti.replica.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A client's quiet connections to all replicas but the one of its first connection. Over them it sends each command,
/// too (dissemination to all), or only gets the replies of these replicas ([Collecting]), or both.
///
/// ```
///  client --- CALL n ---> replica A    each multicasts it, under the same number: it is executed once
///         --- CALL n ---> replica B
///         --- CALL n ---> replica C
///         <-- REPLY n --- B            the first; the others are nothing new
/// ```
///
/// So the crash of a replica, whichever it is, delays no command that another one has. What has no reply yet is sent to
/// each replica that the client connects to later, in the order of numbers. A client that only collects replies sends
/// commands over its first connection alone; one that suspects the manager sends to all meanwhile ([ManagerSuspicion]).
public final class ToAll {
  private final ClientProtocol client;
  private final ClientProtocol.Host host;
  private final long silenceNanos;
  private final BooleanSupplier sends;
  private final List<Copy> copies = new ArrayList<>(); // as many as there were other replicas at once

  /// @param sends whether commands are sent to all, now
  ToAll(ClientProtocol client, ClientProtocol.Host host, long silenceNanos, BooleanSupplier sends) {
    this.sends = sends;
    this.client = client;
    this.host = host;
    this.silenceNanos = silenceNanos;
  }

  /// The connection to one replica that is not the first one's.
  public final class Copy extends QuietConnection {
    Copy() {
      super(ToAll.this.client, ToAll.this.host, ToAll.this.silenceNanos);
    }

    @Override
    @Nullable String chosen() {
      for (String replica : client.replicas()) {
        if (!client.isAt(replica) && copies.stream().noneMatch(copy -> replica.equals(copy.at()))) {
          return replica;
        }
      }
      return null;
    }

    @Override
    void joined() {
      if (sends.getAsBoolean()) {
        client.unanswered().forEach(command -> send(client.again(command)));
        client.pump(); // perhaps nobody was there before
      }
    }

    @Override
    void ready(long now) {
      String replica = at();
      if (replica != null && !client.replicas().contains(replica)) {
        end();
      }
    }

    @Override
    long dueNanos() {
      return Long.MAX_VALUE;
    }
  }

  /// A command is sent over the first connection, first or again.
  void sent(ClientRequest command) {
    for (Copy copy : copies) {
      if (sends.getAsBoolean() && copy.isJoined()) {
        copy.send(client.again(command));
      }
    }
  }

  /// What has no outcome is sent to all that are there: it was sent over the first connection alone, or it is time to
  /// send it once more. What has one is in the history before whatever is sent now; so none before a later command is
  /// missing.
  void sendUnanswered() {
    client.unanswered().forEach(this::sent);
  }

  /// Whether there is a replica over whose connection commands can be sent.
  boolean isJoined() {
    return copies.stream().anyMatch(QuietConnection::isJoined);
  }

  void sessionChanged() {
    copies.forEach(Copy::sessionChanged);
  }

  void close() {
    copies.forEach(Copy::close);
  }

  void work(long now) {
    long others = client.replicas().stream().filter(replica -> !client.isAt(replica)).count();
    while (client.isReady() && copies.size() < others) {
      copies.add(new Copy());
    }
    copies.forEach(copy -> copy.work(now));
  }

  long deadlineNanos() {
    long due = Long.MAX_VALUE;
    for (Copy copy : copies) {
      due = Math.min(due, copy.deadlineNanos());
    }
    return due;
  }
}
