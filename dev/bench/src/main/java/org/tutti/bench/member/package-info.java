/// One process of a measurement: it does what it is told on standard input and answers on standard output.
///
/// Reading order: [Worker], [BenchTarget], [TuttiTarget], [RawTarget].
@NullMarked
package org.tutti.bench.member;

import org.jspecify.annotations.NullMarked;
