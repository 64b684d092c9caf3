package org.tutti.membership;

import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.tutti.MemberId;
import org.tutti.Names;
import org.tutti.View;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// A configured set of names more than half of which every primary view has. So a group does not shrink below that
/// majority and go on; and of two parts of the set that never met, one at most can.
///
/// Who may go on from a primary view the [PrimaryRule] says: a majority of names could consist of new lives that know
/// nothing of the history.
///
/// @param names sorted, without repetition; empty: any members may form a primary view
public record Electorate(Set<String> names) {
  /// Any members may form a primary view.
  public static final Electorate ANY = new Electorate(Set.of());

  private static final int NAMES_MAX = 1024;

  /// Copies and sorts the names.
  public Electorate {
    names = Collections.unmodifiableSortedSet(new TreeSet<>(names));
  }

  /// Whether some members may be a primary view.
  ///
  /// @param members the view's voters
  /// @return whether they have more than half of the names
  public boolean allows(Collection<MemberId> members) {
    if (names.isEmpty()) {
      return true;
    }
    long present = members.stream().map(MemberId::name).filter(names::contains).distinct().count();
    return isMajority(present);
  }

  /// Whether a view may be primary.
  ///
  /// @param view the view, whose observers do not count
  /// @return whether its voters have more than half of the names
  public boolean allows(View view) {
    return allows(view.members().subList(0, view.voters()));
  }

  /// Whether so many of the names are enough.
  ///
  /// @param votes how many
  /// @return whether they are more than half of all
  public boolean isMajority(long votes) {
    return 2 * votes > names.size();
  }

  void write(WireWriter out) {
    out.count(names.size());
    names.forEach(out::text);
  }

  static Electorate read(WireReader in) throws Malformed {
    var names = new TreeSet<String>();
    long left = in.count();
    if (left == 0) {
      return ANY;
    }
    if (left > NAMES_MAX) {
      throw new Malformed("electorate");
    }
    for (; left > 0; left--) {
      String name = in.text(Names.BYTES_MAX);
      if (Names.faultOfNode(name) != null) {
        throw new Malformed("electorate");
      }
      names.add(name);
    }
    return new Electorate(names);
  }
}
