/// What of a group has to outlive its process: [Journal] writes it, [Restart] is what the next life reads, [Position] a
/// place in the history with everything before it summed up.
package org.tutti.durable;
