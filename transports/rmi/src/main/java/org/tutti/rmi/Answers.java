package org.tutti.rmi;

import java.io.ObjectInputFilter;
import java.lang.reflect.Proxy;
import java.rmi.Remote;
import java.rmi.dgc.Lease;
import java.rmi.dgc.VMID;
import java.rmi.server.RemoteObject;
import java.rmi.server.RemoteObjectInvocationHandler;
import java.rmi.server.UID;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/// What may be in the answers to the calls of a [ClientSockets], and how much of it. Exceptions never may: that there
/// is one is all that is read of it.
final class Answers implements ObjectInputFilter {
  private static final int DEPTH_MAX = 8;
  private static final int REFERENCES_MAX = 1 << 14;
  private static final int ELEMENTS_MAX = 1 << 12;

  /// How many were refused.
  final AtomicLong refused = new AtomicLong();

  /// How many bytes one object may have.
  final int bytesMax;

  private final Set<Class<?>> classes;

  private Answers(int bytesMax, Set<Class<?>> classes) {
    this.bytesMax = bytesMax;
    this.classes = classes;
  }

  /// Of a node: the reference to its object, and leases of RMI's garbage collection.
  static Answers ofPeer() {
    return new Answers(
        1 << 14,
        Set.of(
            RemoteReceiver.class,
            Remote.class,
            Proxy.class,
            RemoteObject.class,
            RemoteObjectInvocationHandler.class,
            ClientSockets.class,
            Lease.class,
            VMID.class,
            UID.class,
            byte[].class));
  }

  /// Of a registry that is asked for the names in it.
  static Answers names() {
    return new Answers(1 << 20, Set.of(String[].class));
  }

  @Override
  public Status checkInput(FilterInfo info) {
    Class<?> type = info.serialClass();
    boolean known = type == null || classes.contains(type) || Proxy.isProxyClass(type);
    boolean bounded =
        info.depth() <= DEPTH_MAX && info.references() <= REFERENCES_MAX && info.arrayLength() <= ELEMENTS_MAX;
    return known && bounded ? Status.ALLOWED : Status.REJECTED;
  }

  /// Whether a class may be looked for at all.
  boolean mayHave(String className) {
    return classes.stream().anyMatch(one -> one.getName().equals(className));
  }
}
