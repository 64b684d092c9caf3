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

/// What a member has promised, learned and accepted about views: what stable storage keeps of it, so that a later life
/// can be held to it, written before anything that follows from it is said. Its node remembers the same when it has
/// left the group, so that a later membership of the same life can be held to it, too.
///
/// @param life      whose it is
/// @param earlier   the lives for which it stands, oldest first
/// @param since     the ballot with which its life began
/// @param promised  the highest ballot that it has promised or used
/// @param lineage   names the group's history, or null when it is in none
/// @param primary   the latest primary view that it knows to have been agreed, or null
/// @param absentees who decides about what follows `primary` without being in it
/// @param accepted  the successor of `primary` that it has accepted, or `primary` itself as long as it has not
///                  installed it; or null
/// @param installed the agreement on `primary`, when it has installed it; or null
public record PersistentState(
    MemberId life,
    List<MemberId> earlier,
    ViewId since,
    ViewId promised,
    @Nullable Lineage lineage,
    @Nullable View primary,
    List<MemberId> absentees,
    Knowledge.@Nullable Accepted accepted,
    Knowledge.@Nullable Accepted installed) {

  /// Whether a history is known. Whoever knows none may still be listed in a primary view that it never heard of: it
  /// promised an attempt, and whoever had accepted that one finished it alone.
  ///
  /// @return whether there is one that goes on
  public boolean knowsHistory() {
    return lineage != null || accepted != null;
  }

  /// Whether the group is known to have gone on without this life, which has no say any more in what follows.
  ///
  /// @return whether the latest primary view that it knows does not list it, nor count it as an absentee
  public boolean isOut() {
    return primary != null && !primary.contains(life) && !absentees.contains(life);
  }

  /// Which version the group speaks, as far as is known: that of the latest primary view, or of the one after it that
  /// was accepted, as others may have gone there.
  ///
  /// @return the version; 0 when no history is known, or it has no first view yet
  public int version() {
    int known = primary == null ? 0 : primary.version();
    return accepted == null ? known : Math.max(known, accepted.proposal().view().version());
  }

  /// As whom a restarted member counts. An attempt that a life has promised may list it in a view, whether or not it
  /// has heard of the view; so it is stood for until a later primary view than any of its promises is known, in which
  /// it is not, and about whose successor it does not decide.
  ///
  /// @param self the new life
  /// @return its identity
  public MemberIdentity identity(MemberId self) {
    View known = primary;
    boolean over = known != null && known.id().compareTo(since) > 0;
    List<MemberId> lives = new ArrayList<>(earlier);
    lives.removeIf(member -> over && !known.contains(member) && !absentees.contains(member));
    if (!promised.equals(since) || (known != null && known.contains(life)) || absentees.contains(life)) {
      lives.add(life);
    }
    return new MemberIdentity(self, lives);
  }

  /// Appends this to a record.
  ///
  /// @param out where to
  public void write(WireWriter out) {
    out.member(life);
    out.members(earlier);
    out.viewId(since);
    out.viewId(promised);
    out.optional(lineage, (to, value) -> value.write(to));
    out.optional(primary, WireWriter::view);
    out.members(absentees);
    out.optional(accepted, (to, value) -> value.write(to));
    out.optional(installed, (to, value) -> value.write(to));
  }

  /// Takes one from a record.
  ///
  /// @param in where from
  /// @return what was written
  /// @throws Malformed when the bytes are not one
  public static PersistentState read(WireReader in) throws Malformed {
    return new PersistentState(
        in.member(),
        in.members(),
        in.viewId(),
        in.viewId(),
        in.optional(Lineage::read),
        in.optional(WireReader::view),
        in.members(),
        in.optional(Knowledge.Accepted::read),
        in.optional(Knowledge.Accepted::read));
  }
}
