package org.tutti.rmi;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;

/// What comes out of a socket on which calls are made, as long as it is what the called one may answer; at the first
/// that is not, the stream fails, before RMI sees any of it. RMI itself reads answers without a filter of the call.
///
/// ```
/// greeting := 4e  length of host (2)  host  port (4)
/// answer   := 51  ac ed 00 05  77 0f  (01 result | 02 exception)  id (14)  [ object ]   |   53, the answer to a ping
/// ```
///
/// What an object is made of is found out by making it, from classes that do no harm ([CheckedObject]); RMI then gets
/// the same bytes. An exception is not read: that there is one is enough.
final class AnswerFilter extends InputStream {
  private static final int GREETING = 0x4e;
  private static final int TLS_FIRST = 20; // the range of types of TLS's records
  private static final int TLS_LAST = 23;
  private static final int ANSWER = 0x51;
  private static final int PING_ACK = 0x53;
  private static final byte[] STREAM_HEADER = {(byte) 0xac, (byte) 0xed, 0, 5};
  private static final byte[] HEAD = {(byte) 0xac, (byte) 0xed, 0, 5, 0x77, 15};
  private static final int RESULT = 1;
  private static final int EXCEPTION = 2;
  private static final int ID_BYTES = 14;
  private static final int OBJECT_FIRST = 0x70; // the range of the serialization's type codes
  private static final int OBJECT_LAST = 0x7e;
  private static final int HOST_BYTES_MAX = 255;

  private final InputStream in;
  private final Answers expected;
  private final long wholeNanos;
  private final Consumer<IOException> broken;
  private byte[] checked = {};
  private int given;
  private boolean greeted;
  private boolean refused;

  /// @param broken is told why reading failed
  AnswerFilter(InputStream in, Answers expected, Duration wholeMax, Consumer<IOException> broken) {
    this.broken = broken;
    this.in = in;
    this.expected = expected;
    this.wholeNanos = wholeMax.toNanos();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) <= 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    try {
      if (given == checked.length && !next()) {
        return -1;
      }
    } catch (IOException e) {
      broken.accept(e);
      throw e;
    }
    int count = Math.min(length, checked.length - given);
    System.arraycopy(checked, given, into, offset, count);
    given += count;
    return count;
  }

  @Override
  public int available() {
    return checked.length - given;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  /// Reads one part of a conversation; it has to be complete within a time, however slowly its bytes come.
  ///
  /// @return false at the end
  private boolean next() throws IOException {
    if (refused) {
      throw new RefusedAnswerException("nothing is read behind a refused answer");
    }
    int first = in.read();
    if (first < 0) {
      return false;
    }
    var part = new Part(first);
    try {
      if (!greeted) {
        greeting(first, part);
      } else if (first == ANSWER) {
        head(part);
      } else if (first >= OBJECT_FIRST && first <= OBJECT_LAST) {
        object(part);
      } else if (first != PING_ACK) {
        throw new RefusedAnswerException("no valid answer of RMI");
      }
    } catch (ExceptionalAnswerException e) {
      refused = true; // what follows would be the exception
      throw e;
    } catch (RefusedAnswerException e) {
      refused = true;
      expected.refused.incrementAndGet();
      throw e;
    }
    checked = part.bytes();
    given = 0;
    return true;
  }

  private void greeting(int first, Part part) throws IOException {
    if (first >= TLS_FIRST && first <= TLS_LAST) {
      throw new TlsAnswerException();
    }
    if (first != GREETING) {
      throw new RefusedAnswerException("not a registry or object of RMI");
    }
    int host = part.need() << Byte.SIZE | part.need();
    if (host > HOST_BYTES_MAX) {
      throw new RefusedAnswerException("a host's name of " + host + " bytes");
    }
    part.need(host + Integer.BYTES);
    greeted = true;
  }

  private static void head(Part part) throws IOException {
    if (!Arrays.equals(part.need(HEAD.length), HEAD)) {
      throw new RefusedAnswerException("no valid answer of RMI");
    }
    int kind = part.need();
    if (kind == EXCEPTION) {
      throw new ExceptionalAnswerException();
    } else if (kind != RESULT) {
      throw new RefusedAnswerException("no valid answer of RMI");
    }
    part.need(ID_BYTES);
  }

  private void object(Part part) throws IOException {
    var stream = new SequenceInputStream(new ByteArrayInputStream(STREAM_HEADER), part.again());
    try (var object = new CheckedObject(stream, expected)) {
      object.check();
    } catch (EOFException | SocketTimeoutException | RefusedAnswerException e) {
      throw e;
    } catch (IOException | ClassNotFoundException | RuntimeException e) {
      throw new RefusedAnswerException("unexpected answer: " + e.getMessage(), e);
    } catch (StackOverflowError e) {
      throw new RefusedAnswerException("objects in objects", e);
    }
  }

  /// Bytes that are read and kept.
  private final class Part extends InputStream {
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final long endNanos = System.nanoTime() + wholeNanos;
    private int back = -1; // the first byte, as long as it is to be read again

    Part(int first) {
      kept.write(first);
    }

    byte[] bytes() {
      return kept.toByteArray();
    }

    /// From the first byte on.
    Part again() {
      back = kept.toByteArray()[0];
      return this;
    }

    int need() throws IOException {
      return Byte.toUnsignedInt(need(1)[0]);
    }

    byte[] need(int count) throws IOException {
      byte[] some = readNBytes(count);
      if (some.length < count) {
        throw new EOFException("the answer ends too early");
      }
      return some;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) <= 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (back >= 0 && length > 0) {
        into[offset] = (byte) back;
        back = -1;
        return 1;
      }
      if (System.nanoTime() - endNanos > 0) {
        throw new SocketTimeoutException("the answer takes too long");
      }
      if (kept.size() + length > expected.bytesMax) {
        throw new RefusedAnswerException("more than " + expected.bytesMax + " bytes");
      }
      int count = in.read(into, offset, length);
      if (count > 0) {
        kept.write(into, offset, count);
      }
      return count;
    }

    @Override
    public void close() {
      // The socket stays open.
    }
  }

  /// An answer that is not what was asked for.
  static class RefusedAnswerException extends IOException {
    private static final long serialVersionUID = 1;

    RefusedAnswerException(String message) {
      super(message);
    }

    RefusedAnswerException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /// A record of TLS.
  static final class TlsAnswerException extends RefusedAnswerException {
    private static final long serialVersionUID = 1;

    TlsAnswerException() {
      super("a record of TLS");
    }
  }

  /// The call has ended by an exception there.
  static final class ExceptionalAnswerException extends RefusedAnswerException {
    private static final long serialVersionUID = 1;

    ExceptionalAnswerException() {
      super("the call ended by an exception");
    }
  }
}
