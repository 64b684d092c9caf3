package org.tutti.membership;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Guarantee;
import org.tutti.Names;
import org.tutti.Partitions;
import org.tutti.PrimaryViews;
import org.tutti.ViewId;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What distinguishes one history of a group from another, from its founding to its end.
///
/// @param birth    the id of the first view
/// @param founded  when, as the founder's clock said, in microseconds since 1970
/// @param stateful whether its members have a state that newcomers get, as the founder said. A member without one may
///                 be in a stateful group: it is an observer, from whom nobody can get the state
/// @param guarantee when its messages are delivered, as the founder said
/// @param domain   the overlapping groups that it is one of, as the founder said, or null
/// @param electorate of whom a primary view needs a majority, as the founder said
/// @param primaryViews which views are primary, as the founder said
/// @param partitions what its members do in views that are not primary, as the founder said
public record Lineage(
    ViewId birth,
    long founded,
    boolean stateful,
    Guarantee guarantee,
    @Nullable String domain,
    Electorate electorate,
    PrimaryViews primaryViews,
    Partitions partitions) {
  private static final List<PrimaryViews> CHOICES = List.of(PrimaryViews.values());

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
  boolean isDraft() {
    return Founding.isZero(birth);
  }

  /// The lineage of the history that begins with a view.
  Lineage born(ViewId first) {
    return isDraft()
        ? new Lineage(first, founded, stateful, guarantee, domain, electorate, primaryViews, partitions)
        : this;
  }

  /// Who may carry the history on.
  PrimaryRule rule() {
    return PrimaryRule.of(primaryViews, electorate);
  }

  /// Whether this history was founded before another one of the same group. Of two that meet, it is the one that goes
  /// on. Clocks may be wrong: then the younger one goes on, but one of them does.
  boolean isOlderThan(Lineage other) {
    return founded != other.founded ? founded < other.founded : birth.compareTo(other.birth) < 0;
  }

  void write(WireWriter out) {
    out.viewId(birth);
    out.count(founded);
    out.flag(stateful);
    out.flag(guarantee == Guarantee.UNIFORM);
    out.optional(domain, WireWriter::text);
    electorate.write(out);
    out.u8(primaryViews.ordinal());
    out.flag(partitions == Partitions.CONTINUE);
  }

  private static String domain(WireReader in) throws Malformed {
    String domain = in.text(Names.BYTES_MAX);
    if (Names.fault(domain) != null) {
      throw new Malformed("domain");
    }
    return domain;
  }

  private static PrimaryViews primaryViews(WireReader in) throws Malformed {
    int number = in.u8();
    if (number >= CHOICES.size()) {
      throw new Malformed("primary views");
    }
    return CHOICES.get(number);
  }

  static Lineage read(WireReader in) throws Malformed {
    return new Lineage(
        in.viewId(),
        in.count(),
        in.flag(),
        in.flag() ? Guarantee.UNIFORM : Guarantee.AGREED,
        in.optional(Lineage::domain),
        Electorate.read(in),
        primaryViews(in),
        in.flag() ? Partitions.CONTINUE : Partitions.SUSPEND);
  }
}
