/// What a user of Tutti holds: nodes, groups, views and events.
///
/// Reading order: [Node], [Group], [Event], [View], [GroupConfig], [MemberConfig].
package org.tutti;
