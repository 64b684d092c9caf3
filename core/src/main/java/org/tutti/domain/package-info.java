/// Order among overlapping groups: [Domain] (a node's groups of one domain), [DomainMember] (one of them), [Frontier]
/// (what can still come in it).
package org.tutti.domain;
