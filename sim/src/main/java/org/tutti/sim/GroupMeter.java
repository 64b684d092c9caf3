package org.tutti.sim;

import java.nio.ByteBuffer;

/// Counts what one group sends where nodes are in several: its messages, and the frames that carry any of them.
///
/// The group is the one whose message comes first, so it has to be alone then.
final class GroupMeter implements Network.Observer, FrameText.Reader {
  private static final int GROUP_AT = 1; // in a message, behind its channel
  private static final int BATCH = 1; // the protocols' numbers on the wire
  private static final int ORDER = 2;
  private static final int STABILITY = 3;

  private final boolean[][] ours; // by sender and receiver, whether the message under way between them is the group's
  private boolean[] receivers = {};
  private int receiver;
  private boolean known;
  private long group;
  private Traffic inFrame = Traffic.NONE;
  private Traffic counted = Traffic.NONE;

  GroupMeter(int nodes) {
    this.ours = new boolean[nodes][nodes];
  }

  @Override
  public void sent(int from, int to, byte[] frame) {
    receivers = ours[from];
    receiver = to;
    inFrame = Traffic.NONE;
    FrameText.read(ByteBuffer.wrap(frame), this);
    if (inFrame.bytes() > 0) {
      counted = counted.plus(inFrame).plus(new Traffic(0, 0, 0, 0, 0, 0, 1, 0));
    }
  }

  @Override
  public void arrived(int to, byte[] frame) {}

  @Override
  public void chunk(boolean whole, boolean first, ByteBuffer bytes) {
    if (first) {
      long its = bytes.getLong(bytes.position() + GROUP_AT);
      if (!known) {
        known = true;
        group = its;
      }
      receivers[receiver] = its == group;
    }
    if (receivers[receiver]) {
      long length = bytes.remaining();
      inFrame =
          inFrame.plus(
              switch (first ? bytes.get(bytes.position()) : 0) {
                case 0 -> new Traffic(0, 0, 0, 0, 0, 0, 0, length);
                case BATCH -> new Traffic(1, 0, 0, 0, 0, 0, 0, length);
                case ORDER -> new Traffic(0, 1, 0, 0, 0, 0, 0, length);
                case STABILITY -> new Traffic(0, 0, 1, 0, 0, 0, 0, length);
                default -> new Traffic(0, 0, 0, 0, 0, 1, 0, length);
              });
    }
  }

  @Override
  public void acknowledgement() {}

  @Override
  public void datagram() {}

  void reset() {
    counted = Traffic.NONE;
  }

  /// What the group sent since the last reset; bytes are those of its messages, without the frames' headers.
  Traffic traffic() {
    return counted;
  }
}
