package org.tutti.corba;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.ORB;
import org.omg.CORBA.UserException;
import org.omg.CosNaming.Binding;
import org.omg.CosNaming.BindingIteratorHolder;
import org.omg.CosNaming.BindingListHolder;
import org.omg.CosNaming.NameComponent;
import org.omg.CosNaming.NamingContext;
import org.omg.CosNaming.NamingContextHelper;
import org.omg.CosNaming.NamingContextPackage.AlreadyBound;
import org.omg.CosNaming.NamingContextPackage.CannotProceed;
import org.omg.CosNaming.NamingContextPackage.NotFound;
import org.tutti.corba.gate.Gate;
import org.tutti.middleware.RoleNumbers;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.DiscoveryProvider;
import org.tutti.transport.Endpoint;
import org.tutti.transport.RoleRegistration;

/// Finds the members of a group that communicates over IIOP by CORBA's naming service: each binds a reference to
/// its object, under a name of the kind that is its address: a reference may come back with the host written otherwise,
/// and addresses are compared as text.
///
/// ```
/// root context --- Tutti --- GROUP --- NAME.HOST:PORT     corbaloc:iiop:1.2@HOST:PORT/TuttiPeer
/// ```
///
/// A member binds its reference again each time that it asks, so that a naming service that has forgotten everything is
/// filled again, and unbinds what it finds under its name with another address; it unbinds its own at the end. Who
/// crashes stays bound until it comes back or somebody unbinds it: an address at which nobody is does no harm.
///
/// Processes that register in a role ([#inRole]) bind names of the same kind, with their number behind NAME
/// ([RoleNumbers]), and a name without a kind for each number. So both kinds of processes find each other.
public final class NamingDiscovery implements Discovery {
  private static final String SERVICE_KEY = "NameService";
  private static final int ANSWER_BYTES_MAX = 1 << 20;
  private static final Duration ANSWER_MAX = Duration.ofSeconds(2);

  /// More names than these are not read.
  private static final int LISTED_MAX = 4096;

  private final Address service;
  private final String group;
  private final @Nullable String name; // null for who only looks
  private final @Nullable Address own;
  private final Gate gate;
  private final ORB orb;

  private NamingDiscovery(Address service, String group, @Nullable String name, @Nullable Address own) {
    this.service = service;
    this.group = group;
    this.name = name;
    this.own = own;
    IiopConfig config = new IiopConfig(ANSWER_BYTES_MAX, 1, ANSWER_MAX, ANSWER_MAX, ANSWER_MAX, ANSWER_MAX, null);
    gate = Gate.open(config.messageBytesMax(), config.acceptedMax(), config.greetingMax(), null);
    orb = ORB.init(new String[0], OrbSettings.of(gate, config));
  }

  /// For a process that is to be a member, and to be found.
  ///
  /// @param service where the naming service listens, a literal `host:port`; its object key is `NameService`
  /// @param group   the group's name
  /// @param name    the member's name
  /// @param own     where the member listens
  /// @return binds when it is asked for the first time
  public static NamingDiscovery member(Address service, String group, String name, Address own) {
    return new NamingDiscovery(service, group, name, own);
  }

  /// For a process that wants to find members but is not to be found.
  ///
  /// @param service where the naming service listens, a literal `host:port`; its object key is `NameService`
  /// @param group   the group's name
  /// @return changes nothing at the naming service
  public static NamingDiscovery onlooker(Address service, String group) {
    return new NamingDiscovery(service, group, null, null);
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
    return new RoleNumbers(new Names(self.address()), self, clientsMax, servers);
  }

  @Override
  public List<Address> find() throws IOException {
    try {
      if (name != null && own != null) {
        NamingContext members = made();
        members.rebind(member(name, own.text()), reference(own, IiopMiddleware.OBJECT_KEY));
        return addresses(members);
      }
      return addresses(members());
    } catch (NotFound _) {
      return List.of(); // nobody was there yet
    } catch (UserException | RuntimeException e) {
      throw noAnswer(e);
    }
  }

  @Override
  public void close() {
    if (name != null && own != null) {
      try {
        members().unbind(member(name, own.text()));
      } catch (UserException | RuntimeException _) {
        // It is not bound, or the service is gone.
      }
    }
    hangUp();
  }

  private void hangUp() {
    gate.close();
    orb.destroy();
  }

  private IOException noAnswer(Exception failure) {
    return new IOException("no answer of the naming service at " + service + ": " + failure, failure);
  }

  /// The context of the group.
  private NamingContext members() throws UserException {
    return NamingContextHelper.narrow(root().resolve(path("Tutti", group)));
  }

  private NamingContext made() throws UserException {
    return made(made(root(), "Tutti"), group);
  }

  private NamingContext root() {
    return NamingContextHelper.narrow(reference(service, SERVICE_KEY));
  }

  private org.omg.CORBA.Object reference(Address at, String key) {
    Endpoint endpoint = Endpoint.ofLiteral(at);
    if (endpoint == null) {
      throw new IllegalArgumentException("not of the form host:port: " + at);
    }
    return orb.string_to_object("corbaloc:iiop:1.2@" + endpoint.at(endpoint.port()) + "/" + key);
  }

  private static NamingContext made(NamingContext in, String name) throws UserException {
    try {
      return in.bind_new_context(path(name));
    } catch (AlreadyBound | CannotProceed _) { // the latter by JacORB when two make it at once
      return NamingContextHelper.narrow(in.resolve(path(name)));
    }
  }

  private List<Address> addresses(NamingContext members) throws UserException {
    List<Address> found = new ArrayList<>();
    for (Binding binding : bindings(members)) {
      NameComponent bound = last(binding);
      if (own != null && bound.id.equals(name) && !bound.kind.equals(own.text())) {
        members.unbind(binding.binding_name); // an earlier life
      } else if (found.size() < FOUND_MAX && RoleNumbers.Name.isAddress(bound.kind)) {
        found.add(new Address(bound.kind));
      }
    }
    return found;
  }

  /// What is bound there.
  ///
  /// @return all when they are fewer than [#LISTED_MAX], otherwise as many at least
  private static List<Binding> bindings(NamingContext members) throws UserException {
    BindingListHolder some = new BindingListHolder();
    BindingIteratorHolder more = new BindingIteratorHolder();
    members.list(LISTED_MAX, some, more);
    List<Binding> all = new ArrayList<>(List.of(some.value));
    if (more.value != null) {
      while (all.size() < LISTED_MAX && more.value.next_n(LISTED_MAX, some)) {
        all.addAll(List.of(some.value));
      }
      more.value.destroy();
    }
    return all;
  }

  private static NameComponent last(Binding binding) {
    return binding.binding_name[binding.binding_name.length - 1];
  }

  /// Names with numbers, in the context of the group: the text as id, the address as kind.
  private final class Names implements RoleNumbers.Bindings {
    private final Address self;

    Names(Address self) {
      this.self = self;
    }

    @Override
    public boolean bind(RoleNumbers.Name one) throws IOException {
      try {
        // JacORB's service binds a name again whose object does not answer; its own always does.
        boolean isClaim = one.address().isEmpty();
        var bound = isClaim ? reference(service, SERVICE_KEY) : reference(self, IiopMiddleware.OBJECT_KEY);
        made().bind(member(one.text(), one.address()), bound);
        return true;
      } catch (AlreadyBound | CannotProceed _) {
        return false; // the latter by JacORB when two bind it at once
      } catch (UserException | RuntimeException e) {
        throw noAnswer(e);
      }
    }

    @Override
    public void unbind(RoleNumbers.Name one) throws IOException {
      try {
        members().unbind(member(one.text(), one.address()));
      } catch (NotFound _) {
        // Somebody else was faster.
      } catch (UserException | RuntimeException e) {
        throw noAnswer(e);
      }
    }

    @Override
    public List<RoleNumbers.Name> list() throws IOException {
      try {
        List<Binding> all = bindings(members());
        if (all.size() >= LISTED_MAX) {
          throw new IOException("the naming service at " + service + " has " + all.size() + " names or more");
        }
        return all.stream()
            .map(NamingDiscovery::last)
            .filter(bound -> bound.kind.isEmpty() || RoleNumbers.Name.isAddress(bound.kind))
            .map(bound -> new RoleNumbers.Name(bound.id, bound.kind))
            .toList();
      } catch (NotFound _) {
        return List.of(); // nobody was there yet
      } catch (UserException | RuntimeException e) {
        throw noAnswer(e);
      }
    }

    @Override
    public String refusal() {
      return "the naming service at " + service + " does not keep the names of this process";
    }

    @Override
    public void close() {
      hangUp();
    }
  }

  private static NameComponent[] member(String name, String address) {
    return new NameComponent[] {new NameComponent(name, address)};
  }

  private static NameComponent[] path(String... names) {
    NameComponent[] path = new NameComponent[names.length];
    for (int i = 0; i < names.length; i++) {
      path[i] = new NameComponent(names[i], "");
    }
    return path;
  }

  /// Offers [NamingDiscovery] as `naming`.
  public static final class Provider implements DiscoveryProvider {
    /// For the service loader.
    public Provider() {}

    @Override
    public String name() {
      return "naming";
    }

    @Override
    public Discovery member(Address registry, String group, String name, Address own) {
      return NamingDiscovery.member(registry, group, name, own);
    }

    @Override
    public Discovery onlooker(Address registry, String group) {
      return NamingDiscovery.onlooker(registry, group);
    }
  }
}
