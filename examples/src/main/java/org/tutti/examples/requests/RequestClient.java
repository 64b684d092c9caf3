package org.tutti.examples.requests;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Service;
import org.tutti.transport.RoleRegistration;

/// A client, with the calls `sendRequest` and `getReply`. Each server replies once: [#serverNum] of them come as long
/// as nobody crashes, and the first one tells what all of them say.
///
/// **Threads**: one at a time.
public final class RequestClient extends Participant {
  private final LinkedBlockingQueue<Message> replies = new LinkedBlockingQueue<>();
  private final String self;
  private long sent;

  private RequestClient(String self, RoleRegistration.@Nullable State registered) {
    super(registered);
    this.self = self;
  }

  /// Registers a client, and waits until it is in a view with the servers.
  ///
  /// @param node  stays the caller's
  /// @param group the service
  /// @return the client
  public static RequestClient start(Node node, String group) {
    return observing(node, group, null);
  }

  /// Registers a client at a registry, and waits until it is in a view with the servers.
  ///
  /// @param node         stays the caller's; it asks the registration from now on, which belongs to it
  /// @param group        the service
  /// @param registration of this node, as a client
  /// @return the client
  /// @throws IOException          when the registry does not answer, or has no number for another client
  /// @throws InterruptedException when this thread is interrupted
  public static RequestClient start(Node node, String group, RoleRegistration registration)
      throws IOException, InterruptedException {
    node.discover(registration);
    return observing(node, group, registration.register());
  }

  private static RequestClient observing(Node node, String group, RoleRegistration.@Nullable State registered) {
    var client = new RequestClient(node.self().toString(), registered);
    client.register(node.observe(group, MemberConfig.builder().listener(client).build()));
    return client;
  }

  /// Multicasts a request to all servers; waits while this member's window is full. Replies to requests before are not
  /// of interest any more.
  ///
  /// @param text the request
  /// @throws InterruptedException when this thread is interrupted
  public void sendRequest(String text) throws InterruptedException {
    sent++;
    group().post(ByteBuffer.wrap(new Message(false, self, sent, text).encoded()));
  }

  /// The next reply to the last request.
  ///
  /// @param wait how long at most
  /// @return empty when none came in time
  /// @throws InterruptedException when this thread is interrupted
  public Optional<String> getReply(Duration wait) throws InterruptedException {
    long deadline = System.nanoTime() + wait.toNanos();
    while (true) {
      Message reply = replies.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (reply == null) {
        return Optional.empty();
      }
      if (reply.number() == sent) {
        return Optional.of(reply.text());
      }
    }
  }

  @Override
  public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
    Message.read(payload).filter(message -> message.isReply() && message.client().equals(self)).ifPresent(replies::add);
  }
}
