package org.tutti.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.Whiteboard;
import org.tutti.effect.Effects;
import org.tutti.user.GroupUser;
import org.tutti.wire.Channel;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Spreads the values that members put on the whiteboard of a group (JBora, section 3.2).
///
/// A change waits until this member says something to all in any case, and goes with it, in the same packets; if it
/// says nothing for [Whiteboard#DELAY_MILLIS], it goes alone. Each message carries all values of its sender, which are
/// few; so the latest is enough, and at most one is sent in [#APART]. When views become one, everybody speaks.
/// JBora appends the value to each multicast; here it is a message beside them, because it is of no view and waits for
/// nothing: it is taken at once, in views that are not primary and during changes of the view too.
final class BoardExchange implements Effects.Inward<BoardExchange.Values> {
  /// What a member shows.
  ///
  /// @param version counts the sender's changes
  /// @param values  by name; the one without a name has the empty one
  record Values(long version, SortedMap<String, Long> values) {}

  /// The bytes of [Values].
  static final Codec<Values> CODEC =
      new Codec<>() {
        private static final int ENTRY_BYTES_MIN = 1 + Long.BYTES;

        @Override
        public void write(Values message, WireWriter out) {
          out.count(message.version);
          out.count(message.values.size());
          message.values.forEach((name, value) -> {
            out.text(name);
            out.fixed(value);
          });
        }

        @Override
        public Values read(WireReader in) throws Malformed {
          long version = in.count();
          int size = in.listLength(ENTRY_BYTES_MIN);
          var values = new TreeMap<String, Long>();
          for (int i = 0; i < size; i++) {
            String name = in.text(Whiteboard.NAME_BYTES_MAX);
            if (!values.isEmpty() && name.compareTo(values.lastKey()) <= 0) {
              throw new Malformed("order of names");
            }
            values.put(name, in.fixed());
          }
          if (size > Whiteboard.NAMES_MAX + (values.containsKey("") ? 1 : 0)) {
            throw new Malformed("too many names");
          }
          return new Values(version, Collections.unmodifiableSortedMap(values));
        }
      };

  private static final Effects.Timer ALONE = new Effects.Timer("whiteboard");
  private static final Duration DELAY = Duration.ofMillis(Whiteboard.DELAY_MILLIS);
  private static final long APART = Duration.ofMillis(10).toNanos(); // a value is read by people and balancers
  private static final int STRANGERS_MAX = 64; // who speak before their view is installed here

  private final GroupUser user;
  private final Ports ports;
  private final Effects<Values> effects;
  private final TreeMap<MemberId, Values> heard = new TreeMap<>(); // from members of the view
  private final LinkedHashMap<MemberId, Values> strangers = new LinkedHashMap<>();
  private Values own = new Values(0, Collections.emptySortedMap());
  private boolean waiting; // something is to be said
  private long broadcasts; // seen at the last flush
  private long notBefore; // when something may be said with other messages again

  BoardExchange(GroupUser user, Ports ports) {
    this.user = user;
    this.ports = ports;
    this.effects = ports.open(Channel.BOARD, CODEC, this);
  }

  /// The application has put something.
  void put() {
    SortedMap<String, Long> now = user.whiteboardPut();
    if (!now.equals(own.values)) {
      own = new Values(own.version + 1, now);
      speakSoon();
    }
  }

  private void speakSoon() {
    if (!waiting) {
      waiting = true;
      effects.schedule(ALONE, DELAY);
    }
  }

  /// A run of inputs ends: if this member speaks to all, now is the time.
  void flush() {
    boolean peerStates = ports.broadcasts() != broadcasts;
    broadcasts = ports.broadcasts();
    if (waiting && peerStates && effects.nowNanos() >= notBefore) {
      speak();
    }
  }

  @Override
  public void expire(Effects.Timer timer) {
    speak();
  }

  private void speak() {
    waiting = false;
    effects.cancel(ALONE);
    notBefore = effects.nowNanos() + APART;
    effects.broadcast(own);
    broadcasts = ports.broadcasts(); // its own broadcast is no company
  }

  @Override
  public void receive(MemberId from, Values message) {
    if (!ports.view().contains(from)) {
      strangers.putLast(from, message);
      if (strangers.size() > STRANGERS_MAX) {
        strangers.pollFirstEntry();
      }
    } else if (isNews(heard.get(from), message)) {
      heard.put(from, message);
      show();
    }
  }

  private static boolean isNews(@Nullable Values known, Values message) {
    return known == null || known.version < message.version;
  }

  private void show() {
    var values = new TreeMap<MemberId, SortedMap<String, Long>>();
    heard.forEach((member, message) -> values.put(member, message.values));
    user.whiteboard(Collections.unmodifiableMap(values));
  }

  /// A view is there: values of those who have gone go, newcomers get this member's.
  void installed(View before, View view) {
    Collection<MemberId> members = view.members();
    heard.keySet().retainAll(members);
    for (MemberId member : members) {
      Values early = strangers.remove(member);
      if (early != null && isNews(heard.get(member), early)) {
        heard.put(member, early);
      }
    }
    show();
    if (own.version > 0 && isMerge(before, view)) {
      speakSoon();
    }
  }

  /// Whether somebody comes to a view who may not know this member's values: a newcomer, or one who was in a view
  /// without this member meanwhile and has forgotten them.
  private static boolean isMerge(View before, View view) {
    return !before.members().containsAll(view.members())
        || view.predecessors().stream().anyMatch(other -> !other.equals(before.id()));
  }
}
