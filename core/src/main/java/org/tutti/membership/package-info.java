/// Who is in the group: views, their agreement, and what a view change does with the history.
///
/// Reading order: [PrimaryRule], [Knowledge] (what members report), [Flush] (what follows from it, pure), [Proposal]
/// (what is agreed), [ViewAgreement] (how), [Merge] (how parts find each other), [StateTransfer] (how newcomers catch
/// up).
package org.tutti.membership;
