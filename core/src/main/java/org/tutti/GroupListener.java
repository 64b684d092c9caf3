package org.tutti;

import java.nio.ByteBuffer;

/// Gets a group's events on the engine thread, in order, never concurrently, without a copy. It must not block: the
/// whole node waits for it. Exceptions stop the node.
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
  void install(View view);

  /// A newcomer needs state; the sink blocks, so hand it to another thread. See [Event.StateRequest].
  ///
  /// @param request the request
  void requestState(Event.StateRequest request);

  /// State arrives; the source blocks, so hand it to another thread, and hold later deliveries until it is read. See
  /// [Event.StateOffer].
  ///
  /// @param offer the offer
  void offerState(Event.StateOffer offer);

  /// A thread of this process waits for a response; see [Event.LocalCall]. A listener whose group is never called needs
  /// not implement it.
  ///
  /// @param call the call
  default void localCall(Event.LocalCall call) {
    throw new UnsupportedOperationException("this listener answers no local calls");
  }

  /// The membership has ended; nothing follows.
  ///
  /// @param reason why, in words
  void closed(String reason);
}
