package org.tutti.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;

/// All contacts of a command as one discovery. Each source that cannot be asked now keeps its last answer, and why it
/// cannot is told to whoever finds nobody.
final class Search implements Discovery {
  private static final class Source {
    final Contact.Source contact;
    List<Address> last = List.of();
    @Nullable String problem;

    Source(Contact.Source contact) {
      this.contact = contact;
    }
  }

  private final List<Contact> contacts;
  private final List<Address> fixed;
  private final List<Source> sources;
  private final ReentrantLock lock = new ReentrantLock(); // guards what sources know

  Search(List<Contact> contacts) {
    this.contacts = contacts;
    this.fixed =
        contacts.stream()
            .<Address>mapMulti((contact, to) -> {
              if (contact instanceof Contact.At(_, Address address)) {
                to.accept(address);
              }
            })
            .toList();
    this.sources =
        contacts.stream()
            .<Source>mapMulti((contact, to) -> {
              if (contact instanceof Contact.Source source) {
                to.accept(new Source(source));
              }
            })
            .toList();
  }

  /// Whether there is nothing to join.
  boolean isEmpty() {
    return contacts.isEmpty();
  }

  /// The addresses that need no asking.
  List<Address> fixed() {
    return fixed;
  }

  /// Whether there is anything to ask.
  boolean asks() {
    return !sources.isEmpty();
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
      answer = source.contact.discovery().find();
      problem = answer.isEmpty() ? "nobody there" : null;
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

  /// The contacts, with what is wrong with each.
  String description() {
    lock.lock();
    try {
      List<String> problems =
          sources.stream()
              .filter(source -> source.problem != null)
              .map(source -> source.contact.text() + ": " + source.problem)
              .toList();
      return contacts.stream().map(Contact::text).collect(Collectors.joining(", "))
          + (problems.isEmpty() ? "" : " (" + String.join("; ", problems) + ")");
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    sources.forEach(source -> source.contact.discovery().close());
  }
}
