package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Policy;

/// A client with a policy, and what it says over its connections to replicas whose words a test says.
final class ScriptedReplicas implements ClientProtocol.Host {
  static final long SESSION = 7;
  static final long SILENCE_NANOS = 60_000_000_000L;
  static final List<String> ADDRESSES = List.of("r0:1", "r1:1", "r2:1");

  final List<Line> lines = new ArrayList<>(); // beside the first
  final Line first = new Line(null);
  final ClientProtocol client;
  long now;
  long passes; // whenever the time is read
  private final SplittableRandom random = new SplittableRandom(1);
  private final Policy policy;

  ScriptedReplicas(Policy policy) {
    this(policy, 0);
  }

  /// A client for which the manager gathers the replies of several replicas.
  static ScriptedReplicas bundled(Policy policy) {
    return new ScriptedReplicas(policy, ClientProtocol::bundled);
  }

  /// @param suspectsAfterNanos after which silence of the manager the client sends to all; 0: never
  ScriptedReplicas(Policy policy, long suspectsAfterNanos) {
    this(
        policy,
        client -> {
          if (suspectsAfterNanos > 0) {
            client.allOnSuspicion(suspectsAfterNanos);
          }
        });
  }

  private ScriptedReplicas(Policy policy, Consumer<ClientProtocol> chosen) {
    this.policy = policy;
    this.client = new ClientProtocol("service", ADDRESSES, SILENCE_NANOS, this);
    client.wish(policy);
    chosen.accept(client);
    client.work();
    first.welcome();
  }

  /// A connection.
  final class Line implements ClientProtocol.Line {
    final @Nullable QuietConnection of;
    final List<Frame> said = new ArrayList<>();
    @Nullable String at;

    Line(@Nullable QuietConnection of) {
      this.of = of;
    }

    @Override
    public void connect(String address) {
      at = address;
    }

    @Override
    public void disconnect() {
      at = null;
    }

    @Override
    public void send(ByteBuffer frame) {
      try {
        said.add(Frame.decode(frame.duplicate().position(Integer.BYTES).slice()));
      } catch (Frame.MalformedException e) {
        throw new IllegalStateException(e);
      }
    }

    void welcome() {
      if (of == null) {
        client.connected();
      } else {
        of.connected();
      }
      hears(new Frame.Welcome(100, 60_000, policy.code(), ADDRESSES));
    }

    void hears(Frame frame) {
      ByteBuffer bytes = frame.encode().position(Integer.BYTES).slice();
      if (of == null) {
        client.received(bytes);
      } else {
        of.received(bytes);
      }
      client.work();
    }

    List<Long> calls() {
      return said.stream().filter(Frame.Call.class::isInstance).map(frame -> ((Frame.Call) frame).number()).toList();
    }
  }

  /// The session that the client wants, with its first command, is open.
  void opened() {
    if (first.said.getLast() instanceof Frame.Open(long nonce, SessionTable.Secret _)) {
      first.hears(new Frame.Opened(nonce, SESSION));
    } else {
      throw new IllegalStateException("the client has said " + first.said);
    }
  }

  static Frame reply(long number, int value) {
    ByteBuffer payload = ByteBuffer.allocate(1).put(0, (byte) value);
    return new Frame.Replied(SESSION, number, new CommandReply(CommandReply.Status.DONE, number, payload));
  }

  @Override
  public ClientProtocol.Line first() {
    return first;
  }

  @Override
  public ClientProtocol.Line beside(QuietConnection of) {
    var line = new Line(of);
    lines.add(line);
    return line;
  }

  @Override
  public long nanos() {
    now += passes;
    return now;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }
}
