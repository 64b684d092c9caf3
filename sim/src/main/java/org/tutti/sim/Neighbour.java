package org.tutti.sim;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.engine.Request;
import org.tutti.engine.Terms;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;

/// A node's membership of a further group, beside that of its [SimulatedApplication].
final class Neighbour implements TotallyOrdered {
  private final SimulatedNode node;
  private final String group;
  private @Nullable View view;
  private long consumed;
  private long delivered;

  Neighbour(SimulatedNode node, String group) {
    this.node = node;
    this.group = group;
  }

  void begin(boolean creates, GroupConfig config) {
    Terms terms = Terms.voter(config, MemberConfig.standard());
    Request join = new Request.Join(group, null, terms.member(), terms.observer(), this);
    node.request(creates ? new Request.Create(group, terms, this, 0) : join, 0);
  }

  void multicast(int bytes) {
    node.request(new Request.Multicast(group, MessageBlock.of(Batch.Kind.TOTAL, ByteBuffer.allocate(bytes))), 0);
  }

  /// Whether the node is in a view of so many.
  boolean sees(int members) {
    return view != null && view.primary() && view.size() == members;
  }

  /// How many messages were delivered.
  long delivered() {
    return delivered;
  }

  @Override
  public void deliver(long index, Batch batch, long position) {
    delivered += batch.count();
    consumed++;
  }

  @Override
  public void install(View installed) {
    view = installed;
  }

  @Override
  public void ordering(Ordering ordering) {}

  @Override
  public void decided(int messages, long position) {}

  @Override
  public long consumed() {
    return consumed;
  }

  @Override
  public void closed(End ended) {
    throw new IllegalStateException(node.self.name() + " in " + group + ": " + ended);
  }
}
