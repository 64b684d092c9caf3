package org.tutti;

import org.jspecify.annotations.Nullable;

/// What [Group#localCall] asks the thread that takes a member's events. A request names the type of its response, so
/// that the compiler checks both ends of a call.
///
/// {@snippet class="ApiExamplesTest" region="local-request"}
/// {@snippet class="ApiExamplesTest" region="local-call"}
///
/// It is passed on as it is, to another thread of this process; so it is best a record.
///
/// @param <R> the type of the response
public interface LocalRequest<R extends @Nullable Object> {}
