/// A replicated accounts service: every replica keeps the ledger in an SQL database of its own.
///
/// The service is [Ledger], a state machine on top of SQL; [AccountReplica] replicates it, and [AccountClient] calls
/// it. Module `replica` does the rest: that each command is executed once is not written here.
///
/// Reading order: [Transaction], [ClientRequest], [Ledger], [AccountReplica], [AccountClient]; then [Demo], which runs
/// all of it as processes, kills some and audits the result.
@NullMarked
package org.tutti.examples.accounts;

import org.jspecify.annotations.NullMarked;
