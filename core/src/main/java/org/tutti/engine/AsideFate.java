package org.tutti.engine;

/// What became of a multicast to some members.
public enum AsideFate {
  /// Every destination of the view holds it: those that go on deliver it.
  HELD("held by all destinations"),
  /// Nobody delivers it: the ordering in force does not order it.
  NOT_ORDERED(
      "not sent: multicasts to some members need a primary view that began with the ordering SKEEN and keeps it, in a"
          + " group without domain"),
  /// Nobody delivers it: a destination is not in the view.
  NOT_MEMBERS("not sent: a destination is not in the view"),
  /// A view change left it out, and no destination is in the new view.
  GONE("no destination is left; some may have delivered it before they went"),
  /// This member was cut off while it was on its way, or all to whom it was sent were.
  UNKNOWN("it was on its way when its sender or its receivers were cut off: some destinations may have delivered it");

  private final String words;

  AsideFate(String words) {
    this.words = words;
  }

  /// Says it.
  ///
  /// @return for exceptions
  public String words() {
    return words;
  }
}
