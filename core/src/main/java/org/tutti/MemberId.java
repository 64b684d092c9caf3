package org.tutti;

import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;

/// One life of one process: its name, where it listens, and its incarnation.
///
/// A process that is started again has a new incarnation and is therefore a new member (architecture, section 5); two
/// lives of one name are never in a view together once the newer is known.
///
/// @param name        chosen by the operator; see [Names]
/// @param address     where the node listens
/// @param incarnation unique to this life and larger than those of the same name's earlier lives; positive
public record MemberId(String name, Address address, long incarnation) implements Comparable<MemberId> {
  /// The longest name, in bytes of UTF-8.
  public static final int NAME_BYTES_MAX = Names.BYTES_MAX;

  /// Checks the ranges.
  public MemberId {
    Names.require("a member's", name, Names.faultOfNode(name));
    if (incarnation <= 0) {
      throw new IllegalArgumentException("an incarnation is positive, not " + incarnation);
    }
  }

  /// Whether this is a later life of the same name.
  ///
  /// @param other the member to compare with
  /// @return whether this supersedes `other`
  public boolean supersedes(MemberId other) {
    return incarnation > other.incarnation && name.equals(other.name);
  }

  /// Whether this is a later life of the same name at the same address: then the other one has ended, as no two
  /// processes listen there.
  ///
  /// @param other the member to compare with
  /// @return whether this replaces `other`
  public boolean replaces(MemberId other) {
    return supersedes(other) && address.equals(other.address);
  }

  // As the compiler would write it, but what nearly always differs comes first: members are looked up everywhere.
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || other instanceof MemberId its
            && incarnation == its.incarnation
            && name.equals(its.name)
            && address.equals(its.address);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(incarnation) * 31 + name.hashCode();
  }

  @Override
  public int compareTo(MemberId other) {
    int byName = name.compareTo(other.name);
    int byLife = byName != 0 ? byName : Long.compare(incarnation, other.incarnation);
    return byLife != 0 ? byLife : address.compareTo(other.address);
  }

  @Override
  public String toString() {
    return name;
  }
}
