/// The only port out of a protocol: [Effects] and [Timer].
package org.tutti.effect;
