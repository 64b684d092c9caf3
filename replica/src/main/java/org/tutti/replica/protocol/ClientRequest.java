package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Answer;
import org.tutti.replica.CallTimeoutException;
import org.tutti.replica.CommandFailedException;
import org.tutti.replica.Read;
import org.tutti.replica.RepliesDifferException;
import org.tutti.replica.ServiceException;
import org.tutti.replica.StateComparison;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.consolidation.Consolidator;

/// A command or question of the caller's, until it has its outcome.
public abstract class ClientRequest {
  final ByteBuffer payload;
  final @Nullable Read read;
  final long deadlineNanos;
  long number; // 0 before it is sent
  boolean over;
  boolean handedOver; // its caller wants no reply, and has gone
  long sentAt; // first, when it has a number
  boolean hedged; // asked over the second connection, too
  @Nullable Consolidator<Answer> replies; // of a command that was sent, for which several are collected
  boolean reached; // one of them has come
  boolean waits; // perhaps for long, and nobody is to blame
  boolean compares; // the states of all replicas

  /// Makes one.
  ///
  /// @param payload       never changed from now on
  /// @param read          how a question reads; null for a command
  /// @param deadlineNanos the steady time at which it is given up; [Long#MAX_VALUE] for never
  protected ClientRequest(ByteBuffer payload, @Nullable Read read, long deadlineNanos) {
    this.payload = payload;
    this.read = read;
    this.deadlineNanos = deadlineNanos;
  }

  /// Says that the service may have no answer for long: then it is no use to ask a second replica, and it does not
  /// say how long an answer takes. To be called before the request is made.
  public final void mayWait() {
    waits = true;
  }

  /// Says that this question is what the states of all replicas are like, and no one that the service answers. To be
  /// called before the request is made; the outcome is [#compared].
  public final void compares() {
    waits = true;
    compares = true;
  }

  /// It has a reply. Called at most once, and then [#failed] is not.
  ///
  /// @param reply    the service's bytes
  /// @param position of a command, its place in the history, or -1 when no reply is collected; of a question, all
  ///                 that it saw lies before
  protected abstract void replied(ByteBuffer reply, long position);

  /// The states were compared. Called at most once, and then [#failed] is not.
  ///
  /// @param outcome what was found
  protected void compared(StateComparison outcome) {
    throw new IllegalStateException("states were compared, and nobody had asked for it");
  }

  /// Several replies were collected. Called at most once, and then nothing else is.
  ///
  /// @param outcome what became of it. By default, a command that has a reply is [#replied], and one that has none
  ///                has [#failed]
  protected void collected(Consolidated<Answer> outcome) {
    switch (outcome) {
      case Consolidated.Success<Answer>(Answer chosen, var _) -> tell(chosen);
      case Consolidated.ReducedMembership<Answer>(Answer chosen, var _, var _) -> tell(chosen);
      case Consolidated.Timeout<Answer> late ->
          failed(new CallTimeoutException("the deadline came with " + Collecting.words(late), true));
      case Consolidated.InsufficientQuorum<Answer> _,
          Consolidated.Inconsistent<Answer> _,
          Consolidated.KeyMemberMissing<Answer> _ ->
          failed(new RepliesDifferException("no " + Collecting.words(outcome) + " counts: they differ"));
    }
  }

  private void tell(Answer chosen) {
    tell(chosen.failed(), chosen.payload(), chosen.position());
  }

  /// Tells what a replica has answered.
  ///
  /// @param refused whether the service has refused it, in words
  final void tell(boolean refused, ByteBuffer bytes, long position) {
    ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
    if (refused) {
      failed(new CommandFailedException(StandardCharsets.UTF_8.decode(copy).toString()));
    } else {
      replied(copy, position);
    }
  }

  /// It gets no reply, if it has none yet.
  final void fail(ServiceException why) {
    if (!over) {
      over = true;
      failed(why);
    }
  }

  /// It has none. Called at most once, and then [#replied] is not.
  ///
  /// @param why what is known
  protected abstract void failed(ServiceException why);
}
