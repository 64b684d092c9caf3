import org.jspecify.annotations.NullMarked;

/// Building blocks of distributed programs, on a replicated service: map, lock, leader election, counter, barrier.
///
/// Start reading at [org.tutti.blocks.Blocks].
@NullMarked
module org.tutti.blocks {
  requires transitive org.tutti.replica;
  requires static org.jspecify;

  exports org.tutti.blocks;
}
