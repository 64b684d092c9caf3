package org.tutti.romiop;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;
import org.tutti.romiop.Giop.BrokenGiopException;
import org.tutti.romiop.ServedObjects.DeclaredException;
import org.tutti.romiop.ServedObjects.FailedException;

/// A replicated service whose commands and questions are requests of GIOP, and whose answers are the replies to them:
///
/// ```
/// any ORB -- IIOP --> [Gateway] --> [ServiceCaller] -- a command: [ServiceRequest] --> here, at each replica
///                                                   <-- its reply --
/// ```
///
/// **Guarantee.** A request with an [FtRequest] is executed once, through whatever replica's gateway it comes and comes
/// again, until it expires by the time that the replicas agree on ([Command#time]); its reply is part of the state.
/// Any bytes get an answer or are refused; they change nothing then.
///
/// ```
/// snapshot: format 1 (2)   the replies that are kept, as in [ObjectStates]   the objects
/// ```
final class ReplicatedObjects implements StateMachine {
  private static final int FORMAT = 1;
  private static final int TYPE_MAX = 1024;

  private final ServedObjects objects;
  private final KeptReplies kept;

  ReplicatedObjects(ServedObjects objects) {
    this(objects, new KeptReplies());
  }

  /// With what is kept already.
  ReplicatedObjects(ServedObjects objects, KeptReplies kept) {
    this.objects = objects;
    this.kept = kept;
  }

  /// Whether a request can be a question, which need not be ordered.
  static boolean isRead(ServedObjects objects, Giop request) {
    try {
      String operation = request.operation();
      return operation.startsWith("_") || objects.isRead(operation);
    } catch (BrokenGiopException _) {
      return true; // it changes nothing
    }
  }

  @Override
  public ByteBuffer apply(Command command) {
    ServiceRequest asked = ServiceRequest.read(command.payload());
    Giop request = asked.giop();
    kept.turn(FtRequest.time(command.time()));
    FtRequest call = ftRequest(request);
    Giop reply = call == null ? null : kept.instead(call, request.minorVersion());
    if (reply == null) {
      reply = reply(asked, unique(command));
      if (call != null) {
        kept.keep(call, reply);
      }
    }
    return answer(request, reply);
  }

  @Override
  public ByteBuffer query(ByteBuffer question) {
    ServiceRequest asked = ServiceRequest.read(question);
    Giop request = asked.giop();
    if (!isRead(objects, request)) {
      throw new IllegalArgumentException("no question: it may change the state");
    }
    return answer(request, reply(asked, 0));
  }

  private static @Nullable FtRequest ftRequest(Giop request) {
    try {
      return FtRequest.of(request);
    } catch (BrokenGiopException e) {
      throw new IllegalArgumentException("no request of GIOP: " + e.getMessage(), e);
    }
  }

  private static ByteBuffer answer(Giop request, Giop reply) {
    return ByteBuffer.wrap(reply.withRequestId(request.requestId()).bytes());
  }

  /// Two services, at different times or of different clients, have no number in common, most likely.
  private static long unique(Command command) {
    long time = command.time().getEpochSecond() * 1_000_000_000 + command.time().getNano();
    return (time * 31 + command.session()) * 31 + command.position();
  }

  private Giop reply(ServiceRequest asked, long unique) {
    Giop request = asked.giop();
    int minor = request.minorVersion();
    try {
      CdrOut results = new CdrOut();
      var call =
          new ServedObjects.Call(request.key(), request.operation(), request.body(), results, asked.ports(), unique);
      if (!objects.isKey(call.key())) {
        throw new FailedException(RomiopFailure.NO_SUCH_OBJECT);
      } else if (call.operation().equals("_is_a")) {
        String type = call.arguments().string(TYPE_MAX);
        results.octet(objects.isType(call.key(), type) || type.equals("IDL:omg.org/CORBA/Object:1.0") ? 1 : 0);
      } else if (call.operation().equals("_non_existent") || call.operation().equals("_not_existent")) {
        results.octet(objects.exists(call.key()) ? 0 : 1);
      } else {
        objects.call(call);
      }
      return Giop.reply(minor, Giop.RESULT, results.bytes());
    } catch (DeclaredException e) {
      return Giop.reply(minor, Giop.USER_EXCEPTION, e.body().bytes());
    } catch (FailedException e) {
      return Giop.exception(minor, e.failure());
    } catch (BrokenGiopException _) {
      return Giop.exception(minor, RomiopFailure.BROKEN_GIOP);
    }
  }

  @Override
  public Snapshot snapshot() {
    KeptReplies replies = kept.copy();
    Snapshot state = objects.snapshot();
    return out -> {
      var data = new DataOutputStream(out);
      data.writeShort(FORMAT);
      replies.write(data);
      data.flush();
      state.writeTo(out);
    };
  }

  @Override
  public void restore(InputStream in) throws IOException {
    var data = new DataInputStream(in);
    int format = data.readUnsignedShort();
    if (format != FORMAT) {
      throw new IOException("CORBA objects of format " + format + ", not " + FORMAT);
    }
    KeptReplies replies = KeptReplies.read(data);
    objects.restore(data);
    kept.become(replies);
  }

  @Override
  public OptionalLong digest() {
    return OptionalLong.of(31 * objects.digest() + kept.size());
  }
}
