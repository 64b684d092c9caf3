/// The calls of T-Shoshin by their names, on top of [org.tutti.ipc.IpcProcess].
@NullMarked
package org.tutti.examples.shoshin;

import org.jspecify.annotations.NullMarked;
