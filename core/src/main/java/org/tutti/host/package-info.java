/// What stands between an application's threads and the engine: windows, event queues, streams of state.
///
/// Locks live here, protocols do not. Reading order: [Membership] (a [org.tutti.Group] towards the application and an
/// [org.tutti.user.GroupUser] towards the engine), [Window], [EventDispatcher] with [EventQueue] and
/// [ListenerDispatcher], [StateStreams] with [OutgoingState] and [IncomingState].
package org.tutti.host;
