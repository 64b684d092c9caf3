/// A node's stable storage in a directory: [FileStorage] is the one to open.
package org.tutti.store;
