package org.tutti.membership;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// A call beside all channels, which may be lost: the view that the caller is in, and how whoever is called stands with
/// it. A member that is heard, but hears nobody, cannot be asked; so what it says by itself has to be enough.
///
/// ```
/// view id, u8 regard, LEFT_BEHIND: view id before, u8 words, words * i64: ranks of that view
/// ```
///
/// @param view   the caller's view; with [Regard#ENDED] the view of whoever called before
/// @param regard how the called one stands with the caller
/// @param before with [Regard#LEFT_BEHIND] the view that the caller was in before, else the same as `view`
/// @param gone   a bit for each of the first ranks of `before`, set for those who went to `view`
public record Hello(ViewId view, Regard regard, ViewId before, List<Long> gone) {
  private static final int WORDS_MAX = 4; // the datagram has to fit into the smallest frame
  private static final List<Regard> REGARDS = List.of(Regard.values());

  /// How whoever is called stands with the caller.
  public enum Regard {
    /// Perhaps it is a stranger: the address is a contact.
    UNKNOWN,
    /// It is in the caller's view, and the caller hears it.
    HEARD,
    /// It is in the caller's view, and the caller does not hear it.
    UNHEARD,
    /// The caller was in a view with it, and went to a later one without it.
    LEFT_BEHIND,
    /// It takes the caller for a member of this view, and the caller's membership has ended.
    ENDED
  }

  /// Copies the bits.
  public Hello {
    gone = List.copyOf(gone);
  }

  /// Says who calls.
  ///
  /// @param view   the caller's view
  /// @param regard how the called one stands with it; not [Regard#LEFT_BEHIND]
  /// @return the call
  public static Hello within(View view, Regard regard) {
    return new Hello(view.id(), regard, view.id(), List.of());
  }

  /// Answers a call for a membership that has ended.
  ///
  /// @return the answer, or null when the caller does not count on that membership
  public @Nullable Hello answerEnded() {
    boolean isCounted = regard == Regard.HEARD || regard == Regard.UNHEARD;
    return isCounted ? new Hello(view, Regard.ENDED, view, List.of()) : null;
  }

  static Hello leftBehind(View before, View view) {
    List<Long> bits = new ArrayList<>();
    for (int rank = 0; rank < Math.min(before.size(), WORDS_MAX * Long.SIZE); rank++) {
      if (rank % Long.SIZE == 0) {
        bits.add(0L);
      }
      if (view.contains(before.members().get(rank))) {
        bits.set(rank / Long.SIZE, bits.get(rank / Long.SIZE) | 1L << rank);
      }
    }
    return new Hello(view.id(), Regard.LEFT_BEHIND, before.id(), bits);
  }

  /// Who has gone to the caller's view.
  ///
  /// @param from the caller
  /// @param view the view of the called one
  /// @return members of that, the caller among them, and others if they came from it together
  List<MemberId> gone(MemberId from, View view) {
    List<MemberId> members = new ArrayList<>(List.of(from));
    if (before.equals(view.id())) {
      for (int rank = 0; rank < Math.min(view.size(), gone.size() * Long.SIZE); rank++) {
        if ((gone.get(rank / Long.SIZE) >>> rank & 1) != 0) {
          members.add(view.members().get(rank));
        }
      }
    }
    return members;
  }

  /// Reads one.
  ///
  /// @param in the message
  /// @return the hello
  /// @throws Malformed when it is none
  public static Hello read(WireReader in) throws Malformed {
    ViewId view = in.viewId();
    int number = in.u8();
    if (number >= REGARDS.size()) {
      throw new Malformed("regard");
    }
    ViewId before = view;
    List<Long> gone = new ArrayList<>();
    if (REGARDS.get(number) == Regard.LEFT_BEHIND) {
      before = in.viewId();
      for (int words = in.countUpTo(WORDS_MAX); words > 0; words--) {
        gone.add(in.fixed());
      }
    }
    in.end();
    return new Hello(view, REGARDS.get(number), before, gone);
  }

  /// Writes it.
  ///
  /// @param out the message
  public void write(WireWriter out) {
    out.viewId(view);
    out.u8(regard.ordinal());
    if (regard == Regard.LEFT_BEHIND) {
      out.viewId(before);
      out.count(gone.size());
      gone.forEach(out::fixed);
    }
  }
}
