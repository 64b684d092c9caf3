package org.tutti.membership;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.Names;
import org.tutti.Ordering;
import org.tutti.Partitions;
import org.tutti.PrimaryViews;
import org.tutti.ViewId;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What distinguishes one history of a group from another, from its founding to its end.
///
/// @param birth   the id of the first view
/// @param founded when, as the founder's clock said, in microseconds since 1970
/// @param group   what the founder decided
public record Lineage(ViewId birth, long founded, GroupConfig group) {
  private static final List<PrimaryViews> CHOICES = List.of(PrimaryViews.values());
  private static final List<Ordering> ORDERINGS = List.of(Ordering.values());
  private static final List<Durability> DURABILITIES = List.of(Durability.values());

  /// Whether two members are in different histories; who is in none yet may enter any. Drafts differ when their members
  /// expect others.
  static boolean differ(@Nullable Lineage one, @Nullable Lineage other) {
    if (one == null || other == null) {
      return false;
    }
    return one.isDraft() || other.isDraft()
        ? one.isDraft() && other.isDraft() && !one.birth.equals(other.birth)
        : !one.equals(other);
  }

  /// Whether the history has no first primary view yet ([Founding]).
  ///
  /// @return whether it is only expected
  public boolean isDraft() {
    return Founding.isZero(birth);
  }

  /// The lineage of the history that begins with a view.
  Lineage born(ViewId first) {
    return isDraft() ? new Lineage(first, founded, group) : this;
  }

  /// Of whom a primary view needs a majority.
  Electorate electorate() {
    return new Electorate(group.electorate());
  }

  /// Who may carry the history on.
  PrimaryRule rule() {
    return PrimaryRule.of(group.primaryViews(), electorate());
  }

  /// Whether this history was founded before another one of the same group. Of two that meet, it is the one that goes
  /// on. Clocks may be wrong: then the younger one goes on, but one of them does.
  boolean isOlderThan(Lineage other) {
    return founded != other.founded ? founded < other.founded : birth.compareTo(other.birth) < 0;
  }

  void write(WireWriter out) {
    out.viewId(birth);
    out.count(founded);
    out.flag(group.stateTransfer());
    out.flag(group.guarantee() == Guarantee.UNIFORM);
    out.u8(group.ordering().ordinal());
    out.optional(group.domain(), WireWriter::text);
    electorate().write(out);
    out.u8(group.primaryViews().ordinal());
    out.flag(group.partitions() == Partitions.CONTINUE);
    out.u8(group.durability().ordinal());
  }

  static Lineage read(WireReader in) throws Malformed {
    ViewId birth = in.viewId();
    long founded = in.count();
    var group = GroupConfig.builder();
    group.stateTransfer(in.flag());
    group.guarantee(in.flag() ? Guarantee.UNIFORM : Guarantee.AGREED);
    group.ordering(one(ORDERINGS, in, "ordering"));
    group.domain(in.optional(Lineage::domain));
    group.electorate(Electorate.read(in).names());
    group.primaryViews(one(CHOICES, in, "primary views"));
    group.partitions(in.flag() ? Partitions.CONTINUE : Partitions.SUSPEND);
    group.durability(one(DURABILITIES, in, "durability"));
    try {
      return new Lineage(birth, founded, group.build());
    } catch (IllegalArgumentException contradiction) {
      throw new Malformed("lineage");
    }
  }

  private static <E> E one(List<E> values, WireReader in, String what) throws Malformed {
    int number = in.u8();
    if (number >= values.size()) {
      throw new Malformed(what);
    }
    return values.get(number);
  }

  private static String domain(WireReader in) throws Malformed {
    String domain = in.text(Names.BYTES_MAX);
    if (Names.fault(domain) != null) {
      throw new Malformed("domain");
    }
    return domain;
  }
}
