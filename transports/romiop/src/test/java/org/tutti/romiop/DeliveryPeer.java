package org.tutti.romiop;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.Semaphore;
import org.omg.IOP.IOR;
import org.omg.IOP.TaggedProfile;

/// What a test has in place of a process with servants: it takes connections and requests, and answers them as the test
/// says.
final class DeliveryPeer implements AutoCloseable {
  private static final String KEY = "the key";

  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

  DeliveryPeer() throws IOException {}

  IiopAddress address() throws Giop.BrokenGiopException {
    return IiopAddress.of(reference());
  }

  String reference() {
    CdrOut profile = new CdrOut().octet(0).octet(1).octet(2);
    profile.string("127.0.0.1").ushort(server.getLocalPort()).octets(KEY.getBytes(StandardCharsets.ISO_8859_1));
    var ior = new IOR("IDL:tutti.org/Tutti/Delivery:1.0", new TaggedProfile[] {new TaggedProfile(0, profile.bytes())});
    return "IOR:" + HexFormat.of().formatHex(new CdrOut().octet(0).reference(ior).bytes());
  }

  /// The file of the reference, as a process writes it.
  Path reference(Path directory) throws IOException {
    return Files.writeString(directory.resolve("delivery.ior"), reference() + "\n");
  }

  Connection accept() throws IOException {
    return new Connection(server.accept());
  }

  /// Answers everything: what is called with the number of the request.
  void serve(boolean used) {
    Thread.ofVirtual()
        .start(() -> {
          while (!server.isClosed()) {
            try (Connection connection = accept()) {
              connection.begun(used);
              while (true) {
                Delivered each = connection.delivered();
                connection.reply(each.call(), new CdrOut().ulong(Giop.RESULT).octets(new CdrOut().ulong(7).bytes()));
              }
            } catch (IOException | Giop.BrokenGiopException _) {
              // The next one, until the test ends.
            }
          }
        });
  }

  /// Takes no connections any more. A thread that still waits for one may keep the port for a moment, and take one.
  @Override
  public void close() throws IOException {
    server.close();
    while (isReached()) {
      Thread.onSpinWait();
    }
  }

  private boolean isReached() {
    try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
      return probe.isConnected();
    } catch (IOException _) {
      return false;
    }
  }

  /// What is delivered.
  record Delivered(
      Giop call,
      String life,
      long number,
      String key,
      String operation,
      int minor,
      boolean isLittleEndian,
      int argumentsAt,
      byte[] message) {}

  /// Reads a call of `deliver`.
  static Delivered delivered(Giop call) throws Giop.BrokenGiopException {
    CdrIn in = call.body();
    return new Delivered(
        call,
        in.string(100),
        in.ulonglong(),
        in.string(100),
        in.string(100),
        in.octet(),
        in.octet() != 0,
        in.ulong(),
        in.octets(1 << 24));
  }

  /// One connection to it.
  static final class Connection implements AutoCloseable {
    private final Socket socket;
    private final GiopReader reader;

    private Connection(Socket socket) throws IOException {
      this.socket = socket;
      reader = new GiopReader(new BufferedInputStream(socket.getInputStream()), new Semaphore(1 << 30));
    }

    private Giop next() throws IOException, Giop.BrokenGiopException {
      byte[] message = reader.next();
      if (message == null) {
        throw new IOException("the end");
      }
      Giop call = Giop.of(message);
      Giop.require(call.key().equals(KEY), "another object");
      return call;
    }

    /// Takes `begin`, and answers it.
    String begun(boolean used) throws IOException, Giop.BrokenGiopException {
      Giop call = next();
      Giop.require(call.operation().equals("begin"), call.operation());
      CdrOut answer = new CdrOut().ulong(1).string("Counter").string("IDL:Demo/Counter:1.0").octet(used ? 1 : 0);
      reply(call, answer);
      return call.body().string(100);
    }

    Delivered delivered() throws IOException, Giop.BrokenGiopException {
      Giop call = next();
      Giop.require(call.operation().equals("deliver"), call.operation());
      return DeliveryPeer.delivered(call);
    }

    void reply(Giop call, CdrOut result) throws IOException {
      write(Giop.reply(2, Giop.RESULT, result.bytes()).withRequestId(call.requestId()).bytes());
    }

    void write(byte[]... messages) throws IOException {
      for (byte[] each : messages) {
        socket.getOutputStream().write(each);
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
