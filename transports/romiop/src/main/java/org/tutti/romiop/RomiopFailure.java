package org.tutti.romiop;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.BAD_OPERATION;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.COMM_FAILURE;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.INTERNAL;
import org.omg.CORBA.INV_OBJREF;
import org.omg.CORBA.MARSHAL;
import org.omg.CORBA.NO_RESOURCES;
import org.omg.CORBA.NO_RESPONSE;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.TRANSIENT;
import org.tutti.replica.consolidation.Consolidated;

/// How a call to a group fails, as the client sees it: a system exception of CORBA and a minor code, whose upper bits
/// are [#VENDOR].
///
/// The table is in `docs/romiop.md`. Codes are never given to anything else.
public enum RomiopFailure {
  /// The deadline came before enough members had answered.
  TIMED_OUT(1, new TIMEOUT(), 2),
  /// Enough replies cannot come any more.
  INSUFFICIENT_QUORUM(2, new NO_RESPONSE(), 2),
  /// The replies contradict what the rule asks of them.
  INCONSISTENT(3, new INTERNAL(), 0),
  /// A key member has not answered.
  KEY_MEMBER_MISSING(4, new NO_RESPONSE(), 2),
  /// The membership of the client ended while the call was on its way.
  GROUP_LOST(5, new COMM_FAILURE(), 2),
  /// The client could not get into the group.
  NOT_JOINED(6, new TRANSIENT(), 1),
  /// The client's ORB gave the plug-in what is no complete GIOP 1.2, or the arguments are not those of the operation.
  BROKEN_GIOP(7, new MARSHAL(), 1),
  /// No object of the group has this key.
  NO_SUCH_OBJECT(8, new OBJECT_NOT_EXIST(), 1),
  /// The call came after the time until which its client may send it again.
  EXPIRED(9, new TIMEOUT(), 2),
  /// The members keep so many replies that they cannot promise to keep one more.
  TOO_MANY_KEPT(10, new TRANSIENT(), 1),
  /// The call expires later than replies are kept, or its FT_REQUEST was one of a call by another version of GIOP.
  UNUSABLE_FT_REQUEST(11, new BAD_PARAM(), 2),
  /// The object has no such operation.
  NO_SUCH_OPERATION(12, new BAD_OPERATION(), 1),
  /// The service has as much as it may have.
  FULL(13, new NO_RESOURCES(), 1),
  /// An argument is not what the operation can use.
  WRONG_ARGUMENT(14, new BAD_PARAM(), 1),
  /// A member's reply is longer than a message of the group may be.
  REPLY_TOO_LONG(15, new MARSHAL(), 0),
  /// The client's reference is newer than the newest one that the group service has made.
  UNKNOWN_REFERENCE(16, new INV_OBJREF(), 1);

  /// The upper 20 bits of the minor codes: "TT". Not registered with the OMG.
  public static final int VENDOR = 0x54540000;

  private final int code;
  private final Class<? extends SystemException> kind;
  private final int completed;

  RomiopFailure(int code, SystemException example, int completed) {
    this.code = code;
    this.kind = example.getClass();
    this.completed = completed;
  }

  /// The minor code.
  ///
  /// @return [#VENDOR] and 1 to 16
  public int minor() {
    return VENDOR | code;
  }

  /// What it is called among metrics.
  String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// Which one has a minor code.
  ///
  /// @return null for one of others
  static @Nullable RomiopFailure ofMinor(int minor) {
    for (RomiopFailure each : values()) {
      if (each.minor() == minor) {
        return each;
      }
    }
    return null;
  }

  /// Whether it was executed.
  int completed() {
    return completed;
  }

  String repositoryId() {
    return "IDL:omg.org/CORBA/" + kind.getSimpleName() + ":1.0";
  }

  /// The exception, for callers within the ORB.
  SystemException exception(String words) {
    CompletionStatus status = CompletionStatus.from_int(completed);
    return switch (this) {
      case NOT_JOINED -> new TRANSIENT(words, minor(), status);
      case BROKEN_GIOP -> new MARSHAL(words, minor(), status);
      default -> new COMM_FAILURE(words, minor(), status);
    };
  }

  /// Which one an exception is; one of others counts as [#GROUP_LOST].
  static RomiopFailure of(SystemException exception) {
    RomiopFailure own = ofMinor(exception.minor);
    return own == null ? GROUP_LOST : own;
  }

  /// What an outcome without a reply is to the client.
  static RomiopFailure of(Consolidated<Giop> outcome) {
    return switch (outcome) {
      case Consolidated.Timeout<Giop> _ -> TIMED_OUT;
      case Consolidated.InsufficientQuorum<Giop> _ -> INSUFFICIENT_QUORUM;
      case Consolidated.Inconsistent<Giop> _ -> INCONSISTENT;
      case Consolidated.KeyMemberMissing<Giop> _ -> KEY_MEMBER_MISSING;
      case Consolidated.Success<Giop> _, Consolidated.ReducedMembership<Giop> _ ->
          throw new IllegalArgumentException("no failure: " + outcome);
    };
  }
}
