package org.tutti.membership;

import org.jspecify.annotations.Nullable;
import org.tutti.ViewId;
import org.tutti.order.Cut;
import org.tutti.pack.Batch;

/// What a member keeps of a view's history, as view changes see it: they take reports of it, and end it by a cut. It is
/// the history of the last primary view that the member installed, or the branch of a view that is not primary.
public interface KeptHistory {
  /// The view whose history it is.
  ///
  /// @return its id, or null when there is none: this member has never been in a primary view, or is in no branch
  @Nullable ViewId of();

  /// Tells others what is kept.
  ///
  /// @return the report, or null when there is no history
  Knowledge.@Nullable History report();

  /// Whether another member's report can be true, by what this member knows.
  ///
  /// @param report what another keeps of any history
  /// @return whether nothing speaks against it
  boolean allows(Knowledge.History report);

  /// Whether a cut can be applied to this history.
  ///
  /// @param cut any cut
  /// @return whether it fits
  boolean fits(Cut cut);

  /// Whether every batch of a cut is here.
  ///
  /// @param cut a cut that fits
  /// @return whether nothing is missing
  boolean holds(Cut cut);

  /// Where this member must begin to fetch a sender's batches, see [org.tutti.order.Log#missingFrom].
  ///
  /// @param cut  a cut of this history
  /// @param rank the sender's rank
  /// @return the number of the first batch that is not here
  long missingFrom(Cut cut, int rank);

  /// Keeps a batch that was fetched.
  ///
  /// @param view  the history's view
  /// @param rank  the sender's rank
  /// @param batch the batch
  /// @return whether it belongs here
  boolean supplied(ViewId view, int rank, Batch batch);

  /// Finds a batch that another member misses.
  ///
  /// @param view the history's view
  /// @param rank the sender's rank
  /// @param seq  the batch's number
  /// @return the batch, or null
  @Nullable Batch find(ViewId view, int rank, long seq);
}
