package org.tutti.host;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What the members of the view that the application has been shown last have propagated (B8).
///
/// A message names the view and counts its sender's calls in it. As all members of a view get the messages at the same
/// places of one history, a round is complete at the same place for all. Nobody is more than one round ahead, because a
/// round needs everybody; so two are kept, and of each member one message in each: memory is bounded, whoever lies.
///
/// Not thread-safe: of whoever takes events.
final class Exchange {
  private @Nullable View view;
  private long round; // how many are over in this view
  private boolean said; // in this round
  private Map<MemberId, ByteBuffer> messages = new TreeMap<>(); // of this round
  private Map<MemberId, ByteBuffer> ahead = new TreeMap<>(); // of the next one

  /// The application is shown a view: what was said in another one does not count.
  void begin(View next) {
    view = next;
    round = 0;
    said = false;
    messages.clear();
    ahead.clear();
  }

  /// Whether this member is to speak, and anybody can hear it.
  boolean isToSpeak() {
    return !said && view != null && view.primary();
  }

  /// A message of this member for the round.
  ByteBuffer message(byte[] payload) {
    var out = new WireWriter();
    out.viewId(Objects.requireNonNull(view).id());
    out.count(round);
    out.raw(ByteBuffer.wrap(payload));
    return out.copy();
  }

  void said() {
    said = true;
  }

  /// A message has its place. One that no member would send is skipped, by everybody alike.
  void arrived(MemberId sender, ByteBuffer message) {
    try {
      var in = new WireReader(message);
      ViewId of = in.viewId();
      long at = in.count();
      boolean counts = view != null && view.id().equals(of) && view.contains(sender);
      if (counts && in.remaining() <= Group.PROPAGATE_BYTES_MAX && (at == round || at == round + 1)) {
        ByteBuffer lent = in.rest();
        ByteBuffer payload = ByteBuffer.allocate(lent.remaining()).put(lent).flip();
        (at == round ? messages : ahead).putIfAbsent(sender, payload);
      }
    } catch (Malformed _) {
      // As above.
    }
  }

  boolean isComplete() {
    return view != null && messages.size() == view.size();
  }

  View view() {
    return Objects.requireNonNull(view);
  }

  /// Ends the complete round.
  Map<MemberId, ByteBuffer> finish() {
    var all = new LinkedHashMap<MemberId, ByteBuffer>();
    for (MemberId member : view().members()) {
      all.put(member, Objects.requireNonNull(messages.get(member)));
    }
    messages = ahead;
    ahead = new TreeMap<>();
    round++;
    said = false;
    return all;
  }
}
