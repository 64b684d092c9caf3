/// Messages to groups of processes, with a count and queued replies: what a program uses, and the protocol beneath.
package org.tutti.ipc;
