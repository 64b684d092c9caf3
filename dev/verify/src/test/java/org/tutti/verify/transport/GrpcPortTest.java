package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.grpc.GrpcConfig;
import org.tutti.grpc.GrpcTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;

final class GrpcPortTest extends TlsPortContract {
  private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0}; // none

  // Frames of HTTP/2 (RFC 9113, section 6).
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;
  private static final int CANCEL = 8;
  private static final int ENHANCE_YOUR_CALM = 11;
  private static final int RESETS_MAX = 16;

  @Test
  void whoResetsStreamAfterStreamIsHungUpOn() throws IOException {
    OpenPort at = opened(null);
    try (Socket socket = new Socket("127.0.0.1", at.port())) {
      socket.setSoTimeout(10_000);
      var out = new DataOutputStream(socket.getOutputStream());
      var in = new DataInputStream(socket.getInputStream());
      out.write(at.question());
      for (int i = 0; i < RESETS_MAX; i++) {
        beginAndReset(out, 2 * i + 1);
      }
      frame(out, PING, 0, 0, new byte[8]);
      assertThat(skipTo(in, PING)).as("what it answers after as many resets as it allows").isNotNull();
      beginAndReset(out, 2 * RESETS_MAX + 1);
      byte[] end = skipTo(in, GOAWAY);
      assertThat(ByteBuffer.wrap(end).getInt(Integer.BYTES)).as("why it hangs up").isEqualTo(ENHANCE_YOUR_CALM);
      byte[] _ = in.readAllBytes(); // until the end of the connection
    }
    assertThat(answers(at)).as("others are served").isTrue();
  }

  private static void beginAndReset(DataOutputStream out, int stream) throws IOException {
    var head = new ByteArrayOutputStream(); // in HPACK (RFC 7541), nothing of it compressed
    head.writeBytes(new byte[] {(byte) 0x83, (byte) 0x86}); // :method POST, :scheme http
    head.writeBytes(field("\4", "/tutti.Frames/Carry")); // :path
    head.writeBytes(field("\17\20", "application/grpc")); // content-type
    head.writeBytes(field("\0\2te", "trailers"));
    frame(out, HEADERS, END_HEADERS, stream, head.toByteArray());
    frame(out, RST_STREAM, 0, stream, new byte[] {0, 0, 0, CANCEL});
  }

  private static byte[] field(String name, String value) {
    return (name + (char) value.length() + value).getBytes(StandardCharsets.US_ASCII);
  }

  private static void frame(DataOutputStream out, int type, int flags, int stream, byte[] content) throws IOException {
    out.writeInt(content.length << 8 | type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(content);
  }

  /// The content of the next frame of a type; of pings the answer to one.
  private static byte[] skipTo(DataInputStream in, int type) throws IOException {
    while (true) {
      int first = in.readInt();
      int flags = in.readUnsignedByte();
      in.skipNBytes(Integer.BYTES);
      byte[] content = in.readNBytes(first >>> 8);
      boolean isQuestion = type == PING && (flags & ACK) == 0;
      if ((first & 0xff) == type && !isQuestion) {
        return content;
      }
    }
  }

  @Override
  OpenPort open(@Nullable Credentials tls) throws IOException {
    GrpcConfig config = GrpcConfig.lan();
    return new Polled(
        GrpcTransport.open(new Address("127.0.0.1:0"), null, tls == null ? config : config.withTls(tls))) {
      @Override
      public byte[] question() {
        return ByteBuffer.allocate(PREFACE.length + SETTINGS.length).put(PREFACE).put(SETTINGS).array();
      }
    };
  }
}
