package org.tutti.replica;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.tutti.Event;
import org.tutti.MemberId;

/// Answers the calls of a group's members ([GroupCalls]). One thread calls its methods, in the order of the group's
/// events, never concurrently, and it may block: then this member's group waits for it.
///
/// All members execute each call at the same place of the history, so those that answer alike by what was executed
/// before are replicas of each other; but they need not answer alike.
@FunctionalInterface
public interface CallHandler {
  /// Executes a call.
  ///
  /// @param caller   the member that made it; may be this one
  /// @param position its place in the history; -1 in a view that is not primary whose group goes on there
  /// @param request  what the caller sent; belongs to the handler
  /// @return the answer, up to [GroupCalls#ANSWER_BYTES_MAX] bytes from position to limit; must not change any more.
  ///     Nobody reads it when it was posted
  /// @throws Exception any: the caller gets an [Answer] that has failed, with the exception's message, or
  ///                   the first 8192 characters of it
  ByteBuffer answer(MemberId caller, long position, ByteBuffer request) throws Exception;

  /// Everything else that happens to the member: views, that it serves, state to give and to take. In a group with
  /// state transfer this has to be overridden. It never gets deliveries or [Event.Closed].
  ///
  /// @param event as [org.tutti.Group#receive()] returns it
  /// @throws IOException          when the state that is offered breaks off; another offer follows
  /// @throws InterruptedException when interrupted; the member leaves
  default void event(Event event) throws IOException, InterruptedException {
    switch (event) {
      case Event.StateRequest _, Event.StateOffer _ ->
          throw new UnsupportedOperationException("this handler neither gives nor takes state");
      case Event.LocalCall call -> call.fail(new UnsupportedOperationException("this handler answers no local calls"));
      default -> {}
    }
  }
}
