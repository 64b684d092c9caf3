package org.tutti.membership;

import org.tutti.wire.Malformed;
import org.tutti.wire.Versions;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Which versions of the protocol a member can speak in a group, and up to which one it lets the group rise. A group
/// that has risen further is spoken with all the same, as there is no way back any more that could be kept open.
///
/// @param understood what its node understands
/// @param most       the highest version to which it lets a group rise; among those that its node understands
public record SpokenVersions(Versions understood, int most) {
  /// What this build understands, and no other limit.
  public static final SpokenVersions OWN = of(Versions.OWN, Versions.MAX);

  /// Checks the limit.
  ///
  /// @throws IllegalArgumentException when it is not among the versions
  public SpokenVersions {
    if (!understood.has(most)) {
      throw new IllegalArgumentException("this node speaks " + understood + " of the protocol, not " + most);
    }
  }

  /// What a node speaks by its settings.
  ///
  /// @param understood what it understands
  /// @param limit      the highest version that it admits to; above what it understands it limits nothing
  /// @return the versions
  /// @throws IllegalArgumentException when the limit is below all that it understands
  public static SpokenVersions of(Versions understood, int limit) {
    if (limit < understood.oldest()) {
      throw new IllegalArgumentException(
          "groupVersionMax is %d, but this node speaks %s of the protocol".formatted(limit, understood));
    }
    return new SpokenVersions(understood, Math.min(limit, understood.newest()));
  }

  /// What a member speaks in a group, by its settings there.
  ///
  /// @param limit the highest version that the member admits to, besides its node's limit; below all that the node
  ///              understands it stands for the lowest of these
  /// @return the versions
  public SpokenVersions within(int limit) {
    return new SpokenVersions(understood, Math.max(understood.oldest(), Math.min(most, limit)));
  }

  /// Whether the member can be in views of a version.
  ///
  /// @param version of a group; 0 for one that has none yet
  /// @return whether it can
  public boolean speaks(int version) {
    return version == 0 || understood.has(version);
  }

  /// What somebody is told that cannot take part.
  ///
  /// @param version of the group
  /// @param its     what the node understands
  /// @return such as `the group speaks version 6, this node versions 4 to 5`
  public static String words(int version, Versions its) {
    return "the group speaks version " + version + ", this node " + its;
  }

  void write(WireWriter out) {
    write(understood, out);
    out.u8(most);
  }

  static SpokenVersions read(WireReader in) throws Malformed {
    Versions understood = readVersions(in);
    int most = in.u8();
    if (!understood.has(most)) {
      throw new Malformed("versions");
    }
    return new SpokenVersions(understood, most);
  }

  static void write(Versions range, WireWriter out) {
    out.u8(range.oldest());
    out.u8(range.newest());
  }

  static Versions readVersions(WireReader in) throws Malformed {
    int oldest = in.u8();
    int newest = in.u8();
    if (!Versions.isRange(oldest, newest)) {
      throw new Malformed("versions");
    }
    return new Versions(oldest, newest);
  }
}
