package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Picks the messages of view agreement out of the frames, for a [Recorder]. Of a message that is many frames long the
/// first one counts; of overlapping groups the one that speaks first, which is the one with the history.
final class ViewMessageSniffer implements Network.Observer, FrameText.Reader {
  private static final int VIEW_CHANNEL = 5;
  private static final int KIND_AT = 1 + Long.BYTES; // behind channel and group
  private static final String[] KINDS = { // by their numbers on the wire
    "",
    "Propose",
    "Wedged",
    "Refused",
    "Agreed",
    "Accept",
    "Accepted",
    "Install",
    "Fetch",
    "Supply",
    "Report",
    "Ask",
    "Found",
    "Meet",
    "Overruled",
    "Doubted",
    "Refuted",
    "NameInUse"
  };

  private record Said(int from, long nanos, List<String> kinds) {}

  private final Scheduler scheduler;
  private final Recorder recorder;
  private final Map<byte[], Said> onTheWay = new IdentityHashMap<>(); // looked up only
  private @Nullable Long group;
  private List<String> kinds = List.of();

  ViewMessageSniffer(Scheduler scheduler, Recorder recorder) {
    this.scheduler = scheduler;
    this.recorder = recorder;
  }

  @Override
  public void sent(int from, int to, byte[] frame) {
    kinds = new ArrayList<>();
    FrameText.read(ByteBuffer.wrap(frame), this);
    if (!kinds.isEmpty()) {
      onTheWay.put(frame, new Said(from, scheduler.nowNanos(), kinds));
    }
  }

  @Override
  public void chunk(boolean whole, boolean first, ByteBuffer bytes) {
    int start = bytes.position();
    if (first && bytes.remaining() > KIND_AT && bytes.get(start) == VIEW_CHANNEL) {
      long key = bytes.getLong(start + 1);
      group = group == null ? Long.valueOf(key) : group;
      int kind = bytes.get(start + KIND_AT);
      if (group == key && kind > 0 && kind < KINDS.length) {
        kinds.add(KINDS[kind]);
      }
    }
  }

  @Override
  public void arrived(int to, byte[] frame) {
    Said said = onTheWay.remove(frame);
    if (said != null) {
      for (String kind : said.kinds) {
        recorder.arrived(new Recorder.Talk(said.from, to, said.nanos, scheduler.nowNanos(), kind));
      }
    }
  }

  @Override
  public void cut(boolean @Nullable [][] cut) {
    recorder.cut(scheduler.nowNanos(), cut);
  }
}
