package org.tutti.rmi;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamField;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.rmi.AnswerFilter.RefusedAnswerException;

/// Reads an object as RMI writes it, only to see that it holds nothing that was not asked for.
///
/// A class that may not be in it is not even looked for, and one whose fields are not those that it has here, so that
/// more could follow than is read, is refused. A reference to a remote object has to hold our own [ClientSockets] where
/// references hold their factory of sockets:
///
/// ```
/// "UnicastRef2"  01  host  port  ClientSockets  number of the object ...
/// ```
///
/// With another factory, or without, calls and RMI's own would go wherever the reference says.
final class CheckedObject extends ObjectInputStream {
  private enum Place {
    BEFORE,
    REFERENCE,
    ENDPOINT,
    FACTORY
  }

  private static final String REFERENCE = "UnicastRef2";
  private static final byte WITH_FACTORY = 1;

  private final Answers expected;
  private Place place = Place.BEFORE;
  private @Nullable RefusedAnswerException refusal;
  private boolean describing; // a class: its name and fields are read by the same methods as a reference

  CheckedObject(InputStream in, Answers expected) throws IOException {
    super(in);
    this.expected = expected;
    setObjectInputFilter(expected);
  }

  void check() throws IOException, ClassNotFoundException {
    try {
      Object _ = readObject();
    } catch (IOException | RuntimeException e) {
      // Half-read, the stream throws something of its own over what was the matter.
      if (refusal != null) {
        throw refusal;
      }
      throw e;
    }
  }

  private RefusedAnswerException refusal(String message) {
    RefusedAnswerException first = refusal == null ? new RefusedAnswerException(message) : refusal;
    refusal = first;
    return first;
  }

  @Override
  protected ObjectStreamClass readClassDescriptor() throws IOException, ClassNotFoundException {
    describing = true;
    try {
      return super.readClassDescriptor();
    } finally {
      describing = false;
    }
  }

  @Override
  protected Class<?> resolveClass(ObjectStreamClass described) throws IOException, ClassNotFoundException {
    annotation();
    String name = described.getName();
    if (!expected.mayHave(name)) {
      throw refusal("class " + name + " in an answer");
    }
    if (name.equals(ClientSockets.class.getName())) {
      pass(Place.ENDPOINT, Place.FACTORY);
    }
    Class<?> found = super.resolveClass(described);
    ObjectStreamClass local = ObjectStreamClass.lookup(found);
    if (local == null || !sameFields(local.getFields(), described.getFields())) {
      throw refusal("another class " + name + " in an answer");
    }
    return found;
  }

  @Override
  protected Class<?> resolveProxyClass(String[] interfaces) throws IOException, ClassNotFoundException {
    annotation();
    for (String name : interfaces) {
      if (!expected.mayHave(name)) {
        throw refusal("interface " + name + " in an answer");
      }
    }
    return super.resolveProxyClass(interfaces);
  }

  /// Behind each class RMI writes where it might be had from.
  private void annotation() throws IOException, ClassNotFoundException {
    Object from = readObject();
    if (from != null && !(from instanceof String)) {
      throw refusal("an unexpected class");
    }
  }

  // What RMI's references read themselves, in this order.

  @Override
  public String readUTF() throws IOException {
    String text = super.readUTF();
    if (describing) {
      return text;
    }
    if (place == Place.BEFORE && text.equals(REFERENCE)) {
      place = Place.REFERENCE;
    } else if (place != Place.ENDPOINT) {
      throw refusal("a reference of another kind");
    }
    return text;
  }

  @Override
  public byte readByte() throws IOException {
    byte format = super.readByte();
    if (describing) {
      return format;
    }
    pass(Place.REFERENCE, Place.ENDPOINT);
    if (format != WITH_FACTORY) {
      throw refusal("a reference to another address");
    }
    return format;
  }

  @Override
  public long readLong() throws IOException {
    if (!describing) {
      pass(Place.FACTORY, Place.FACTORY);
    }
    return super.readLong();
  }

  private void pass(Place from, Place to) throws RefusedAnswerException {
    if (place != from) {
      throw refusal("a reference to another address");
    }
    place = to;
  }

  private static boolean sameFields(ObjectStreamField[] here, ObjectStreamField[] there) {
    if (here.length != there.length) {
      return false;
    }
    for (int i = 0; i < here.length; i++) {
      boolean same =
          here[i].getName().equals(there[i].getName())
              && here[i].getTypeCode() == there[i].getTypeCode()
              && Objects.equals(here[i].getTypeString(), there[i].getTypeString());
      if (!same) {
        return false;
      }
    }
    return true;
  }
}
