package org.tutti.membership;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
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
/// Instead of names they may expect a number. Then the view zero lists as many nobodies, whoever expects the same
/// number counts in it, and it takes as many as the number says, all of different names, to agree on its successor. Two
/// such sets share a member as long as fewer than twice as many names expect the number: then there is one founding,
/// too.
///
/// @param names  of the expected members, sorted, the same at all of them; empty for a group that one member founds, or
///               for a number
/// @param number how many members of whatever name are expected; 0 for names
public record Founding(Set<String> names, int number) {
  /// One member founds the group, or somebody else does.
  public static final Founding ALONE = new Founding(Set.of());

  private static final Address NOWHERE = new Address("expected");
  private static final Address ANYWHERE = new Address("expected by number");
  private static final long EPOCH = 0; // real views with members are later

  /// Copies and sorts the names.
  public Founding {
    names = Collections.unmodifiableSortedSet(new TreeSet<>(names));
  }

  /// Members with certain names are expected.
  ///
  /// @param names of all of them
  public Founding(Set<String> names) {
    this(names, 0);
  }

  /// A number of members is expected.
  ///
  /// @param number how many, 1 or more
  /// @return the founding
  public static Founding of(int number) {
    return new Founding(Set.of(), number);
  }

  /// Whether several members found the group together.
  ///
  /// @return whether names or a number are given
  public boolean isJoint() {
    return !names.isEmpty() || number > 0;
  }

  /// As whom a member counts that has no stable storage from before.
  ///
  /// @param self the member; its name is among the names, if there are any
  /// @return its identity: with names it stands for the life of its name in the view zero
  public MemberIdentity identity(MemberId self) {
    return new MemberIdentity(self, !names.isEmpty() ? List.of(life(self.name())) : List.of());
  }

  private static MemberId life(String name) {
    return new MemberId(name, NOWHERE, 1);
  }

  /// What the first primary view follows. Who expects others has another one.
  View zero() {
    long hash = 0xcbf29ce484222325L;
    String expected = number > 0 ? "\n" + number : String.join("\n", names); // no name begins so
    for (char next : expected.toCharArray()) {
      hash = (hash ^ next) * 0x100000001b3L;
    }
    List<MemberId> lives =
        number > 0
            ? IntStream.rangeClosed(1, number).mapToObj(i -> new MemberId(String.valueOf(i), ANYWHERE, i)).toList()
            : names.stream().map(Founding::life).toList();
    return new View(new ViewId(EPOCH, hash & Long.MAX_VALUE), lives, true, List.of());
  }

  /// Whether a view zero stands for a number of members, whoever they are.
  ///
  /// @param zero a view zero
  /// @return whether it does
  public static boolean isByNumber(View zero) {
    return zero.members().getFirst().address().equals(ANYWHERE);
  }

  /// Whether a primary view is nobody's: the one before the first.
  ///
  /// @param view its id
  /// @return whether it is a view zero
  public static boolean isZero(ViewId view) {
    return view.epoch() == EPOCH;
  }
}
