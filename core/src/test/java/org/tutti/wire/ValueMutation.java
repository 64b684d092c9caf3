package org.tutti.wire;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.fixture.RawPackets;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.ViewMessage;
import org.tutti.order.FixedSequencer;
import org.tutti.order.Skeen;
import org.tutti.order.Stability;
import org.tutti.order.SubsetMessage;
import org.tutti.pack.Batch;

/// Changes one value inside a message and writes it again by its codec: the format is right, only the content is not.
final class ValueMutation {
  private static final int HEAD = 1 + Long.BYTES; // channel and group
  private static final long[] NUMBERS = {
    0, 1, 2, 3, 7, 127, 128, 1024, 32_767, 1 << 20, Integer.MAX_VALUE, 1L << 40, 1L << 62, Long.MAX_VALUE
  };

  private final SplittableRandom random;
  private final List<MemberId> members;
  private final List<ViewId> views;
  private final boolean rich;

  /// Lies that name real members and views.
  ///
  /// @param rich whether the group is that of the rich play, whose members order by Skeen, or in branches by the
  ///             sequencer
  ValueMutation(SplittableRandom random, List<MemberId> members, List<ViewId> views, boolean rich) {
    this.rich = rich;
    this.random = random;
    this.members = members;
    this.views = views;
  }

  /// Changes a message.
  ///
  /// @param message channel, group, view if the channel is of a view, and the protocol's bytes
  /// @return the changed message, or null when nothing in it can be changed so
  byte @Nullable [] about(byte[] message) {
    try {
      var in = new WireReader(ByteBuffer.wrap(message));
      int channel = in.u8();
      long group = in.fixed();
      var out = new WireWriter();
      out.u8(channel);
      out.fixed(group);
      return switch (channel) {
        case 1 -> batch(in, out);
        case 2 ->
            rich && random.nextInt(4) > 0
                ? inView(in, out, RawPackets.inFirstEpoch(Skeen.CODEC))
                : inView(in, out, RawPackets.inFirstEpoch(FixedSequencer.CODEC));
        case 3 -> inView(in, out, Stability.CODEC);
        case 4 -> changed(in, out, StateTransfer.CODEC);
        case 5 -> changed(in, out, ViewMessage.CODEC);
        case 8 -> inView(in, out, new SubsetMessage.Encoding(members.get(random.nextInt(members.size()))));
        case 9 -> board(in, out);
        default -> null;
      };
    } catch (Malformed | IllegalArgumentException | NullPointerException impossible) {
      return null; // the change is one that no record allows
    }
  }

  private byte[] batch(WireReader in, WireWriter out) throws Malformed {
    out.viewId(in.viewId());
    boolean seqToo = random.nextBoolean();
    long seq = in.count();
    int kind = in.u8();
    long stamp = in.count();
    long count = in.count();
    out.count(seqToo ? number(seq) : seq);
    out.u8(kind);
    out.count(random.nextInt(4) == 0 ? number(stamp) : stamp);
    out.count(seqToo ? count : number(count));
    out.raw(in.rest());
    return RawPackets.bytes(out);
  }

  /// Whiteboard values of another version: values without a meaning cannot be untrue.
  private byte[] board(WireReader in, WireWriter out) throws Malformed {
    out.count(number(in.count()));
    out.raw(in.rest());
    return RawPackets.bytes(out);
  }

  private <M> byte[] inView(WireReader in, WireWriter out, Codec<M> codec) throws Malformed {
    out.viewId(in.viewId());
    return changed(in, out, codec);
  }

  private <M> byte[] changed(WireReader in, WireWriter out, Codec<M> codec) throws Malformed {
    M message = codec.read(in);
    @SuppressWarnings("unchecked") // a record is changed into a record of the same type
    M changed = (M) changed(message);
    codec.write(changed, out);
    out.raw(codec.tail(changed));
    return RawPackets.bytes(out);
  }

  private Object changed(Object value) {
    return switch (value) {
      case Boolean flag -> !flag;
      case Long count -> number(count);
      case Integer count -> (int) Math.min(Integer.MAX_VALUE, number(count));
      case MemberId member -> random.nextInt(4) == 0 ? record(member) : members.get(random.nextInt(members.size()));
      case ViewId id -> random.nextBoolean() ? record(id) : views.get(random.nextInt(views.size()));
      case List<?> list -> list(list);
      case Map<?, ?> map -> map(map);
      case ByteBuffer _, String _ -> value;
      case Record record -> record(record);
      default -> throw new IllegalArgumentException("no lies about " + value.getClass());
    };
  }

  private long number(long truth) {
    return switch (random.nextInt(4)) {
      case 0 -> truth + 1;
      case 1 -> Math.max(0, truth - 1);
      case 2 -> truth ^ 1L << random.nextInt(Long.SIZE - 1);
      default -> NUMBERS[random.nextInt(NUMBERS.length)];
    };
  }

  private Object list(List<?> list) {
    List<Object> copy = new ArrayList<>(list);
    if (copy.isEmpty()) {
      return copy;
    }
    int at = random.nextInt(copy.size());
    switch (random.nextInt(6)) {
      case 0 -> copy.remove(at);
      case 1 -> copy.add(copy.get(at));
      case 2 -> copy.add(random.nextInt(copy.size()), copy.remove(at));
      default -> copy.set(at, changed(copy.get(at)));
    }
    return copy;
  }

  private Object map(Map<?, ?> map) {
    var copy = new LinkedHashMap<Object, Object>(map);
    for (Object key : map.keySet()) {
      if (random.nextBoolean()) {
        copy.put(key, changed(copy.remove(key)));
      }
    }
    return copy;
  }

  private Object record(Record record) {
    RecordComponent[] components = record.getClass().getRecordComponents();
    if (components.length == 0) {
      return record;
    }
    Class<?>[] types = new Class<?>[components.length];
    @Nullable Object[] values = new Object[components.length];
    try {
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        values[i] = components[i].getAccessor().invoke(record);
      }
      int at = random.nextInt(components.length);
      Object old = values[at];
      boolean optional = old instanceof View || old instanceof ViewId || old != null && isPartOfKnowledge(old);
      boolean forget = optional && !(record instanceof Batch) && random.nextInt(6) == 0;
      values[at] = old == null || forget ? null : changed(old);
      Constructor<?> constructor = record.getClass().getDeclaredConstructor(types);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException refused) {
      throw new IllegalArgumentException("not a possible " + record.getClass(), refused);
    }
  }

  private static boolean isPartOfKnowledge(Object value) {
    Class<?> outer = value.getClass().getEnclosingClass();
    return outer != null && outer.getSimpleName().equals("Knowledge");
  }

  /// How a message is called in tables.
  static String kindOf(byte[] message) {
    if (message.length <= HEAD) {
      return "short";
    }
    int channel = message[0];
    return switch (channel) {
      case 1 -> isPropagated(message) ? "propagation" : "batch";
      case 2 -> "order";
      case 3 -> "stability";
      case 4 -> "state " + behindView(message);
      case 5 -> "view " + message[HEAD];
      case 6 -> "hello";
      case 8 -> "subset multicast " + behindView(message);
      case 9 -> "board";
      default -> "channel " + channel;
    };
  }

  private static boolean isPropagated(byte[] message) {
    try {
      var in = new WireReader(ByteBuffer.wrap(message, HEAD, message.length - HEAD));
      in.viewId();
      in.count();
      return in.u8() == Batch.Kind.PROPAGATED.ordinal();
    } catch (Malformed e) {
      return false;
    }
  }

  private static String behindView(byte[] message) {
    try {
      var in = new WireReader(ByteBuffer.wrap(message, HEAD, message.length - HEAD));
      in.viewId();
      return Integer.toString(in.u8());
    } catch (Malformed e) {
      return "short";
    }
  }
}
