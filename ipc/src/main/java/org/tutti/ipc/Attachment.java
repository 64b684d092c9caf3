package org.tutti.ipc;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ipc.ProgramMessage.Answer;
import org.tutti.ipc.ProgramMessage.Call;
import org.tutti.ipc.ProgramMessage.Hello;
import org.tutti.ipc.ProgramMessage.Refusal;
import org.tutti.ipc.ProgramMessage.Welcome;
import org.tutti.ipc.Result.Aborted;
import org.tutti.wire.Malformed;

/// This program at a host of another one on the same machine: [Ipc#attach]. Its processes have the same calls and
/// results as those of the host's own program, and end with this program, however it ends.
///
/// Any thread may call any method. When the host ends, calls give [Status#HOST_DEAD], those that wait and later ones.
/// More than [Programs#CALLS_MAX] calls that wait, or 256 MiB that the host has not read, give [Status#NO_BUFF]. Two
/// virtual threads read and write; futures complete on others, one for each.
public final class Attachment implements AutoCloseable {
  private static final long GREET_SECONDS = 5;
  private static final Duration END = Duration.ofSeconds(5); // for the host to end processes
  private static final int ANSWER_BYTES_MAX = ProgramSocket.ANSWER_BYTES_MAX + ProgramMessage.HEAD_BYTES_MAX;

  /// A call that has no result yet.
  private record Waiting<T>(AnswerForm<T> form, CompletableFuture<Result<T>> future) {
    void answered(Answer answer) throws Malformed {
      complete(answer.read(form));
    }

    void complete(Result<T> result) {
      Thread.startVirtualThread(() -> future.complete(result));
    }
  }

  private final Path path;
  private final ProgramLink link;
  private final MemberId host;
  private final Calls calls = new Calls();
  private final Map<Long, Waiting<?>> waiting = new HashMap<>();
  private final Thread reader;
  private long next = 1;
  private boolean ended; // the host has
  private boolean closed;

  private Attachment(Path path, ProgramLink link) throws IOException {
    this.path = path;
    this.link = link;
    this.host = greet();
    this.reader = Thread.ofVirtual().name("tutti-ipc-read").start(this::read);
  }

  static Attachment to(Path path) throws IOException {
    var link = new ProgramLink(SocketFile.connect(path));
    boolean done = false;
    try {
      var attachment = new Attachment(path, link);
      done = true;
      return attachment;
    } finally {
      if (!done) {
        link.close();
      }
    }
  }

  private MemberId greet() throws IOException {
    link.send(ProgramMessage.parts(new Hello(ProgramMessage.VERSION)), true);
    try {
      ByteBuffer first =
          CompletableFuture.supplyAsync(this::first, Thread::startVirtualThread).get(GREET_SECONDS, TimeUnit.SECONDS);
      return switch (first == null ? null : ProgramMessage.read(first)) {
        case Welcome(MemberId self) -> self;
        case Refusal(int version, ProgramMessage.Why why) ->
            throw new IOException(
                switch (why) {
                  case OTHER_VERSION ->
                      "the host at "
                          + path
                          + " is of another version of Tutti: its protocol is "
                          + version
                          + ", here "
                          + ProgramMessage.VERSION;
                  case TOO_MANY_PROGRAMS -> "the host at " + path + " has " + Programs.MAX + " programs already";
                });
        case null -> throw new IOException("the host at " + path + " has disconnected this program");
        default -> throw new Malformed("greeting");
      };
    } catch (Malformed | ExecutionException e) {
      throw new IOException("this is no host of Tutti: " + path, e);
    } catch (TimeoutException e) {
      throw new IOException("the host at " + path + " does not answer within " + GREET_SECONDS + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted while attaching to " + path).initCause(e);
    }
  }

  private @Nullable ByteBuffer first() {
    try {
      return link.read(ProgramMessage.GREETING_BYTES_MAX);
    } catch (Malformed e) {
      throw new IllegalStateException(e.reason(), e);
    }
  }

  /// Which host it is.
  ///
  /// @return its name, address and life
  public MemberId host() {
    return host;
  }

  /// Begins a process: whoever sends and receives, a thread of the program for example.
  ///
  /// @return the process
  /// @throws IllegalStateException when this is closed, the host has ended, or it has 1024 processes, those of all
  ///                               programs counted
  public IpcProcess process() {
    return IpcProcess.of(calls);
  }

  /// Ends all processes of this program, and disconnects it; waits for the host at most five seconds. Idempotent.
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    link.finish();
    try {
      if (!reader.join(END)) {
        link.close();
        reader.join();
      }
    } catch (InterruptedException _) {
      link.close();
      Thread.currentThread().interrupt();
    }
  }

  private void read() {
    try {
      for (ByteBuffer bytes = link.read(ANSWER_BYTES_MAX); bytes != null; bytes = link.read(ANSWER_BYTES_MAX)) {
        if (!(ProgramMessage.read(bytes) instanceof Answer answer)) {
          throw new Malformed("no answer");
        }
        Waiting<?> call = remove(answer.number());
        if (call != null) {
          call.answered(answer);
        }
      }
    } catch (Malformed _) {
      // It is no host that we understand; nothing more is taken from it.
    } finally {
      link.close();
      end();
    }
  }

  private synchronized @Nullable Waiting<?> remove(long number) {
    return waiting.remove(number);
  }

  private void end() {
    List<Waiting<?>> open;
    Status why;
    synchronized (this) {
      ended = true;
      why = closed ? Status.NO_COMM : Status.HOST_DEAD;
      open = List.copyOf(waiting.values());
      waiting.clear();
    }
    open.forEach(call -> call.complete(new Aborted<>(why)));
  }

  /// Takes what may be sent.
  ///
  /// @return null, or why not
  private synchronized <T> @Nullable Status post(int process, Request<T> request, CompletableFuture<Result<T>> future) {
    if (closed) {
      throw new IllegalStateException("this program is not attached to " + path + " any more");
    }
    if (ended) {
      return Status.HOST_DEAD;
    }
    boolean always = request instanceof Request.End; // who could not end would stay for ever
    long number = next++;
    if (waiting.size() >= Programs.CALLS_MAX && !always
        || !link.send(ProgramMessage.parts(new Call(number, process, request)), always)) {
      return Status.NO_BUFF;
    }
    waiting.put(number, new Waiting<>(request.form(), future));
    return null;
  }

  private final class Calls implements Carrier {
    @Override
    public MemberId host() {
      return host;
    }

    @Override
    public <T> CompletableFuture<Result<T>> call(int process, Request<T> request) {
      var future = new CompletableFuture<Result<T>>();
      Status fault = post(process, request, future);
      if (fault != null) {
        future.complete(new Aborted<>(fault));
      }
      return future;
    }
  }
}
