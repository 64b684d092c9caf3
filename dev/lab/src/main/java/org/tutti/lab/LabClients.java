package org.tutti.lab;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.blocks.Codec;
import org.tutti.blocks.ReplicatedMap;
import org.tutti.blocks.Versioned;
import org.tutti.replica.CallTimeoutException;
import org.tutti.replica.Client;
import org.tutti.replica.ClientClosedException;
import org.tutti.replica.ServiceException;
import org.tutti.replica.SessionExpiredException;

/// The program of a lab's clients: each has a session and a thread of its own, makes one call after the other to a
/// replicated map, and writes each call before it is made and when it has ended ([CallEntry]). No value is put twice.
/// Every second client only reads: one that is with a minority soon waits with a change, and then sees nothing stale.
///
/// It takes commands on standard input: `rate N` calls per second and client, `once` for one more call of a client of
/// its own. When standard input ends, the lab has gone, and so does the program.
///
/// Arguments: file, seed, how many clients, addresses of the replicas. Of several such programs that call one service
/// each has another number behind a slash, as `2/1`, so that calls, clients and values of their files differ.
public final class LabClients {
  private static final String MAP = "calls";
  private static final Duration DEADLINE = Duration.ofSeconds(3); // three suspicion times
  private static final Duration TICK = Duration.ofMillis(50);
  private static final long NANOS = 1_000_000_000;

  private final CallWriter journal;
  private final String[] replicas;
  private final Keys keys = new Keys();
  private volatile double rate;

  private LabClients(CallWriter journal, String[] replicas) {
    this.journal = journal;
    this.replicas = replicas;
  }

  /// Runs clients until standard input ends.
  ///
  /// @param args see above
  /// @throws Exception when they cannot be started
  public static void main(String[] args) throws Exception {
    LabProgram.haltOnFailure();
    String[] counts = args[2].split("/");
    int count = Integer.parseInt(counts[0]);
    int program = counts.length > 1 ? Integer.parseInt(counts[1]) : 0;
    var clients = new LabClients(new CallWriter(Path.of(args[0]), program), Arrays.copyOfRange(args, 3, args.length));
    var random = new SplittableRandom(Long.parseLong(args[1]));
    for (int number = 0; number < count; number++) {
      Session session = clients.new Session(number, random.split());
      Thread.ofPlatform().daemon().name("caller-" + number).start(session::callAtRate);
    }
    Session last = clients.new Session(count, random.split());
    LabProgram.obey(line -> {
      if (line.startsWith("rate ")) {
        clients.rate = Double.parseDouble(line.substring(5));
      } else if (line.equals("once")) {
        last.call(CallEntry.Kind.PUT);
      }
    });
  }

  /// The keys in use: a few at a time, each for so many calls that a search for an order of them ends. Calls of unknown
  /// outcome make it long, so a key with some is left soon.
  private static final class Keys {
    private static final int AT_ONCE = 4;
    private static final int CALLS_MAX = 300;
    private static final int UNKNOWN_MAX = 4;

    private final String[] names = new String[AT_ONCE];
    private final int[] calls = new int[AT_ONCE];
    private final int[] unknown = new int[AT_ONCE];
    private int next;

    Keys() {
      for (int slot = 0; slot < AT_ONCE; slot++) {
        names[slot] = "k" + next++;
      }
    }

    synchronized String draw(int slot) {
      if (calls[slot] >= CALLS_MAX || unknown[slot] >= UNKNOWN_MAX) {
        names[slot] = "k" + next++;
        calls[slot] = 0;
        unknown[slot] = 0;
      }
      calls[slot]++;
      return names[slot];
    }

    synchronized void unknown(String key) {
      int slot = Arrays.asList(names).indexOf(key);
      if (slot >= 0) {
        unknown[slot]++;
      }
    }
  }

  /// What a client was told: of a value its version, if it was told that.
  private record Answer(long result, long version) {
    static Answer of(Optional<Versioned<Long>> before) {
      return before.map(there -> new Answer(there.value(), there.version())).orElse(new Answer(0, 0));
    }
  }

  /// A client.
  private final class Session {
    private static final double GET = 0.4;
    private static final double PUT = 0.65;
    private static final double CAS = 0.9;

    private final int number;
    private final SplittableRandom random;
    private @Nullable Client client;
    private String key = ""; // of the last call
    private Answer seen = new Answer(0, 0); // there, if it was read

    Session(int number, SplittableRandom random) {
      this.number = number;
      this.random = random;
    }

    void callAtRate() {
      long next = System.nanoTime() + random.nextLong(TICK.toNanos());
      while (true) {
        double now = rate;
        LockSupport.parkNanos(now > 0 ? Math.max(1, next - System.nanoTime()) : TICK.toNanos());
        long nanos = System.nanoTime();
        if (now > 0 && next - nanos <= 0) {
          double drawn = number % 2 == 1 ? 0 : random.nextDouble();
          call(
              drawn < GET
                  ? CallEntry.Kind.GET
                  : drawn < PUT ? CallEntry.Kind.PUT : drawn < CAS ? CallEntry.Kind.CAS : CallEntry.Kind.REMOVE);
          // What was missed while a call took long is not made up for.
          next = Math.max(next, nanos - TICK.toNanos()) + (long) (NANOS / now);
        } else if (now <= 0) {
          next = nanos;
        }
      }
    }

    /// Makes a call, and waits for its end. Half of the `cas` follow what was read last, if it was.
    void call(CallEntry.Kind kind) {
      boolean follows = kind == CallEntry.Kind.CAS && seen.version > 0 && random.nextBoolean();
      Answer expected = follows ? seen : new Answer(0, 0);
      key = follows ? key : keys.draw(random.nextInt(Keys.AT_ONCE));
      seen = new Answer(0, 0);
      boolean puts = kind == CallEntry.Kind.PUT || kind == CallEntry.Kind.CAS;
      CallEntry.Made made = journal.made(number, kind, key, puts, expected.result);
      try {
        Answer answer = ask(made, expected.version);
        journal.ended(made, CallEntry.Outcome.TOLD, answer);
        seen = kind == CallEntry.Kind.GET ? answer : seen;
      } catch (ServiceException why) {
        boolean refused = why instanceof CallTimeoutException timeout && !timeout.mayBeExecuted();
        journal.ended(made, refused ? CallEntry.Outcome.REFUSED : CallEntry.Outcome.UNKNOWN, new Answer(0, 0));
        if (!refused) {
          keys.unknown(key);
        }
        if (why instanceof SessionExpiredException) {
          client = null; // a session that has expired has no calls any more
        } else if (!(why instanceof CallTimeoutException || why instanceof ClientClosedException)) {
          throw why; // none of the calls is one that the service refuses
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private Answer ask(CallEntry.Made made, long version) throws InterruptedException {
      if (client == null) {
        client = Client.of(LabReplica.SERVICE).at(replicas).deadline(DEADLINE).connect();
      }
      ReplicatedMap<String, Long> map = ReplicatedMap.of(client, MAP, Codec.text(), Codec.number());
      return switch (made.kind()) {
        case GET -> Answer.of(outcome(map.getAsync(made.key())));
        case PUT -> Answer.of(outcome(map.putAsync(made.key(), made.value())));
        case CAS -> new Answer(map.compareAndSet(made.key(), version, made.value()) ? 1 : 0, 0);
        case REMOVE -> {
          Long before = map.remove(made.key());
          yield new Answer(before == null ? 0 : before, 0);
        }
      };
    }

    private static <T> T outcome(CompletableFuture<T> future) throws InterruptedException {
      try {
        return future.get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof ServiceException why) {
          throw why;
        }
        throw new IllegalStateException(e.getCause());
      }
    }
  }

  /// Writes the calls, all by one clock: the time of a call is taken before it is made, that of its end afterwards.
  private static final class CallWriter {
    private static final int CLIENTS_MAX = 1000; // of one program
    private static final long CALLS_MAX = 1_000_000_000; // of one program

    private final OutputStream file;
    private final int firstClient;
    private long calls;
    private long values;

    CallWriter(Path path, int program) throws IOException {
      firstClient = program * CLIENTS_MAX;
      calls = program * CALLS_MAX;
      values = program * CALLS_MAX;
      file = Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    synchronized CallEntry.Made made(int client, CallEntry.Kind kind, String key, boolean puts, long expected) {
      long value = puts ? ++values : 0;
      var made = new CallEntry.Made(System.nanoTime(), calls++, firstClient + client, kind, key, value, expected);
      write(made);
      return made;
    }

    synchronized void ended(CallEntry.Made made, CallEntry.Outcome outcome, Answer answer) {
      write(new CallEntry.Ended(System.nanoTime(), made.call(), outcome, answer.result, answer.version));
    }

    private void write(CallEntry entry) {
      try {
        file.write((entry.text() + "\n").getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
