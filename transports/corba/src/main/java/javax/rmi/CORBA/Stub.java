package javax.rmi.CORBA;

import org.omg.CORBA_2_3.portable.ObjectImpl;

/// The base class of stubs for RMI over IIOP, as far as JacORB wants it: it asks of every reference that it makes
/// whether it is one, and the JDK has had no such class since Java 11. No object is ever one here.
public abstract class Stub extends ObjectImpl {
  private static final long serialVersionUID = 1;

  /// For classes that do not exist.
  protected Stub() {}
}
