package org.tutti.link;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Names;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Tells nodes of other clusters that they are in the wrong place, and how this one is called.
///
/// ```
///   n9 of "test"                     n1 of "prod"
///     | ~~ hello, cluster #test ~~~> |   dropped
///     | <~~ REFUSAL "prod" ~~~~~~~~~ |   at most one a second to each, and ten to all
/// ```
///
/// It goes where the refused node says to be, by the transport: which over UDP sends nothing but a greeting to an
/// address that has not answered one. Nobody answers to a refusal.
final class Refusals {
  private static final long PAUSE_NANOS = 1_000_000_000L;
  private static final int ANSWERS_MAX = 10; // in that time

  private final MemberId self;
  private final String cluster;
  private final FrameSender sender;
  private final LongSupplier beat;
  private final Map<Address, Long> answered = new LinkedHashMap<>(); // when, the oldest first

  Refusals(MemberId self, String cluster, FrameSender sender, LongSupplier beat) {
    this.self = self;
    this.cluster = cluster;
    this.sender = sender;
    this.beat = beat;
  }

  /// Answers a packet of another cluster, unless that was done lately.
  void answer(long now, Packet refused) {
    MemberId to = refused.identity();
    if (cluster.isEmpty() || refused.kind() != Packet.DATAGRAM || to == null) {
      return;
    }
    answered.values().removeIf(at -> now - at >= PAUSE_NANOS);
    if (answered.size() >= ANSWERS_MAX || answered.putIfAbsent(to.address(), now) != null) {
      return;
    }
    boolean sum = sender.traits().checksum();
    WireWriter packet = Packet.begin(Packet.REFUSAL, refused.cluster(), self, to.incarnation(), true, sum);
    packet.text(cluster);
    if (packet.length() <= sender.traits().frameBytesMax()) {
      Packet.write(packet, to.address(), sender, beat.getAsLong());
    }
  }

  /// Reads a refusal.
  ///
  /// @return the cluster of who refuses; null when the refusal is not for this life
  @Nullable String read(Packet packet) throws Malformed {
    if (packet.destination() != self.incarnation() || packet.identity() == null) {
      return null;
    }
    String its = new WireReader(packet.body()).text(Names.BYTES_MAX);
    if (Names.fault(its) != null) {
      throw new Malformed("refusal");
    }
    return its;
  }
}
