/// Calls of a replicated service as traces of OpenTelemetry.
@NullMarked
package org.tutti.examples.tracing;

import org.jspecify.annotations.NullMarked;
