package org.tutti.rmi;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.function.Consumer;

/// A connection on which calls are made, encrypted or not, with an [AnswerFilter] in what is read. What RMI does with a
/// socket that a factory has connected is all that it can do.
final class AskingSocket extends Socket {
  private final Socket carrier;
  private final InputStream answers;

  /// @param broken is told why reading failed
  AskingSocket(Socket carrier, Answers expected, Duration answerMax, Consumer<IOException> broken) throws IOException {
    this.carrier = carrier;
    this.answers = new AnswerFilter(carrier.getInputStream(), expected, answerMax, broken);
  }

  @Override
  public InputStream getInputStream() {
    return answers;
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    return carrier.getOutputStream();
  }

  @Override
  public void setSoTimeout(int millis) throws SocketException {
    carrier.setSoTimeout(millis);
  }

  @Override
  public int getSoTimeout() throws SocketException {
    return carrier.getSoTimeout();
  }

  @Override
  public void setTcpNoDelay(boolean on) throws SocketException {
    carrier.setTcpNoDelay(on);
  }

  @Override
  public void setKeepAlive(boolean on) throws SocketException {
    carrier.setKeepAlive(on);
  }

  @Override
  public boolean isClosed() {
    return carrier.isClosed();
  }

  @Override
  public void close() throws IOException {
    carrier.close();
  }

  @Override
  public String toString() {
    return carrier.toString();
  }
}
