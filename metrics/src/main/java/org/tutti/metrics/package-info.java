/// The metrics of nodes and groups as meters of Micrometer: [org.tutti.metrics.NodeMeters].
package org.tutti.metrics;
