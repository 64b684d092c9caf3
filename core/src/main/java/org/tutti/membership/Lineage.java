package org.tutti.membership;

import org.jspecify.annotations.Nullable;
import org.tutti.Guarantee;
import org.tutti.ViewId;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What distinguishes one history of a group from another, from its founding to its end.
///
/// @param birth    the id of the first view
/// @param stateful whether its members have a state that newcomers get, as the founder said. A member without one may
///                 be in a stateful group: it is an observer, from whom nobody can get the state
/// @param guarantee when its messages are delivered, as the founder said
/// @param domain   the overlapping groups that it is one of, as the founder said, or null
public record Lineage(ViewId birth, boolean stateful, Guarantee guarantee, @Nullable String domain) {
  private static final int DOMAIN_BYTES_MAX = 255;

  void write(WireWriter out) {
    out.viewId(birth);
    out.flag(stateful);
    out.flag(guarantee == Guarantee.UNIFORM);
    out.optional(domain, WireWriter::text);
  }

  static Lineage read(WireReader in) throws Malformed {
    return new Lineage(
        in.viewId(),
        in.flag(),
        in.flag() ? Guarantee.UNIFORM : Guarantee.AGREED,
        in.optional(from -> from.text(DOMAIN_BYTES_MAX)));
  }
}
