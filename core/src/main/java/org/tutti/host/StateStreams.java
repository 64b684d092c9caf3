package org.tutti.host;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.membership.StateChecksum;
import org.tutti.user.Request;

/// The state transfers of one membership, by number. Used by the engine thread only.
final class StateStreams {
  private final String group;
  private final boolean durable;
  private final Inbox inbox;
  private final StateProgress progress;
  private final Consumer<String> aborted;
  private final Map<Long, OutgoingState> outgoing = new TreeMap<>();
  private final Map<Long, IncomingState> incoming = new TreeMap<>();

  /// @param durable whether the application makes a state durable before it has it
  /// @param progress gets how far they are
  /// @param aborted called with the reason when an application does not get a state to its end
  StateStreams(String group, boolean durable, Inbox inbox, StateProgress progress, Consumer<String> aborted) {
    this.group = group;
    this.durable = durable;
    this.inbox = inbox;
    this.progress = progress;
    this.aborted = aborted;
  }

  OutgoingState request(long transfer, MemberId newcomer) {
    outgoing.values().removeIf(OutgoingState::isOver);
    progress.goes(transfer, newcomer);
    var sink = new OutgoingState(group, transfer, newcomer.name(), inbox, progress);
    outgoing.put(transfer, sink);
    return sink;
  }

  /// There is no state to give here.
  void refuse(long transfer) {
    inbox.post(new Request.StateFailed(group, transfer));
  }

  void want(long transfer) {
    OutgoingState sink = outgoing.get(transfer);
    if (sink != null) {
      sink.wanted();
    }
  }

  void known(long transfer, ByteBuffer token) {
    OutgoingState sink = outgoing.get(transfer);
    if (sink != null) {
      sink.known(token);
    }
  }

  /// The newcomer gets nothing more.
  void cancel(long transfer) {
    progress.gaveUp(transfer, "it has gone, or got it from another member");
    OutgoingState sink = outgoing.remove(transfer);
    if (sink != null) {
      sink.cancel("it has gone");
    }
  }

  IncomingState offer(long transfer, MemberId donor, long position) {
    progress.comes(transfer, donor, position);
    var source = new IncomingState(group, transfer, donor.name(), durable, inbox, aborted);
    incoming.put(transfer, source);
    return source;
  }

  void chunk(long transfer, ByteBuffer bytes, StateChecksum.@Nullable Sum end) {
    progress.came(transfer, bytes.remaining(), end != null);
    IncomingState source = end != null ? incoming.remove(transfer) : incoming.get(transfer);
    if (source != null) {
      source.chunk(bytes, end);
    }
  }

  void interrupt(long transfer) {
    progress.brokeOff(transfer);
    end(incoming.remove(transfer), "its donor has gone, or it arrived damaged");
  }

  private static void end(@Nullable IncomingState source, String why) {
    if (source != null) {
      source.interrupt(why);
    }
  }

  void close(String reason) {
    outgoing.values().forEach(sink -> sink.cancel(reason));
    outgoing.clear();
    incoming.values().forEach(source -> end(source, reason));
    incoming.clear();
  }
}
