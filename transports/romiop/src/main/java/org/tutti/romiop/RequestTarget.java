package org.tutti.romiop;

import org.jspecify.annotations.Nullable;

/// Where a [Gateway] sends the requests of its clients: into a group of objects ([GroupCaller]), or to a replicated
/// service ([ServiceCaller]).
interface RequestTarget extends AutoCloseable {
  /// Sends a request. Waits while there is too much under way.
  ///
  /// @throws org.omg.CORBA.SystemException one of a [RomiopFailure]: then it was not sent
  void request(Giop request);

  /// Nobody waits for the reply to a request any more.
  void cancel(int requestId);

  /// The next reply to a request, by its id; waits for it.
  ///
  /// @return null when there will be none
  byte @Nullable [] next() throws InterruptedException;

  /// Whether requests are taken.
  boolean isOpen();

  @Override
  void close();
}
