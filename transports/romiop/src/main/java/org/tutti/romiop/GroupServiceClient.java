package org.tutti.romiop;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.tutti.romiop.Giop.BrokenGiopException;

/// Asks the group service ([ObjectGroups]) over IIOP, at the replica that answered last, or else at the next one that
/// does. Each question has a connection of its own. For one thread.
final class GroupServiceClient {
  private static final int PATIENCE_MILLIS = 2000; // for a connection, and for each part of an answer
  private static final int ANSWER_BYTES_MAX = 64 << 10;
  private static final int TYPE_MAX = 1024;

  private final List<IiopAddress> replicas;
  private int current;

  /// Makes one.
  ///
  /// @param replicas the service's object at each of them, at least one
  GroupServiceClient(List<IiopAddress> replicas) {
    this.replicas = replicas;
  }

  /// What the service knows of a group.
  ///
  /// @return null when it does not know the group
  /// @throws IOException when no replica answers
  ObjectGroups.@Nullable Entry describe(GroupReference.Id id) throws IOException {
    IOException last = null;
    for (int i = 0; i < replicas.size(); i++) {
      try {
        return describe(replicas.get(current), id);
      } catch (IOException e) {
        last = new IOException("the group service at " + replicas.get(current) + ": " + e.getMessage(), e);
        current = (current + 1) % replicas.size();
      }
    }
    throw last == null ? new IOException("no replica") : last;
  }

  private static ObjectGroups.@Nullable Entry describe(IiopAddress at, GroupReference.Id id) throws IOException {
    CdrOut arguments = new CdrOut();
    ObjectGroups.writeName(id, arguments);
    try {
      return described(ask(at, Giop.call(at.key(), "describe", arguments)));
    } catch (BrokenGiopException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /// Reads the reply to `describe`.
  ///
  /// @return null when the service does not know the group
  static ObjectGroups.@Nullable Entry described(Giop reply) throws BrokenGiopException {
    if (reply.isUserException()) {
      String exception = reply.body().string(TYPE_MAX);
      Giop.require(exception.equals(ObjectGroups.NOT_FOUND), "the exception " + exception);
      return null;
    }
    Giop.require(reply.isResult(), "an exception of the system");
    return ObjectGroups.Listed.read(reply.body()).entry();
  }

  private static Giop ask(IiopAddress at, Giop question) throws IOException, BrokenGiopException {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.connect(new InetSocketAddress(at.at().getHostString(), at.at().getPort()), PATIENCE_MILLIS);
      socket.getOutputStream().write(question.bytes());
      var in = new BufferedInputStream(socket.getInputStream());
      byte[] answer = new GiopReader(in, new Semaphore(ANSWER_BYTES_MAX), ANSWER_BYTES_MAX).next();
      if (answer == null) {
        throw new IOException("it has closed the connection");
      }
      Giop reply = Giop.of(answer);
      boolean isReply = reply.type() == Giop.REPLY && reply.requestId() == question.requestId();
      Giop.require(isReply, "a message of type " + reply.type());
      return reply;
    }
  }
}
