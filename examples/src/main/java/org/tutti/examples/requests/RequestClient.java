package org.tutti.examples.requests;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.tutti.Group;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Service;
import org.tutti.View;

/// A client, with the calls `sendRequest` and `getReply`. Each server replies once: [#serverNum] of them come as long
/// as nobody crashes, and the first one tells what all of them say.
///
/// **Threads**: one at a time.
public final class RequestClient implements GroupListener, AutoCloseable {
  private final LinkedBlockingQueue<Message> replies = new LinkedBlockingQueue<>();
  private final Group group;
  private volatile View view;
  private long sent;

  private RequestClient(Node node, String group) {
    this.group = node.observe(group, MemberConfig.builder().listener(this).build());
    this.view = this.group.joined().join();
  }

  /// Registers a client, and waits until it is in a view with the servers.
  ///
  /// @param node  stays the caller's
  /// @param group the service
  /// @return the client
  public static RequestClient start(Node node, String group) {
    return new RequestClient(node, group);
  }

  /// Multicasts a request to all servers; waits while this member's window is full. Replies to requests before are not
  /// of interest any more.
  ///
  /// @param text the request
  /// @throws InterruptedException when this thread is interrupted
  public void sendRequest(String text) throws InterruptedException {
    sent++;
    group.post(ByteBuffer.wrap(new Message(false, group.self().toString(), sent, text).encoded()));
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

  /// How many servers there are now, and so how many replies a request gets.
  ///
  /// @return the members that are no observers
  public int serverNum() {
    return view.voting();
  }

  /// How many clients there are now.
  ///
  /// @return the observers, this one among them
  public int clientNum() {
    return view.observers().size();
  }

  @Override
  public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
    Message.read(payload)
        .filter(message -> message.isReply() && message.client().equals(group.self().toString()))
        .ifPresent(replies::add);
  }

  @Override
  public void install(View installed) {
    view = installed;
  }

  @Override
  public void close() {
    group.close();
  }
}
