/// What a node keeps where crashes do not reach it: the seam to stable storage. [org.tutti.storage.StableStorage] is
/// one node's; the engine writes what restarts need, an implementation only keeps it.
package org.tutti.storage;
