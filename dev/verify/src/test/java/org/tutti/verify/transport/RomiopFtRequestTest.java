package org.tutti.verify.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.verify.transport.RomiopProcesses.Program;

/// What `ft-request.h` gives to a call that omniORB sends again, and to the next one.
class RomiopFtRequestTest {
  private static final int FT_REQUEST = 13;

  @TempDir private static Path directory;

  private Process process;
  private Socket connection;

  /// A request of GIOP 1.2, little-endian.
  private record Request(int id, String operation, String ftRequest) {}

  @AfterEach
  void end() throws Exception {
    if (connection != null) {
      connection.close();
    }
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void aCallThatIsSentAgainHasTheSameContext() throws Exception {
    Path program = IiopPrograms.compiledClient(directory);
    process = IiopPrograms.start(program);
    Program client = Program.of(process);
    try (ServerSocket gateway = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      String reference = "corbaloc:iiop:1.2@127.0.0.1:" + gateway.getLocalPort() + "/Counter";
      client.tell(reference + " adds 2");
      connection = gateway.accept();
      Request first = next("add");
      // This connection was used before: omniORB sends the call again by itself.
      connection.close();
      connection = gateway.accept();
      Request again = next("add");
      // This one was not, and there is no other address: the handler has the call sent again.
      connection.close();
      connection = gateway.accept();
      Request once = next("add");
      reply(once.id(), 5);
      Request second = next("add");
      reply(second.id(), 6);
      assertThat(client.said().readLine()).isEqualTo("sum 6");
      assertThat(first.ftRequest()).isNotEmpty().isEqualTo(again.ftRequest()).isEqualTo(once.ftRequest());
      assertThat(second.ftRequest()).isNotEmpty().isNotEqualTo(first.ftRequest());
    }
  }

  /// The next request for an operation; what comes before, about the type of the object, is answered by yes.
  private Request next(String operation) throws IOException {
    while (true) {
      byte[] header = connection.getInputStream().readNBytes(12);
      assertThat(header).hasSize(12);
      assertThat(header[6]).as("little-endian, no fragments").isEqualTo((byte) 1);
      ByteBuffer whole = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN).put(header);
      whole.put(connection.getInputStream().readNBytes(whole.getInt(8))).flip().position(12);
      if (header[7] == 3) {
        send(4, new byte[0], whole.getInt(), 1); // the object is here
        continue;
      }
      Request request = read(whole);
      if (request.operation().equals(operation)) {
        return request;
      }
      assertThat(request.operation()).isEqualTo("_is_a");
      send(1, new byte[] {1}, request.id(), 0, 0); // of one byte, or omniORB refuses it
    }
  }

  private static Request read(ByteBuffer from) {
    int id = from.getInt();
    from.position(24);
    bytes(from); // the key
    byte[] operation = bytes(from);
    from.position((from.position() + 3) & ~3);
    String ftRequest = "";
    for (int contexts = from.getInt(); contexts > 0; contexts--) {
      from.position((from.position() + 3) & ~3);
      int kind = from.getInt();
      byte[] content = bytes(from);
      ftRequest = kind == FT_REQUEST ? HexFormat.of().formatHex(content) : ftRequest;
    }
    return new Request(id, new String(operation, 0, operation.length - 1, US_ASCII), ftRequest);
  }

  private static byte[] bytes(ByteBuffer from) {
    from.position((from.position() + 3) & ~3);
    byte[] bytes = new byte[from.getInt()];
    from.get(bytes);
    return bytes;
  }

  private void reply(int id, int result) throws IOException {
    send(1, new byte[0], id, 0, 0, result);
  }

  private void send(int type, byte[] tail, int... numbers) throws IOException {
    int length = 4 * numbers.length + tail.length;
    ByteBuffer all = ByteBuffer.allocate(12 + length).order(ByteOrder.LITTLE_ENDIAN);
    all.put(new byte[] {'G', 'I', 'O', 'P', 1, 2, 1, (byte) type}).putInt(length);
    Arrays.stream(numbers).forEach(all::putInt);
    connection.getOutputStream().write(all.put(tail).array());
  }
}
