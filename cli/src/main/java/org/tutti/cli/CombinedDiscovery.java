package org.tutti.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.tutti.net.discovery.MulticastDiscovery;
import org.tutti.registry.RegistryDiscovery;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.DiscoveryProvider;

/// All contacts of a command as one discovery. Each source that cannot be asked now keeps its last answer, and why it
/// cannot is told to whoever finds nobody.
final class CombinedDiscovery implements Discovery {
  private static final class Source {
    final String text;
    final Discovery discovery;
    List<Address> last = List.of();
    @Nullable String problem;

    Source(String text, Discovery discovery) {
      this.text = text;
      this.discovery = discovery;
    }
  }

  private final boolean creates;
  private final List<Contact> contacts;
  private final String group;
  private final Output out;
  private final String cluster;
  private final @Nullable SSLContext tls;
  private final List<Address> fixed = new ArrayList<>();
  private final List<Source> sources = new ArrayList<>();
  private final ReentrantLock lock = new ReentrantLock(); // guards what sources know

  /// @param to      where the group is looked for; nothing when it is created
  /// @param options where to be found besides, and of what
  CombinedDiscovery(List<Contact> to, MemberOptions options) {
    this.creates = to.isEmpty();
    this.contacts = Stream.concat(to.stream(), options.announce.stream()).toList();
    this.group = options.group;
    this.out = options.out;
    this.cluster = options.cluster;
    this.tls = options.carrier.context();
    for (Contact contact : contacts) {
      if (contact instanceof Contact.At(_, Address address)) {
        fixed.add(address);
      } else {
        sources.add(new Source(contact.text(), onlooker(contact, group, cluster, tls)));
      }
    }
  }

  /// How to ask a contact without being found there.
  static Discovery onlooker(Contact contact, String group, String cluster, @Nullable SSLContext tls) {
    return switch (contact) {
      case Contact.At(_, Address address) -> () -> List.of(address);
      case Contact.Source(_, Discovery discovery) -> discovery;
      case Contact.Registry(_, String at) -> RegistryDiscovery.onlooker(at, group, tls);
      case Contact.Foreign(_, DiscoveryProvider kind, Address at) -> kind.onlooker(at, group);
      case Contact.Multicast(_, Address at, String device) -> MulticastDiscovery.onlooker(at, device, cluster);
    };
  }

  /// Whether there is nothing to join.
  boolean creates() {
    return creates;
  }

  /// The addresses that need no asking.
  List<Address> fixed() {
    return List.copyOf(fixed);
  }

  /// Whether there is anything to ask.
  boolean asks() {
    return !sources.isEmpty();
  }

  /// Lets a member be found: by the registries among the contacts, of whatever kind, and by multicast, from when they
  /// are asked.
  ///
  /// @return what was registered at registries
  List<Registration> enrol(String name, Address own) {
    var registrations = new ArrayList<Registration>();
    var told = new HashSet<String>();
    for (Contact contact : contacts) {
      if (!told.add(contact.text())) {
        continue; // named twice
      }
      if (contact instanceof Contact.Registry(String text, String at)) {
        RegistryDiscovery member = RegistryDiscovery.member(at, group, name, own, tls);
        replace(text, member);
        registrations.add(new Registration(text, group, member, out));
      } else if (contact instanceof Contact.Multicast(String text, Address at, String device)) {
        replace(text, MulticastDiscovery.member(at, device, cluster, own));
      } else if (contact instanceof Contact.Foreign(String text, DiscoveryProvider kind, Address at)) {
        replace(text, kind.member(at, group, name, own));
      }
    }
    return registrations;
  }

  private void replace(String text, Discovery member) {
    for (int i = 0; i < sources.size(); i++) {
      if (sources.get(i).text.equals(text)) {
        sources.get(i).discovery.close();
        sources.set(i, new Source(text, member));
      }
    }
  }

  @Override
  public List<Address> find() throws InterruptedException {
    Set<Address> found = new LinkedHashSet<>(fixed);
    for (Source source : sources) {
      found.addAll(ask(source));
    }
    return new ArrayList<>(found);
  }

  private List<Address> ask(Source source) throws InterruptedException {
    List<Address> answer = source.last;
    String problem = null;
    try {
      answer = source.discovery.find();
      problem = answer.isEmpty() ? "no addresses" : null;
    } catch (IOException e) {
      problem = e.getMessage();
    }
    lock.lock();
    try {
      source.last = answer;
      source.problem = problem;
    } finally {
      lock.unlock();
    }
    return answer;
  }

  /// The contacts as the user wrote them.
  List<String> contacts() {
    return contacts.stream().map(Contact::text).toList();
  }

  /// The contacts, with what is wrong with each.
  String description() {
    lock.lock();
    try {
      List<String> problems =
          sources.stream()
              .filter(source -> source.problem != null)
              .map(source -> source.text + ": " + source.problem)
              .toList();
      return contacts.stream().map(Contact::text).collect(Collectors.joining(", "))
          + (problems.isEmpty() ? "" : " (" + String.join("; ", problems) + ")");
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    sources.forEach(source -> source.discovery.close());
  }
}
