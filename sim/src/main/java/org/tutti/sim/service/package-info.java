/// Tests of a program's own replicated service in the simulator: [Simulated].
package org.tutti.sim.service;
