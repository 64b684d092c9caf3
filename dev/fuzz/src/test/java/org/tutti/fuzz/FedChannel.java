package org.tutti.fuzz;

import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/// A connection over which an input comes, in parts: before each one its length in a byte. What is written is lost.
public final class FedChannel extends SocketChannel {
  private final ByteBuffer input;

  /// Begins.
  ///
  /// @param input what comes
  public FedChannel(ByteBuffer input) {
    super(SelectorProvider.provider());
    this.input = input;
  }

  @Override
  public int read(ByteBuffer into) {
    if (!input.hasRemaining()) {
      return -1;
    }
    int most = Math.min(Byte.toUnsignedInt(input.get()), Math.min(input.remaining(), into.remaining()));
    into.put(input.slice(input.position(), most));
    input.position(input.position() + most);
    return most;
  }

  @Override
  public int write(ByteBuffer from) {
    int written = from.remaining();
    from.position(from.limit());
    return written;
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public SocketChannel bind(SocketAddress local) {
    return this;
  }

  @Override
  public <T> SocketChannel setOption(SocketOption<T> name, T value) {
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return Set.of();
  }

  @Override
  public SocketChannel shutdownInput() {
    return this;
  }

  @Override
  public SocketChannel shutdownOutput() {
    return this;
  }

  @Override
  public Socket socket() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public boolean isConnectionPending() {
    return false;
  }

  @Override
  public boolean connect(SocketAddress remote) {
    return true;
  }

  @Override
  public boolean finishConnect() {
    return true;
  }

  @Override
  public SocketAddress getRemoteAddress() {
    throw new UnsupportedOperationException();
  }

  @Override
  public SocketAddress getLocalAddress() {
    throw new UnsupportedOperationException();
  }

  @Override
  protected void implCloseSelectableChannel() {}

  @Override
  protected void implConfigureBlocking(boolean block) {}
}
