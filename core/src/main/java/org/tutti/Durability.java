package org.tutti;

/// What a member keeps in stable storage, and when it is forced there. What was promised and agreed about views is
/// always forced before anybody hears of it; the policies differ in the messages.
public enum Durability {
  /// Nothing: a member that is started again is a newcomer, and when all are gone at once the group is.
  NONE,
  /// Messages are written before they are acknowledged, but not forced. What was delivered survives the end of all
  /// processes at once; it does not survive a power failure.
  VIEWS,
  /// Messages are forced before they are acknowledged, once for all that arrived together. What was delivered survives
  /// a power failure of all machines at once. Each acknowledgement waits for the disk.
  EACH
}
