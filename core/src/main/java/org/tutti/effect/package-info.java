/// The only port out of a protocol, [Effects], and what it may count, [Counters].
package org.tutti.effect;
