package org.tutti;

import java.nio.ByteBuffer;
import java.util.Map;

/// Gets a group's events on the engine thread, in order, never concurrently, without a copy. It must not block: the
/// whole node waits for it, and warns in its log when that takes longer than a second. Exceptions stop the node.
///
/// {@snippet class="ApiExamplesTest" region="listener"}
///
/// In a group with state transfer [#requestState] and [#offerState] have to be overridden, or the membership is
/// refused; [#offerState] alone by an observer, unless it does without the state ([MemberConfig#takesState()]).
@FunctionalInterface
public interface GroupListener {
  /// A message may be acted upon; see [Event.Delivery].
  ///
  /// @param sender   who multicast it
  /// @param service  how it stands to other messages
  /// @param position its position, or -1 for services other than [Service#TOTAL], and for messages to some members only
  /// @param payload  lent until the method returns; the same buffer object may serve the next call
  void deliver(MemberId sender, Service service, long position, ByteBuffer payload);

  /// A view was installed; see [Event.ViewChange].
  ///
  /// @param view the new view
  default void install(View view) {}

  /// This member serves from here on; see [Event.CaughtUp].
  ///
  /// @param position of the next delivery that has one
  default void caughtUp(long position) {}

  /// A newcomer needs state; the sink blocks, so hand it to another thread. See [Event.StateRequest].
  ///
  /// @param request the request
  default void requestState(Event.StateRequest request) {
    throw new UnsupportedOperationException("this listener gives no state");
  }

  /// State arrives; the source blocks, so hand it to another thread, which reads it to its end and closes it (and
  /// completes it before, if the state is durable here), and hold later deliveries until then. See [Event.StateOffer].
  ///
  /// @param offer the offer
  default void offerState(Event.StateOffer offer) {
    throw new UnsupportedOperationException("this listener takes no state");
  }

  /// What the members of the view said to each other is here; see [Event.Propagated].
  ///
  /// @param view     the view whose members spoke
  /// @param messages what each of them said, by seniority; the buffers belong to the receiver
  default void propagated(View view, Map<MemberId, ByteBuffer> messages) {}

  /// A thread of this process waits for a response; see [Event.LocalCall]. A listener that does not override this fails
  /// all calls.
  ///
  /// @param call the call
  default void localCall(Event.LocalCall call) {
    call.fail(new UnsupportedOperationException("this listener answers no local calls"));
  }

  /// The membership has ended; nothing follows.
  ///
  /// @param end why
  default void closed(End end) {}
}
