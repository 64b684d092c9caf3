package org.tutti.romiop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.concurrent.Semaphore;
import org.omg.IOP.IOR;
import org.tutti.replica.Command;

/// A group service of one replica, which answers over IIOP.
final class GroupService implements AutoCloseable {
  private final ReplicatedObjects objects = new ReplicatedObjects(new ObjectGroups());
  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private int position;

  GroupService() throws IOException {
    Thread.ofPlatform().daemon().start(this::serve);
  }

  private void serve() {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        var in = new BufferedInputStream(socket.getInputStream());
        byte[] question = new GiopReader(in, new Semaphore(1 << 20)).next();
        socket.getOutputStream().write(question == null ? new byte[0] : answer(Giop.of(question)));
      } catch (IOException _) {
        // It ends, or the other side does.
      } catch (Giop.BrokenGiopException e) {
        throw new AssertionError(e);
      }
    }
  }

  private synchronized byte[] answer(Giop question) {
    return objects.query(ServiceRequest.encoded("", question)).array();
  }

  IiopAddress address() {
    return new IiopAddress(InetSocketAddress.createUnresolved("127.0.0.1", server.getLocalPort()), ObjectGroups.KEY);
  }

  private synchronized Giop change(String operation, CdrOut arguments) throws Giop.BrokenGiopException {
    position++;
    ByteBuffer request = ServiceRequest.encoded("", Giop.call(ObjectGroups.KEY, operation, arguments));
    Giop reply = Giop.of(objects.apply(new Command(1, position, position, Instant.EPOCH, request)).array());
    assertThat(reply.isResult()).as(operation).isTrue();
    return reply;
  }

  private static CdrOut name(GroupReference.Id id) {
    CdrOut out = new CdrOut();
    ObjectGroups.writeName(id, out);
    return out;
  }

  /// A change: the version of the group's references is the number of all changes so far.
  void create(GroupReference.Id id) throws Giop.BrokenGiopException {
    change("create_object_group", name(id).string("IDL:Demo/Counter:1.0").string(""));
  }

  /// A change.
  void add(GroupReference.Id id, String location, String gateway) throws Giop.BrokenGiopException {
    change("add_member", name(id).string(location).string("127.0.0.1:7101").string(gateway));
  }

  /// A change.
  void remove(GroupReference.Id id, String location) throws Giop.BrokenGiopException {
    change("remove_member", name(id).string(location));
  }

  /// The newest one.
  IOR reference(GroupReference.Id id) throws Giop.BrokenGiopException {
    Giop question = Giop.call(ObjectGroups.KEY, "get_object_group_ref", name(id));
    return Giop.of(answer(question)).body().reference(1024, 1 << 16);
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
