package org.tutti.verify.transport;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.tutti.tls.Credentials;
import org.tutti.verify.cli.CommandProcess;

/// The port of `tutti member --health`, which has no TLS.
final class HealthPortTest extends PortContract {
  private static final String QUESTION = "GET /health/live HTTP/1.1\r\nHost: here\r\n\r\n";

  @Override
  int most() {
    return 512;
  }

  @Override
  OpenPort open(@Nullable Credentials tls) throws IOException {
    CommandProcess member =
        CommandProcess.tutti("member", "--group=g", "--listen=127.0.0.1:0", "--create", "--health=127.0.0.1:0");
    int port = port(member);
    return new OpenPort() {
      @Override
      public int port() {
        return port;
      }

      @Override
      public byte[] question() {
        return QUESTION.getBytes(StandardCharsets.US_ASCII);
      }

      @Override
      public void close() {
        member.close();
      }
    };
  }

  private static int port(CommandProcess member) throws IOException {
    try {
      return Integer.parseInt(member.lineMatching("health at .*").replaceFirst(".*:", ""));
    } catch (InterruptedException e) {
      member.close();
      throw new IOException(e);
    } catch (AssertionError e) {
      member.close();
      throw e;
    }
  }
}
