package org.tutti.order;

import java.util.List;
import org.tutti.MemberId;
import org.tutti.ViewId;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Where a view's history ends for members that leave the view together.
///
/// @param view    the view that ends
/// @param base    the index of the first place listed; whoever the cut is for holds all below it
/// @param places  the places from there on
/// @param whole   whether this is the end of the view's history (the next view is primary), or only its decided part
///                (the next view is not, and what is beyond stays undecided)
/// @param sources   by rank, who has the most of the sender's batches
/// @param available whether those who were asked have, together, every batch
/// @param subsets    the multicasts to some members that are kept, in their order; in a whole history only
public record Cut(
    ViewId view,
    long base,
    List<Run> places,
    boolean whole,
    List<MemberId> sources,
    boolean available,
    List<SubsetPlace> subsets) {
  /// Copies the lists.
  public Cut {
    places = List.copyOf(places);
    sources = List.copyOf(sources);
    subsets = List.copyOf(subsets);
  }

  /// A cut without subset multicasts.
  ///
  /// @param view      the view that ends
  /// @param base      the index of the first place listed
  /// @param places    the places
  /// @param whole     whether this is the end of the view's history
  /// @param sources   by rank, who has the most of the sender's batches
  /// @param available whether they have, together, every batch
  public Cut(ViewId view, long base, List<Run> places, boolean whole, List<MemberId> sources, boolean available) {
    this(view, base, places, whole, sources, available, List.of());
  }

  /// The same with subset multicasts.
  ///
  /// @param kept in their order
  /// @return a changed copy
  public Cut with(List<SubsetPlace> kept) {
    return new Cut(view, base, places, whole, sources, available, kept);
  }

  /// The index behind the last place.
  ///
  /// @return base plus the number of places
  public long end() {
    return base + Run.places(places);
  }

  /// The number behind the last batch of a sender in this cut.
  ///
  /// @param rank the sender's rank
  /// @return the number, or 0 when it has none
  public long batchNext(int rank) {
    long next = 0;
    for (Run run : places) {
      if (run.rank() == rank) {
        next = Math.max(next, run.next());
      }
    }
    return next;
  }

  /// Whether what a member knows to be decided of this view has the places that it has here, up to where this cut ends.
  ///
  /// @param tail what the member reports
  /// @return whether nothing contradicts
  public boolean agreesWith(Tail tail) {
    long from = Math.max(base, tail.base());
    long to = Math.max(from, Math.min(end(), tail.decidedNext()));
    return Run.between(places, from - base, to - base)
        .equals(Run.between(tail.places(), from - tail.base(), to - tail.base()));
  }

  /// The same cut without the places from an index on.
  ///
  /// @param end the index
  /// @return this or a shorter cut
  public Cut upTo(long end) {
    return new Cut(view, base, Run.between(places, 0, end - base), whole, sources, available, subsets);
  }

  /// The same end of the history, to be fetched from others.
  ///
  /// @param from by rank, who has the most of the sender's batches
  /// @param all  whether they have, together, every batch
  /// @return a changed copy
  public Cut withSources(List<MemberId> from, boolean all) {
    return new Cut(view, base, places, whole, from, all, subsets);
  }

  /// Appends this to a message.
  ///
  /// @param out where to
  public void write(WireWriter out) {
    out.viewId(view);
    out.count(base);
    Run.write(places, out);
    out.flag(whole);
    out.flag(available);
    List<MemberId> distinct = sources.stream().distinct().toList();
    out.members(distinct);
    out.count(sources.size());
    for (MemberId source : sources) {
      out.count(distinct.indexOf(source));
    }
    out.count(subsets.size());
    subsets.forEach(subset -> subset.write(out));
  }

  /// Takes one from a message.
  ///
  /// @param in where from
  /// @return the cut
  /// @throws Malformed when the bytes are not one
  public static Cut read(WireReader in) throws Malformed {
    ViewId view = in.viewId();
    long base = in.count();
    List<Run> places = Run.read(in);
    boolean whole = in.flag();
    boolean available = in.flag();
    List<MemberId> distinct = in.members();
    List<MemberId> sources =
        in.list(
            1,
            list -> {
              int at = list.countUpTo(Integer.MAX_VALUE);
              if (at >= distinct.size()) {
                throw new Malformed("cut");
              }
              return distinct.get(at);
            });
    for (Run run : places) {
      if (run.rank() >= sources.size()) {
        throw new Malformed("cut");
      }
    }
    List<SubsetPlace> subsets = in.list(SubsetPlace.BYTES_MIN, from -> SubsetPlace.read(from, sources.size()));
    return new Cut(view, base, places, whole, sources, available, subsets);
  }
}
