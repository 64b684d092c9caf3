package org.tutti;

/// Which views of a group are primary, as its founder chooses ([GroupConfig.Builder#primaryViews(PrimaryViews)]).
///
/// With dynamic linear voting a group goes on with those to whom it has shrunk, down to one, and is lost with them: who
/// was not in the last primary view cannot help. With a static majority it stops as soon as half of a configured set of
/// names is gone, and goes on with any majority of them, whoever was in the last primary view, as long as they have not
/// forgotten: a process that was started again counts once a primary view has taken it in, or at once with its stable
/// storage. `docs/protocols/primary-views.md` says how many crashes each survives, in which order.
public enum PrimaryViews {
  /// A quorum of the last primary view goes on: more than half of its voters, or half of them with the most senior one.
  /// For groups without an electorate, and the default there.
  DYNAMIC_LINEAR,
  /// A majority of the electorate goes on. Needs one ([GroupConfig#electorate()]), and is the default
  /// with one.
  STATIC_MAJORITY,
  /// A quorum of the last primary view goes on, if the next one has a majority of the electorate. Needs one.
  BOTH;

  /// Whether an electorate has a part in it.
  ///
  /// @return whether one is needed
  public boolean needsElectorate() {
    return this != DYNAMIC_LINEAR;
  }
}
