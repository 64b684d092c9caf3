/// A replicated accounts service: every replica keeps the ledger in an SQL database of its own.
///
/// Clients are not members of the group (case B): a client asks one replica, which multicasts the request; every
/// replica executes it in the one order of the group, and the replica that holds the client's connection answers.
///
/// Reading order: [Transaction], [ClientRequest], [Ledger], [AccountReplica], [ClientPort], [AccountClient]; then
/// [Demo], which runs all of it as processes, kills some and audits the result.
@NullMarked
package org.tutti.examples.accounts;

import org.jspecify.annotations.NullMarked;
