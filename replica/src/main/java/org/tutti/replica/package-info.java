/// Replicated services and their clients: what a program uses.
package org.tutti.replica;
