package org.tutti.net.discovery;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Hashtable;
import java.util.List;
import javax.naming.CommunicationException;
import javax.naming.Context;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.directory.Attributes;
import javax.naming.directory.DirContext;
import javax.naming.directory.InitialDirContext;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;

/// The hosts and ports that offer a service according to DNS (SRV records, RFC 2782), such as those that Kubernetes
/// publishes for each named port of a headless service.
///
/// Targets come in the order of their priority and weight, but all of them are used: a contact is asked, not chosen.
/// The addresses of targets are asked of the same server. Nothing is remembered between two questions but what the
/// servers remember.
public final class ServiceDiscovery implements Discovery {
  private static final String TIMEOUT_MILLIS = "500"; // doubles with each retry
  private static final String RETRIES = "2";
  private static final int TARGETS_MAX = 64;

  private final String service;
  private final String url;

  private record Target(int priority, int weight, int port, String host) {
    /// Reads a record as it is printed: `10 50 7001 node1.example.`.
    static @Nullable Target parse(String text) {
      String[] fields = text.strip().split("\\s+");
      if (fields.length != 4 || fields[3].equals(".")) {
        return null; // "." says that the service is not available (RFC 2782)
      }
      return new Target(
          Integer.parseInt(fields[0]), Integer.parseInt(fields[1]), Integer.parseInt(fields[2]), fields[3]);
    }
  }

  /// Names the service.
  ///
  /// @param service the whole name, for example `_tutti._tcp.nodes.example.org`
  /// @param server  the name server to ask, `host:port`, or null for those of the operating system
  public ServiceDiscovery(String service, @Nullable String server) {
    this.service = service;
    this.url = server == null ? "dns:" : "dns://" + server;
  }

  @Override
  public List<Address> find() throws IOException {
    try {
      DirContext dns = new InitialDirContext(environment());
      try {
        return addresses(dns, targets(dns));
      } finally {
        dns.close();
      }
    } catch (NameNotFoundException e) {
      throw new IOException("no service '" + service + "' in DNS", e);
    } catch (CommunicationException e) {
      throw new IOException("no name server answers for '" + service + "'", e);
    } catch (NamingException | NumberFormatException e) {
      throw new IOException("cannot look up '" + service + "': " + e.getMessage(), e);
    }
  }

  private Hashtable<String, String> environment() {
    var environment = new Hashtable<String, String>();
    environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.dns.DnsContextFactory");
    environment.put(Context.PROVIDER_URL, url);
    environment.put("com.sun.jndi.dns.timeout.initial", TIMEOUT_MILLIS);
    environment.put("com.sun.jndi.dns.timeout.retries", RETRIES);
    return environment;
  }

  private List<Target> targets(DirContext dns) throws NamingException {
    var targets = new ArrayList<Target>();
    for (String record : records(dns, service, "SRV")) {
      Target target = Target.parse(record);
      if (target != null && targets.size() < TARGETS_MAX) {
        targets.add(target);
      }
    }
    targets.sort(Comparator.comparingInt(Target::priority).thenComparing(Target::weight, Comparator.reverseOrder()));
    return targets;
  }

  private static List<Address> addresses(DirContext dns, List<Target> targets) throws NamingException {
    var found = new ArrayList<Address>();
    for (Target target : targets) {
      for (String type : List.of("A", "AAAA")) {
        for (String literal : of(dns, target, type)) {
          found.add(HostDiscovery.address(InetAddress.ofLiteral(literal), target.port));
        }
      }
    }
    return found;
  }

  private static List<String> of(DirContext dns, Target target, String type) throws NamingException {
    try {
      return records(dns, target.host, type);
    } catch (NameNotFoundException _) {
      return List.of(); // a node that is gone, whose service record is still there
    }
  }

  private static List<String> records(DirContext dns, String name, String type) throws NamingException {
    Attributes answer = dns.getAttributes(name, new String[] {type});
    Attribute records = answer.get(type);
    var texts = new ArrayList<String>();
    if (records != null) {
      for (Object record : Collections.list(records.getAll())) {
        texts.add(record.toString());
      }
    }
    return texts;
  }
}
