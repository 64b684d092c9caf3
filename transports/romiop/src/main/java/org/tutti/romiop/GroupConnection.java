package org.tutti.romiop;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Arrays;
import org.jacorb.orb.etf.ConnectionBase;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.COMM_FAILURE;
import org.omg.CORBA.CompletionStatus;
import org.omg.ETF.BufferHolder;

/// What both ends of a group have in common for the ORB: it writes a message in pieces and ends it by [#flush], and
/// reads a message in pieces, too, header and rest.
abstract class GroupConnection extends ConnectionBase {
  private static final long serialVersionUID = 1;

  private byte[] written = new byte[0]; // a message that the ORB writes at once is copied once
  private final transient ByteArrayOutputStream more = new ByteArrayOutputStream();
  private byte[] message = new byte[0];
  private int taken;

  /// The next message for the ORB; waits for it.
  ///
  /// @return null when there will be none
  abstract byte @Nullable [] next() throws InterruptedException;

  /// A message from the ORB is complete.
  abstract void send(byte[] whole);

  @Override
  public void write(boolean first, boolean last, byte[] data, int offset, int length, long timeout) {
    if (written.length == 0) {
      written = Arrays.copyOfRange(data, offset, offset + length);
    } else {
      more.write(data, offset, length);
    }
  }

  @Override
  public void flush() {
    byte[] whole = written;
    if (more.size() > 0) {
      whole = Arrays.copyOf(written, written.length + more.size());
      System.arraycopy(more.toByteArray(), 0, whole, written.length, more.size());
      more.reset();
    }
    written = new byte[0];
    if (whole.length > 0) {
      send(whole);
    }
  }

  @Override
  public int read(BufferHolder into, int offset, int min, int max, long timeout) {
    if (taken == message.length) {
      byte[] next = null;
      try {
        next = next();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
      if (next == null) {
        throw new COMM_FAILURE("the connection to the group is closed", 0, CompletionStatus.COMPLETED_MAYBE);
      }
      message = next;
      taken = 0;
    }
    int count = Math.min(max, message.length - taken);
    System.arraycopy(message, taken, into.value, offset, count);
    taken += count;
    return count;
  }

  @Override
  public boolean is_data_available() {
    return taken < message.length;
  }

  @Override
  protected void setTimeout(int timeout) {}

  @Override
  protected int getTimeout() {
    return 0;
  }

  @Override
  protected COMM_FAILURE handleCommFailure(IOException e) {
    return to_COMM_FAILURE(e instanceof InterruptedIOException ? new IOException("interrupted", e) : e);
  }
}
