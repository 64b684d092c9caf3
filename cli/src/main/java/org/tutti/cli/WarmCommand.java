package org.tutti.cli;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.transport.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti warm`: how long a JVM takes to be fast, by a group of three members in this process; and what a JVM runs that
/// makes an ahead-of-time cache (JEP 483 and JEP 515), as it uses what a member uses.
@Command(
    name = "warm",
    customSynopsis = "tutti warm [--time TIME]",
    description = {
      "Makes an ahead-of-time cache of Java, which later starts use, and shows what it brings.",
      "Runs a group of three members in one process, over TCP on loopback: founding, multicasts one by one, multicasts"
          + " of 1 KiB as fast as they may, a question for a member's status, members that leave. Prints when the first"
          + " view was there, and the rate of the first second and of the last.",
      "From a source tree the build makes the cache, and this command shows only."
    })
final class WarmCommand implements Callable<Integer> {
  private static final int MESSAGE_BYTES = 1024;
  private static final int ONE_BY_ONE = 200;
  private static final int SECONDS_MAX = 60;
  private static final Duration WAIT = Duration.ofSeconds(20);
  private static final byte[] LAST = new byte[1];

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--time",
      paramLabel = "TIME",
      defaultValue = "5s",
      converter = TimeConverter.class,
      description = "How long it multicasts, 2s to 60s; default: ${DEFAULT-VALUE}.")
  Duration time = Duration.ofSeconds(5);

  @Mixin Output out = new Output();

  @Mixin Settings.Options settings = new Settings.Options();

  @Override
  public Integer call() throws InterruptedException {
    if (time.compareTo(Duration.ofSeconds(2)) < 0 || time.compareTo(Duration.ofSeconds(SECONDS_MAX)) > 0) {
      throw new ParameterException(spec.commandLine(), "--time is from 2s to 60s, not " + TimeConverter.show(time));
    }
    try (Node n1 = Node.named("n1").listen("127.0.0.1:0").start();
        Node n2 = Node.named("n2").listen("127.0.0.1:0").contacts(n1.self().address().text()).start();
        Node n3 = Node.named("n3").listen("127.0.0.1:0").contacts(n1.self().address().text()).start()) {
      List<Group> groups = List.of(n1.create("warm", GroupConfig.standard()), n2.join("warm"), n3.join("warm"));
      var seconds = new AtomicLongArray((int) time.toSeconds());
      List<Thread> readers = new ArrayList<>();
      for (Group group : groups) {
        boolean counts = readers.size() == 2; // a member that only receives
        readers.add(Thread.ofPlatform().name("reader").start(() -> read(group, counts ? seconds : null)));
      }
      for (Group group : groups) {
        group.awaitServing(WAIT);
      }
      long millis = sinceStart();
      out.line(
          "first view of three members: " + millis + " ms after the start of the command",
          "first-view",
          "milliseconds",
          millis);
      out.flush();
      multicast(groups.get(0));
      ask(n1, groups.get(0));
      groups.get(1).leave().get(WAIT.toSeconds(), TimeUnit.SECONDS);
      groups.get(0).leave().get(WAIT.toSeconds(), TimeUnit.SECONDS);
      groups.get(2).leave().get(WAIT.toSeconds(), TimeUnit.SECONDS);
      for (Thread reader : readers) {
        reader.join(WAIT);
      }
      report(seconds);
      return 0;
    } catch (TimeoutException | ExecutionException e) {
      throw new Failure("the group of this process did not work: " + e.getMessage(), e);
    }
  }

  private static long sinceStart() {
    Instant start = ProcessHandle.current().info().startInstant().orElseGet(Instant::now);
    return Duration.between(start, Instant.now()).toMillis();
  }

  /// As `tutti status` does.
  private static void ask(Node node, Group group) throws InterruptedException {
    try (Health.Place place = Health.bind(new Address("127.0.0.1:0"), new TransportOption());
        Health health = place.answer(node, group, Duration.ZERO)) {
      new HealthClient(health.address(), null).status();
    }
  }

  private void multicast(Group group) throws InterruptedException, ExecutionException, TimeoutException {
    byte[] message = new byte[MESSAGE_BYTES];
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < end) {
      group.post(ByteBuffer.wrap(message));
    }
    for (int i = 0; i < ONE_BY_ONE; i++) {
      group.multicast(LAST).get(WAIT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /// Takes all events; counts messages by the second in which they came, from the first one on.
  private static void read(Group group, @Nullable AtomicLongArray seconds) {
    try {
      long first = 0;
      while (true) {
        Event event = group.receive();
        if (event instanceof Event.Closed) {
          return;
        }
        if (seconds != null && event instanceof Event.Delivery delivery && delivery.payload().remaining() > 1) {
          long now = System.nanoTime();
          first = first == 0 ? now : first;
          int second = (int) ((now - first) / 1_000_000_000L);
          if (second < seconds.length()) {
            seconds.lazySet(second, seconds.get(second) + 1);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void report(AtomicLongArray seconds) {
    long first = seconds.get(0);
    long last = seconds.get(seconds.length() - 1);
    out.line(
        String.format(Locale.ROOT, "messages delivered in the first second: %,d", first),
        "first-second",
        "messages",
        first);
    out.line(
        String.format(Locale.ROOT, "messages delivered in the last second:  %,d", last),
        "last-second",
        "messages",
        last);
    double ratio = (double) first / Math.max(1, last);
    out.line(String.format(Locale.ROOT, "first over last: %.2f", ratio), "first-over-last", "ratio", ratio);
    out.flush();
  }
}
