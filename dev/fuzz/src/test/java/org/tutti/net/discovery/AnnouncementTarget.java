package org.tutti.net.discovery;

import java.nio.ByteBuffer;
import java.util.Set;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.net.discovery.MulticastDiscovery.Announcement;
import org.tutti.transport.Address;

/// What members of a segment say of themselves; the rest is dropped with a count.
public final class AnnouncementTarget implements FuzzTarget {
  private static final Announcement OURS = new Announcement("c");

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of();
  }

  @Override
  public void take(ByteBuffer input) {
    ByteBuffer datagram = input.slice();
    if (OURS.verdict(datagram) == Announcement.Verdict.TAKEN) {
      Address told = Announcement.address(datagram);
      FuzzTarget.same(datagram, ByteBuffer.wrap(OURS.of(told)));
    }
  }
}
