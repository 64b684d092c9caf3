package org.tutti.host;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.StateSink;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.membership.StateChecksum;
import org.tutti.user.GroupUser;
import org.tutti.user.Request;

/// The donor's side of a state transfer: cuts what the application writes into chunks and lets one go for each credit.
///
/// A full chunk is kept until another byte comes or the state is complete, so that only an empty state ends with an
/// empty chunk: a reader that has got all bytes has also seen the end.
final class OutgoingState extends StateSink {
  private final String group;
  private final long transfer;
  private final String newcomer;
  private final Inbox inbox;
  private final StateProgress progress;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private int credits = GroupUser.CHUNKS_ON_THE_WAY;
  private byte[] chunk = new byte[GroupUser.CHUNK_BYTES_MAX];
  private int filled;
  private final StateChecksum checksum = new StateChecksum(); // of what the application has written
  private byte @Nullable [] token;
  private boolean completed;
  private @Nullable String broken;

  OutgoingState(String group, long transfer, String newcomer, Inbox inbox, StateProgress progress) {
    this.group = group;
    this.transfer = transfer;
    this.newcomer = newcomer;
    this.inbox = inbox;
    this.progress = progress;
  }

  @Override
  public byte[] token() throws IOException {
    lock.lock();
    try {
      while (token == null) {
        check();
        await();
      }
      return token.clone();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    lock.lock();
    try {
      int at = offset;
      for (int left = length; left > 0; ) {
        check();
        if (filled == chunk.length) {
          send(false);
        }
        int part = Math.min(left, chunk.length - filled);
        System.arraycopy(bytes, at, chunk, filled, part);
        checksum.add(ByteBuffer.wrap(bytes, at, part));
        filled += part;
        at += part;
        left -= part;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void complete() throws IOException {
    lock.lock();
    try {
      if (!completed) {
        check();
        send(true);
        completed = true;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      giveUp("its sink was closed before it was complete");
    } finally {
      lock.unlock();
    }
  }

  private void giveUp(String why) {
    if (!completed && broken == null) {
      broken = why;
      progress.gaveUp(transfer, why);
      inbox.post(new Request.StateFailed(group, transfer));
      changed.signalAll();
    }
  }

  private void check() throws IOException {
    if (completed) {
      throw new IOException("the state for " + newcomer + " is complete; nothing can be added");
    }
    if (broken != null) {
      throw new IOException("the state for " + newcomer + " was given up: " + broken);
    }
  }

  private void send(boolean last) throws IOException {
    while (credits == 0) {
      await();
      check();
    }
    credits--;
    ByteBuffer full = ByteBuffer.wrap(chunk, 0, filled);
    if (!inbox.post(new Request.StateChunk(group, transfer, full, last ? checksum.sum() : null))) {
      broken = "the node has stopped";
      check();
    }
    progress.gave(transfer, filled, last);
    chunk = last ? new byte[0] : new byte[GroupUser.CHUNK_BYTES_MAX];
    filled = 0;
  }

  private void await() throws IOException {
    if (inbox.isOwner()) {
      throw new IllegalStateException("writing state would block the engine thread; write it from another thread");
    }
    try {
      changed.await();
    } catch (InterruptedException interrupt) {
      giveUp("the writer was interrupted");
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while writing the state for " + newcomer);
    }
  }

  /// The newcomer begins to read.
  void known(ByteBuffer said) {
    lock.lock();
    try {
      token = new byte[said.remaining()];
      said.duplicate().get(token);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Room for another chunk.
  void wanted() {
    lock.lock();
    try {
      credits++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Nobody waits for this state any more.
  void cancel(String why) {
    lock.lock();
    try {
      if (broken == null) {
        broken = why;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Whether nothing more will be written.
  boolean isOver() {
    lock.lock();
    try {
      return completed || broken != null;
    } finally {
      lock.unlock();
    }
  }
}
