package org.tutti.engine;

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
public final class Exchange {
  private @Nullable View view;
  private long round; // how many are over in this view
  private boolean said; // in this round
  private Map<MemberId, ByteBuffer> messages = new TreeMap<>(); // of this round
  private Map<MemberId, ByteBuffer> ahead = new TreeMap<>(); // of the next one

  /// Begins outside of any view.
  public Exchange() {}

  /// The application is shown a view: what was said in another one does not count.
  ///
  /// @param next the view
  public void begin(View next) {
    view = next;
    round = 0;
    said = false;
    messages.clear();
    ahead.clear();
  }

  /// Whether this member is to speak, and anybody can hear it.
  ///
  /// @return whether its message of the round is missing, in a primary view
  public boolean isToSpeak() {
    return !said && view != null && view.primary();
  }

  /// A message of this member for the round.
  ///
  /// @param payload what it says
  /// @return the payload of a [Request.Propagate]
  public ByteBuffer message(byte[] payload) {
    var out = new WireWriter();
    out.viewId(Objects.requireNonNull(view).id());
    out.count(round);
    out.raw(ByteBuffer.wrap(payload));
    return out.copy();
  }

  /// The message of this member is on its way.
  public void said() {
    said = true;
  }

  /// A message has its place. One that no member would send is skipped, by everybody alike.
  ///
  /// @param sender  who propagated it
  /// @param message what [#message] made there
  public void arrived(MemberId sender, ByteBuffer message) {
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

  /// Whether everybody has spoken.
  ///
  /// @return whether the message of each member of the view is here
  public boolean isComplete() {
    return view != null && messages.size() == view.size();
  }

  /// The view of the round.
  ///
  /// @return the last one begun
  public View view() {
    return Objects.requireNonNull(view);
  }

  /// Ends the complete round.
  ///
  /// @return what each member said, in the order of the view
  public Map<MemberId, ByteBuffer> finish() {
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
