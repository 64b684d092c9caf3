package org.tutti.examples.counter;

import java.io.BufferedInputStream;
import java.io.BufferedWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.Service;
import org.tutti.StateSink;

/// One replica of a counter, and the port where clients reach it.
///
/// A thread per connection reads a request, multicasts it, and asks the one thread that takes events, by
/// [Group#localCall], for the answer; that thread alone touches the counter. A client that gets no answer may ask
/// again, here or at another replica: what it asks twice is done once.
///
/// ```
/// client ---line---> session --multicast--> every replica
///                    session --localCall--> events --> answer, as soon as the request was applied
/// ```
public final class CounterServer implements AutoCloseable {
  /// How many clients are served at once; further ones are closed on arrival.
  public static final int SESSIONS_MAX = 8192;

  private static final int LINE_MAX = 128;

  private record Question(Event.LocalCall call, Addition request) {}

  private final Group group;
  private final ServerSocket server;
  private final Semaphore room = new Semaphore(SESSIONS_MAX);
  private final Set<Socket> sessions = ConcurrentHashMap.newKeySet();

  // Of the thread that takes events.
  private final Map<String, List<Question>> unanswered = new HashMap<>(); // by client
  private Counter counter = new Counter();

  private CounterServer(Group group, ServerSocket server) {
    this.group = group;
    this.server = server;
  }

  /// Begins to serve; ends when the membership ends.
  ///
  /// @param group   a membership with state transfer, of which nobody else takes events
  /// @param address where to listen; port 0 takes a free one
  /// @return the replica
  /// @throws IOException when the address cannot be used
  public static CounterServer start(Group group, InetSocketAddress address) throws IOException {
    var socket = new ServerSocket();
    socket.bind(address, SESSIONS_MAX);
    var server = new CounterServer(group, socket);
    Thread.ofVirtual().name("counter events").start(server::takeEvents);
    Thread.ofVirtual().name("counter clients").start(server::accept);
    return server;
  }

  /// Where it listens.
  ///
  /// @return the port
  public int port() {
    return server.getLocalPort();
  }

  /// Leaves the group and drops the clients.
  @Override
  public void close() {
    group.close();
    closePort();
  }

  private void closePort() {
    close(server);
    sessions.forEach(CounterServer::close);
  }

  private static void close(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception _) {
      // It is closed as far as this process is concerned.
    }
  }

  // ---- sessions: a virtual thread each ---------------------------------------------------------------------------

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        if (room.tryAcquire()) {
          Thread.ofVirtual().name("counter client " + client.getPort()).start(() -> serve(client));
        } else {
          client.close();
        }
      } catch (IOException _) {
        // The port was closed, or the client has gone before it was accepted.
      }
    }
  }

  private void serve(Socket client) {
    sessions.add(client);
    try (client) {
      client.setTcpNoDelay(true);
      var in = new BufferedInputStream(client.getInputStream(), LINE_MAX);
      var out =
          new BufferedWriter(new OutputStreamWriter(client.getOutputStream(), StandardCharsets.US_ASCII), LINE_MAX);
      for (String line = readLine(in); line != null; line = readLine(in)) {
        Addition request = Addition.parse(line);
        group.multicast(request.encode());
        out.write(group.localCall(request) + "\n");
        out.flush();
      }
    } catch (IOException | GroupClosedException | InterruptedException _) {
      // The client has gone, or talks nonsense, or the membership has ended: then it asks another replica.
    } finally {
      sessions.remove(client);
      room.release();
    }
  }

  private static @Nullable String readLine(InputStream in) throws IOException {
    var line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        return null;
      }
      if (line.length() == LINE_MAX) {
        throw new ProtocolException("a line has up to " + LINE_MAX + " characters");
      }
      line.append((char) next);
    }
    return line.toString();
  }

  // ---- events: one thread ----------------------------------------------------------------------------------------

  private void takeEvents() {
    try {
      while (handle(group.receive())) {}
    } catch (InterruptedException | GroupClosedException _) {
      // Nobody goes on.
    } finally {
      closePort();
    }
  }

  private boolean handle(Event event) {
    switch (event) {
      case Event.Delivery(_, Service service, _, ByteBuffer payload) -> {
        if (service == Service.TOTAL) {
          apply(payload);
        }
      }
      case Event.LocalCall call when call.request() instanceof Addition request -> {
        var question = new Question(call, request);
        if (!answer(question)) {
          unanswered.computeIfAbsent(request.client(), _ -> new ArrayList<>()).add(question);
        }
      }
      case Event.LocalCall call -> call.fail(new IllegalArgumentException("no request of clients: " + call.request()));
      case Event.ViewChange _, Event.CaughtUp _, Event.Propagated _ -> {}
      case Event.StateRequest(_, StateSink sink) -> give(sink);
      case Event.StateOffer(_, _, InputStream source) -> take(source);
      case Event.Closed _ -> {
        return false;
      }
    }
    return true;
  }

  private void apply(ByteBuffer payload) {
    try {
      Addition request = Addition.decode(payload);
      counter.apply(request);
      answerCallsOf(request.client());
    } catch (ProtocolException _) {
      // Not from a replica of the counter; all replicas skip it.
    }
  }

  private void answerCallsOf(String client) {
    List<Question> questions = unanswered.get(client);
    if (questions != null) {
      questions.removeIf(this::answer);
      if (questions.isEmpty()) {
        unanswered.remove(client);
      }
    }
  }

  private boolean answer(Question question) {
    Optional<Long> sum = counter.answer(question.request);
    sum.ifPresent(value -> question.call.respond(question.request, value));
    return sum.isPresent();
  }

  /// The state is copied at once and written by another thread, because writing waits for the newcomer.
  private void give(StateSink sink) {
    var state = new ByteArrayOutputStream();
    try {
      counter.write(new DataOutputStream(state));
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
    Thread.ofVirtual()
        .name("counter state")
        .start(() -> {
          try (sink) {
            state.writeTo(sink);
            sink.complete();
          } catch (IOException _) {
            // The newcomer has gone.
          }
        });
  }

  private void take(InputStream source) {
    try {
      byte[] state = source.readAllBytes();
      counter = Counter.read(new DataInputStream(new ByteArrayInputStream(state)));
      List.copyOf(unanswered.keySet()).forEach(this::answerCallsOf);
    } catch (IOException _) {
      // Another offer follows.
    }
  }
}
