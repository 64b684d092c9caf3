/// The `tutti` command and its subcommands.
@NullMarked
package org.tutti.cli;

import org.jspecify.annotations.NullMarked;
