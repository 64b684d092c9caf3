package org.tutti.engine;

import org.tutti.pack.Batch;

/// Where a view's history goes when it is decided, and who knows how far the application has come with it.
interface Deliverer {
  /// The index behind what is delivered.
  long deliveredNext();

  /// A batch has its place and is decided, in the order of places.
  void deliver(long index, Batch batch);

  /// A batch of a weak service may be delivered, although it has no place yet.
  void deliverEarly(Batch batch);

  /// What this member says of its consumption.
  ///
  /// @return the index behind what its application has consumed
  long consumedNext();

  /// What nothing refers to any more that got it from here.
  ///
  /// @return the index behind what the application has consumed and nobody keeps for it; never too high
  long consumedBelow();

  /// Nothing here refers any more to a batch of this member that is below [#consumedBelow], but packets that their
  /// receivers have taken: to these it does not matter if they come again with something else in them.
  void giveBack(Batch batch);

  /// Every application has consumed all below an index.
  void consumedByAll(long index);
}
