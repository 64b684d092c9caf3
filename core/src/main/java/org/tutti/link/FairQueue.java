package org.tutti.link;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.wire.Encoded;

/// Bulk that waits for a line: what is of one sender keeps its order, and senders get as many bytes of the line each.
///
/// A member of a chain passes on what others send, and sends itself. In one queue for all, what it passes on would wait
/// behind a window of its own messages, at each member of the chain, and who sends more would get more of the line.
///
/// Start-time fair queueing: Goyal, Vin and Cheng, "Start-time fair queueing: a scheduling algorithm for integrated
/// services packet switching networks", IEEE/ACM Transactions on Networking 5(5), 1997. Next is who has had the least;
/// who had nothing to send is taken to have had as much as the one that was served last. Taking a message back is the
/// exact reverse of taking it, so that nobody gains from a transport that refuses.
final class FairQueue {
  /// What waits of one sender.
  private static final class Flow {
    final ArrayDeque<Encoded> messages = new ArrayDeque<>();
    long bytes; // of these messages
    long served; // bytes that were taken; only differences to others' mean something
  }

  private final Map<MemberId, Flow> flows = new LinkedHashMap<>(); // those with messages
  private @Nullable Flow first; // who has had the least of these; null when there is none
  private @Nullable Flow spare; // an empty one
  private long time; // what the one had had that was served last

  boolean isEmpty() {
    return first == null;
  }

  /// How much waits.
  long bytes() {
    long all = 0;
    for (Flow flow : flows.values()) {
      all += flow.bytes;
    }
    return all;
  }

  /// How much of a sender waits.
  long bytes(MemberId sender) {
    Flow flow = flows.get(sender);
    return flow == null ? 0 : flow.bytes;
  }

  void add(Encoded message) {
    Flow flow = flow(message);
    flow.messages.addLast(message);
    flow.bytes += message.length();
    becomesFirst(flow);
  }

  /// The message whose turn it is.
  @Nullable Encoded peek() {
    return first == null ? null : first.messages.peekFirst();
  }

  /// Takes the message whose turn it is.
  void poll() {
    Flow flow = Objects.requireNonNull(first);
    Encoded message = flow.messages.removeFirst();
    time = flow.served;
    flow.bytes -= message.length();
    flow.served += message.length();
    if (flow.messages.isEmpty()) {
      flows.remove(message.sender());
      spare = flow;
    }
    first = null;
    for (Flow each : flows.values()) {
      becomesFirst(each);
    }
  }

  /// Puts back what was taken, the last one first.
  void putBack(Encoded message) {
    boolean stands = flows.containsKey(message.sender());
    Flow flow = flow(message); // if it is made anew, it has had what it had when its last message was taken
    flow.messages.addFirst(message);
    flow.bytes += message.length();
    flow.served -= stands ? message.length() : 0;
    time = flow.served;
    first = flow;
  }

  private Flow flow(Encoded message) {
    MemberId sender = Objects.requireNonNull(message.sender());
    Flow flow = flows.get(sender);
    if (flow == null) {
      flow = spare == null ? new Flow() : spare;
      spare = null;
      flow.served = time;
      flows.put(sender, flow);
    }
    return flow;
  }

  private void becomesFirst(Flow flow) {
    if (first == null || flow.served < first.served) {
      first = flow;
    }
  }

  void clear() {
    flows.clear();
    first = null;
  }

  /// All messages, those of each sender in their order.
  void forEach(Consumer<Encoded> action) {
    flows.values().forEach(flow -> flow.messages.forEach(action));
  }
}
