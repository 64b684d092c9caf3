package org.tutti.corba;

import org.jspecify.annotations.Nullable;
import org.omg.CORBA.BAD_OPERATION;
import org.omg.CORBA.MARSHAL;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.OutputStream;
import org.omg.CORBA.portable.ResponseHandler;
import org.tutti.corba.gate.Gate;
import org.tutti.corba.gate.IiopCount;
import org.tutti.corba.idl.PeerPOA;
import org.tutti.middleware.Middleware;

/// The object that peers call: it hands batches on, one after the other, and blocks while the node does not keep up.
final class PeerServant extends PeerPOA {
  private final Gate gate;
  private final Middleware.Arrivals arrivals;

  PeerServant(Gate gate, Middleware.Arrivals arrivals) {
    this.gate = gate;
    this.arrivals = arrivals;
  }

  @Override
  public void frames(byte[] carried) {
    arrivals.take(carried);
  }

  /// Reads a request. The generated method would do, but it allocates as many bytes as a sequence claims to have when
  /// nothing follows.
  @Override
  public @Nullable OutputStream _invoke(String operation, InputStream input, ResponseHandler handler) {
    if (!operation.equals("frames")) {
      gate.count(IiopCount.DROP_UNKNOWN_OPERATION);
      throw new BAD_OPERATION(operation);
    }
    int length = input.read_long();
    if (length < 0 || length > available(input)) {
      gate.count(IiopCount.DROP_BAD_SEQUENCE);
      throw new MARSHAL("a sequence of " + length + " bytes");
    }
    byte[] carried = new byte[length];
    input.read_octet_array(carried, 0, length);
    frames(carried);
    return handler.createReply();
  }

  private static int available(InputStream input) {
    try {
      return input.available();
    } catch (java.io.IOException e) {
      throw new MARSHAL(e.toString());
    }
  }
}
