/// Between the engine and whoever uses a group: [Request] is what an application asks of its node, [GroupUser] what a
/// group tells it; [Exchange] builds rounds of [org.tutti.Group#propagate] on both.
package org.tutti.user;
