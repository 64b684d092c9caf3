package org.tutti.verify.discovery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// A name server (RFC 1035) on loopback that knows a few records: real datagrams, as the JDK's client sends them.
final class NameServer implements AutoCloseable {
  private static final int A = 1;
  private static final int AAAA = 28;
  private static final int SRV = 33;
  private static final int HEADER = 12;
  private static final int NOT_FOUND = 3;

  private record Key(String name, int type) {}

  private final DatagramSocket socket;
  private final Map<Key, List<byte[]>> records = new ConcurrentHashMap<>();

  NameServer() throws IOException {
    socket = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"));
    Thread.ofVirtual().start(this::serve);
  }

  String address() {
    return "127.0.0.1:" + socket.getLocalPort();
  }

  void host(String name, String... literals) {
    for (int type : new int[] {A, AAAA}) {
      records.put(
          new Key(name, type),
          List.of(literals).stream()
              .map(literal -> InetAddress.ofLiteral(literal).getAddress())
              .filter(bytes -> bytes.length == (type == A ? 4 : 16))
              .toList());
    }
  }

  /// @param targets `priority weight port host` each
  void service(String name, String... targets) {
    records.put(new Key(name, SRV), List.of(targets).stream().map(NameServer::target).toList());
  }

  private static byte[] target(String text) {
    String[] fields = text.split(" ");
    ByteBuffer data = ByteBuffer.allocate(300);
    for (int i = 0; i < 3; i++) {
      data.putShort((short) Integer.parseInt(fields[i]));
    }
    for (String label : fields[3].split("\\.")) {
      data.put((byte) label.length()).put(label.getBytes(StandardCharsets.US_ASCII));
    }
    byte[] bytes = new byte[data.put((byte) 0).flip().remaining()];
    data.get(bytes);
    return bytes;
  }

  private void serve() {
    byte[] memory = new byte[512];
    try {
      while (!socket.isClosed()) {
        var packet = new DatagramPacket(memory, memory.length);
        socket.receive(packet);
        byte[] answer = answer(ByteBuffer.wrap(memory, 0, packet.getLength()));
        socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
      }
    } catch (IOException e) {
      if (!socket.isClosed()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private byte[] answer(ByteBuffer query) {
    query.position(HEADER);
    var name = new StringBuilder();
    for (int length = query.get(); length > 0; length = query.get()) {
      byte[] label = new byte[length];
      query.get(label);
      name.append(name.isEmpty() ? "" : ".").append(new String(label, StandardCharsets.US_ASCII));
    }
    int type = query.getShort();
    int questionEnd = query.position() + Short.BYTES;
    String asked = name.toString().toLowerCase(Locale.ROOT);
    boolean known = records.keySet().stream().anyMatch(key -> key.name.equals(asked));
    List<byte[]> found = records.getOrDefault(new Key(asked, type), List.of());
    ByteBuffer answer = ByteBuffer.allocate(4096).put(query.slice(0, questionEnd));
    answer.putShort(2, (short) (0x8580 | (known ? 0 : NOT_FOUND))); // an answer, with authority
    answer.putShort(4, (short) 1).putShort(6, (short) found.size()).putInt(8, 0);
    for (byte[] data : found) {
      answer.putShort((short) (0xc000 | HEADER)).putShort((short) type).putShort((short) 1).putInt(0);
      answer.putShort((short) data.length).put(data);
    }
    byte[] bytes = new byte[answer.flip().remaining()];
    answer.get(bytes);
    return bytes;
  }

  @Override
  public void close() {
    socket.close();
  }
}
