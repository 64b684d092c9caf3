/// A transport through the memory of one process, for tests and embedded use: [org.tutti.transport.memory.InProcess].
package org.tutti.transport.memory;
