package org.tutti.romiop;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.CallTimeoutException;
import org.tutti.replica.Client;
import org.tutti.replica.CommandFailedException;
import org.tutti.replica.Read;
import org.tutti.replica.ServiceException;
import org.tutti.romiop.Giop.BrokenGiopException;

/// Has a replicated service execute the requests of a gateway's clients ([ReplicatedObjects]): as commands, or as
/// questions where they change nothing.
///
/// **Guarantee.** Each request that waits for a reply gets one: the service's, or a [RomiopFailure]. When the call's
/// deadline passes before the service has answered, that is one that says that it may have been executed.
final class ServiceCaller implements RequestTarget {
  private static final byte[] CLOSED = new byte[0];

  private final Client client;
  private final ServedObjects objects;
  private final String ports;
  private final LinkedBlockingQueue<byte[]> replies = new LinkedBlockingQueue<>();
  private final ConcurrentHashMap<Integer, CompletableFuture<ByteBuffer>> calls = new ConcurrentHashMap<>();
  private volatile boolean open = true;

  /// Makes one.
  ///
  /// @param client  of the service; bounds how many calls are open
  /// @param objects says which requests are questions
  /// @param ports   of all replicas, with commas
  ServiceCaller(Client client, ServedObjects objects, String ports) {
    this.client = client;
    this.objects = objects;
    this.ports = ports;
  }

  /// Asks a question, and waits for the reply.
  ///
  /// @throws ServiceException when there is none
  static Giop ask(Client client, Giop question) throws InterruptedException {
    try {
      Giop reply = Giop.of(bytes(client.query(ServiceRequest.encoded("", question), Read.LINEARIZABLE).join()));
      Giop.require(reply.type() == Giop.REPLY, "no reply");
      return reply;
    } catch (BrokenGiopException e) {
      throw new IllegalStateException("another service answers: " + e.getMessage(), e);
    } catch (CompletionException e) {
      throw e.getCause() instanceof ServiceException known ? known : e;
    }
  }

  @Override
  public void request(Giop request) {
    if (request.bytes().length > ServiceRequest.REQUEST_BYTES_MAX) {
      throw RomiopFailure.BROKEN_GIOP.exception("a request that is too long");
    }
    ByteBuffer payload = ServiceRequest.encoded(ports, request);
    CompletableFuture<ByteBuffer> answer;
    try {
      answer =
          ReplicatedObjects.isRead(objects, request) ? client.query(payload, Read.LINEARIZABLE) : client.call(payload);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw RomiopFailure.NOT_JOINED.exception("interrupted");
    }
    if (request.isTwoWay()) {
      int id = request.requestId();
      calls.put(id, answer);
      answer.whenComplete((reply, failure) -> {
        if (calls.remove(id, answer)) {
          replies.add(reply != null ? bytes(reply) : Giop.exception(request.minorVersion(), id, failure(failure)));
        }
      });
    }
  }

  private static byte[] bytes(ByteBuffer reply) {
    byte[] bytes = new byte[reply.remaining()];
    reply.get(bytes);
    return bytes;
  }

  private static RomiopFailure failure(Throwable why) {
    Throwable cause = why instanceof CompletionException && why.getCause() != null ? why.getCause() : why;
    return switch (cause) {
      case CallTimeoutException late -> late.mayBeExecuted() ? RomiopFailure.TIMED_OUT : RomiopFailure.NOT_JOINED;
      case CommandFailedException _ -> RomiopFailure.BROKEN_GIOP;
      default -> RomiopFailure.GROUP_LOST;
    };
  }

  /// A request that is under way may be executed all the same.
  @Override
  public void cancel(int requestId) {
    calls.remove(requestId);
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public byte @Nullable [] next() throws InterruptedException {
    byte[] reply = replies.take();
    if (reply == CLOSED) {
      replies.add(CLOSED);
      return null;
    }
    return reply;
  }

  @Override
  public void close() {
    open = false;
    replies.add(CLOSED);
  }
}
