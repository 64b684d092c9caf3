package org.tutti.corba;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
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
import org.omg.CosNaming.NamingContextPackage.NotFound;
import org.tutti.corba.gate.Gate;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.DiscoveryProvider;
import org.tutti.transport.Endpoint;

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
public final class NamingDiscovery implements Discovery {
  private static final int ANSWER_BYTES_MAX = 1 << 20;
  private static final Duration ANSWER_MAX = Duration.ofSeconds(2);

  private static final Pattern ADDRESS = Pattern.compile("[\\w.:\\[\\]%-]{1,200}:\\d{1,5}");

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

  @Override
  public List<Address> find() throws IOException {
    try {
      NamingContext root = root();
      NamingContext members = null;
      if (name != null && own != null) {
        members = made(made(root, "Tutti"), group);
        members.rebind(member(name, own.text()), reference(own, IiopMiddleware.OBJECT_KEY));
      }
      if (members == null) {
        members = NamingContextHelper.narrow(root.resolve(path("Tutti", group)));
      }
      return addresses(members);
    } catch (NotFound _) {
      return List.of(); // nobody was there yet
    } catch (UserException | RuntimeException e) {
      throw new IOException("no answer of the naming service at " + service + ": " + e, e);
    }
  }

  @Override
  public void close() {
    if (name != null && own != null) {
      try {
        NamingContextHelper.narrow(root().resolve(path("Tutti", group))).unbind(member(name, own.text()));
      } catch (UserException | RuntimeException _) {
        // It is not bound, or the service is gone.
      }
    }
    gate.close();
    orb.destroy();
  }

  private NamingContext root() {
    return NamingContextHelper.narrow(reference(service, "NameService"));
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
    } catch (AlreadyBound _) {
      return NamingContextHelper.narrow(in.resolve(path(name)));
    }
  }

  private List<Address> addresses(NamingContext members) throws UserException {
    BindingListHolder bindings = new BindingListHolder();
    BindingIteratorHolder more = new BindingIteratorHolder();
    members.list(FOUND_MAX, bindings, more);
    if (more.value != null) {
      more.value.destroy();
    }
    List<Address> found = new ArrayList<>();
    for (Binding binding : bindings.value) {
      NameComponent bound = binding.binding_name[binding.binding_name.length - 1];
      if (own != null && bound.id.equals(name) && !bound.kind.equals(own.text())) {
        members.unbind(binding.binding_name); // an earlier life
      } else if (ADDRESS.matcher(bound.kind).matches()) {
        found.add(new Address(bound.kind));
      }
    }
    return found;
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
