package org.tutti.romiop;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// The state of all objects of a group, as it goes from a member to a newcomer, with the replies that are kept for
/// calls that may come again. What it is of each object, its servant says by an operation that any IDL may declare:
///
/// ```
/// typedef sequence<octet> State;
/// State get_state();
/// void set_state(in State s);
/// ```
///
/// They are those of `Checkpointable` of Fault Tolerant CORBA (OMG formal/04-03-12, section 23.3), without its
/// exceptions.
///
/// ```
/// "RMS2"   count (4)   { key (modified UTF-8)   length (4)   state }
/// time (8)   count (4)   { client_id (modified UTF-8)   retention_id (4)   expiration_time (8)   length (4)   reply }
/// ```
///
/// @param objects the state of each object, by its key
/// @param kept    the replies
record ObjectStates(SortedMap<String, byte[]> objects, KeptReplies kept) {
  static final String GET = "get_state";
  static final String SET = "set_state";

  private static final int VERSION = 2;
  private static final int MAGIC = 0x524d5330 + VERSION;

  /// Writes them.
  void write(OutputStream to) throws IOException {
    DataOutputStream out = new DataOutputStream(to);
    out.writeInt(MAGIC);
    out.writeInt(objects.size());
    for (var each : objects.entrySet()) {
      out.writeUTF(each.getKey());
      out.writeInt(each.getValue().length);
      out.write(each.getValue());
    }
    kept.write(out);
    out.flush();
  }

  /// Reads them to their end.
  ///
  /// @param keys of the objects that are expected, neither more nor fewer
  /// @throws OtherObjectsException when they are of other objects, or none of these
  static ObjectStates read(InputStream from, Collection<String> keys) throws IOException {
    DataInputStream in = new DataInputStream(from);
    int version = in.readInt() - MAGIC + VERSION;
    if (version != VERSION) {
      boolean is = version > 0 && version <= 9;
      String what = is ? "states of objects of version " + version : "no states of objects";
      throw new OtherObjectsException(what + ", this member reads version " + VERSION);
    }
    int count = in.readInt();
    if (count != keys.size()) {
      throw new OtherObjectsException(count + " objects, not " + keys.size());
    }
    var states = new TreeMap<String, byte[]>();
    for (int i = 0; i < count; i++) {
      String key = in.readUTF();
      int length = in.readInt();
      byte[] state = length < 0 ? new byte[0] : in.readNBytes(length);
      if (state.length != length) {
        throw new OtherObjectsException("the state of " + key + " ends early");
      }
      states.put(key, state);
    }
    if (!states.keySet().equals(new TreeSet<>(keys))) {
      throw new OtherObjectsException(states.keySet() + ", not " + keys);
    }
    KeptReplies kept = KeptReplies.read(in);
    if (in.read() >= 0) {
      throw new OtherObjectsException("more than the objects and the replies");
    }
    return new ObjectStates(states, kept);
  }

  /// The state is whole, but not that of this member's objects.
  static final class OtherObjectsException extends IOException {
    private static final long serialVersionUID = 1;

    OtherObjectsException(String what) {
      super(what);
    }
  }
}
