package org.tutti.romiop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.replica.Client;
import org.tutti.replica.spi.PortProvider;
import org.tutti.transport.Address;

/// The port of a replicated service for clients of any ORB: a [Gateway] that calls the service. Its reference has a
/// profile for the port of each replica.
final class ServiceGateway implements PortProvider.Port {
  private static final int BACKLOG = 50;

  private final ServerSocket socket;
  private final String reference;
  private final Gateway gateway;

  // Both guarded by this.
  private boolean reachable;
  private @Nullable Consumer<Boolean> told; // the gateway, when it is ready to be told

  private ServiceGateway(ServerSocket socket, String reference, String ports, ServedObjects objects, Client client) {
    this.socket = socket;
    this.reference = reference;
    gateway =
        new Gateway(
            socket,
            objects::isKey,
            views -> {
              tell(views);
              return new ServiceCaller(client, objects, ports);
            },
            null,
            Gateway.Limits.usual());
  }

  /// Opens a port.
  ///
  /// @param objects which keys and operations there are; their state is not used
  /// @param to      the interface, the key, and the service as a group
  static ServiceGateway open(
      Address listen, List<Address> all, Client client, ServedObjects objects, GroupReference.Id id, String type)
      throws IOException {
    ServerSocket socket = bound(listen.text());
    try {
      String ports = all.isEmpty() ? address(socket) : all.stream().map(Address::text).collect(Collectors.joining(","));
      String reference = new GroupReference(type, id, 1, null, GroupReference.addresses(ports)).toString();
      var opened = new ServiceGateway(socket, reference, ports, objects, client);
      opened.gateway.start();
      return opened;
    } catch (IllegalArgumentException e) {
      socket.close();
      throw e;
    }
  }

  private static ServerSocket bound(String listen) throws IOException {
    int colon = listen.lastIndexOf(':');
    boolean isAny = colon > 0 && listen.substring(colon + 1).equals("0");
    InetSocketAddress at = GroupReference.hostAndPort(isAny ? listen.substring(0, colon) + ":1" : listen);
    try {
      return new ServerSocket(isAny ? 0 : at.getPort(), BACKLOG, InetAddress.getByName(at.getHostString()));
    } catch (IOException e) {
      throw new IOException("cannot listen on " + listen + ": " + e.getMessage(), e);
    }
  }

  private static String address(ServerSocket socket) {
    String host = socket.getInetAddress().getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + socket.getLocalPort();
  }

  private synchronized void tell(Consumer<Boolean> gatewayOf) {
    told = gatewayOf;
    gatewayOf.accept(reachable);
  }

  @Override
  public synchronized void reachable(boolean now) {
    reachable = now;
    if (told != null) {
      told.accept(now);
    }
  }

  @Override
  public String address() {
    return address(socket);
  }

  @Override
  public String reference() {
    return reference;
  }

  @Override
  public List<Metric> metrics() {
    return gateway.metrics();
  }

  @Override
  public void close() {
    gateway.close();
  }
}
