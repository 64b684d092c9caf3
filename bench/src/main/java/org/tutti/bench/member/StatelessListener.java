package org.tutti.bench.member;

import org.tutti.Event;
import org.tutti.GroupListener;

/// A listener of a group whose members join without state.
public interface StatelessListener extends GroupListener {
  @Override
  default void requestState(Event.StateRequest request) {
    throw new IllegalStateException("nobody asks for state here");
  }

  @Override
  default void offerState(Event.StateOffer offer) {
    throw new IllegalStateException("nobody asks for state here");
  }
}
