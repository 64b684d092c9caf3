package org.tutti.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/// The host and port behind an [Address] such as `10.0.0.5:7001` or `[::1]:7001`, for transports whose addresses are of
/// that form.
///
/// @param host the host's text, without the brackets of IPv6
/// @param inet the host
/// @param port 0 to 65535; 0 lets the kernel choose
public record Endpoint(String host, InetAddress inet, int port) {
  /// What [#requireLoopback] says when a node has no certificates and whoever runs it did not allow that.
  public static final String WITHOUT_CERTIFICATES =
      "without certificates on loopback only, unless insecure networks are allowed";

  /// Reads an address whose host is a literal: names are not looked up here, that would block the engine thread.
  ///
  /// @param address a node's address
  /// @return the endpoint, or null when the text is not of that form
  public static @Nullable Endpoint ofLiteral(Address address) {
    try {
      String host = host(address);
      return new Endpoint(host, InetAddress.ofLiteral(host), port(address));
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  /// Reads the address to listen on; a name is looked up (this may block) and replaced by the host it stands for.
  ///
  /// @param address where to listen
  /// @return the endpoint; its port may be 0
  /// @throws TransportException when the text is not of that form, the name unknown, or the host all interfaces at once
  public static Endpoint resolve(Address address) {
    return resolve(address, null);
  }

  /// As [#resolve(Address)], for a node that peers know by another address: it may listen on all interfaces at once.
  ///
  /// @param address    where to listen
  /// @param advertised the address that peers use; null for the one listened on
  /// @return the endpoint; its port may be 0
  /// @throws TransportException as in [#resolve(Address)]
  public static Endpoint resolve(Address address, @Nullable Address advertised) {
    Endpoint literal = ofLiteral(address);
    try {
      Endpoint found = literal != null ? literal : byName(host(address), port(address));
      if (advertised == null && found.inet.isAnyLocalAddress()) {
        throw new TransportException("cannot listen on " + address + ": peers need the address of one interface");
      }
      return found;
    } catch (IllegalArgumentException _) {
      throw new TransportException("cannot listen on " + address + ": not of the form host:port");
    } catch (UnknownHostException _) {
      throw new TransportException("cannot listen on " + address + ": unknown host");
    }
  }

  /// Reads the address that peers use when something between passes their connections on.
  ///
  /// @param address a literal host and a port
  /// @return the endpoint
  /// @throws TransportException when the text is not of that form
  public static Endpoint advertised(Address address) {
    Endpoint literal = ofLiteral(address);
    if (literal == null || literal.port == 0) {
      throw new TransportException("cannot advertise " + address + ": not a literal host:port");
    }
    return literal;
  }

  /// Refuses to listen where strangers could come in. What was checked here must be what is listened on: a name may
  /// stand for another host when it is looked up again.
  ///
  /// @param asked the address as whoever runs the node wrote it
  /// @param rule  why only loopback will do
  /// @throws TransportException when the host is another one
  public void requireLoopback(Address asked, String rule) {
    if (!inet.isLoopbackAddress()) {
      throw new TransportException("cannot listen on " + asked + ": " + rule);
    }
  }

  /// The socket address.
  ///
  /// @return host and port for the JDK
  public InetSocketAddress socket() {
    return new InetSocketAddress(inet, port);
  }

  /// The address under which peers know this host at a port.
  ///
  /// @param actualPort the port that the kernel chose, or this one's
  /// @return the address, with the host as it was written
  public Address at(int actualPort) {
    String shown = host.indexOf(':') < 0 ? host : "[" + host + "]";
    return new Address(shown + ":" + actualPort);
  }

  private static Endpoint byName(String name, int port) throws UnknownHostException {
    InetAddress inet = InetAddress.getByName(name);
    return new Endpoint(inet.getHostAddress(), inet, port);
  }

  private static String host(Address address) {
    String text = address.text();
    String host = text.substring(0, Math.max(0, text.lastIndexOf(':')));
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    if (host.isEmpty() || !bracketed && host.indexOf(':') >= 0) {
      throw new IllegalArgumentException("no host");
    }
    return bracketed ? host.substring(1, host.length() - 1) : host;
  }

  private static int port(Address address) {
    int port = Integer.parseInt(address.text().substring(address.text().lastIndexOf(':') + 1));
    if (port < 0 || port > 0xffff) {
      throw new IllegalArgumentException("no port");
    }
    return port;
  }
}
