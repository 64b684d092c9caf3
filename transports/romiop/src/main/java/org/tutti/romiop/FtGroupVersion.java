package org.tutti.romiop;

import org.jspecify.annotations.Nullable;
import org.tutti.romiop.Giop.BrokenGiopException;

/// The service context FT_GROUP_VERSION of Fault Tolerant CORBA, by which a client says which version of the reference
/// to a group it has.
///
/// ```
/// byte order (1)   0 (3)   object_group_ref_version (4)
/// ```
///
/// The ORB TAO can be built to send the whole `TAG_FT_GROUP` of the reference instead, which ends by the version; that
/// is read, too.
///
/// Source: OMG, *Fault Tolerant CORBA*, formal/04-03-12, section 23.2.7.
///
/// @param version unsigned; a later reference has a greater one
record FtGroupVersion(int version) {
  /// The number of the context.
  static final int ID = 12;

  private static final int BYTES = 8;
  private static final int DOMAIN_MAX = 255;

  /// Reads it from a request.
  ///
  /// @return null when the request has none
  /// @throws BrokenGiopException when it is not whole
  static @Nullable FtGroupVersion of(Giop request) throws BrokenGiopException {
    byte[] bytes = request.context(ID);
    if (bytes == null) {
      return null;
    }
    CdrIn in = CdrIn.encapsulated(bytes);
    if (bytes.length > BYTES) {
      in.octet(); // the version of the component, 1.0
      in.octet();
      in.string(DOMAIN_MAX);
      in.ulonglong();
    }
    return new FtGroupVersion(in.ulong());
  }

  /// Whether that is before, the same as, or behind another version: negative, 0 or positive.
  int compareTo(int other) {
    return Integer.compareUnsigned(version, other);
  }
}
