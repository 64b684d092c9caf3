package org.tutti.registry;

import com.fasterxml.jackson.jr.ob.JSON;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageException;

/// Where processes that are to be one group meet (H9): each registers and gets the next number; when the expected
/// number is there, all learn the others' addresses, and the one with the smallest number creates the group. Members
/// may come and go later. It says who may be there; who is in the group its members agree on among themselves, and they
/// go on when the registry is gone.
///
/// The protocol is JSON over HTTP/1.1, `docs/protocols/registry.md`. A member repeats its announcement; what it said
/// holds for the time of a lease. With stable storage, a registry that is started again goes on with what it knew.
///
/// Nothing that strangers send grows without a bound: requests have 4 KiB at most, connections are limited, and so are
/// groups and members; what is refused is counted with its reason ([#counters]).
public final class Registry implements AutoCloseable {
  /// The longest request.
  public static final int REQUEST_BYTES_MAX = 4096;

  private static final int BACKLOG = 128;

  static {
    // The JDK's server takes its limits from system properties; who has set them knows better.
    limit("jdk.httpserver.maxConnections", "512");
    limit("sun.net.httpserver.maxReqTime", "5"); // seconds until a request has been read
    limit("sun.net.httpserver.maxRspTime", "5");
    limit("sun.net.httpserver.maxReqHeaders", "32");
    limit("sun.net.httpserver.maxReqHeaderSize", "8192");
  }

  private final HttpServer server;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final @Nullable StableStorage storage;
  private final AtomicLongArray counters = new AtomicLongArray(Count.values().length);
  private final CompletableFuture<Void> failure = new CompletableFuture<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Rolls rolls; // guarded by the lock, and so is storage

  private Registry(HttpServer server, RegistryConfig config, @Nullable StableStorage storage, Consumer<String> news) {
    this.server = server;
    this.storage = storage;
    this.rolls = new Rolls(config, storage, news, System.nanoTime());
    server.createContext("/", this::handle);
    server.setExecutor(executor);
  }

  private static void limit(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
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
    HttpServer server = tls == null ? HttpServer.create(listen, BACKLOG) : protect(listen, tls);
    try {
      var registry = new Registry(server, config, storage, news);
      server.start();
      return registry;
    } catch (StorageException e) {
      server.stop(0);
      throw e;
    }
  }

  private static HttpServer protect(InetSocketAddress listen, SSLContext tls) throws IOException {
    HttpsServer server = HttpsServer.create(listen, BACKLOG);
    server.setHttpsConfigurator(
        new HttpsConfigurator(tls) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters both = tls.getDefaultSSLParameters();
            both.setProtocols(new String[] {"TLSv1.3"});
            both.setNeedClientAuth(true);
            parameters.setSSLParameters(both);
          }
        });
    return server;
  }

  /// Where it listens.
  ///
  /// @return host and actual port
  public InetSocketAddress address() {
    return server.getAddress();
  }

  /// What it answered and what it refused, by reason.
  ///
  /// @return all counters by name
  public Map<String, Long> counters() {
    var all = new LinkedHashMap<String, Long>();
    for (Count count : Count.values()) {
      all.put(count.text(), counters.get(count.ordinal()));
    }
    return all;
  }

  /// Fails when the registry cannot go on: its storage is broken, or it has a bug.
  ///
  /// @return does not complete otherwise
  public CompletableFuture<Void> failure() {
    return failure.copy();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Map<String, Object> answer;
      Count outcome;
      try {
        String path = exchange.getRequestURI().getPath();
        if (path.equals("/v1/counters")) {
          answer = new LinkedHashMap<>(counters());
          outcome = Count.LOOKED;
        } else {
          outcome = outcome(path);
          answer = answer(outcome, exchange);
        }
      } catch (Rolls.Refused refused) {
        outcome = refused.reason;
        answer = Map.of("error", String.valueOf(refused.getMessage()));
      }
      counters.getAndIncrement(outcome.ordinal());
      byte[] body = JSON.std.asBytes(answer);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(outcome.status, body.length);
      exchange.getResponseBody().write(body);
    } catch (IOException _) {
      counters.getAndIncrement(Count.BROKEN.ordinal()); // the other side is gone
    } catch (RuntimeException broken) {
      failure.completeExceptionally(broken);
      throw broken;
    }
  }

  private static Count outcome(@Nullable String path) throws Rolls.Refused {
    return switch (path) {
      case "/v1/announce" -> Count.ANNOUNCED;
      case "/v1/leave" -> Count.LEFT;
      case "/v1/look" -> Count.LOOKED;
      case null, default -> throw new Rolls.Refused(Count.UNKNOWN_PATH, "not in version 1 of this protocol");
    };
  }

  private Map<String, Object> answer(Count wanted, HttpExchange exchange) throws IOException, Rolls.Refused {
    if (!exchange.getRequestMethod().equals("POST")) {
      throw new Rolls.Refused(Count.WRONG_METHOD, "POST it");
    }
    byte[] body = body(exchange);
    try {
      return answer(wanted, new Fields(JSON.std.anyFrom(body)));
    } catch (IOException e) {
      // Of a JSON error the first line is for people.
      String[] lines = String.valueOf(e.getMessage()).split("\n", 2);
      throw new Rolls.Refused(Count.MALFORMED, lines[0]);
    }
  }

  private static byte[] body(HttpExchange exchange) throws IOException, Rolls.Refused {
    try (InputStream in = exchange.getRequestBody()) {
      byte[] body = in.readNBytes(REQUEST_BYTES_MAX + 1);
      if (body.length > REQUEST_BYTES_MAX) {
        throw new Rolls.Refused(Count.TOO_LONG, "a request has at most " + REQUEST_BYTES_MAX + " bytes");
      }
      return body;
    }
  }

  private Map<String, Object> answer(Count wanted, Fields request) throws Fields.Malformed, Rolls.Refused {
    String group = request.text("group");
    lock.lock();
    try {
      long now = System.nanoTime();
      switch (wanted) {
        case ANNOUNCED -> {
          var said =
              new Roll.Announcement(
                  request.text("name"),
                  request.number("life"),
                  request.address("address"),
                  request.flag("in"),
                  request.number("id"));
          return rolls.announce(group, said, now).toJson();
        }
        case LEFT -> {
          rolls.leave(group, request.text("name"), request.number("life"), now);
          return Map.of();
        }
        default -> {
          return rolls.look(group, now).toJson();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /// Stops. Members register again with whoever takes its place.
  @Override
  public void close() {
    server.stop(0);
    executor.close();
    if (storage != null) {
      storage.close();
    }
  }
}
