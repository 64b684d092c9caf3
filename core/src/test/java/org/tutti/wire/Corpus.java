package org.tutti.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.tutti.MemberId;
import org.tutti.ViewId;
import org.tutti.fixture.RawPackets;
import org.tutti.transport.Address;

/// Everything that was carried in one whole run of the [ScriptedGroup], with the tick at which it arrived. Whoever
/// draws from it gets what somebody could know who listened up to a moment: nothing of the future.
final class Corpus implements ScriptedGroup.Listener {
  private static final int TICKS_MAX = 30_000;
  private static final int NEAR = 60;
  private static final int TRIES = 20;
  private static final int VIEW_AT = 9; // behind channel and group

  private record Carried(long tick, MemberId to, byte[] frame) {}

  private record Said(long tick, MemberId to, byte[] message) {}

  private final List<Carried> frames = new ArrayList<>();
  private final List<Said> said = new ArrayList<>();
  private final Map<String, List<Said>> byKind = new TreeMap<>();
  private final List<String> kindNames;
  private final TreeSet<MemberId> speakers = new TreeSet<>();
  private final TreeSet<ViewId> viewIds = new TreeSet<>();
  private long ticks;

  /// Every life that spoke, and one that never was.
  final List<MemberId> members;

  final List<ViewId> views;

  Corpus(boolean rich) {
    var stage = new ScriptedGroup(true, rich, this);
    while (!stage.isOver()) {
      if (++ticks > TICKS_MAX) {
        throw new IllegalStateException("the play does not come to its end: " + stage);
      }
      stage.tick();
    }
    speakers.add(new MemberId("nobody", new Address("nowhere:1"), 77));
    this.members = List.copyOf(speakers);
    this.views = List.copyOf(viewIds);
    this.kindNames = List.copyOf(byKind.keySet());
  }

  @Override
  public byte[] arriving(ScriptedGroup.Participant from, ScriptedGroup.Participant to, byte[] frame) {
    frames.add(new Carried(ticks, to.self, frame.clone()));
    speakers.add(from.self);
    RawPackets.messages(frame, message -> keep(new Said(ticks, to.self, message)));
    return frame;
  }

  private void keep(Said one) {
    said.add(one);
    byKind.computeIfAbsent(ValueMutation.kindOf(one.message), key -> new ArrayList<>()).add(one);
    if (one.message[0] <= 3 || one.message[0] == 6 || one.message[0] == 8) {
      try {
        viewIds.add(new WireReader(ByteBuffer.wrap(one.message, VIEW_AT, one.message.length - VIEW_AT)).viewId());
      } catch (Malformed e) {
        throw new IllegalStateException("members send what can be read", e);
      }
    }
  }

  /// How long the play is.
  long ticks() {
    return ticks;
  }

  /// When the first message was said.
  long firstWords() {
    return said.getFirst().tick;
  }

  /// Which kinds of messages the play has, and how often.
  Map<String, Integer> kinds() {
    var kinds = new TreeMap<String, Integer>();
    byKind.forEach((kind, some) -> kinds.put(kind, some.size()));
    return kinds;
  }

  /// All messages, in the order in which they arrived.
  List<byte[]> messages() {
    return said.stream().map(Said::message).toList();
  }

  /// A frame that was carried up to a moment, mostly a recent one to a member.
  byte[] frame(SplittableRandom random, long moment, MemberId to) {
    int known = known(frames, Carried::tick, moment);
    for (int tries = 0; tries < TRIES; tries++) {
      Carried one = frames.get(known - 1 - random.nextInt(Math.min(known, tries < TRIES / 2 ? NEAR : known)));
      if (one.to.equals(to)) {
        return one.frame.clone();
      }
    }
    return frames.get(random.nextInt(known)).frame.clone();
  }

  /// A message that was said up to a moment: half of the draws are recent ones to a member, half are of any kind.
  byte[] message(SplittableRandom random, long moment, MemberId to) {
    int known = known(said, Said::tick, moment);
    if (random.nextBoolean()) {
      for (int tries = 0; tries < TRIES; tries++) {
        Said one = said.get(known - 1 - random.nextInt(Math.min(known, NEAR)));
        if (one.to.equals(to)) {
          return one.message.clone();
        }
      }
    }
    while (true) {
      List<Said> some = byKind.get(kindNames.get(random.nextInt(kindNames.size())));
      int of = known(some, Said::tick, moment);
      if (of > 0) {
        return some.get(random.nextInt(of)).message.clone();
      }
    }
  }

  private static <T> int known(List<T> things, ToLongFunction<T> tick, long moment) {
    int from = 0;
    int to = things.size();
    while (from < to) {
      int middle = (from + to) / 2;
      if (tick.applyAsLong(things.get(middle)) <= moment) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }
}
