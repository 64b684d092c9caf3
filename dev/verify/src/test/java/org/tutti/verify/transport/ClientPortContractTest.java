package org.tutti.verify.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.tutti.examples.accounts.ClientPort;
import org.tutti.examples.accounts.ClientRequest;
import org.tutti.examples.accounts.Reply;
import org.tutti.examples.accounts.Transaction.Deposit;
import org.tutti.tls.Credentials;

/// The port for clients of the accounts example. It has no TLS.
final class ClientPortContractTest extends PortContract {
  @Override
  int most() {
    return ClientPort.CONNECTIONS_MAX;
  }

  @Override
  OpenPort open(@Nullable Credentials tls) throws IOException {
    Assumptions.assumeTrue(tls == null, "clients speak without TLS");
    var opened = new AtomicReference<ClientPort>();
    var port =
        new ClientPort(
            new InetSocketAddress("127.0.0.1", 0),
            request -> {
              ClientRequest asked = ClientRequest.decode(ByteBuffer.wrap(request));
              opened.get().reply(asked.client(), new Reply(asked.number(), Reply.Outcome.ACCEPTED, 1));
            });
    opened.set(port);
    int number = port.open();
    return new OpenPort() {
      @Override
      public int port() {
        return number;
      }

      @Override
      public byte[] question() {
        byte[] request = new ClientRequest(1, 1, new Deposit("alice", 1)).encode();
        return ByteBuffer.allocate(Integer.BYTES + request.length).putInt(request.length).put(request).array();
      }

      @Override
      public void close() throws IOException {
        port.close();
      }
    };
  }
}
