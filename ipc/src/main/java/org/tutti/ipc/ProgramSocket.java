package org.tutti.ipc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.tutti.ipc.ProgramMessage.Call;
import org.tutti.ipc.ProgramMessage.Hello;
import org.tutti.ipc.ProgramMessage.Refusal;
import org.tutti.ipc.ProgramMessage.Welcome;
import org.tutti.ipc.ProgramMessage.Why;
import org.tutti.ipc.Programs.Reason;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.ipc.protocol.PairMessage;
import org.tutti.wire.Malformed;

/// Where other programs attach to a host. A virtual thread accepts them, one reads what each of them asks for, and one
/// writes the results; all requests run on the host's thread, in the order in which each program made them.
///
/// Guarantee: what a program does stops no other one. It acts for its own processes only, and these end with it. What
/// is kept for it is bounded: it is read no further while much waits for it, and disconnected when too much does.
final class ProgramSocket implements AutoCloseable {
  /// The longest result. Replies to a question that are longer together give [Status#NO_BUFF].
  static final int ANSWER_BYTES_MAX = (128 << 20) + ProgramMessage.HEAD_BYTES_MAX;

  private static final int REQUEST_BYTES_MAX = PairMessage.BYTES_MAX + ProgramMessage.HEAD_BYTES_MAX;
  private static final int LONG_BYTES = 64 << 10; // such a request is begun before the next one is read
  private static final long HELD_BYTES = 64 << 20; // of results that wait, while no more requests are read
  private static final long GREET_SECONDS = 5;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100); // without descriptors

  private final Ipc ipc;
  private final Request.Desk desk;
  private final SocketFile file;
  private final Set<Program> programs = ConcurrentHashMap.newKeySet();
  private final Map<Reason, Long> disconnected = new EnumMap<>(Reason.class);
  private volatile boolean closed;

  /// Listens.
  ///
  /// @throws IOException when that cannot be; the message says why
  ProgramSocket(Ipc ipc, Request.Desk desk, Path path) throws IOException {
    this.ipc = ipc;
    this.desk = desk;
    this.file = SocketFile.listen(path);
    Thread.ofVirtual().name("tutti-ipc-accept").start(this::accept);
  }

  Path path() {
    return file.path();
  }

  Programs programs() {
    synchronized (disconnected) {
      return new Programs(programs.size(), Map.copyOf(disconnected));
    }
  }

  private void accept() {
    while (!closed) {
      try {
        var program = new Program(new ProgramLink(file.accept()));
        boolean hasRoom = programs.size() < Programs.MAX;
        if (hasRoom) {
          programs.add(program);
        }
        Thread.ofVirtual().name("tutti-ipc-read").start(() -> program.run(hasRoom));
        if (closed) {
          program.link.close();
        }
      } catch (ClosedChannelException _) {
        return;
      } catch (IOException _) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /// Listens no longer, and disconnects all programs.
  @Override
  public void close() {
    closed = true;
    file.close();
    programs.forEach(program -> program.link.close());
  }

  private final class Program {
    private final ProgramLink link;
    private final AtomicInteger calls = new AtomicInteger(); // that have no result yet
    private final Set<Integer> processes = new TreeSet<>(); // for the host's thread
    private final AtomicBoolean counted = new AtomicBoolean();
    private volatile boolean heard; // it has said something, or has gone

    Program(ProgramLink link) {
      this.link = link;
    }

    void run(boolean hasRoom) {
      CompletableFuture.delayedExecutor(GREET_SECONDS, TimeUnit.SECONDS, Thread::startVirtualThread)
          .execute(() -> {
            if (!heard) {
              disconnect(Reason.SILENT);
            }
          });
      try {
        if (!hasRoom) {
          disconnect(Reason.TOO_MANY_PROGRAMS, Why.TOO_MANY_PROGRAMS);
        } else if (greets()) {
          while (serveOne()) {}
        }
      } catch (Malformed _) {
        disconnect(Reason.MALFORMED);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt(); // nobody does that
      } catch (IllegalStateException _) {
        // The host is closed.
      } finally {
        end();
      }
    }

    private boolean greets() throws Malformed, InterruptedException {
      ByteBuffer first = link.read(ProgramMessage.GREETING_BYTES_MAX);
      heard = true;
      if (first == null) {
        return false; // somebody has only looked whether there is a host
      }
      if (!(ProgramMessage.read(first) instanceof Hello(int version))) {
        throw new Malformed("greeting");
      }
      if (version != ProgramMessage.VERSION) {
        disconnect(Reason.OTHER_VERSION, Why.OTHER_VERSION);
        return false;
      }
      return link.send(ProgramMessage.parts(new Welcome(desk.host())), true);
    }

    private boolean serveOne() throws Malformed, InterruptedException {
      link.awaitUnread(HELD_BYTES);
      ByteBuffer bytes = link.read(REQUEST_BYTES_MAX);
      if (bytes == null) {
        return false;
      }
      boolean isLong = bytes.remaining() > LONG_BYTES;
      if (!(ProgramMessage.read(bytes) instanceof Call(long number, int process, Request<?> request))) {
        throw new Malformed("no call");
      }
      if (calls.incrementAndGet()
          > Programs.CALLS_MAX + IpcProtocol.PROCESSES_MAX) { // ends of processes are always taken
        disconnect(Reason.TOO_MANY_CALLS);
        return false;
      }
      CompletableFuture<?> begun = begin(number, process, request);
      if (isLong) {
        begun.join();
      }
      return true;
    }

    /// @return done when the host's thread has the request, or is no longer there
    private <T> CompletableFuture<?> begin(long number, int process, Request<T> request) {
      var begun = new CompletableFuture<Boolean>();
      CompletableFuture<Result<T>> outcome =
          ipc.call(done -> {
            run(process, request, done);
            begun.complete(true);
          });
      outcome.whenComplete((result, _) -> {
        calls.decrementAndGet();
        begun.complete(false);
        if (result != null) {
          answer(number, request.form(), result);
        }
      });
      return begun;
    }

    /// On the host's thread.
    private <T> void run(int process, Request<T> request, Consumer<Result<T>> done) {
      if (request instanceof Request.Open) {
        request.run(
            desk,
            0,
            result -> {
              if (result instanceof Done<T>(T value) && value instanceof Integer number && number > 0) {
                processes.add(number);
              }
              done.accept(result);
            });
      } else if (!processes.contains(process)) {
        done.accept(new Aborted<>(Status.NO_COMM)); // it has ended, or is of another program
      } else {
        if (request instanceof Request.End) {
          processes.remove(process);
        }
        request.run(desk, process, done);
      }
    }

    private <T> void answer(long number, AnswerForm<T> form, Result<T> result) {
      List<ByteBuffer> parts = ProgramMessage.answer(number, form, result);
      if (parts.stream().mapToLong(ByteBuffer::remaining).sum() > ANSWER_BYTES_MAX) {
        parts = ProgramMessage.answer(number, form, new Aborted<>(Status.NO_BUFF));
      }
      if (!link.send(parts, false)) {
        disconnect(Reason.UNREAD);
      }
    }

    /// Says why to a program that has been told nothing else, so that the socket has room for it.
    private void disconnect(Reason reason, Why why) throws InterruptedException {
      heard = true;
      count(reason);
      link.send(ProgramMessage.parts(new Refusal(ProgramMessage.VERSION, why)), true);
      link.awaitUnread(0);
    }

    private void disconnect(Reason reason) {
      count(reason);
      link.close();
    }

    private void count(Reason reason) {
      if (!counted.getAndSet(true)) {
        synchronized (disconnected) {
          disconnected.merge(reason, 1L, Long::sum);
        }
      }
    }

    /// The program has gone: its processes end, behind what it has asked for before.
    private void end() {
      try {
        ipc.call(
                done -> {
                  List.copyOf(processes).forEach(desk.protocol()::end);
                  processes.clear();
                  done.accept(true);
                })
            .exceptionally(_ -> null)
            .join();
      } catch (IllegalStateException _) {
        // The host is closed, and its processes have ended.
      }
      programs.remove(this); // who sees the end finds room
      link.close();
    }
  }
}
