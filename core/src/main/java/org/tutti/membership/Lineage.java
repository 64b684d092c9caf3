package org.tutti.membership;

import java.util.List;
import java.util.stream.Stream;
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

/// What distinguishes one history of a group from another, from its founding to its end. Where an operator has made a
/// member primary without a quorum, one history ends and another one begins that *replaces* it.
///
/// @param birth    the id of the first view
/// @param founded  when, as the founder's clock said, in microseconds since 1970
/// @param group    what the founder decided
/// @param forcings where the history went on without a quorum, in their order; usually none
public record Lineage(ViewId birth, long founded, GroupConfig group, List<Forcing> forcings) {
  /// How often a history may be forced: each forcing costs room in every report.
  public static final int FORCINGS_MAX = 64;

  private static final List<PrimaryViews> CHOICES = List.of(PrimaryViews.values());
  private static final List<Ordering> ORDERINGS = List.of(Ordering.values());
  private static final List<Durability> DURABILITIES = List.of(Durability.values());

  /// Copies the list.
  public Lineage {
    forcings = List.copyOf(forcings);
  }

  /// A history that nobody has forced.
  ///
  /// @param birth   the id of the first view
  /// @param founded when, in microseconds since 1970
  /// @param group   what the founder decided
  public Lineage(ViewId birth, long founded, GroupConfig group) {
    this(birth, founded, group, List.of());
  }

  /// The history that takes the place of this one.
  ///
  /// @param forcing where it begins
  /// @return a lineage that replaces this one
  public Lineage forced(Forcing forcing) {
    return new Lineage(birth, founded, group, Stream.concat(forcings.stream(), Stream.of(forcing)).toList());
  }

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
    return isDraft() ? new Lineage(first, founded, group, forcings) : this;
  }

  /// Of whom a primary view needs a majority.
  Electorate electorate() {
    return new Electorate(group.electorate());
  }

  /// Who may carry the history on.
  PrimaryRule rule() {
    return PrimaryRule.of(group.primaryViews(), electorate());
  }

  /// Whether an operator has put this history in the place of another one, perhaps in several steps.
  boolean replaces(Lineage other) {
    int common = other.forcings.size();
    return isOfSameFounding(other) && common < forcings.size() && forcings.subList(0, common).equals(other.forcings);
  }

  private boolean isOfSameFounding(Lineage other) {
    return founded == other.founded && birth.equals(other.birth);
  }

  /// Whether this history goes on when it meets another one of the same group: the one that replaces the other; else
  /// the older one, by its founding, or by the forcing where the two part. Clocks may be wrong: then the younger one
  /// goes on, but one of them does.
  boolean isOlderThan(Lineage other) {
    if (!isOfSameFounding(other)) {
      return founded != other.founded ? founded < other.founded : birth.compareTo(other.birth) < 0;
    }
    int both = Math.min(forcings.size(), other.forcings.size());
    for (int i = 0; i < both; i++) {
      if (!forcings.get(i).equals(other.forcings.get(i))) {
        return forcings.get(i).isBefore(other.forcings.get(i));
      }
    }
    return forcings.size() > both;
  }

  /// Why another history goes on, and this one does not.
  String yieldsTo(Lineage other) {
    if (!isOfSameFounding(other)) {
      return "the group was founded twice, and the other history is older";
    }
    int common = 0;
    while (common < forcings.size() && forcings.get(common).equals(other.forcings.get(common))) {
      common++;
    }
    Forcing forcing = other.forcings.get(common);
    String which = common < forcings.size() ? ", earlier than this history was" : "";
    return "this history was replaced: an operator forced %s to be primary at %s%s; what this member has from position"
            .formatted(forcing.by(), forcing.time(), which)
        + " %d on is not in the group's history".formatted(forcing.position());
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
    out.count(forcings.size());
    forcings.forEach(forcing -> forcing.write(out));
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
    List<Forcing> forcings = in.list(Forcing.BYTES_MIN, Forcing::read);
    if (forcings.size() > FORCINGS_MAX) {
      throw new Malformed("lineage");
    }
    try {
      return new Lineage(birth, founded, group.build(), forcings);
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
