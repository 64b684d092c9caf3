package org.tutti.verify.host;

import java.io.IOException;
import org.tutti.fixture.GroupContract;
import org.tutti.grpc.GrpcConfig;
import org.tutti.grpc.GrpcTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

class GrpcGroupTest extends GroupContract {
  @Override
  protected Transport open() throws IOException {
    return GrpcTransport.open(new Address("127.0.0.1:0"), GrpcConfig.lan());
  }
}
