package org.tutti.romiop;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.tutti.romiop.Giop.BrokenGiopException;

/// Where the fields of a message are that the plug-in reads or rewrites. They are rewritten in place, so what follows
/// keeps its alignment, and no version is made of another one.
///
/// ```
/// request 1.2        id (4)   response flags (1)  0 (3)   kind of target (2)   key   operation   contexts   body, at 8
/// request 1.0, 1.1   contexts   id (4)   response expected (1)  in 1.1: 0 (3)   key   operation   principal   body
/// reply 1.2          id (4)   status (4)   contexts   body, at a multiple of 8
/// reply 1.0, 1.1     contexts   id (4)   status (4)   body
/// locate 1.2         id (4)   kind of target (2)   key
/// locate 1.0, 1.1    id (4)   key
/// contexts           count (4), { id (4)  length (4)  bytes }    key, operation, principal: length (4), bytes
/// ```
///
/// Numbers of 4 bytes are at multiples of 4 from the beginning of the message.
///
/// @param idAt     the request id
/// @param flagsAt  of a request whether a reply is wanted, of a reply its status; else 0
/// @param keyAt    the bytes of the object key, if there is one
/// @param keyBytes how many they are
/// @param nameAt   of a request where the length of the operation's name is; else 0
/// @param contexts the service contexts
/// @param body     where arguments or results begin
record GiopHead(int idAt, int flagsAt, int keyAt, int keyBytes, int nameAt, List<Context> contexts, int body) {
  private static final int CONTEXTS_MAX = 100;
  private static final int KEY_TARGET = 0;

  /// One service context.
  ///
  /// @param at    where its id is; behind it the length, then the bytes
  /// @param id    what it is
  /// @param bytes how long
  record Context(int at, int id, int bytes) {}

  /// Reads the head of a message.
  ///
  /// @param message the whole message, in its byte order
  /// @throws BrokenGiopException when a length leads out of it, or the target is no object key
  static GiopHead of(ByteBuffer message) throws BrokenGiopException {
    Cursor cursor = new Cursor(message);
    boolean is12 = message.get(5) == 2;
    return switch (message.get(7)) {
      case Giop.REQUEST -> is12 ? request12(cursor) : request10(cursor, message.get(5));
      case Giop.REPLY -> reply(cursor, is12);
      case Giop.LOCATE_REQUEST -> locate(cursor, is12);
      case Giop.CANCEL_REQUEST, Giop.LOCATE_REPLY -> new GiopHead(cursor.number(), 0, 0, 0, 0, List.of(), cursor.at);
      default -> new GiopHead(0, 0, 0, 0, 0, List.of(), cursor.at);
    };
  }

  /// Whether a request, or a question for an object, of GIOP 1.2 names its target in another way than by a key.
  ///
  /// @param message the whole message, in its byte order
  static boolean hasOtherTarget(ByteBuffer message) {
    int kindAt = message.get(7) == Giop.REQUEST ? 20 : message.get(7) == Giop.LOCATE_REQUEST ? 16 : -1;
    return message.get(5) == 2
        && kindAt > 0
        && message.limit() >= kindAt + Short.BYTES
        && message.getShort(kindAt) != KEY_TARGET;
  }

  private static GiopHead request12(Cursor cursor) throws BrokenGiopException {
    int idAt = cursor.number();
    int flagsAt = cursor.bytes(4);
    cursor.keyTarget();
    int keyAt = cursor.sized();
    int keyBytes = cursor.at - keyAt;
    int nameAt = cursor.name();
    List<Context> contexts = cursor.contexts();
    return new GiopHead(idAt, flagsAt, keyAt, keyBytes, nameAt, contexts, cursor.bodyOf12());
  }

  private static GiopHead request10(Cursor cursor, int minor) throws BrokenGiopException {
    List<Context> contexts = cursor.contexts();
    int idAt = cursor.number();
    int flagsAt = cursor.bytes(minor == 0 ? 1 : 4);
    int keyAt = cursor.sized();
    int keyBytes = cursor.at - keyAt;
    int nameAt = cursor.name();
    cursor.sized(); // the principal
    return new GiopHead(idAt, flagsAt, keyAt, keyBytes, nameAt, contexts, cursor.at);
  }

  private static GiopHead reply(Cursor cursor, boolean is12) throws BrokenGiopException {
    List<Context> before = is12 ? List.of() : cursor.contexts();
    int idAt = cursor.number();
    int statusAt = cursor.number();
    List<Context> contexts = is12 ? cursor.contexts() : before;
    return new GiopHead(idAt, statusAt, 0, 0, 0, contexts, is12 ? cursor.bodyOf12() : cursor.at);
  }

  private static GiopHead locate(Cursor cursor, boolean is12) throws BrokenGiopException {
    int idAt = cursor.number();
    if (is12) {
      cursor.keyTarget();
    }
    int keyAt = cursor.sized();
    return new GiopHead(idAt, 0, keyAt, cursor.at - keyAt, 0, List.of(), cursor.at);
  }

  /// A place in the message, behind the header at first.
  private static final class Cursor {
    private final ByteBuffer message;
    private int at = Giop.HEADER_BYTES;

    Cursor(ByteBuffer message) {
      this.message = message;
    }

    /// Skips so many bytes.
    ///
    /// @return where they are
    int bytes(int count) throws BrokenGiopException {
      Giop.require(count >= 0 && count <= message.limit() - at, "a field that ends behind the message");
      int begin = at;
      at += count;
      return begin;
    }

    /// Skips a number.
    ///
    /// @return where it is
    int number() throws BrokenGiopException {
      at = Math.min((at + 3) & ~3, message.limit());
      return bytes(Integer.BYTES);
    }

    /// Skips bytes with a length before them.
    ///
    /// @return where the bytes are
    int sized() throws BrokenGiopException {
      return bytes(message.getInt(number()));
    }

    /// Skips the name of an operation.
    ///
    /// @return where its length is
    int name() throws BrokenGiopException {
      int lengthAt = number();
      bytes(message.getInt(lengthAt));
      return lengthAt;
    }

    void keyTarget() throws BrokenGiopException {
      at = (at + 1) & ~1;
      Giop.require(message.getShort(bytes(Short.BYTES)) == KEY_TARGET, "a target that is no object key");
    }

    List<Context> contexts() throws BrokenGiopException {
      int count = message.getInt(number());
      Giop.require(count >= 0 && count <= CONTEXTS_MAX, "too many service contexts");
      List<Context> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int begin = number();
        int dataAt = sized();
        all.add(new Context(begin, message.getInt(begin), at - dataAt));
      }
      return List.copyOf(all);
    }

    int bodyOf12() {
      return Math.min((at + 7) & ~7, message.limit());
    }
  }
}
