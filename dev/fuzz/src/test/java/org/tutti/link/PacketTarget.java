package org.tutti.link;

import java.nio.ByteBuffer;
import org.tutti.MemberId;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.transport.Address;
import org.tutti.wire.Malformed;
import org.tutti.wire.Versions;
import org.tutti.wire.WireWriter;

/// The header of a frame, with and without a checksum.
public final class PacketTarget implements FuzzTarget {
  private static final Versions ALL = new Versions(1, 255);
  private static final MemberId ANYBODY = new MemberId("n", new Address("h:1"), 1);

  @Override
  public void take(ByteBuffer input) throws Malformed {
    ByteBuffer frame = input.slice();
    boolean sum = frame.remaining() > Packet.HEADER_BYTES && (frame.get(2) & 2) != 0;
    if (sum) {
      Packet.seal(frame, 0, frame.limit(), frame.getLong(Packet.HEADER_BYTES - Long.BYTES), true);
    }
    Packet packet = Packet.read(frame.duplicate(), sum, ALL);
    MemberId self =
        packet.identity() != null
            ? packet.identity()
            : new MemberId(ANYBODY.name(), ANYBODY.address(), packet.source());
    if (packet.version() < Versions.OWN.oldest()) {
      return; // read, to tell its sender; not written any more
    }
    Versions its = packet.versions() == null ? Versions.OWN : packet.versions();
    var speaker = new Packet.Speaker(self, packet.cluster(), its);
    WireWriter header =
        Packet.begin(packet.version(), packet.kind(), speaker, packet.destination(), packet.identity() != null, sum);
    header.raw(packet.body());
    ByteBuffer again = header.copy();
    Packet.seal(again, 0, again.limit(), packet.beat(), sum);
    Packet second = Packet.read(again.duplicate(), sum, ALL);
    FuzzTarget.same(packet.body(), second.body());
    if (!packet.equals(second)) {
      throw new AssertionError(packet + " became " + second);
    }
  }
}
