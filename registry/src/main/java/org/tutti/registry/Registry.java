package org.tutti.registry;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.registry.http.HttpPort;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageException;
import org.tutti.transport.Counts;

/// Where processes that are to be one group meet: each registers and gets the next number; when the expected
/// number is there, all learn the others' addresses, and the one with the smallest number creates the group. Members
/// may come and go later. It says who may be there; who is in the group its members agree on among themselves, and they
/// go on when the registry is gone.
///
/// The protocol is JSON over HTTP/1.1, `docs/protocols/registry.md`. A member repeats its announcement; what it said
/// holds for the time of a lease. With stable storage, a registry that is started again goes on with what it knew.
///
/// Nothing that strangers send grows without a bound: requests have 4 KiB at most, connections are limited, of which
/// the oldest yields to a new one, and so are groups and members; what is refused is counted with its reason
/// ([#metrics]).
public final class Registry implements AutoCloseable {
  /// The longest request.
  public static final int REQUEST_BYTES_MAX = 4096;

  private final HttpPort port;
  private final @Nullable StableStorage storage;
  private final Counts<RegistryCount> counts = new Counts<>(RegistryCount.class);
  private final CompletableFuture<Void> failure = new CompletableFuture<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final GroupRecords groupRecords; // guarded by the lock, and so are storage and closed
  private boolean closed;

  private Registry(
      InetSocketAddress listen,
      RegistryConfig config,
      @Nullable StableStorage storage,
      @Nullable SSLContext tls,
      Consumer<String> news)
      throws IOException {
    this.storage = storage;
    this.port = new HttpPort(listen, tls, HttpPort.Clients.KNOWN, REQUEST_BYTES_MAX, this::handle);
    try {
      this.groupRecords = new GroupRecords(config, storage, news, System.nanoTime());
    } catch (StorageException e) {
      port.close();
      throw e;
    }
  }

  /// Starts a registry.
  ///
  /// @param listen  where members reach it; port 0 lets the kernel choose
  /// @param config  the settings
  /// @param storage keeps what it knows; belongs to the registry from now on, which closes it; null for nothing
  /// @param tls     shows this registry's certificate and checks that of whoever asks; null for no TLS
  /// @param news    gets a line when a member comes or goes, from any thread, one after the other
  /// @return the running registry
  /// @throws IOException when it cannot listen there
  /// @throws StorageException when what is kept is damaged
  public static Registry open(
      InetSocketAddress listen,
      RegistryConfig config,
      @Nullable StableStorage storage,
      @Nullable SSLContext tls,
      Consumer<String> news)
      throws IOException {
    var registry = new Registry(listen, config, storage, tls, news);
    registry.port.start();
    return registry;
  }

  /// Where it listens.
  ///
  /// @return host and actual port
  public InetSocketAddress address() {
    return port.address();
  }

  /// What it answered and what it refused, by reason.
  ///
  /// @return a copy, in the order of [Metric#ORDER]
  public List<Metric> metrics() {
    return Stream.concat(counts.metrics().stream(), port.admission().metrics("registry").stream())
        .sorted(Metric.ORDER)
        .toList();
  }

  /// Fails when the registry cannot go on: its storage is broken, or it has a bug.
  ///
  /// @return does not complete otherwise
  public CompletableFuture<Void> failure() {
    return failure.copy();
  }

  /// Answers a request, or what was none.
  private HttpPort.Answer handle(HttpPort.Asked asked) {
    Map<String, Object> answer;
    RegistryCount outcome;
    try {
      HttpPort.Request request = asked.request();
      if (request.path().equals("/v1/counters")) {
        answer = new LinkedHashMap<>(Metric.byKey(metrics()));
        outcome = RegistryCount.LOOKED;
      } else {
        outcome = outcome(request.path());
        answer = answer(outcome, request);
      }
    } catch (GroupRecords.Refused refused) {
      outcome = refused.reason;
      answer = error(refused);
    } catch (HttpPort.Malformed wrong) {
      outcome = RegistryCount.malformed(wrong.status);
      answer = error(wrong);
    } catch (RuntimeException broken) {
      failure.completeExceptionally(broken);
      throw broken;
    }
    counts.addShared(outcome);
    String allow = outcome == RegistryCount.WRONG_METHOD ? "POST" : null;
    return new HttpPort.Answer(outcome.status, "application/json", bytes(answer), allow);
  }

  private static Map<String, Object> error(Exception why) {
    return Map.of("error", String.valueOf(why.getMessage()));
  }

  static byte[] bytes(Map<String, Object> answer) {
    try {
      return JSON.std.asBytes(answer);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private static RegistryCount outcome(String path) throws GroupRecords.Refused {
    return switch (path) {
      case "/v1/announce" -> RegistryCount.ANNOUNCED;
      case "/v1/leave" -> RegistryCount.LEFT;
      case "/v1/look" -> RegistryCount.LOOKED;
      default -> throw new GroupRecords.Refused(RegistryCount.UNKNOWN_PATH, "not in version 1 of this protocol");
    };
  }

  Map<String, Object> answer(RegistryCount wanted, HttpPort.Request request) throws GroupRecords.Refused {
    if (!request.method().equals("POST")) {
      throw new GroupRecords.Refused(RegistryCount.WRONG_METHOD, "POST it");
    }
    try {
      return answer(wanted, new Fields(JSON.std.anyFrom(request.body())));
    } catch (IOException e) {
      // Of a JSON error the first line is for people.
      String[] lines = String.valueOf(e.getMessage()).split("\n", 2);
      throw new GroupRecords.Refused(RegistryCount.MALFORMED, lines[0]);
    }
  }

  private Map<String, Object> answer(RegistryCount wanted, Fields request)
      throws Fields.Malformed, GroupRecords.Refused {
    String group = request.text("group");
    lock.lock();
    try {
      if (closed) {
        throw new GroupRecords.Refused(RegistryCount.FULL, "the registry ends");
      }
      long now = System.nanoTime();
      switch (wanted) {
        case ANNOUNCED -> {
          return groupRecords.announce(group, GroupRecord.Announcement.ofJson(request), now).toJson();
        }
        case LEFT -> {
          groupRecords.leave(group, request.text("name"), request.number("life"), now);
          return Map.of();
        }
        default -> {
          return groupRecords.look(group, now).toJson();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /// Stops. Members register again with whoever takes its place.
  @Override
  public void close() {
    port.close();
    lock.lock(); // requests may be under way
    try {
      closed = true;
      if (storage != null) {
        storage.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
