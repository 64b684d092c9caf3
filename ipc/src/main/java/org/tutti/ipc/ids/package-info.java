/// Ids and passwords of groups: the server that gives them out, and its client.
package org.tutti.ipc.ids;
