package org.tutti.romiop;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Packing;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.consolidation.Consolidation;
import org.tutti.replica.consolidation.Consolidator;

/// A client as an observer of the group: it multicasts requests as the [Stack] of the reference says, sees in which
/// view each of its own is delivered, and makes the replies of that view's voters into one.
///
/// ```
/// client                          members
///   GroupMessage(request, 7) -->  all, in total order, or FIFO
///   <-- delivered here, too       execute it
///        asked(voters)       <--  GroupMessage(reply, 7), FIFO, one of each
///   the ORB reads one reply
/// ```
///
/// **Guarantee.** Each two-way request is answered exactly once: by the reply that the rule chooses, or by a
/// [RomiopFailure]; at the latest at the rule's deadline. A member's reply counts for the call that it was given to and
/// for no other.
///
/// **Threads**: the ORB's, the engine's and a timer; one lock. Replies wait for the ORB in a queue, which holds no more
/// of them than there are calls.
final class GroupCaller implements GroupListener, RequestTarget {
  private static final byte[] CLOSED = new byte[0];
  private static final int GATHERED_MAX = 4096; // requests in a batch

  private final UUID id = UUID.randomUUID();
  private final @Nullable Consumer<Boolean> gateway;
  private final RomiopProfile profile;
  private final Consolidation rule;
  private final Node node;
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("tutti-romiop replies").factory());
  private final LinkedBlockingQueue<byte[]> replies = new LinkedBlockingQueue<>();

  private final Map<Long, Call> calls = new TreeMap<>();
  private List<MemberId> voters = List.of();
  private long lastCall;
  private boolean open = true;
  private @Nullable Group group;

  private record Call(int requestId, int minor, Consolidator<Giop> replies) {}

  /// How long what lasts.
  ///
  /// @param nodes        after what silence a member is suspected, and where its own node is
  /// @param within       how long it may take to get into the group
  /// @param gather       how long a request waits for others to be ordered with it; zero, as always but in experiments,
  ///                     for not at all
  record Times(NodeProperties nodes, Duration within, Duration gather) {
    Packing packing() {
      return gather.isZero() ? Packing.natural() : Packing.fixed(GATHERED_MAX, gather);
    }
  }

  private GroupCaller(
      RomiopProfile profile, Consolidation rule, NodeProperties nodes, @Nullable Consumer<Boolean> gateway) {
    this.profile = profile;
    this.rule = rule;
    this.gateway = gateway;
    timer.setRemoveOnCancelPolicy(true);
    node =
        nodes
            .node("client-" + id, nodes.callersAt())
            .cluster(profile.cluster())
            .contacts(profile.contacts().toArray(String[]::new))
            .start();
  }

  /// Becomes an observer of a group, and waits for that.
  ///
  /// @throws org.omg.CORBA.TRANSIENT when it takes longer than that
  static GroupCaller join(RomiopProfile profile, Consolidation rule, Times times) {
    return join(profile, rule, times, null);
  }

  /// The same for many clients.
  ///
  /// @param gateway is told by each view whether the caller can reach the group; the requests of its clients say when
  ///                they were sent, so that members can tell those that have expired. Null for one client
  static GroupCaller join(RomiopProfile profile, Consolidation rule, Times times, @Nullable Consumer<Boolean> gateway) {
    GroupCaller caller = new GroupCaller(profile, rule, times.nodes(), gateway);
    boolean joined = false;
    try {
      var config = MemberConfig.builder().listener(caller).takesState(false).packing(times.packing()).build();
      Group group = caller.node.observe(profile.stack().groupName(profile.group()), config);
      caller.group = group;
      group.joined().get(times.within().toMillis(), TimeUnit.MILLISECONDS);
      joined = true;
      return caller;
    } catch (TimeoutException | ExecutionException e) {
      throw RomiopFailure.NOT_JOINED.exception("not in group " + profile + ": " + e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw RomiopFailure.NOT_JOINED.exception("interrupted");
    } finally {
      if (!joined) {
        caller.close();
      }
    }
  }

  @Override
  public synchronized boolean isOpen() {
    return open;
  }

  /// Takes a message from the ORB. Waits while this client's window is full.
  void send(byte[] whole) {
    try {
      Giop message = Giop.of(whole);
      switch (message.type()) {
        case Giop.REQUEST -> request(message);
        case Giop.LOCATE_REQUEST -> replies.add(Giop.located(message.minorVersion(), message.requestId(), true));
        case Giop.CANCEL_REQUEST -> cancel(message.requestId());
        case Giop.CLOSE_CONNECTION -> {} // has no addressee
        default -> throw new Giop.BrokenGiopException("a message of type " + message.type());
      }
    } catch (Giop.BrokenGiopException e) {
      throw RomiopFailure.BROKEN_GIOP.exception(e.getMessage());
    }
  }

  /// Multicasts a request. Waits while this client's window is full.
  @Override
  public void request(Giop message) {
    long call = begin(message);
    try {
      Group to = group;
      if (to != null) {
        var asked = new GroupMessage(false, id, call, gateway == null ? 0 : FtRequest.now(), message);
        to.post(ByteBuffer.wrap(asked.encoded()), profile.stack().requests());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      forget(call);
      throw RomiopFailure.NOT_JOINED.exception("interrupted");
    } catch (GroupClosedException e) {
      forget(call);
      throw RomiopFailure.NOT_JOINED.exception("the membership of the group has ended: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      forget(call);
      throw RomiopFailure.BROKEN_GIOP.exception("a request that is too long: " + e.getMessage());
    }
  }

  private synchronized long begin(Giop message) {
    long call = ++lastCall;
    if (message.isTwoWay()) {
      long now = System.nanoTime();
      calls.put(call, new Call(message.requestId(), message.minorVersion(), new Consolidator<>(rule, now)));
      if (open) {
        timer.schedule(() -> due(call), rule.deadline().toNanos(), TimeUnit.NANOSECONDS);
      }
    }
    return call;
  }

  private synchronized void forget(long call) {
    calls.remove(call);
  }

  @Override
  public synchronized void cancel(int requestId) {
    calls.values().removeIf(call -> call.requestId == requestId);
  }

  private synchronized void due(long number) {
    Call call = calls.get(number);
    if (call != null) {
      // The timer and the clock are the same, but for rounding.
      call.replies.tick(Math.max(System.nanoTime(), call.replies.deadlineNanos()));
      conclude(number, call);
    }
  }

  @Override
  public synchronized void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
    long own = GroupMessage.requestOf(id, payload);
    Call asked = own < 0 ? null : calls.get(own);
    if (asked != null) {
      asked.replies.asked(voters);
      conclude(own, asked);
    }
    if (own >= 0) {
      return;
    }
    GroupMessage message;
    try {
      message = GroupMessage.read(payload, id);
    } catch (Giop.BrokenGiopException e) {
      RomiopListener.refused(sender, e);
      return;
    }
    Call call = message == null ? null : calls.get(message.call());
    if (message == null || call == null) {
      return; // of another client, one-way, or answered already
    }
    call.replies.reply(sender, message.giop());
    conclude(message.call(), call);
  }

  /// Only primary views tell who is gone: a client that is cut off waits for the group, until the deadline.
  @Override
  public void install(View view) {
    if (view.primary()) {
      installPrimary(view);
    }
    if (gateway != null) {
      gateway.accept(view.primary());
    }
  }

  private synchronized void installPrimary(View view) {
    voters = view.members().subList(0, view.voters());
    for (var each : new ArrayList<>(calls.entrySet())) {
      each.getValue().replies.live(voters);
      conclude(each.getKey(), each.getValue());
    }
  }

  private void conclude(long number, Call call) {
    Consolidated<Giop> outcome = call.replies.outcome();
    if (outcome == null) {
      return;
    }
    calls.remove(number);
    Giop chosen =
        switch (outcome) {
          case Consolidated.Success<Giop>(Giop reply, var _) -> reply;
          case Consolidated.ReducedMembership<Giop>(Giop reply, var _, var _) -> reply;
          default -> null;
        };
    replies.add(
        chosen == null
            ? Giop.exception(call.minor, call.requestId, RomiopFailure.of(outcome))
            : chosen.withRequestId(call.requestId).bytes());
  }

  @Override
  public void closed(End end) {
    end();
  }

  private synchronized void end() {
    if (!open) {
      return;
    }
    open = false;
    calls.values().forEach(call -> replies.add(Giop.exception(call.minor, call.requestId, RomiopFailure.GROUP_LOST)));
    calls.clear();
    replies.add(CLOSED);
    timer.shutdownNow();
  }

  @Override
  public byte @Nullable [] next() throws InterruptedException {
    byte[] reply = replies.take();
    if (reply == CLOSED) {
      replies.add(CLOSED);
      return null;
    }
    return reply;
  }

  @Override
  public void close() {
    node.close();
    end(); // when it never was a member
  }
}
