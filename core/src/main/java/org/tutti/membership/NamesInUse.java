package org.tutti.membership;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;

/// Who of another view may come in when a member of this one has its name: a name belongs to the member that has it as
/// long as that one is heard.
///
/// A newcomer takes the place at once when the member has gone, when it is a later life at the same address, or when it
/// stands for that member, as it was started on what that one had kept. So does a voter of the last primary view when
/// somebody who was not in that has got its place meanwhile; an observer has no vote to bring back. Everybody else
/// waits until the member is either suspected or heard to be in this view half a time of suspicion after the newcomer:
/// that is no last word of a member that was started again elsewhere. Then the newcomer is refused.
final class NamesInUse {
  /// What becomes of a newcomer.
  enum Verdict {
    /// It may come in.
    ADMITTED,
    /// It may come in, and whoever has its name is to go.
    REPLACES,
    /// It may come in, and whoever has its name is to be refused.
    PRECEDES,
    /// It has to call again.
    WAITS,
    /// It is refused.
    REFUSED
  }

  private static final int CLAIMS_MAX = 64;

  private static final class Claim {
    final MemberId holder;
    final long since;
    boolean heard; // the holder, long enough after that

    Claim(MemberId holder, long since) {
      this.holder = holder;
      this.since = since;
    }
  }

  private final MemberId self;
  private final long sureNanos;
  private final Map<MemberId, Claim> claims = new LinkedHashMap<>(); // by newcomer, the oldest first

  NamesInUse(MemberId self, long suspectNanos) {
    this.self = self;
    this.sureNanos = suspectNanos / 2;
  }

  /// A member was heard to be in this member's view.
  void confirmed(MemberId member, long now) {
    for (Claim claim : claims.values()) {
      claim.heard |= claim.holder.equals(member) && now - claim.since >= sureNanos;
    }
  }

  /// Judges somebody who wants to come in.
  ///
  /// @param newcomer of another view
  /// @param earlier  the lives for which it is known to stand
  /// @param company  those of this view
  /// @param last     who was a voter of the latest primary view that is known, or decides about what follows it
  /// @param now      the time
  Verdict judge(MemberId newcomer, List<MemberId> earlier, PeerStates company, List<MemberId> last, long now) {
    MemberId holder = company.holder(newcomer.name());
    if (holder == null || company.isGone(holder)) {
      return Verdict.ADMITTED;
    }
    if (newcomer.replaces(holder) || earlier.contains(holder)) {
      return Verdict.REPLACES;
    }
    boolean needed = last.contains(newcomer) || earlier.stream().anyMatch(last::contains);
    if (needed && !last.contains(holder)) {
      return Verdict.PRECEDES;
    }
    Claim claim = claims.get(newcomer);
    if (claim == null || !claim.holder.equals(holder)) {
      claim = new Claim(holder, now);
      claims.put(newcomer, claim);
      if (claims.size() > CLAIMS_MAX) {
        claims.remove(claims.keySet().iterator().next());
      }
    }
    return claim.heard || holder.equals(self) ? Verdict.REFUSED : Verdict.WAITS;
  }

  /// Whether somebody who was refused ends: a member of a primary view does not, unless a later one is known to whoever
  /// refuses it.
  ///
  /// @param holder who has its name
  /// @param known  the latest primary view that whoever refuses it knows, or null
  /// @param view   the view that it is in
  boolean obeys(MemberId holder, @Nullable ViewId known, View view) {
    boolean another = holder.name().equals(self.name()) && !holder.equals(self);
    return another && (!view.primary() || (known != null && known.compareTo(view.id()) > 0));
  }

  /// Why a membership ends.
  static String words(MemberId holder) {
    return "the name " + holder.name() + " is in use by " + holder.name() + "@" + holder.address() + ", which is heard";
  }
}
