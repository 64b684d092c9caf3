package org.tutti.cli;

import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.tutti.Event;
import org.tutti.GroupListener;
import org.tutti.MemberId;
import org.tutti.Service;
import org.tutti.View;

/// Tells when a member that does not care for deliveries is in.
final class Entrance implements GroupListener {
  private final CountDownLatch open = new CountDownLatch(1);

  boolean await(long time, TimeUnit unit) throws InterruptedException {
    return open.await(time, unit);
  }

  @Override
  public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
    // Sending is all this member is there for.
  }

  @Override
  public void install(View view) {
    open.countDown();
  }

  @Override
  public void requestState(Event.StateRequest request) {
    // This member has no state: another one must give it.
    request.sink().close();
  }

  @Override
  public void offerState(Event.StateOffer offer) {
    throw new IllegalStateException("unexpected: " + offer);
  }

  @Override
  public void closed(String reason) {
    open.countDown();
  }
}
