package org.tutti.romiop;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.omg.ETF.Profile;
import org.slf4j.LoggerFactory;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.SendOptions;

/// A member's connection from its group: the ORB reads the requests of all clients in total order, one after the other,
/// and what it writes goes to the client whose request is executed.
///
/// **The next request is read when the one before has been answered**, one-way requests too, as their copy for this ORB
/// asks for a reply, which is dropped. So the order holds whatever the threads of the servant's object adapter are.
///
/// A member that missed a request, as it came late or was cut off, has another state than the others. It leaves the
/// group before it answers anything.
///
/// **Threads**: one takes the events of the group, one multicasts replies, and those of the ORB; one lock. The requests
/// that wait are bounded ([#WAITING_MAX]): then nothing more is taken from the group, which makes the clients wait;
/// except while replies wait, too, as these may wait for what is not taken.
final class ServerConnection extends GroupConnection {
  private static final long serialVersionUID = 1;
  private static final int WAITING_MAX = 1000;

  private final transient Group group;
  private final transient List<String> keys;
  private final transient Deque<GroupMessage> requests = new ArrayDeque<>();
  private final transient LinkedBlockingQueue<GroupMessage> replies = new LinkedBlockingQueue<>();
  private transient @Nullable GroupMessage executed;
  private int lastId;
  private int unsent; // replies
  private boolean open = true;

  ServerConnection(Group group, RomiopProfile own, List<String> keys) {
    this.group = group;
    this.keys = keys;
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
          case Event.Delivery(var sender, var _, long position, ByteBuffer payload) -> {
            if (position > expected) {
              missed(expected, position);
              return;
            }
            expected = position < 0 ? expected : position + 1;
            delivered(sender, payload);
          }
          case Event.CaughtUp(long position) -> {
            if (position > expected) {
              missed(expected, position);
              return;
            }
          }
          case Event.Closed _ -> {
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

  private void missed(long expected, long position) {
    LoggerFactory.getLogger(ServerConnection.class)
        .error(
            "{} leaves group {}: it missed {} messages, and cannot get the state of the object yet",
            group.self(),
            group.name(),
            position - expected);
    close();
    group.close();
  }

  private void delivered(org.tutti.MemberId sender, ByteBuffer payload) throws InterruptedException {
    try {
      GroupMessage message = GroupMessage.read(payload, null);
      if (message != null) {
        add(message);
      }
    } catch (Giop.BrokenGiopException e) {
      RomiopListener.refused(sender, e);
    }
  }

  private synchronized void add(GroupMessage message) throws InterruptedException {
    requests.add(message);
    notifyAll();
    while (open && requests.size() >= WAITING_MAX && unsent == 0) {
      wait();
    }
  }

  @Override
  synchronized byte @Nullable [] next() throws InterruptedException {
    while (open) {
      GroupMessage message = executed == null ? requests.poll() : null;
      if (message == null) {
        wait();
      } else if (isKnown(message.giop())) {
        notifyAll();
        executed = message;
        return message.giop().withRequestId(++lastId).answered().bytes();
      } else if (message.giop().isTwoWay()) {
        answer(message, Giop.exception(0, RomiopFailure.NO_SUCH_OBJECT));
      }
    }
    return null;
  }

  private boolean isKnown(Giop request) {
    try {
      return keys.contains(new String(request.key(), StandardCharsets.ISO_8859_1));
    } catch (Giop.BrokenGiopException e) {
      throw new IllegalStateException("a request that was read before", e);
    }
  }

  /// What the ORB writes. What is no reply, such as the end of the connection, has no addressee.
  @Override
  synchronized void send(byte[] whole) {
    GroupMessage request = executed;
    byte[] reply = whole;
    try {
      Giop written = Giop.of(whole);
      if (written.type() == Giop.CLOSE_CONNECTION || request == null) {
        return;
      } else if (written.type() != Giop.REPLY || !written.isFinal()) {
        // It refuses the request, or sends the client elsewhere.
        reply = Giop.exception(0, RomiopFailure.NO_SUCH_OBJECT);
      } else if (written.requestId() != lastId) {
        return;
      }
    } catch (Giop.BrokenGiopException _) {
      reply = Giop.exception(0, RomiopFailure.NO_SUCH_OBJECT);
    }
    executed = null;
    notifyAll();
    if (request != null && request.giop().isTwoWay()) {
      answer(request, reply);
    }
  }

  private void answer(GroupMessage request, byte[] reply) {
    try {
      unsent++;
      notifyAll();
      replies.add(new GroupMessage(true, request.client(), request.call(), Giop.of(reply)));
    } catch (Giop.BrokenGiopException e) {
      throw new IllegalStateException("a reply that was read before", e);
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
