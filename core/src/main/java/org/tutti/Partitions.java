package org.tutti;

/// What members do in a view that is not primary.
public enum Partitions {
  /// They wait: what they multicast is sent when they are in a primary view again. The default.
  SUSPEND,
  /// They multicast and deliver among themselves, in a *branch*: it begins and ends with the view, and never becomes
  /// part of the history of the primary views. What it means when the parts meet again is the application's business.
  CONTINUE
}
