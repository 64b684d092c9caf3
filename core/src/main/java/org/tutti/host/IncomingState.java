package org.tutti.host;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.StateSource;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.membership.StateChecksum;
import org.tutti.user.Request;

/// The newcomer's side of a state transfer: keeps the chunks that have arrived until the application reads them.
///
/// It reports each chunk that is taken, which gives the donor a credit; so at most
/// [org.tutti.user.GroupUser#CHUNKS_ON_THE_WAY] are here. When the last one is taken, the member counts as one that has
/// the state. If its application makes that durable first, it is taken only when the application says so.
final class IncomingState extends StateSource {
  private final String group;
  private final long transfer;
  private final String donor;
  private final boolean durable;
  private final Consumer<String> aborted;
  private final Request taken;
  private final Inbox inbox;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<ByteBuffer> chunks = new ArrayDeque<>();
  private ByteBuffer current = ByteBuffer.allocate(0);
  private boolean begun; // what is known already was said
  private final StateChecksum checksum = new StateChecksum(); // of what the application has read
  private StateChecksum.@Nullable Sum end; // once the last chunk is here
  private boolean confirmed; // the application has the state
  private boolean closed;
  private @Nullable String broken;

  /// @param durable whether the application has it only when it says so, as it makes it durable
  /// @param aborted called with the reason when the application does not get it to its end
  IncomingState(String group, long transfer, String donor, boolean durable, Inbox inbox, Consumer<String> aborted) {
    this.group = group;
    this.transfer = transfer;
    this.donor = donor;
    this.durable = durable;
    this.aborted = aborted;
    this.taken = new Request.StateTaken(group, transfer);
    this.inbox = inbox;
  }

  @Override
  public void resume(byte[] token) {
    if (token.length > TOKEN_BYTES_MAX) {
      throw new IllegalArgumentException("a token has at most " + TOKEN_BYTES_MAX + " bytes, not " + token.length);
    }
    lock.lock();
    try {
      if (begun) {
        throw new IllegalStateException("resume is called once, before reading");
      }
      begin(token.clone());
    } finally {
      lock.unlock();
    }
  }

  private void begin(byte[] token) {
    begun = true;
    inbox.post(new Request.StateKnown(group, transfer, ByteBuffer.wrap(token)));
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (length == 0) {
      return 0;
    }
    lock.lock();
    try {
      if (!await()) {
        return -1;
      }
      int part = Math.min(length, current.remaining());
      current.get(bytes, offset, part);
      checksum.add(ByteBuffer.wrap(bytes, offset, part));
      check();
      return part;
    } finally {
      lock.unlock();
    }
  }

  /// What the application has read when it has read all is what the donor's application wrote.
  private void check() throws IOException {
    if (isRead() && !checksum.sum().equals(end)) {
      broken = "it was damaged after it had arrived";
      aborted.accept("the state from " + donor + " is void: " + broken);
      throw new IOException("the state from " + donor + " is void: " + broken);
    }
  }

  /// Waits for bytes; false at the end.
  private boolean await() throws IOException {
    if (!begun) {
      begin(new byte[0]);
    }
    while (true) {
      if (closed) {
        throw new IOException("the state's source was closed");
      }
      if (broken != null) {
        throw new IOException("the state from " + donor + " is void: " + broken);
      }
      if (current.hasRemaining()) {
        return true;
      }
      ByteBuffer next = chunks.pollFirst();
      if (next != null) {
        current = next;
        taken();
      } else if (end != null) {
        check();
        return false;
      } else {
        sleep();
      }
    }
  }

  private void taken() {
    boolean last = end != null && chunks.isEmpty();
    if (!last || !durable) {
      confirmed |= last;
      inbox.post(taken);
    }
  }

  private void sleep() throws IOException {
    if (inbox.isOwner()) {
      throw new IllegalStateException("reading state would block the engine thread; read it from another thread");
    }
    try {
      changed.await();
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while reading the state from " + donor);
    }
  }

  @Override
  public void complete() throws IOException {
    lock.lock();
    try {
      if (await()) {
        throw new IllegalStateException("a part of the state from " + donor + " was not read");
      }
      if (!confirmed) {
        confirmed = true;
        inbox.post(taken);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int available() {
    lock.lock();
    try {
      return broken != null ? 0 : current.remaining();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      boolean aborts = !isOver();
      String words = isRead() ? "without completing it" : "before its end";
      closed = true;
      current = ByteBuffer.allocate(0);
      chunks.clear();
      changed.signalAll();
      if (aborts) {
        aborted.accept("its application closed the state " + words);
      }
    } finally {
      lock.unlock();
    }
  }

  /// A piece has arrived.
  void chunk(ByteBuffer bytes, StateChecksum.@Nullable Sum last) {
    lock.lock();
    try {
      end = last;
      if (!closed && bytes.hasRemaining()) {
        chunks.addLast(bytes);
      } else if (!closed) {
        taken();
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// No more will come.
  void interrupt(String why) {
    lock.lock();
    try {
      broken = why;
      chunks.clear();
      current = ByteBuffer.allocate(0);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// What the application is to do with it.
  String use() {
    return durable ? "read to its end and completed, or closed," : "read to its end, or closed,";
  }

  /// Whether the application is through with it.
  boolean isOver() {
    lock.lock();
    try {
      return closed || broken != null || (isRead() && (confirmed || !durable));
    } finally {
      lock.unlock();
    }
  }

  private boolean isRead() {
    return end != null && chunks.isEmpty() && !current.hasRemaining();
  }
}
