package org.tutti.rmi;

import java.rmi.Remote;
import java.rmi.RemoteException;

/// What a node exports: the only remote operation, with the only type that it takes. Public because RMI makes a proxy
/// of it.
public interface RemoteReceiver extends Remote {
  /// Takes a batch of frames; returns when it is taken or dropped.
  ///
  /// @param batch the bytes
  /// @throws RemoteException when the call fails
  void take(byte[] batch) throws RemoteException;
}
