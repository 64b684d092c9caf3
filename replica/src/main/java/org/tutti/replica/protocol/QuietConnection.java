package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A client's connection beside its first one, to another replica. It is *quiet*: its replica sends replies to what was
/// asked over it and to nothing else. The client's session is opened over the first connection, and resumed here.
public abstract sealed class QuietConnection permits Hedge, ToAll.Copy {
  private enum Phase {
    IDLE,
    CONNECTING,
    GREETING,
    READY
  }

  private static final int PINGS_PER_SILENCE = 3;

  final ClientProtocol client;
  final ClientProtocol.Host host;
  private final long silenceNanos;

  private ClientProtocol.@Nullable Line line;
  private Phase phase = Phase.IDLE;
  private @Nullable String at;
  private Frame.@Nullable Live live; // as its replica has told it last
  private long resumed; // the session that was said over this connection
  private long heardAt;
  private long pingAt;
  private long connectAt;

  QuietConnection(ClientProtocol client, ClientProtocol.Host host, long silenceNanos) {
    this.client = client;
    this.host = host;
    this.silenceNanos = silenceNanos;
    this.connectAt = host.nanos();
  }

  // ---- what it is for --------------------------------------------------------------------------------------------

  /// The replica to connect to, or null when there is none now.
  abstract @Nullable String chosen();

  /// Does what is due over a connection that is ready.
  abstract void ready(long now);

  /// When [#ready] has something to do.
  abstract long dueNanos();

  /// The client's session can be used here now.
  void joined() {}

  /// The connection, or the attempt, has ended.
  void left() {}

  // ---- what the network tells ------------------------------------------------------------------------------------

  /// The connection is there.
  public final void connected() {
    if (phase == Phase.CONNECTING) {
      phase = Phase.GREETING;
      heardAt = host.nanos();
      send(client.quietHello());
    }
  }

  /// The connection, or the attempt, has ended.
  public final void disconnected() {
    if (phase != Phase.IDLE) {
      leave();
    }
  }

  /// A frame has come over the connection.
  ///
  /// @param in without its length; lent
  public final void received(ByteBuffer in) {
    if (phase != Phase.GREETING && phase != Phase.READY) {
      return;
    }
    heardAt = host.nanos();
    try {
      handle(Frame.decode(in));
    } catch (Frame.MalformedException _) {
      end();
    }
  }

  private void handle(Frame frame) throws Frame.MalformedException {
    switch (frame) {
      case Frame.Welcome _ -> {
        phase = Phase.READY;
        pingAt = heardAt + silenceNanos / PINGS_PER_SILENCE;
        resume();
      }
      case Frame.Live its -> {
        live = its;
        client.handle(frame, this);
      }
      case Frame.Replied _, Frame.Answer _, Frame.Replicas _ -> client.handle(frame, this);
      case Frame.Refused(_, _, SessionTable.Refusal why) -> {
        if (why == SessionTable.Refusal.EXPIRED) {
          client.handle(frame, this);
        }
      }
      case Frame.Pong(), Frame.Move _, Frame.Agreed _ -> {}
      case Frame.Away _, Frame.Wrong _ -> end();
      default -> throw new Frame.MalformedException("not for a second connection");
    }
  }

  private void resume() {
    if (phase == Phase.READY && resumed == 0 && client.session() > 0) {
      resumed = client.session();
      send(new Frame.Resume(resumed, client.secret(), true).encode());
      joined();
    }
  }

  // ---- what the client tells -------------------------------------------------------------------------------------

  /// The client has another session, or none.
  final void sessionChanged() {
    if (resumed != 0) {
      end();
      connectAt = host.nanos();
    } else {
      resume();
    }
  }

  final void close() {
    if (phase != Phase.IDLE) {
      line().disconnect();
      phase = Phase.IDLE;
    }
  }

  // ---- what is done over it --------------------------------------------------------------------------------------

  final boolean isReady() {
    return phase == Phase.READY;
  }

  final boolean isJoined() {
    return resumed != 0;
  }

  final Frame.@Nullable Live live() {
    return live;
  }

  final @Nullable String at() {
    return phase == Phase.IDLE ? null : at;
  }

  final void send(ByteBuffer frame) {
    line().send(frame);
  }

  private ClientProtocol.Line line() {
    ClientProtocol.Line its = line;
    if (its == null) {
      its = host.beside(this);
      line = its;
    }
    return its;
  }

  final void end() {
    line().disconnect();
    leave();
  }

  private void leave() {
    phase = Phase.IDLE;
    live = null;
    resumed = 0;
    connectAt = host.nanos() + againNanos();
    left();
  }

  /// Does what is due.
  final void work(long now) {
    switch (phase) {
      case IDLE -> {
        if (client.wantsOthers() && now - connectAt >= 0) {
          begin(now);
        }
      }
      case CONNECTING, GREETING -> {
        if (now - heardAt > patienceNanos()) {
          end();
        }
      }
      case READY -> {
        if (now - heardAt > silenceNanos || client.isAt(at)) {
          end();
        } else {
          if (now - pingAt >= 0) {
            send(new Frame.Ping().encode());
            pingAt = now + silenceNanos / PINGS_PER_SILENCE;
          }
          ready(now);
        }
      }
    }
  }

  private long patienceNanos() {
    return phase == Phase.CONNECTING ? silenceNanos + host.formingNanos() : silenceNanos;
  }

  /// There is no hurry, but who waits long for a silent replica need not wait so for one that did not serve yet.
  private long againNanos() {
    return Math.min(Route.BACKOFF_NANOS_MAX, silenceNanos);
  }

  private void begin(long now) {
    String next = chosen();
    if (next == null) {
      connectAt = now + againNanos();
      return;
    }
    at = next;
    phase = Phase.CONNECTING;
    heardAt = now;
    line().connect(next);
  }

  final long deadlineNanos() {
    return switch (phase) {
      case IDLE -> client.wantsOthers() ? connectAt : Long.MAX_VALUE;
      case CONNECTING, GREETING -> heardAt + patienceNanos() + 1;
      case READY -> Math.min(dueNanos(), Math.min(pingAt, heardAt + silenceNanos + 1));
    };
  }
}
