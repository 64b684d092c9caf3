package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;

/// Counts frames and the messages in them by protocol, and how long the chains are in which messages cause each other.
///
/// A message stands one step behind the longest chain whose end its sender had taken in. There are two kinds of chains:
/// those of batches and the ordering's messages only, and those in which progress counts too.
final class Meter implements Network.Observer, FrameText.Reader {
  private static final int BATCH = 1; // the protocols' numbers on the wire
  private static final int ORDER = 2;
  private static final int STABILITY = 3;

  private record Chains(int ordering, int delivery) {}

  private final Map<byte[], Chains> onTheWay = new IdentityHashMap<>();
  private final int[] ordering; // by node: the longest chain it has taken in
  private final int[] delivery;
  private Traffic counted = Traffic.NONE;
  private Traffic inFrame = Traffic.NONE;

  Meter(int nodes) {
    this.ordering = new int[nodes];
    this.delivery = new int[nodes];
  }

  @Override
  public void sent(int from, int to, byte[] frame) {
    inFrame = new Traffic(0, 0, 0, 0, 0, 0, 1, frame.length);
    FrameText.read(ByteBuffer.wrap(frame), this);
    boolean orders = inFrame.protocol() > 0;
    boolean informs = orders || inFrame.progress() > 0;
    onTheWay.put(frame, new Chains(orders ? ordering[from] + 1 : 0, informs ? delivery[from] + 1 : 0));
    counted = counted.plus(inFrame);
  }

  @Override
  public void arrived(int to, byte[] frame) {
    Chains chains = onTheWay.remove(frame);
    if (chains != null) {
      ordering[to] = Math.max(ordering[to], chains.ordering());
      delivery[to] = Math.max(delivery[to], chains.delivery());
    }
  }

  @Override
  public void chunk(boolean whole, boolean first, ByteBuffer bytes) {
    if (first) {
      count(
          switch (bytes.get(bytes.position())) {
            case BATCH -> new Traffic(1, 0, 0, 0, 0, 0, 0, 0);
            case ORDER -> new Traffic(0, 1, 0, 0, 0, 0, 0, 0);
            case STABILITY -> new Traffic(0, 0, 1, 0, 0, 0, 0, 0);
            default -> new Traffic(0, 0, 0, 0, 0, 1, 0, 0);
          });
    }
  }

  @Override
  public void acknowledgement() {
    count(new Traffic(0, 0, 0, 1, 0, 0, 0, 0));
  }

  @Override
  public void datagram() {
    count(new Traffic(0, 0, 0, 0, 1, 0, 0, 0));
  }

  private void count(Traffic one) {
    inFrame = inFrame.plus(one);
  }

  /// Begins to count and to measure chains anew.
  void reset() {
    Arrays.fill(ordering, 0);
    Arrays.fill(delivery, 0);
    onTheWay.clear();
    counted = Traffic.NONE;
  }

  /// What was sent since the last reset.
  Traffic traffic() {
    return counted;
  }

  /// The longest chain of batches and the ordering's messages that a node has taken in.
  int orderingChain(int node) {
    return ordering[node];
  }

  /// The same with progress.
  int deliveryChain(int node) {
    return delivery[node];
  }
}
