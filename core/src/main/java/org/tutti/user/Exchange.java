package org.tutti.user;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
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

/// What the members of the view that this member has installed last have propagated.
///
/// A message names the view and counts its sender's calls in it. As all members of a view get the messages at the same
/// places of one history, a round is complete at the same place for all. Nobody is more than one round ahead, because a
/// round needs everybody; so two are kept, and of each member one message in each: memory is bounded, whoever lies.
///
/// Not thread-safe.
public final class Exchange {
  private final MemberId self;
  private @Nullable View view;
  private long round; // how many are over in this view
  private boolean said; // in this round
  private Map<MemberId, ByteBuffer> messages = new TreeMap<>(); // of this round
  private Map<MemberId, ByteBuffer> ahead = new TreeMap<>(); // of the next one

  /// Begins outside of any view.
  ///
  /// @param self this member
  public Exchange(MemberId self) {
    this.self = self;
  }

  /// A view is installed: what was said in another one does not count.
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
      boolean counts = view != null && view.id().equals(of) && counts(sender);
      if (counts && in.remaining() <= Group.PROPAGATE_BYTES_MAX && (at == round || at == round + 1)) {
        ByteBuffer lent = in.rest();
        ByteBuffer payload = ByteBuffer.allocate(lent.remaining()).put(lent).flip();
        (at == round ? messages : ahead).putIfAbsent(sender, payload);
        skip();
      }
    } catch (Malformed _) {
      // As above.
    }
  }

  /// The rounds go on without an observer that does not take part.
  private void skip() {
    if (!said && isComplete() && view().isObserver(self)) {
      finish();
    }
  }

  /// What an observer says is not waited for, so nobody gets it.
  private boolean counts(MemberId sender) {
    return speakers().contains(sender);
  }

  private List<MemberId> speakers() {
    return view().members().subList(0, view().voting());
  }

  /// Whether everybody has spoken whose word counts.
  ///
  /// @return whether the message of each voter of the view is here
  public boolean isComplete() {
    return view != null && messages.size() == speakers().size();
  }

  /// The view of the round.
  ///
  /// @return the last one begun
  public View view() {
    return Objects.requireNonNull(view);
  }

  /// Ends the complete round.
  ///
  /// @return what each voter said, in the order of the view
  public Map<MemberId, ByteBuffer> finish() {
    var all = new LinkedHashMap<MemberId, ByteBuffer>();
    for (MemberId member : speakers()) {
      all.put(member, Objects.requireNonNull(messages.get(member)));
    }
    messages = ahead;
    ahead = new TreeMap<>();
    round++;
    said = false;
    return all;
  }
}
