package org.tutti.ipc.protocol;

import java.util.function.Consumer;
import org.tutti.ipc.Result;

/// A call that waits.
///
/// @param <T>      what it yields
/// @param deadline when it is aborted
/// @param caller   told once
record Waiting<T>(long deadline, Consumer<Result<T>> caller) {}
