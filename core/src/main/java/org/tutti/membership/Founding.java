package org.tutti.membership;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.transport.Address;

/// A group that its expected members found together: what comes before its first primary view.
///
/// All of them begin as if they had been cut off from each other at the end of one earlier primary view, the *view
/// zero*, which lists the expected names and had no messages. Each stands for the life of its name there. So the first
/// primary view is agreed upon like every other one: as the successor of the view zero, by a majority of it, with
/// promises, and with an attempt that was accepted and not finished being finished before anything else. There is one
/// at most. The history is named when that view is proposed; until then members have a draft of its lineage, which
/// gives way to the lineage of any history that they hear of.
///
/// @param names of the expected members, sorted, the same at all of them; empty for a group that one member founds
public record Founding(Set<String> names) {
  /// One member founds the group, or somebody else does.
  public static final Founding ALONE = new Founding(Set.of());

  private static final Address NOWHERE = new Address("expected");
  private static final long EPOCH = 0; // real views with members are later

  /// Copies and sorts the names.
  public Founding {
    names = Collections.unmodifiableSortedSet(new TreeSet<>(names));
  }

  /// Whether several members found the group together.
  ///
  /// @return whether names are given
  public boolean isJoint() {
    return !names.isEmpty();
  }

  /// As whom a member counts that has no stable storage from before.
  ///
  /// @param self the member; its name is among the names, if there are any
  /// @return its standing: with names it stands for the life of its name in the view zero
  public Standing standing(MemberId self) {
    return new Standing(self, isJoint() ? List.of(life(self.name())) : List.of());
  }

  private static MemberId life(String name) {
    return new MemberId(name, NOWHERE, 1);
  }

  /// What the first primary view follows. Who expects others has another one.
  View zero() {
    long hash = 0xcbf29ce484222325L;
    for (char next : String.join("\n", names).toCharArray()) {
      hash = (hash ^ next) * 0x100000001b3L;
    }
    List<MemberId> lives = names.stream().map(Founding::life).toList();
    return new View(new ViewId(EPOCH, hash & Long.MAX_VALUE), lives, true, List.of());
  }

  /// Whether a primary view is nobody's: the one before the first.
  ///
  /// @param view its id
  /// @return whether it is a view zero
  public static boolean isZero(ViewId view) {
    return view.epoch() == EPOCH;
  }
}
