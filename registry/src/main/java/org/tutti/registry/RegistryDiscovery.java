package org.tutti.registry;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.tutti.tls.Refusal;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.Refused;
import org.tutti.transport.RoleRegistration;
import org.tutti.transport.RoleRegistration.Role;

/// Finds a group by a [Registry], as one of its members or as somebody who only looks. A member announces itself each
/// time that it asks, which keeps its registration alive, and says goodbye when it is closed.
///
/// A member's number ([GroupState#id]) stays the same as long as this object lives: when the registry has forgotten it
/// meanwhile, it claims the number again. May be used by several threads.
public final class RegistryDiscovery implements Discovery {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(1);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(2);
  private static final int ANSWER_BYTES_MAX = 1 << 20;
  private static final int OK = 200;

  /// How the HTTP client of the JDK quotes an alert of TLS where it looks for the first line of an answer.
  private static final String ALERT_FOR_A_STATUS = "Invalid status line: \"\25\3";

  private final String registry;
  private final String group;
  private final @Nullable String name; // null for who only looks
  private final @Nullable Address own;
  private final long life = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  private final HttpClient client;
  private volatile @Nullable Role role;
  private volatile boolean in;
  private volatile long id = -1;

  private RegistryDiscovery(
      String registry, String group, @Nullable String name, @Nullable Address own, @Nullable SSLContext tls) {
    this.registry = (tls == null ? "http://" : "https://") + registry;
    this.group = group;
    this.name = name;
    this.own = own;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_MAX)
            .proxy(HttpClient.Builder.NO_PROXY);
    this.client = (tls == null ? builder : builder.sslContext(tls)).build();
  }

  /// For a process that is to be a member, and to be found.
  ///
  /// @param registry where the registry listens, `host:port`
  /// @param group    the group's name
  /// @param name     the member's name
  /// @param own      where the member listens
  /// @param tls      shows the member's certificate and checks the registry's; null for no TLS
  /// @return registers when it is asked for the first time
  public static RegistryDiscovery member(
      String registry, String group, String name, Address own, @Nullable SSLContext tls) {
    return new RegistryDiscovery(registry, group, name, own, tls);
  }

  /// For a process that wants to find members but is not to be found.
  ///
  /// @param registry where the registry listens, `host:port`
  /// @param group    the group's name
  /// @param tls      shows the own certificate and checks the registry's; null for no TLS
  /// @return changes nothing at the registry
  public static RegistryDiscovery onlooker(String registry, String group, @Nullable SSLContext tls) {
    return new RegistryDiscovery(registry, group, null, null, tls);
  }

  /// Registers this member in a role, of which the registry knows the numbers ([RegistryConfig#clients]).
  ///
  /// @param as what it is
  /// @return registers when it is asked for the first time; this discovery belongs to it, and is not asked itself
  /// @throws IllegalStateException when this discovery is that of an onlooker
  public RoleRegistration inRole(Role as) {
    if (name == null) {
      throw new IllegalStateException("an onlooker registers in no role");
    }
    role = as;
    return new InRole();
  }

  private final class InRole implements RoleRegistration {
    @Override
    public State register() throws IOException, InterruptedException {
      GroupState state = ask();
      if (role == Role.CLIENT && state.id() >= state.clients()) {
        throw new IOException("the registry is of a version without roles");
      }
      List<Registrant> registrants = new ArrayList<>();
      for (GroupState.Registered one : state.members()) {
        if (one.role() != null) {
          registrants.add(new Registrant(one.id(), one.role(), one.name(), one.address()));
        }
      }
      return new State(state.id(), state.expected() - state.clients(), state.complete(), registrants);
    }

    @Override
    public List<Address> find() throws IOException, InterruptedException {
      return RegistryDiscovery.this.find();
    }

    @Override
    public void close() {
      RegistryDiscovery.this.close();
    }
  }

  /// Announces this member again, or looks.
  ///
  /// @return what the registry says
  /// @throws IOException when there is no answer, or a refusal, with the reason in one line
  /// @throws InterruptedException when interrupted while waiting for the answer
  public GroupState ask() throws IOException, InterruptedException {
    GroupState state;
    if (name == null || own == null) {
      state = GroupState.ofJson(post("look", Map.of("group", group)));
    } else {
      var said = new GroupRecord.Announcement(name, life, own, in, id, role);
      state = GroupState.ofJson(post("announce", said.toJson(group)));
      id = state.id();
    }
    return state;
  }

  /// Says from now on that this member is in the group: nobody needs to create it any more.
  public void entered() {
    in = true;
  }

  @Override
  public List<Address> find() throws IOException, InterruptedException {
    return ask().members().stream().map(GroupState.Registered::address).toList();
  }

  @Override
  public void close() {
    try (client) {
      if (name != null && id >= 0) {
        post("leave", Map.of("group", group, "name", name, "life", life));
      }
    } catch (IOException _) {
      // The registration ends with its lease.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private Object post(String what, Map<String, Object> fields) throws IOException, InterruptedException {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(registry + "/v1/" + what))
              .timeout(ANSWER_MAX)
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.std.asBytes(fields)))
              .build();
      var bounded = HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX);
      HttpResponse<byte[]> answer = client.send(request, bounded);
      if (answer.statusCode() != OK) {
        throw new IOException("refused: " + new Fields(JSON.std.anyFrom(answer.body())).text("error"));
      }
      return JSON.std.anyFrom(answer.body());
    } catch (HttpTimeoutException e) {
      throw new IOException("no answer in time", e);
    } catch (ConnectException e) {
      throw new IOException("nobody listens", e);
    } catch (IOException e) {
      Refused why = refused(e);
      if (why != null) {
        throw new IOException(why.words(), e);
      }
      throw e instanceof SSLException ? new IOException("no TLS with it: " + e.getMessage(), e) : e;
    }
  }

  /// Why the two do not speak with each other, when TLS is the reason.
  private @Nullable Refused refused(IOException failure) {
    var by = new Address(URI.create(registry).getAuthority());
    boolean alert = String.valueOf(failure.getMessage()).startsWith(ALERT_FOR_A_STATUS);
    return alert ? Refusal.isTls(by) : Refusal.told(failure, by, null);
  }
}
