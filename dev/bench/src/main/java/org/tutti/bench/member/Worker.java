package org.tutti.bench.member;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.management.JMException;
import javax.management.ObjectName;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// A process of a measurement. It reads one command per line and answers each with one line: `ok`, followed by
/// `name=value` pairs, or `failed`, followed by why. It ends with its standard input, so it cannot outlive who
/// started it.
public final class Worker {
  private static final long POLL_NANOS = 100_000;
  private static final long FAREWELL_NANOS = 3_000_000_000L;
  private static final int PAIR = 2;
  private static final int HISTOGRAM_LINES = 30;
  private static final String END = "";
  private static final BlockingQueue<String> COMMANDS = new LinkedBlockingQueue<>();

  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final BenchTarget target;
  private @Nullable Thread aside; // floods
  private volatile @Nullable String asideFailure;

  private Worker(BenchTarget target) {
    this.target = target;
  }

  /// Runs until standard input ends.
  ///
  /// @param args the target's name
  /// @throws InterruptedException when interrupted
  public static void main(String[] args) throws InterruptedException {
    PrintStream answers = System.out;
    System.setOut(System.err); // whatever libraries print must not be taken for an answer
    Thread.ofPlatform().name("commands").daemon().start(Worker::read);
    try (var target = named(args[0])) {
      var worker = new Worker(target);
      serve(line -> answers.println(worker.answer(line.split(" "))));
    } catch (IllegalArgumentException unknown) { // whoever started this process is told by the answers
      serve(_ -> answers.println("failed " + unknown.getMessage()));
    } finally {
      Runtime.getRuntime().exit(0); // libraries may have left threads
    }
  }

  private static void serve(Consumer<String> commands) throws InterruptedException {
    for (String line = COMMANDS.take(); !line.equals(END); line = COMMANDS.take()) {
      commands.accept(line);
    }
  }

  /// Reads commands; when they end, so does the process, even if it waits for others that have ended already. What
  /// is to be done at its end, such as to delete files, has a time of its own.
  private static void read() {
    try (var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        COMMANDS.add(line);
      }
    } catch (IOException broken) {
      // As if it had ended.
    }
    COMMANDS.add(END);
    waitFor(FAREWELL_NANOS);
    Thread.ofPlatform().name("end").daemon().start(() -> Runtime.getRuntime().exit(1));
    waitFor(FAREWELL_NANOS);
    Runtime.getRuntime().halt(1);
  }

  private static void waitFor(long nanos) {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static BenchTarget named(String name) {
    return switch (name) {
      case TuttiTarget.NAME -> new TuttiTarget();
      case ReplicaTarget.NAME -> new ReplicaTarget();
      case PolicyTarget.NAME -> new PolicyTarget();
      case IpcTarget.NAME -> new IpcTarget();
      case RawTarget.NAME -> new RawTarget();
      case RawMulticast.NAME -> new RawMulticast();
      default ->
          ServiceLoader.load(BenchTarget.class).stream()
              .map(ServiceLoader.Provider::get)
              .filter(each -> each.name().equals(name))
              .findFirst()
              .orElseThrow(() -> new IllegalArgumentException("no target is called " + name));
    };
  }

  private String answer(String[] command) {
    try {
      var line = new StringBuilder("ok");
      perform(command).forEach((name, value) -> line.append(' ').append(name).append('=').append(value));
      return line.toString();
    } catch (Exception failure) { // whoever started this process decides what to do about it
      failure.printStackTrace();
      return "failed " + String.valueOf(failure).replaceAll("\\s+", " ");
    }
  }

  private Map<String, ?> perform(String[] command) throws Exception {
    return switch (command[0]) {
      case "open" -> Map.of("address", target.open(pairs(Arrays.asList(command).subList(1, command.length))));
      case "form" -> {
        target.form(Integer.parseInt(command[1]), List.of(command[2].split(",")));
        yield Map.of();
      }
      case "ready" -> {
        target.ready();
        yield Map.of();
      }
      case "turn" -> {
        target.turn(Boolean.parseBoolean(command[1]));
        yield Map.of();
      }
      case "flood" -> flood(Integer.parseInt(command[1]), Long.parseLong(command[2]));
      case "closed-loop" -> {
        var sendingThread = BenchTarget.SendingThread.valueOf(command[3]);
        yield times(target.closedLoop(Integer.parseInt(command[1]), Long.parseLong(command[2]), sendingThread));
      }
      case "open-loop" -> {
        int rate = Integer.parseInt(command[3]);
        yield times(target.openLoop(Integer.parseInt(command[1]), rate, Long.parseLong(command[2])));
      }
      case "calls" -> calls(command);
      case "delivered" -> delivered();
      case "flood-aside" -> {
        floodAside(Integer.parseInt(command[1]), Long.parseLong(command[2]));
        yield Map.of();
      }
      case "await" -> await(Long.parseLong(command[1]), Long.parseLong(command[2]));
      case "slow" -> {
        target.slow(Long.parseLong(command[1]));
        yield Map.of();
      }
      case "usage" -> usage();
      case "memory" -> live();
      case "objects" -> Map.of("bytes", liveObjects());
      default -> target.perform(command);
    };
  }

  private static Map<String, String> pairs(List<String> words) {
    var pairs = new LinkedHashMap<String, String>();
    for (String word : words) {
      String[] pair = word.split("=", PAIR);
      pairs.put(pair[0], pair[1]);
    }
    return pairs;
  }

  private Map<String, Long> flood(int bytes, long nanos) throws InterruptedException, IOException {
    long start = System.nanoTime();
    long sent = target.flood(bytes, nanos);
    return Map.of("sent", sent, "start", start);
  }

  private Map<String, ?> calls(String[] command) throws Exception {
    var calls =
        new BenchTarget.Calls(
            BenchTarget.Operation.valueOf(command[1]),
            Integer.parseInt(command[2]),
            Integer.parseInt(command[3]),
            Integer.parseInt(command[4]),
            Long.parseLong(command[5]),
            BenchTarget.SendingThread.valueOf(command[6]));
    Callers.Result result = target.calls(calls);
    var answer = new LinkedHashMap<String, Object>(times(result.times()));
    answer.put("start", result.start());
    answer.put("end", result.end());
    return answer;
  }

  /// Floods by another thread, so that this one answers meanwhile, also when the flood never ends because nothing
  /// moves.
  private void floodAside(int bytes, long nanos) {
    aside =
        Thread.ofPlatform()
            .name("flood")
            .daemon()
            .start(() -> {
              try {
                target.flood(bytes, nanos);
              } catch (InterruptedException | IOException | RuntimeException failure) {
                failure.printStackTrace();
                asideFailure = String.valueOf(failure).replaceAll("\\s+", " ");
              }
            });
  }

  /// How much has been delivered, when that was, and whether a flood aside still runs.
  private Map<String, Long> delivered() {
    if (asideFailure != null) {
      throw new IllegalStateException("the flood has failed: " + asideFailure);
    }
    long busy = aside != null && aside.isAlive() ? 1 : 0;
    return Map.of("at", System.nanoTime(), "count", target.delivered(), "busy", busy);
  }

  /// When so many messages have been delivered here, to a tenth of a millisecond.
  private Map<String, Long> await(long count, long patienceNanos) {
    long end = System.nanoTime() + patienceNanos;
    while (target.delivered() < count) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException(target.delivered() + " messages instead of " + count + " are delivered");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return Map.of("at", System.nanoTime(), "count", target.delivered());
  }

  static Map<String, String> times(Histogram times) {
    return Map.of("times", Times.encoded(times));
  }

  private Map<String, Long> usage() throws InterruptedException {
    var usage = new LinkedHashMap<String, Long>();
    usage.put("at", System.nanoTime());
    usage.put("count", target.delivered());
    usage.put("engine", allocated(target.engineThread()));
    usage.put("process", THREADS.getTotalThreadAllocatedBytes());
    target.counters().forEach((name, value) -> usage.put("counted." + name.replace('=', ':'), value));
    return usage;
  }

  /// What a thread has allocated since it started, or -1.
  private static long allocated(long thread) {
    return thread < 0 ? -1 : THREADS.getThreadAllocatedBytes(thread);
  }

  /// How many bytes live objects have together, to the byte, whatever the collector leaves unused between them. The
  /// classes that have most are told on standard error.
  private static long liveObjects() throws JMException {
    var name = new ObjectName("com.sun.management:type=DiagnosticCommand");
    Object[] arguments = {new String[0]};
    String[] types = {String[].class.getName()};
    String histogram =
        (String) ManagementFactory.getPlatformMBeanServer().invoke(name, "gcClassHistogram", arguments, types);
    histogram.lines().limit(HISTOGRAM_LINES).forEach(System.err::println);
    String total = histogram.lines().filter(line -> line.startsWith("Total")).findFirst().orElseThrow();
    return Long.parseLong(total.strip().split("\\s+")[2]);
  }

  /// Collects garbage and tells what was left of the heap, and what is held outside of it in buffers. Not what is
  /// used afterwards: under a flood that is mostly new garbage.
  private static Map<String, Long> live() {
    ManagementFactory.getMemoryMXBean().gc();
    long live = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      MemoryUsage afterwards = pool.getCollectionUsage();
      if (pool.getType() == MemoryType.HEAP && afterwards != null) {
        live += afterwards.getUsed();
      }
    }
    long direct =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    return Map.of("live", live, "direct", direct);
  }
}
