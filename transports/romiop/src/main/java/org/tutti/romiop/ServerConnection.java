package org.tutti.romiop;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.omg.ETF.Profile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.MemberId;
import org.tutti.Metric;
import org.tutti.SendOptions;
import org.tutti.Service;
import org.tutti.StateSink;
import org.tutti.StateSource;
import org.tutti.transport.Counts;

/// A member's connection from its group: the ORB reads the requests of all clients one after the other, in total order
/// or, with [Stack#RELIABLE], as they arrive, and what it writes goes to the client whose request is executed.
///
/// **The next request is read when the one before has been answered**, one-way requests too, as their copy for this ORB
/// asks for a reply, which is dropped. So the order holds whatever the threads of the servant's object adapter are. The
/// questions for the objects' state stand in the same queue, so that a state is one of a moment of that order.
///
/// **A call with an [FtRequest] that comes again**, through a gateway, is answered with the reply of its first time,
/// which [KeptReplies] keeps. That is decided when its turn has come: all requests before have been executed then, here
/// as at all members.
///
/// A member that missed a request in a group without state transfer, as it came late or was cut off, has another state
/// than the others. It leaves the group before it answers anything. So does one whose objects have executed requests in
/// an earlier life ([Delegate]) and that founds the group anew, without a state from others.
///
/// **Threads**: one takes the events of the group, one multicasts replies that have to wait, one for each state that is
/// given, and those of the ORB; one lock. The requests that wait are bounded ([#WAITING_MAX]): then nothing more is
/// taken from the group, which makes the clients wait; except while replies wait, too, as these may wait for what is
/// not taken.
final class ServerConnection extends GroupConnection {
  private static final long serialVersionUID = 1;
  private static final int WAITING_MAX = 1000;

  private final transient Group group;
  private final transient Stack stack;
  private final transient List<String> keys;
  private final transient Deque<Execution> requests = new ArrayDeque<>();
  private final transient LinkedBlockingQueue<GroupMessage> replies = new LinkedBlockingQueue<>();
  private transient @Nullable Call executed;
  private final transient KeptReplies kept = new KeptReplies();
  private final transient Counts<MemberCount> counts = new Counts<>(MemberCount.class);
  private transient boolean needsState; // only the thread that takes events looks
  private transient @Nullable String end; // why this member is none any more
  private int lastId;
  private int unsent; // replies
  private boolean open = true;

  /// What is done in order, under the lock of the connection.
  private sealed interface Execution {}

  /// A request for this ORB, and what is done with its reply.
  private record Call(Giop request, Consumer<Giop> answered) implements Execution {}

  /// The same for the request of a client, which may have been executed before.
  private record ClientCall(GroupMessage message, @Nullable FtRequest again) implements Execution {}

  /// A step of its own.
  private record Step(Runnable what) implements Execution {}

  /// Makes one, which begins to take what the group brings.
  ///
  /// @param own        the group
  /// @param keys       of the objects
  /// @param needsState whether the objects are not as they were made, so that only another member's state makes them
  ///                   equal to those of others
  ServerConnection(Group group, RomiopProfile own, List<String> keys, boolean needsState) {
    this.group = group;
    this.stack = own.stack();
    this.keys = keys;
    this.needsState = needsState;
    profile = own;
    connected = true;
    connection_info = own.toString();
    Thread.ofPlatform().daemon().name("tutti-romiop requests").start(this::take);
    Thread.ofPlatform().daemon().name("tutti-romiop replies").start(this::reply);
  }

  /// The events of the group.
  private void take() {
    long expected = 0;
    try {
      while (true) {
        switch (group.receive()) {
          case Event.Delivery(var sender, var service, long position, ByteBuffer payload) -> {
            if (position > expected) {
              missed(position - expected);
              return;
            }
            expected = position < 0 ? expected : position + 1;
            if (!delivered(sender, service, payload)) {
              return;
            }
          }
          case Event.CaughtUp(long position) -> {
            if (position > expected) {
              missed(position - expected);
              return;
            }
          }
          case Event.StateRequest(MemberId newcomer, StateSink sink) -> {
            if (needsState) {
              sink.close();
              used();
              return;
            }
            give(newcomer, sink);
          }
          case Event.StateOffer(MemberId donor, long position, StateSource source) -> {
            if (set(donor, source)) {
              expected = position;
              needsState = false;
            }
          }
          case Event.Closed(End why) -> {
            ended("the membership has ended: " + why.words());
            close();
            return;
          }
          default -> {}
        }
      }
    } catch (InterruptedException | GroupClosedException _) {
      close();
    }
  }

  private void missed(long messages) {
    leave("it missed " + messages + " messages, and tutti.romiop.recoverable=true is not set");
  }

  private void used() {
    leave("its objects have executed requests in an earlier life and got no state; restart their process");
  }

  /// Leaves the group, which goes on without this member; nothing more is read from here, and nothing answered.
  void leave(String why) {
    log().error("{} leaves group {}: {}", group.self(), group.name(), why);
    ended(why);
    close();
    Thread.ofPlatform().daemon().name("tutti-romiop leaving").start(group::close);
  }

  private synchronized void ended(String why) {
    end = end == null ? why : end;
  }

  /// Why this member is none any more.
  ///
  /// @return null as long as it is, or when only the ORB has closed this
  synchronized @Nullable String end() {
    return end;
  }

  /// What this member counts, and what its membership does.
  List<Metric> metrics() {
    synchronized (this) {
      counts.set(MemberCount.WAITING, requests.size());
      counts.set(MemberCount.KEPT, kept.size());
    }
    List<Metric> all = new ArrayList<>(counts.metrics());
    all.addAll(group.metrics().list());
    return all;
  }

  private static Logger log() {
    return LoggerFactory.getLogger(ServerConnection.class);
  }

  /// A message of the group.
  ///
  /// @return false when this member leaves because of it
  private boolean delivered(MemberId sender, Service service, ByteBuffer payload) throws InterruptedException {
    try {
      GroupMessage message = GroupMessage.read(payload, null);
      if (message != null) {
        Giop.require(service == stack.requests().service(), "a request of service " + service);
        Giop.require(stack == Stack.ORDERED || message.time() == 0, "a gateway's request without an order");
        if (needsState) {
          used();
          return false;
        }
        request(message);
      }
    } catch (Giop.BrokenGiopException e) {
      counts.addShared(MemberCount.MALFORMED);
      RomiopListener.refused(sender, e);
    }
    return true;
  }

  private synchronized void request(GroupMessage message) throws Giop.BrokenGiopException, InterruptedException {
    if (keys.contains(message.giop().key())) {
      add(new ClientCall(message, message.time() == 0 ? null : FtRequest.of(message.giop())));
    } else {
      counts.addShared(MemberCount.NO_SUCH_OBJECT);
      answer(message, Giop.exception(message.giop().minorVersion(), RomiopFailure.NO_SUCH_OBJECT));
    }
    while (open && requests.size() >= WAITING_MAX && unsent == 0) {
      wait();
    }
  }

  private void add(Giop request, Consumer<Giop> answered) {
    add(new Call(request, answered));
  }

  private synchronized void add(Execution execution) {
    requests.add(execution);
    if (executed == null) {
      notifyAll(); // else it is not its turn: whoever reads would wake and wait again, for each request of a flood
    }
  }

  /// Gives the objects' state as it is after all requests before. An object without the operation ends that: then the
  /// newcomer asks another member.
  private void give(MemberId newcomer, StateSink sink) {
    var states = new TreeMap<String, byte[]>();
    for (String key : keys) {
      add(
          Giop.request(key, ObjectStates.GET, null),
          reply -> {
            try {
              states.put(key, reply.octets());
            } catch (Giop.BrokenGiopException e) {
              log()
                  .error(
                      "{} gives {} no state: {} of {}: {}",
                      group.self(),
                      newcomer,
                      ObjectStates.GET,
                      key,
                      e.getMessage());
              sink.close();
            }
            if (states.size() == keys.size()) {
              var all = new ObjectStates(states, kept.copy());
              Thread.ofVirtual().start(() -> write(newcomer, all, sink));
            }
          });
    }
  }

  private void write(MemberId newcomer, ObjectStates states, StateSink sink) {
    try (sink) {
      states.write(sink);
      sink.complete();
    } catch (IOException e) {
      log().info("{} gave no state to {}: {}", group.self(), newcomer, e.getMessage());
    }
  }

  /// Reads the state of all objects and has them take it.
  ///
  /// @return false when its donor went away; then another one offers it
  private boolean set(MemberId donor, StateSource source) {
    ObjectStates states;
    try (source) {
      states = ObjectStates.read(source, keys);
    } catch (ObjectStates.OtherObjectsException e) {
      leave("the state from " + donor + " cannot be taken: " + e.getMessage());
      return true;
    } catch (IOException e) {
      log().info("{} gets the state from another member than {}: {}", group.self(), donor, e.getMessage());
      return false;
    }
    add(new Step(() -> kept.become(states.kept())));
    states
        .objects()
        .forEach((key, state) ->
            add(
                Giop.request(key, ObjectStates.SET, state),
                reply -> {
                  if (!reply.isResult()) {
                    leave(ObjectStates.SET + " of " + key + " failed");
                  }
                }));
    return true;
  }

  @Override
  synchronized byte @Nullable [] next() throws InterruptedException {
    while (open) {
      Execution next = executed == null ? requests.poll() : null;
      if (next == null) {
        wait();
        continue;
      }
      if (requests.size() == WAITING_MAX - 1) {
        notifyAll(); // there is room
      }
      executed =
          switch (next) {
            case Call call -> call;
            case ClientCall call -> turn(call.message(), call.again());
            case Step(Runnable what) -> {
              what.run();
              yield null;
            }
          };
      if (executed != null) {
        return executed.request().answered(++lastId).bytes();
      }
    }
    return null;
  }

  /// It is the turn of a client's request.
  ///
  /// @return null when it is not executed
  private @Nullable Call turn(GroupMessage message, @Nullable FtRequest again) {
    kept.turn(message.time());
    int minor = message.giop().minorVersion();
    RomiopFailure refusal = again == null ? null : kept.refusal(again, minor);
    if (refusal != null) {
      counts.addShared(MemberCount.of(refusal));
      answer(message, Giop.exception(minor, refusal));
      return null;
    }
    Giop before = again == null ? null : kept.reply(again);
    if (before != null) {
      counts.addShared(MemberCount.REPEATED);
      answer(message, before);
      return null;
    }
    return new Call(
        message.giop(),
        reply -> {
          counts.addShared(MemberCount.EXECUTED);
          if (again != null) {
            kept.keep(again, reply);
          }
          answer(message, reply);
        });
  }

  /// What the ORB writes. What is no reply, such as the end of the connection, has no addressee.
  @Override
  synchronized void send(byte[] whole) {
    Call ended = executed;
    Giop reply;
    try {
      reply = Giop.of(whole);
      if (reply.type() == Giop.CLOSE_CONNECTION || ended == null) {
        return;
      } else if (reply.type() != Giop.REPLY || !reply.isFinal()) {
        // It refuses the request, or sends the client elsewhere.
        reply = noSuchObject(ended);
      } else if (reply.requestId() != lastId) {
        return;
      }
    } catch (Giop.BrokenGiopException _) {
      reply = noSuchObject(ended);
    }
    executed = null;
    if (!requests.isEmpty()) {
      notifyAll();
    }
    if (ended != null) {
      ended.answered().accept(reply);
    }
  }

  private static Giop noSuchObject(@Nullable Call call) {
    return Giop.exception(call == null ? 2 : call.request().minorVersion(), RomiopFailure.NO_SUCH_OBJECT);
  }

  /// By this thread, as long as the group has room: to wake another one for each reply takes longer than to multicast.
  private synchronized void answer(GroupMessage request, Giop reply) {
    if (open && request.giop().isTwoWay()) {
      GroupMessage message = request.answer(reply);
      if (unsent > 0 || !multicastNow(message)) {
        unsent++;
        notifyAll();
        replies.add(message);
      }
    }
  }

  private boolean multicastNow(GroupMessage reply) {
    try {
      return group.tryPost(ByteBuffer.wrap(reply.encoded()), SendOptions.fifo());
    } catch (GroupClosedException _) {
      return false; // the thread of the replies closes this
    }
  }

  private void reply() {
    try {
      while (true) {
        GroupMessage reply = replies.take();
        group.post(ByteBuffer.wrap(reply.encoded()), SendOptions.fifo());
        synchronized (this) {
          unsent--;
        }
      }
    } catch (InterruptedException | GroupClosedException _) {
      close();
    }
  }

  @Override
  public void connect(Profile to, long timeout) {
    throw RomiopFailure.NOT_JOINED.exception("a member does not call clients");
  }

  @Override
  public synchronized boolean is_connected() {
    return open;
  }

  @Override
  public synchronized void close() {
    open = false;
    notifyAll();
  }
}
