package org.tutti.verify.transport;

import com.example.counter.Counter;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.tutti.Node;
import org.tutti.replica.Replica;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// The port for clients of a replicated service.
final class ReplicaPortTest extends TlsPortContract {
  private static final byte[] HELLO = {0, 0, 0, 14, 1, 'T', 'U', 'C', '1', 0, 1, 'c', 'o', 'u', 'n', 't', 'e', 'r'};

  @Override
  OpenPort open(@Nullable Credentials tls) throws IOException {
    Node node = Node.named("a").transport(new InProcess().open(new Address("a"))).start();
    Replica.Builder settings = Replica.of("counter", new Counter()).founding().connectionsMax(most());
    Replica replica = (tls == null ? settings : settings.tls(tls)).start(node);
    try {
      replica.awaitServing(Duration.ofSeconds(60));
    } catch (InterruptedException | TimeoutException e) {
      throw new IOException(e);
    }
    int port = Integer.parseInt(replica.clients().substring(replica.clients().lastIndexOf(':') + 1));
    return new OpenPort() {
      @Override
      public int port() {
        return port;
      }

      @Override
      public byte[] question() {
        return HELLO;
      }

      @Override
      public void close() {
        replica.close();
        node.close();
      }
    };
  }
}
