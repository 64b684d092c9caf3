package org.tutti.replica;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.protocol.Frame;
import org.tutti.tls.TlsWire;
import org.tutti.tls.Wire;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;

/// A connection of a client to one replica after the other, over TCP. With the client's lock.
final class Lane implements Carrier, ClientLoop.Channel {
  private static final int UNWRITTEN_BYTES_MAX = 64 << 20;

  private final Client client;
  private final TlsWire.@Nullable Context tls;
  private final Consumer<Carrier.Happening> told;
  private @Nullable FrameChannel connection;
  private @Nullable String replica; // whose connection it is
  private @Nullable SelectionKey key;
  private long attempts;

  /// @param client whose lock is held, and who has ended it when it is closed
  /// @param tls    null for connections without it
  /// @param told   what happens to the connection, with the lock
  Lane(Client client, TlsWire.@Nullable Context tls, Consumer<Carrier.Happening> told) {
    this.client = client;
    this.tls = tls;
    this.told = told;
  }

  /// The name is looked up on a thread of its own, as that may take seconds.
  @Override
  public void connect(String address) {
    long attempt = ++attempts;
    Thread.ofVirtual()
        .name("client-connects")
        .start(() -> {
          try {
            SocketChannel socket = SocketChannel.open();
            socket.configureBlocking(false);
            socket.connect(resolve(address));
            client.afterwards(() -> register(attempt, address, socket));
          } catch (IOException | RuntimeException e) {
            client.afterwards(() -> failed(attempt, e));
          }
        });
  }

  private InetSocketAddress resolve(String address) throws IOException {
    int colon = address.lastIndexOf(':');
    String host = address.substring(0, Math.max(0, colon)).replaceAll("^\\[|]$", "");
    var found = new InetSocketAddress(host, Integer.parseInt(address.substring(colon + 1)));
    if (found.isUnresolved()) {
      throw new IOException("unknown host");
    }
    return found;
  }

  private void register(long attempt, String address, SocketChannel socket) {
    FrameChannel frames = channel(socket);
    if (attempt != attempts || client.isClosed()) {
      frames.close();
      return;
    }
    try {
      connection = frames;
      replica = address;
      boolean there = socket.isConnected(); // on loopback at once, perhaps
      SelectionKey own =
          socket.register(client.loop().selector(), there ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this);
      key = own;
      if (there) {
        begin(frames, own);
      }
    } catch (IOException e) {
      lost(frames, e);
    }
  }

  private FrameChannel channel(SocketChannel socket) {
    if (tls == null) {
      return new FrameChannel(socket, null);
    }
    var itself = new FrameChannel[1];
    TlsWire wire = tls.wire(socket, true, Wire.Traffic.UNCOUNTED, () -> secure(itself[0]));
    itself[0] = new FrameChannel(socket, wire);
    return itself[0];
  }

  private void failed(long attempt, Exception why) {
    if (attempt == attempts) {
      told.accept(new Carrier.Happening.Disconnected(String.valueOf(why.getMessage())));
    }
  }

  @Override
  public void disconnect() {
    attempts++;
    drop();
  }

  private void drop() {
    FrameChannel current = connection;
    connection = null;
    replica = null;
    key = null;
    if (current != null) {
      current.close();
    }
  }

  @Override
  public void send(ByteBuffer frame) {
    FrameChannel current = connection;
    if (current == null) {
      return;
    }
    current.add(frame);
    if (current.unwritten() > UNWRITTEN_BYTES_MAX) {
      client.afterwards(() -> lost(current, "the replica does not read"));
    }
  }

  @Override
  public void ready(SelectionKey selected) {
    client.actByLoop(() -> handle(selected));
  }

  private void handle(SelectionKey selected) {
    FrameChannel current = connection;
    if (current == null || selected != key) {
      return;
    }
    try {
      if (selected.isReadable()) {
        current.readable();
      }
      if (selected.isConnectable() && current.socket().finishConnect()) {
        begin(current, selected);
      } else if (!current.isSecured()) {
        secure(current);
      } else if (selected.isReadable()) {
        current.read(() -> Frame.BYTES_MAX, frame -> received(current, frame));
      }
    } catch (IOException | CancelledKeyException e) {
      lost(current, e);
    }
  }

  private boolean received(FrameChannel from, ByteBuffer frame) {
    told.accept(new Carrier.Happening.Received(frame));
    return from == connection;
  }

  private void begin(FrameChannel current, SelectionKey own) throws IOException {
    own.interestOps(SelectionKey.OP_READ);
    current.socket().socket().setTcpNoDelay(true);
    if (current.isSecured()) {
      told.accept(new Carrier.Happening.Connected());
    } else {
      secure(current);
    }
  }

  /// Goes on with the handshake of TLS.
  private void secure(FrameChannel current) {
    SelectionKey own = key;
    if (current != connection || own == null || current.isSecured()) {
      return;
    }
    try {
      if (current.secure()) {
        own.interestOps(SelectionKey.OP_READ);
        told.accept(new Carrier.Happening.Connected());
        current.takeAgain(() -> Frame.BYTES_MAX, frame -> received(current, frame));
      } else {
        own.interestOps(current.interest());
      }
    } catch (IOException | CancelledKeyException e) {
      lost(current, e);
    }
  }

  @Override
  public long waiting() {
    return connection == null ? 0 : connection.unwritten();
  }

  @Override
  public void write() {
    FrameChannel current = connection;
    SelectionKey own = key;
    if (current == null || own == null || !current.socket().isConnected() || !current.isSecured()) {
      return;
    }
    try {
      int ops = SelectionKey.OP_READ | (current.write() ? 0 : SelectionKey.OP_WRITE);
      if (own.interestOps() != ops) {
        own.interestOps(ops);
        own.selector().wakeup();
      }
    } catch (IOException | CancelledKeyException e) {
      lost(current, e);
    }
  }

  private void lost(FrameChannel which, Exception why) {
    String at = replica;
    Refused refused =
        tls == null || at == null || !(why instanceof IOException failure)
            ? null
            : tls.refusal(failure, new Address(at));
    if (refused != null) {
      lost(which, refused.words());
    } else if (why instanceof FrameChannel.BadLengthException wrong && wrong.isTls) {
      lost(which, "it speaks TLS, this client does not");
    } else {
      lost(which, String.valueOf(why.getMessage()));
    }
  }

  private void lost(FrameChannel which, String why) {
    if (which == connection) {
      drop();
      told.accept(new Carrier.Happening.Disconnected(why));
    }
  }
}
