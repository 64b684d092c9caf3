package org.tutti.cli;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;
import org.tutti.GroupListener;
import org.tutti.Names;
import org.tutti.Outcome;
import org.tutti.SendOptions;
import org.tutti.Service;
import org.tutti.Status;
import org.tutti.TuttiException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `tutti send`: multicasts lines and prints their positions.
@Command(
    name = "send",
    customSynopsis = "tutti send --group NAME --join WHERE... [--file F] [--service S] [OPTION...]",
    description = {
      "Multicasts each line of standard input, or of a file, to a group.",
      "Prints the position of each line when it is ordered, or its service if that gives no positions.",
      "Joins the group as an observer meanwhile: it does not count in quorums.",
      "Fails when a line is not ordered in time, and says which members it waits for."
    })
final class SendCommand implements Callable<Integer> {
  private static final GroupListener NO_DELIVERIES = (_, _, _, _) -> {}; // sending is all this member is there for

  @Mixin MemberOptions options = new MemberOptions();

  @Mixin Contact.Options contacts = new Contact.Options();

  @Option(names = "--file", paramLabel = "F", description = "Send the lines of this file.")
  @Nullable Path file;

  @Option(
      names = "--service",
      paramLabel = "S",
      converter = ServiceConverter.class,
      completionCandidates = ServiceConverter.class,
      description = "Ordering relative to the group's other multicasts: ${COMPLETION-CANDIDATES}; default: total.")
  Service service = Service.TOTAL;

  @Override
  public Integer call() throws InterruptedException {
    // Before anything is joined: a file that cannot be read must not change views.
    try (Input in = new Input(open())) {
      return send(in);
    } catch (IOException e) {
      throw cannotRead(e);
    }
  }

  private InputStream open() throws IOException {
    if (file == null) {
      return new FileInputStream(FileDescriptor.in);
    }
    return Files.newInputStream(file);
  }

  private Integer send(Input in) throws InterruptedException {
    options.observes = true;
    try (var session = Session.open("send", options, contacts.listen, contacts.join, NO_DELIVERIES)) {
      session.exitOnSignal(1);
      Group group = session.group();
      var positions = new PositionPrinter(options.out, service, options.timeout, group::status);
      session.afterLeavingOnSignal(() -> {
        if (in.stop()) {
          positions.finish();
        }
      });
      try {
        await(group, session);
        // Reading may block for ever, and so may sending without a primary view; waiting has an end.
        var lines = new Lines(new BufferedInputStream(in));
        Thread.ofPlatform().daemon().name("lines").start(() -> send(lines, group, positions));
        positions.print();
        session.exitOnSignal(0); // whatever was read has its place
      } catch (Failure | TuttiException e) {
        if (!session.isSignalled()) {
          throw e;
        }
        // The process ends as soon as the session does: nobody would say it afterwards.
        System.err.println("tutti send: " + Names.printable(String.valueOf(e.getMessage())));
        return 1;
      }
    }
    return 0;
  }

  /// Waits for the first view.
  private void await(Group group, Session session) throws InterruptedException {
    try {
      group.joined().get(options.timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      throw session.nobodyAnswers();
    } catch (ExecutionException _) {
      // The membership has ended: the first multicast says why.
    }
  }

  private void send(Lines lines, Group group, PositionPrinter positions) {
    try {
      SendOptions how = SendOptions.of(service);
      for (byte[] line = lines.next(); line != null; line = lines.next()) {
        positions.expect(group.multicast(line, how));
      }
      positions.finish();
    } catch (IOException e) {
      positions.fail(cannotRead(e));
    } catch (RuntimeException e) {
      positions.fail(e);
    } catch (InterruptedException impossible) {
      Thread.currentThread().interrupt();
    }
  }

  private Failure cannotRead(IOException e) {
    return new Failure("cannot read " + (file == null ? "standard input" : file) + ": " + Failure.reason(e), e);
  }

  /// What is sent, up to a signal. Reading of a terminal or a pipe cannot be interrupted, so it is known whether
  /// somebody waits for more.
  private static final class Input extends FilterInputStream {
    private volatile boolean reads;
    private volatile boolean stopped;

    Input(InputStream in) {
      super(in);
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      reads = true;
      try {
        return stopped && in.available() == 0 ? -1 : in.read(into, offset, length);
      } finally {
        reads = false;
      }
    }

    /// Nothing is waited for any more.
    ///
    /// @return whether somebody has waited, and goes on waiting: all that was there has been read and sent
    boolean stop() {
      stopped = true;
      try {
        return reads && in.available() == 0;
      } catch (IOException e) {
        return false; // who reads finds that, too
      }
    }
  }

  /// Splits a stream into lines without interpreting their bytes.
  static final class Lines {
    private final InputStream in;
    private long number;

    Lines(InputStream in) {
      this.in = in;
    }

    /// The next line without its line feed, or null at the end.
    byte @Nullable [] next() throws IOException {
      int at = in.read();
      if (at < 0) {
        return null;
      }
      number++;
      var line = new ByteArrayOutputStream();
      for (; at >= 0 && at != '\n'; at = in.read()) {
        if (line.size() == Group.MESSAGE_BYTES_MAX) {
          throw new Failure(
              "line " + number + " is longer than a message may be, " + Group.MESSAGE_BYTES_MAX + " bytes");
        }
        line.write(at);
      }
      return line.toByteArray();
    }
  }

  /// Prints the positions of multicasts in the order of sending, while another thread reads and sends what follows.
  /// Waits for none of them longer than it may.
  static final class PositionPrinter {
    private static final int AHEAD_MAX = 1 << 16;
    private static final CompletableFuture<Outcome> END = new CompletableFuture<>();

    private final Output out;
    private final Service service;
    private final Duration patience;
    private final Supplier<Status> status;
    private final BlockingQueue<CompletableFuture<Outcome>> expected = new ArrayBlockingQueue<>(AHEAD_MAX);

    /// @param patience how long to wait for one
    /// @param status   says what is waited for, when that is over
    PositionPrinter(Output out, Service service, Duration patience, Supplier<Status> status) {
      this.out = out;
      this.service = service;
      this.patience = patience;
      this.status = status;
    }

    /// Another message was sent.
    void expect(CompletableFuture<Outcome> outcome) throws InterruptedException {
      expected.put(outcome);
    }

    /// Nothing follows.
    void finish() {
      put(END);
    }

    /// Nothing follows, as sending has failed.
    void fail(RuntimeException failure) {
      put(CompletableFuture.failedFuture(new Unsent(failure)));
    }

    private void put(CompletableFuture<Outcome> last) {
      try {
        expected.put(last);
      } catch (InterruptedException nobodyCares) {
        Thread.currentThread().interrupt();
      }
    }

    /// What was not even sent.
    private static final class Unsent extends RuntimeException {
      private static final long serialVersionUID = 1;

      final RuntimeException why;

      Unsent(RuntimeException why) {
        super(why);
        this.why = why;
      }
    }

    /// Prints all of them.
    void print() throws InterruptedException {
      long line = 0;
      for (CompletableFuture<Outcome> next = take(); next != END; next = take()) {
        line++;
        if (!next.isDone()) {
          out.flush();
        }
        printed(line, outcome(line, next));
      }
      out.flush();
    }

    /// @param position null if it has none
    private void printed(long line, @Nullable Long position) {
      String none = service == Service.TOTAL ? "delivered while cut off" : WordConverter.word(service);
      out.line(
          position != null ? Long.toString(position) : none,
          "sent",
          "line",
          line,
          "service",
          WordConverter.word(service),
          "position",
          position);
    }

    private @Nullable Long outcome(long line, CompletableFuture<Outcome> next) throws InterruptedException {
      try {
        return switch (settled(line, next, System.nanoTime())) {
          case Outcome.Ordered(long position) -> position;
          case Outcome.Delivered() -> null;
          case Outcome.Refused(_, String words) -> throw new Failure(lost(line, words));
          case Outcome.Unknown(String words) -> throw new Failure(lost(line, words));
          case Outcome.Undecided _ -> throw new IllegalStateException("undecided again");
        };
      } catch (ExecutionException e) {
        out.flush();
        if (e.getCause() instanceof Unsent unsent) {
          throw unsent.why;
        }
        throw new Failure(lost(line, String.valueOf(e.getCause().getMessage())), e);
      } catch (TimeoutException e) {
        throw new Failure(lost(line, "no place yet (waited " + TimeConverter.show(patience) + "); " + status.get()), e);
      }
    }

    private String lost(long line, String why) {
      out.flush();
      return "line " + line + " and later ones may be lost: " + why;
    }

    /// Waits for a primary view if there is none.
    private Outcome settled(long line, CompletableFuture<Outcome> next, long startNanos)
        throws InterruptedException, ExecutionException, TimeoutException {
      Outcome first = next.get(left(startNanos), TimeUnit.NANOSECONDS);
      if (first instanceof Outcome.Undecided) {
        System.err.println("line " + line + " is undecided: not in a primary view any more; a later one decides");
      }
      return first.settled().get(left(startNanos), TimeUnit.NANOSECONDS);
    }

    private long left(long startNanos) {
      return Math.max(0, patience.toNanos() - (System.nanoTime() - startNanos));
    }

    private CompletableFuture<Outcome> take() throws InterruptedException {
      CompletableFuture<Outcome> next = expected.poll();
      if (next == null) {
        out.flush();
        next = expected.take();
      }
      return next;
    }
  }

  /// Reads the services that a multicast may have.
  static final class ServiceConverter extends WordConverter<Service> {
    ServiceConverter() {
      super(List.of(Service.values()));
    }
  }
}
