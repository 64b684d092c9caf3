package org.tutti.examples.requests;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.SendOptions;
import org.tutti.Service;
import org.tutti.transport.RoleRegistration;

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

  private static final Duration PAUSE = Duration.ofMillis(100);

  private final LinkedBlockingQueue<Request> requests = new LinkedBlockingQueue<>();

  private RequestServer(RoleRegistration.@Nullable State registered) {
    super(registered);
  }

  /// Registers a server, and waits until a majority of them is there.
  ///
  /// @param node     whose name is among those of the servers; stays the caller's
  /// @param group    the service
  /// @param servers  the names of all servers, the same at each
  /// @param ordering by which algorithm requests get their order
  /// @return the server
  public static RequestServer start(Node node, String group, Set<String> servers, Ordering ordering) {
    var server = new RequestServer(null);
    GroupConfig config = GroupConfig.builder().ordering(ordering).build();
    server.register(node.joinOrCreate(group, servers, config, MemberConfig.builder().listener(server).build()));
    return server;
  }

  /// Registers a server at a registry, waits until all servers that are expected are registered, and founds the group
  /// with them, or joins it.
  ///
  /// @param node         stays the caller's; it asks the registration from now on, which belongs to it
  /// @param group        the service
  /// @param registration of this node, as a server
  /// @param ordering     by which algorithm requests get their order
  /// @return the server
  /// @throws IOException          when the registry does not answer or refuses
  /// @throws InterruptedException when this thread is interrupted
  public static RequestServer start(Node node, String group, RoleRegistration registration, Ordering ordering)
      throws IOException, InterruptedException {
    node.discover(registration);
    RoleRegistration.State state = registration.register();
    while (!state.complete()) {
      Thread.sleep(PAUSE);
      state = registration.register();
    }
    var server = new RequestServer(state);
    GroupConfig config = GroupConfig.builder().ordering(ordering).build();
    MemberConfig member = MemberConfig.builder().listener(server).build();
    server.register(node.joinOrCreate(group, state.servers(), config, member));
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

  @Override
  public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
    Message.read(payload)
        .filter(message -> !message.isReply())
        .ifPresent(message -> requests.add(new Request(message.client(), message.number(), message.text())));
  }
}
