package org.tutti.examples.requests;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.SendOptions;
import org.tutti.Service;

/// A server, with the calls `waitForRequest` and `sendReply`. All servers get all requests in one order.
///
/// **Threads**: any; a reply goes to the client of the request that is given with it.
public final class RequestServer extends Participant {
  /// What a client asks.
  ///
  /// @param client who asks
  /// @param number counts the client's requests
  /// @param text   what it asks
  public record Request(String client, long number, String text) {}

  private final LinkedBlockingQueue<Request> requests = new LinkedBlockingQueue<>();

  private RequestServer() {}

  /// Registers a server, and waits until a majority of them is there.
  ///
  /// @param node     whose name is among those of the servers; stays the caller's
  /// @param group    the service
  /// @param servers  the names of all servers, the same at each
  /// @param ordering by which algorithm requests get their order
  /// @return the server
  public static RequestServer start(Node node, String group, Set<String> servers, Ordering ordering) {
    var server = new RequestServer();
    GroupConfig config = GroupConfig.builder().ordering(ordering).build();
    server.register(node.joinOrCreate(group, servers, config, MemberConfig.builder().listener(server).build()));
    return server;
  }

  /// The next request in total order.
  ///
  /// @param wait how long at most; zero, as in the source: not at all
  /// @return empty when there is none yet
  /// @throws InterruptedException when this thread is interrupted
  public Optional<Request> waitForRequest(Duration wait) throws InterruptedException {
    return Optional.ofNullable(requests.poll(wait.toNanos(), TimeUnit.NANOSECONDS));
  }

  /// Replies to the client of a request; waits while this member's window is full.
  ///
  /// @param to   a request of this server
  /// @param text the reply
  /// @throws InterruptedException when this thread is interrupted
  public void sendReply(Request to, String text) throws InterruptedException {
    var reply = new Message(true, to.client(), to.number(), text);
    group().post(ByteBuffer.wrap(reply.encoded()), SendOptions.fifo());
  }

  /// This server's number among the servers, from 0, by seniority; smaller when those before it have gone.
  ///
  /// @return its place
  public int id() {
    return view().rankOf(group().self());
  }

  @Override
  public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
    Message.read(payload)
        .filter(message -> !message.isReply())
        .ifPresent(message -> requests.add(new Request(message.client(), message.number(), message.text())));
  }
}
