package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.replica.Policy;
import org.tutti.replica.consolidation.Consolidator;
import org.tutti.replica.consolidation.Reply;
import org.tutti.wire.Malformed;

/// The replies of several replicas in one message, for clients that collect them and want to be in touch with the
/// request manager only: those in one-clusive groups, and others that say so.
///
/// ```
///  client ---- CALL n ----> manager ==== COLLECT n ====> all   each executes it, at one position
///                           manager <==== REPLY n ====== each  multicast in no order: it changes nothing
///         <--- BUNDLE n --- manager                            when the client's policy is met
/// ```
///
/// Asked are those of the view in which the manager executes the command, as other clients are told them ([Roll]). Who
/// leaves before its reply has come is not waited for, and the bundle says so. The manager decides by the client's rule
/// when a bundle is complete, and the client makes its outcome of the bundle by the same rule ([Collecting]).
///
/// Every replica that takes part says its reply, whoever gathers; who has a bundle for that command takes it. When a
/// manager fails, the next one, to which the client sends the command again, gathers anew: what is delivered is a
/// command that was executed, and each replica says what it has kept ([SessionTable]).
///
/// A replica that gets the state while the command is executed has the reply in the state, and says nothing by itself;
/// and what a replica says is dropped when too much waits for room. So the manager asks for what has not come, now and
/// then: a replica that serves says what it has kept.
///
/// **Bounds**: a client has as many bundles as commands that it may have without acknowledgement; each has a reply of
/// each replica at most. They end with what the client acknowledges, and with its connection.
///
/// Source: Morgan and Ezhilchelvan, *Policies for using Replica Groups and their effectiveness over the Internet*,
/// section 4: servers multicast their replies in their group, in no order, and the manager bundles them. There a bundle
/// is not asked for again.
final class ReplyBundles {
  /// The replies to one command.
  static final class Bundle {
    private final Consolidator<CommandReply> call;
    private final List<Reply<CommandReply>> replies = new ArrayList<>(); // in the order in which they came
    private final TreeSet<MemberId> gone = new TreeSet<>(); // of those that were asked
    private List<MemberId> asked = List.of(); // none before this replica has executed the command
    private long askAt; // for those that have not come

    Bundle(Policy.Collection which) {
      call = new Consolidator<>(Collecting.rule(which), 0); // its deadline is the client's business
    }

    private void reply(MemberId by, CommandReply reply) {
      if (call.reply(by, reply)) {
        replies.add(new Reply<>(by, reply));
      }
    }

    private void asks(List<MemberId> members) {
      asked = members;
      replies.removeIf(reply -> !members.contains(reply.member()));
      call.asked(members);
    }

    private boolean isComplete() {
      return call.outcome() != null;
    }
  }

  static final long ASK_NANOS = 1_000_000_000; // after which replies that have not come are asked for, each time
  private static final long UNSAID_BYTES_MAX = 64L << 20;

  private final ReplicaProtocol replica;
  private final ReplicaProtocol.Group group;
  private final LongFunction<@Nullable Connection> clientOf; // by session
  private final ArrayDeque<Frame.Replied> unsaid = new ArrayDeque<>(); // own replies, for which there is no room yet
  private long unsaidBytes;
  private long dueAt = Long.MAX_VALUE; // the earliest time to ask again, or before
  private long sent;
  private long dropped;

  /// @param clientOf the connection of a session's client, if it is here
  ReplyBundles(ReplicaProtocol replica, ReplicaProtocol.Group group, LongFunction<@Nullable Connection> clientOf) {
    this.replica = replica;
    this.group = group;
    this.clientOf = clientOf;
  }

  // ---- at the manager ----------------------------------------------------------------------------------------------

  /// A client has sent a command.
  ///
  /// @param window how many of them may be without acknowledgement
  /// @return whether the replies to it are gathered
  boolean begins(Connection from, Frame.Call call, int window) {
    if (!from.gathered.isEmpty()) {
      from.gathered.headMap(call.below()).clear();
    }
    if (!from.bundles || from.policy == null || call.skip()) {
      return false;
    }
    Policy.Collection which = from.policy.collection();
    from.gathered.computeIfAbsent(call.number(), _ -> new Bundle(which));
    while (from.gathered.size() > window) { // what is beyond is not executed
      from.gathered.pollLastEntry();
    }
    return true;
  }

  /// This replica has executed a command of a client.
  ///
  /// @param live the view, and who of it is to answer; null when it is not primary
  /// @return whether the client gets the replies to it in a bundle
  boolean executed(Connection client, Frame.Replied replied, Frame.@Nullable Live live, long now) {
    Bundle its = client.gathered.get(replied.number());
    if (its == null) {
      return false;
    }
    if (live != null && its.asked.isEmpty()) {
      its.askAt = now + ASK_NANOS;
      dueAt = Math.min(dueAt, its.askAt);
      its.reply(live.self(), replied.reply());
      its.asks(live.asked());
      settle(client, replied.number(), its);
    }
    return true;
  }

  private void heard(MemberId by, Frame.Replied replied) {
    Connection client = clientOf.apply(replied.session());
    Bundle its = client == null ? null : client.gathered.get(replied.number());
    if (client != null && its != null) {
      its.reply(by, replied.reply());
      settle(client, replied.number(), its);
    }
  }

  /// Who is gone is not waited for. In a view that is not primary nobody is served.
  void viewed(View view, Collection<Connection> clients) {
    if (!view.primary()) {
      clients.forEach(client -> client.gathered.clear());
      unsaid.clear();
      unsaidBytes = 0;
      return;
    }
    for (Connection client : clients) {
      List.copyOf(client.gathered.entrySet()).forEach(each -> viewed(view, client, each.getKey(), each.getValue()));
    }
  }

  private void viewed(View view, Connection client, long number, Bundle its) {
    its.asked.stream().filter(member -> !view.contains(member)).forEach(its.gone::add);
    its.call.live(view.members());
    settle(client, number, its);
  }

  /// Sends a bundle that is complete.
  private void settle(Connection client, long number, Bundle its) {
    if (its.isComplete()) {
      client.gathered.remove(number);
      sent++;
      replica.send(client, bundle(client.session, number, its));
    }
  }

  /// Replies of a service that is not deterministic may be too long together: what has no room is left out, as if its
  /// replica had gone. What several have said stands there once.
  private static Frame bundle(long session, long number, Bundle its) {
    List<Reply<CommandReply>> replies = new ArrayList<>();
    List<CommandReply> said = new ArrayList<>();
    long room = Frame.PAYLOAD_BYTES_MAX;
    TreeSet<MemberId> gone = new TreeSet<>(its.gone);
    for (Reply<CommandReply> reply : its.replies) {
      boolean again = said.contains(reply.value());
      int length = reply.value().payload().remaining();
      if (again || length <= room) {
        room -= again ? 0 : length;
        said.add(reply.value());
        replies.add(reply);
        gone.remove(reply.member());
      } else {
        gone.add(reply.member());
      }
    }
    return new Frame.Bundle(session, number, its.asked, gone, replies);
  }

  // ---- at every replica --------------------------------------------------------------------------------------------

  /// This replica has executed a command whose replies another one gathers.
  void say(Frame.Replied replied) {
    unsaid.add(replied);
    unsaidBytes += replied.reply().cost();
    while (unsaidBytes > UNSAID_BYTES_MAX && unsaid.size() > 1) {
      unsaidBytes -= unsaid.remove().reply().cost();
      dropped++;
    }
  }

  /// A replica has said something in no order.
  ///
  /// @param message lent
  /// @param kept    what this replica has kept of a session; null when it does not serve
  void heard(MemberId by, ByteBuffer message, @Nullable LongFunction<List<Frame.Replied>> kept) {
    try {
      int kind = message.hasRemaining() ? message.get() : 0;
      switch (kind) {
        case OrderedMessage.REPLY -> heard(by, OrderedMessage.replied(message));
        case OrderedMessage.ASK -> {
          for (OrderedMessage.Asked asked : OrderedMessage.asked(message)) {
            if (kept != null && !by.name().equals(replica.self())) {
              kept.apply(asked.session()).stream().filter(one -> one.number() == asked.number()).forEach(this::say);
            }
          }
        }
        default -> throw new Malformed("kind");
      }
    } catch (Malformed _) {
      dropped++;
    }
  }

  /// Says what is to be said, and asks for what has not come.
  void work(long now, Collection<Connection> clients) {
    while (!unsaid.isEmpty() && group.reply(OrderedMessage.reply(unsaid.element()))) {
      unsaidBytes -= unsaid.remove().reply().cost();
    }
    if (dueAt == Long.MAX_VALUE || now - dueAt < 0) {
      return;
    }
    dueAt = Long.MAX_VALUE;
    List<OrderedMessage.Asked> missing = new ArrayList<>();
    for (Connection client : clients) {
      client.gathered.forEach((number, its) -> {
        if (!its.asked.isEmpty()) {
          boolean isDue = now - its.askAt >= 0 && missing.size() < OrderedMessage.ASKED_MAX;
          if (isDue) {
            missing.add(new OrderedMessage.Asked(client.session, number));
            its.askAt = now + ASK_NANOS;
          }
          dueAt = Math.min(dueAt, its.askAt);
        }
      });
    }
    if (!missing.isEmpty()) {
      group.reply(OrderedMessage.ask(missing)); // when there is no room, the next time
    }
  }

  /// Whether a reply is unsaid, as there was no room.
  boolean isWaiting() {
    return !unsaid.isEmpty();
  }

  /// When [#work] has something to do: steady time, or [Long#MAX_VALUE] for never.
  long dueNanos() {
    return dueAt;
  }

  long sent() {
    return sent;
  }

  long dropped() {
    return dropped;
  }
}
