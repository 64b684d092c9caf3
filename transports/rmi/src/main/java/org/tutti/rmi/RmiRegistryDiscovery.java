package org.tutti.rmi;

import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.rmi.AlreadyBoundException;
import java.rmi.NotBoundException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.middleware.RoleNumbers;
import org.tutti.rmi.AnswerFilter.ExceptionalAnswerException;
import org.tutti.rmi.AnswerFilter.RefusedAnswerException;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.DiscoveryProvider;
import org.tutti.transport.Endpoint;
import org.tutti.transport.RoleRegistration;

/// Finds the members of a group, whatever carries their frames, by a registry of Java RMI, such as the JDK's
/// `rmiregistry`. Each binds a name that says everything:
///
/// ```
/// tutti/GROUP/NAME@HOST:PORT      GROUP and NAME as in a URL's query: "a b" is a+b, "/" is %2F
/// ```
///
/// What is bound is a reference to the registry itself, whose class every registry has and for which nobody has to
/// listen. Others only list names, and nothing but text is read of the answer ([Answers#names]).
///
/// A registry takes names from processes of its own host only. Elsewhere members find those that are in it but are not
/// found by it: let every host have a registry, and members ask all of them.
///
/// A member binds its name again each time that it asks, so that a registry that has forgotten everything is filled
/// again, unbinds what is there under its name with another address, and unbinds its own at the end. Who crashes stays
/// bound until it comes back: an address at which nobody is does no harm.
///
/// Processes that register in a role ([#inRole]) bind names of the same form, with their number behind NAME
/// ([RoleNumbers]), and a name without an address for each number, `tutti/GROUP/3@`. So both kinds find each other.
public final class RmiRegistryDiscovery implements Discovery {

  private final Address at;
  private final String prefix;
  private final @Nullable String name; // null for who only looks
  private final @Nullable String mine; // what is bound for it, up to the address
  private final @Nullable Address own;
  private final Answers answers = Answers.names();
  private final ClientSockets sockets;
  private final Registry registry;
  private final Registry bound;

  private RmiRegistryDiscovery(Address at, String group, @Nullable String name, @Nullable Address own) {
    Endpoint endpoint = Endpoint.ofLiteral(at);
    if (endpoint == null || endpoint.port() == 0) {
      throw new IllegalArgumentException("not a literal host and a port: " + at);
    }
    this.at = at;
    this.prefix = "tutti/" + encoded(group) + "/";
    this.name = name;
    this.mine = name == null ? null : prefix + encoded(name) + "@";
    this.own = own;
    this.sockets = new ClientSockets(RmiConfig.lan(), endpoint, answers);
    try {
      this.registry = LocateRegistry.getRegistry(endpoint.host(), endpoint.port(), sockets);
      this.bound = LocateRegistry.getRegistry(endpoint.host(), endpoint.port());
    } catch (RemoteException e) {
      throw new IllegalStateException("a reference to a registry cannot be made", e);
    }
  }

  /// For a process that is to be a member, and to be found.
  ///
  /// @param registry where the registry listens, a literal `host:port`
  /// @param group    the group's name
  /// @param name     the member's name
  /// @param own      where the member listens
  /// @return binds when it is asked for the first time
  public static RmiRegistryDiscovery member(Address registry, String group, String name, Address own) {
    return new RmiRegistryDiscovery(registry, group, name, own);
  }

  /// For a process that wants to find members but is not to be found.
  ///
  /// @param registry where the registry listens, a literal `host:port`
  /// @param group    the group's name
  /// @return changes nothing at the registry
  public static RmiRegistryDiscovery onlooker(Address registry, String group) {
    return new RmiRegistryDiscovery(registry, group, null, null);
  }

  /// Registers this process in a role, instead of only telling its address.
  ///
  /// @param role       what it is
  /// @param clientsMax how many clients there may be at a time, 0 or more; the same at all processes
  /// @param servers    how many servers are expected, 1 or more; the same at all processes
  /// @return registers when it is asked for the first time; this discovery belongs to it, and is not asked itself
  /// @throws IllegalStateException    when this discovery is that of an onlooker
  /// @throws IllegalArgumentException when the name is none that a node may have, or the address not `host:port`
  public RoleRegistration inRole(RoleRegistration.Role role, int clientsMax, int servers) {
    RoleRegistration.Registrant self = RoleNumbers.registrant(role, name, own);
    return new RoleNumbers(new Names(), self, clientsMax, servers);
  }

  /// How many answers held something else than names.
  ///
  /// @return since the start
  public long refused() {
    return answers.refused.get();
  }

  @Override
  public List<Address> find() throws IOException {
    try {
      boolean told = mine == null || own == null || tell(mine + own.text());
      List<Address> found = addresses(registry.list());
      if (!told && found.isEmpty()) {
        throw new IOException(refusal());
      }
      return found;
    } catch (RemoteException | RuntimeException e) {
      throw new IOException(problem(e), e);
    }
  }

  @Override
  public void close() {
    try {
      if (mine != null && own != null) {
        registry.unbind(mine + own.text());
      }
    } catch (RemoteException | NotBoundException | RuntimeException _) {
      // It is not bound, or the registry is gone.
    } finally {
      sockets.close();
    }
  }

  /// Binds the own name, and unbinds it with other addresses.
  ///
  /// @return false when the registry refuses
  private boolean tell(String name) throws RemoteException {
    try {
      registry.rebind(name, bound);
      return true;
    } catch (RemoteException e) {
      if (cause(e, ExceptionalAnswerException.class) == null) {
        throw e;
      }
      return false;
    }
  }

  private List<Address> addresses(String[] names) throws RemoteException {
    List<Address> found = new ArrayList<>();
    for (String name : names) {
      String address = name.substring(name.lastIndexOf('@') + 1);
      if (!name.startsWith(prefix) || !RoleNumbers.Name.isAddress(address)) {
        continue;
      }
      if (mine != null && own != null && name.equals(mine + address) && !address.equals(own.text())) {
        forget(name); // an earlier life
      } else if (found.size() < FOUND_MAX) {
        found.add(new Address(address));
      }
    }
    return found;
  }

  private void forget(String name) throws RemoteException {
    try {
      registry.unbind(name);
    } catch (NotBoundException _) {
      // Somebody else was faster.
    } catch (RemoteException e) {
      if (cause(e, ExceptionalAnswerException.class) == null) {
        throw e;
      }
    }
  }

  /// Names with numbers: `tutti/GROUP/TEXT@ADDRESS`, with the text as in a URL's query.
  private final class Names implements RoleNumbers.Bindings {
    private String bound(RoleNumbers.Name one) {
      return prefix + encoded(one.text()) + "@" + one.address();
    }

    @Override
    public boolean bind(RoleNumbers.Name one) throws IOException {
      try {
        registry.bind(bound(one), bound);
        return true;
      } catch (AlreadyBoundException _) {
        return false;
      } catch (RemoteException | RuntimeException e) {
        if (cause(e, ExceptionalAnswerException.class) == null) {
          throw new IOException(problem(e), e);
        }
        return false; // which exception it is, is not read
      }
    }

    @Override
    public void unbind(RoleNumbers.Name one) throws IOException {
      try {
        forget(bound(one));
      } catch (RemoteException | RuntimeException e) {
        throw new IOException(problem(e), e);
      }
    }

    @Override
    public List<RoleNumbers.Name> list() throws IOException {
      List<RoleNumbers.Name> names = new ArrayList<>();
      try {
        for (String each : registry.list()) {
          int at = each.lastIndexOf('@');
          String address = each.substring(at + 1);
          if (each.startsWith(prefix)
              && at >= prefix.length()
              && (address.isEmpty() || RoleNumbers.Name.isAddress(address))) {
            names.add(new RoleNumbers.Name(decoded(each.substring(prefix.length(), at)), address));
          }
        }
      } catch (RemoteException | RuntimeException e) {
        throw new IOException(problem(e), e);
      }
      return names;
    }

    @Override
    public String refusal() {
      return RmiRegistryDiscovery.this.refusal();
    }

    @Override
    public void close() {
      sockets.close();
    }
  }

  private String refusal() {
    return "rmiregistry at " + at + " accepts names only from its own host";
  }

  private String problem(Exception failure) {
    RefusedAnswerException refused = cause(failure, RefusedAnswerException.class);
    if (refused != null) {
      return "refused what rmiregistry at " + at + " answers: " + oneLine(refused);
    }
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return "no answer of rmiregistry at " + at + ": " + oneLine(root);
  }

  private static String oneLine(Throwable thrown) {
    String message = thrown.getMessage();
    return (message == null ? thrown.getClass().getSimpleName() : message).replaceAll("\\s*\\R\\s*", "; ");
  }

  private static <T> @Nullable T cause(@Nullable Throwable thrown, Class<T> type) {
    for (Throwable one = thrown; one != null; one = one.getCause()) {
      if (type.isInstance(one)) {
        return type.cast(one);
      }
    }
    return null;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /// What somebody else may have written otherwise is left as it is.
  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) {
      return text;
    }
  }

  /// Offers [RmiRegistryDiscovery] as `rmiregistry`.
  public static final class Provider implements DiscoveryProvider {
    /// For the service loader.
    public Provider() {}

    @Override
    public String name() {
      return "rmiregistry";
    }

    @Override
    public Discovery member(Address registry, String group, String name, Address own) {
      return RmiRegistryDiscovery.member(registry, group, name, own);
    }

    @Override
    public Discovery onlooker(Address registry, String group) {
      return RmiRegistryDiscovery.onlooker(registry, group);
    }
  }
}
