package org.tutti.bench.member;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.replica.Client;
import org.tutti.replica.Policy;
import org.tutti.replica.Read;
import org.tutti.replica.Replication;

/// Clients of a replicated service in a process without replicas. Each is connected by itself and has a session.
final class ServiceClients implements AutoCloseable {
  private static final int WAVE = 50; // so many clients come at once
  private static final long WAVE_SECONDS = 60;
  private static final Duration SILENCE = Duration.ofSeconds(20); // so many that ping at their usual pace are a load
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final String service;
  private final String[] replicas;
  private final List<Client> clients = new ArrayList<>();
  private final List<SteadyCaller> steady = new ArrayList<>();
  private @Nullable SteadyLoad load;

  /// @param service  its name
  /// @param replicas where clients reach them
  ServiceClients(String service, List<String> replicas) {
    this.service = service;
    this.replicas = replicas.toArray(String[]::new);
  }

  private Client.Builder client() {
    return Client.of(service).at(replicas).deadline(PATIENCE);
  }

  /// Closed loops of callers whose clients have their sessions already.
  Callers.Result run(BenchTarget.Calls calls) throws InterruptedException, ExecutionException, TimeoutException {
    ByteBuffer request = ByteBuffer.wrap(new byte[calls.bytes()]);
    boolean asks = calls.operation() == BenchTarget.Operation.READ;
    int count = Math.ceilDiv(calls.callers(), calls.perClient());
    open(count, calls.bytes(), client());
    List<Callers.Caller> callers = new ArrayList<>();
    for (int number = 0; number < calls.callers(); number++) {
      Client client = clients.get(number % count);
      callers.add(asks ? () -> client.query(request, Read.LINEARIZABLE) : () -> client.call(request));
    }
    return Callers.run(callers, calls.nanos(), calls.sendingThread());
  }

  Map<String, ?> perform(String[] command) throws InterruptedException, TimeoutException {
    return switch (command[0]) {
      case "sessions" -> {
        open(Integer.parseInt(command[1]), Integer.parseInt(command[2]), client().silence(SILENCE));
        yield Map.of();
      }
      case "load" -> {
        open(Integer.parseInt(command[1]), Integer.parseInt(command[2]), client());
        load = new SteadyLoad(clients, Integer.parseInt(command[2]));
        yield Map.of();
      }
      case "loaded" -> {
        Objects.requireNonNull(load).check();
        yield Map.of();
      }
      case "steady" -> {
        callSteadily();
        yield Map.of();
      }
      case "mark" -> {
        steady.forEach(SteadyCaller::mark);
        yield Map.of();
      }
      case "silence" -> {
        long killed = Long.parseLong(command[1]);
        long dead = Long.parseLong(command[2]);
        long end = System.nanoTime() + PATIENCE.toNanos();
        yield Map.of(
            "anywhere", steady.getFirst().silence(killed, dead, end),
            "manager", steady.getLast().silence(killed, dead, end));
      }
      default -> throw new IllegalArgumentException("no command: " + command[0]);
    };
  }

  /// Opens sessions, each with a command that was answered.
  private void open(int count, int bytes, Client.Builder how) throws InterruptedException, TimeoutException {
    ByteBuffer request = ByteBuffer.wrap(new byte[bytes]);
    while (clients.size() < count) {
      var answers = new ArrayList<CompletableFuture<?>>();
      for (int more = Math.min(WAVE, count - clients.size()); more > 0; more--) {
        clients.add(how.connect());
        answers.add(clients.getLast().call(request, Duration.ofSeconds(WAVE_SECONDS)));
      }
      try {
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get(WAVE_SECONDS, TimeUnit.SECONDS);
      } catch (TimeoutException late) {
        throw new TimeoutException(clients.size() + " sessions of " + count + " could not be opened in time");
      } catch (ExecutionException failure) {
        throw new IllegalStateException("a session cannot be opened", failure);
      }
    }
  }

  /// Begins a client that goes to any replica, and one that goes to the manager.
  private void callSteadily() {
    var toTheManager =
        new Policy(Policy.Dissemination.MANAGER, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER);
    steady.add(new SteadyCaller(client().connect()));
    steady.add(new SteadyCaller(client().policy(toTheManager).connect()));
  }

  @Override
  public void close() {
    if (load != null) {
      load.close();
    }
    steady.forEach(SteadyCaller::close);
    clients.forEach(Client::close);
  }
}
