package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.View;
import org.tutti.sim.check.Happening.Delivered;

/// One member's time in one view: from its installation to that of the member's next view, or to its end.
public final class Stay {
  private final int member;
  private final View view;
  private final boolean founding;
  private final boolean continuing;
  private final List<Delivered> deliveries = new ArrayList<>();
  private @Nullable Stay next;
  private boolean holdsState; // whether deliveries from `from` on are owed to this member
  private long from = -1; // nothing before this index is owed: it is in the state that was offered
  private long end = -1; // the index behind all that the member has or had offered, -1 when unknown

  Stay(int member, View view, boolean founding, boolean continuing, boolean holdsState, long end) {
    this.member = member;
    this.view = view;
    this.founding = founding;
    this.continuing = continuing;
    this.holdsState = holdsState;
    this.end = end;
  }

  /// Whose it is.
  ///
  /// @return the member's ordinal in the history
  public int member() {
    return member;
  }

  /// The view.
  ///
  /// @return the view
  public View view() {
    return view;
  }

  /// What the member installed next.
  ///
  /// @return its next stay, or null when it installed no further view
  public @Nullable Stay next() {
    return next;
  }

  /// Whether this is the first primary view of all, whose members begin at index 0 without state.
  ///
  /// @return whether it is
  public boolean founding() {
    return founding;
  }

  /// Whether the member comes straight from the primary view before this one, so that it missed nothing.
  ///
  /// @return whether it does; meaningful in a primary view
  public boolean continuing() {
    return continuing;
  }

  /// Whether the member has the state, or was promised it, so that deliveries are owed to it.
  ///
  /// @return whether they are at the end of this stay
  public boolean holdsState() {
    return holdsState;
  }

  /// Where the deliveries that are owed to the member begin.
  ///
  /// @return an index, or -1 for all of the view
  public long from() {
    return from;
  }

  /// How far the member came.
  ///
  /// @return the index behind its last delivery or behind the state that it was offered; -1 when there is neither
  public long end() {
    return end;
  }

  /// What was delivered.
  ///
  /// @return in order
  public List<Delivered> deliveries() {
    return deliveries;
  }

  /// What was delivered from some place on.
  List<Delivered> deliveriesFrom(long index) {
    int at = 0;
    while (at < deliveries.size() && deliveries.get(at).index() < index) {
      at++;
    }
    return deliveries.subList(at, deliveries.size());
  }

  void deliver(Delivered delivered) {
    deliveries.add(delivered);
    end = delivered.index() + 1;
  }

  void offer(long index) {
    holdsState = true;
    from = index;
    end = index;
    deliveries.clear();
  }

  void loseState() {
    holdsState = false;
  }

  void follow(Stay following) {
    next = following;
  }
}
