/// Transport over gRPC. Reading order: [GrpcTransport], [GrpcMiddleware], [GrpcCall], [Stream].
@NullMarked
package org.tutti.grpc;

import org.jspecify.annotations.NullMarked;
