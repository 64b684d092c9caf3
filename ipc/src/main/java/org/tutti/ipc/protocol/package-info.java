/// The protocol between hosts, without a thread and without a clock. Not exported to programs.
package org.tutti.ipc.protocol;
