package org.tutti.cli;

import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;
import org.tutti.GroupListener;
import org.tutti.SendOptions;
import org.tutti.Service;
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

  @Mixin ContactOptions contacts = new ContactOptions();

  @Option(names = "--file", paramLabel = "F", description = "Send the lines of this file.")
  @Nullable Path file;

  @Option(
      names = "--service",
      paramLabel = "S",
      converter = ServiceConverter.class,
      description =
          "Ordering relative to the group's other multicasts: " + ServiceConverter.NAMES + "; default: total.")
  Service service = Service.TOTAL;

  @Override
  public Integer call() throws InterruptedException {
    // Before anything is joined: a file that cannot be read must not change views.
    try (InputStream in = open()) {
      return send(new Lines(in));
    } catch (IOException e) {
      throw cannotRead(e);
    }
  }

  private InputStream open() throws IOException {
    if (file == null) {
      return new BufferedInputStream(new FileInputStream(FileDescriptor.in));
    }
    try {
      return new BufferedInputStream(Files.newInputStream(file));
    } catch (NoSuchFileException e) {
      throw new Failure("cannot read " + file + ": no such file", e);
    }
  }

  private Integer send(Lines lines) throws InterruptedException {
    options.observes = true;
    try (var session = Session.open("send", options, contacts.listen, contacts.join, NO_DELIVERIES)) {
      session.exitOnSignal(1);
      Group group = session.group();
      await(group, session);
      var positions = new PositionPrinter(new Output(), service, options.timeout, group::status);
      // Reading may block for ever, and so may sending without a primary view; waiting has an end.
      Thread.ofPlatform().daemon().name("lines").start(() -> send(lines, group, positions));
      positions.print();
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
    return new Failure("cannot read " + (file == null ? "standard input" : file) + ": " + e.getMessage(), e);
  }
}
