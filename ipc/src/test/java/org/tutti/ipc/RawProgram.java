package org.tutti.ipc;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.tutti.ipc.ProgramMessage.Answer;
import org.tutti.ipc.ProgramMessage.Call;
import org.tutti.wire.Malformed;

/// A program that is attached to a host by its bytes alone, and may say or leave what it likes; or such a host.
final class RawProgram implements AutoCloseable {
  private final SocketChannel socket;
  private long number = 1;

  RawProgram(SocketChannel socket) {
    this.socket = socket;
  }

  static RawProgram connected(Path path) throws IOException {
    SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
    socket.connect(UnixDomainSocketAddress.of(path));
    return new RawProgram(socket);
  }

  static RawProgram greeted(Path path) throws IOException, Malformed {
    RawProgram program = connected(path);
    program.write(framed(new ProgramMessage.Hello(ProgramMessage.VERSION)));
    program.read();
    return program;
  }

  static byte[] framed(ProgramMessage message) {
    var parts = ProgramMessage.parts(message);
    int length = ProgramLink.length(parts);
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + length).putInt(length);
    parts.forEach(bytes::put);
    return bytes.array();
  }

  void write(byte[] bytes) throws IOException {
    ByteBuffer all = ByteBuffer.wrap(bytes);
    while (all.hasRemaining()) {
      socket.write(all);
    }
  }

  ProgramMessage read() throws IOException, Malformed {
    ByteBuffer length = fill(ByteBuffer.allocate(Integer.BYTES));
    return ProgramMessage.read(fill(ByteBuffer.allocate(length.getInt())));
  }

  private ByteBuffer fill(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      if (socket.read(bytes) < 0) {
        throw new EOFException();
      }
    }
    return bytes.flip();
  }

  /// Asks, and does not read what comes of it.
  void call(int process, Request<?> request) throws IOException {
    write(framed(new Call(number++, process, request)));
  }

  <T> Result<T> result(int process, Request<T> request) throws IOException, Malformed {
    call(process, request);
    return ((Answer) read()).read(request.form());
  }

  int open() throws IOException, Malformed {
    return result(0, new Request.Open()) instanceof Result.Done<Integer>(Integer process) ? process : 0;
  }

  /// Reads to the end.
  void awaitEnd() {
    ByteBuffer bytes = ByteBuffer.allocate(1 << 10);
    try {
      while (socket.read(bytes.clear()) >= 0) {}
    } catch (IOException _) {
      // The host has not read all that was said.
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
