package org.tutti.bench;

import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.NodeConfig;
import org.tutti.StateSink;
import org.tutti.net.TcpConfig;
import org.tutti.net.TcpTransport;
import org.tutti.transport.Address;

/// A process of [TransferBenchmark]: a member whose state is as long as it is told, made up while it is written, and
/// that checks that it gets every multicast once and in order.
///
/// Arguments: name, and the address of a member, or none to found the group. Commands on standard input: `size MIB`,
/// `rate N` multicasts per second, `watch` for gaps, `stop` multicasting, `report N` once N are delivered. When
/// standard input ends, so does the process.
public final class TransferMember {
  private static final int MESSAGE_BYTES = 100;
  private static final int PIECE_BYTES = 64 << 10;
  private static final int CATCH_UP_BYTES = 8 << 20; // with 64 MiB of heap
  private static final Duration SUSPECT = Duration.ofSeconds(10); // a busy machine is no reason for a view change
  private static final int BROKEN = 70;

  private final Group group;
  private volatile int mib;
  private volatile int rate;
  private volatile boolean stopped;
  private volatile long delivered; // how many of the history, those in the state included
  private volatile long last = System.nanoTime();
  private volatile long gap;

  private TransferMember(Group group) {
    this.group = group;
  }

  /// Runs a member.
  ///
  /// @param args see above
  /// @throws Exception when it cannot be started
  public static void main(String[] args) throws Exception {
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
      failure.printStackTrace();
      Runtime.getRuntime().halt(BROKEN);
    });
    List<Address> contacts = Arrays.stream(args).skip(1).map(Address::new).toList();
    NodeConfig settings = NodeConfig.lan(args[0]).withContacts(contacts).withTimes(Duration.ofMillis(100), SUSPECT);
    Node node = Node.start(settings, TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan()));
    GroupConfig config = GroupConfig.builder().stateTransfer(true).build();
    MemberConfig keeping = MemberConfig.builder().catchUpBytesMax(CATCH_UP_BYTES).build();
    Group group =
        contacts.isEmpty() ? node.create("transfer", config, keeping) : node.join("transfer", config, keeping);
    var member = new TransferMember(group);
    say("address " + node.self().address().text());
    Thread.ofPlatform().start(member::takeEvents);
    member.obey();
    Runtime.getRuntime().halt(0);
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private void obey() throws IOException {
    try (var lines = new BufferedReader(new InputStreamReader(System.in))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ");
        switch (words[0]) {
          case "size" -> mib = Integer.parseInt(words[1]);
          case "rate" -> {
            rate = Integer.parseInt(words[1]);
            Thread.ofPlatform().start(this::multicast);
          }
          case "watch" -> {
            gap = 0;
            last = System.nanoTime();
          }
          case "stop" -> stopped = true;
          default -> report(Long.parseLong(words[1]));
        }
      }
    }
  }

  private void multicast() {
    try {
      CompletableFuture<?> last = CompletableFuture.completedFuture(null);
      long start = System.nanoTime();
      long number = 0;
      while (!stopped) {
        last = group.multicast(ByteBuffer.allocate(MESSAGE_BYTES).putLong(number++).array());
        LockSupport.parkNanos(start + number * 1_000_000_000 / rate - System.nanoTime());
      }
      last.get();
      say("sent " + number);
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private void takeEvents() {
    try {
      while (true) {
        switch (group.receive()) {
          case Event.Delivery delivery -> deliver(delivery);
          case Event.StateRequest(_, StateSink sink) -> give(sink);
          case Event.StateOffer offer -> take(offer);
          case Event.ViewChange _, Event.CaughtUp _, Event.Propagated _, Event.LocalCall _ -> {}
          case Event.Closed closed -> throw new IllegalStateException(closed.end().words());
        }
      }
    } catch (InterruptedException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void deliver(Event.Delivery delivery) {
    long number = delivery.payload().getLong(0);
    if (number != delivered || number != delivery.position()) {
      throw new IllegalStateException(
          "message " + number + " at " + delivery.position() + ", expected was " + delivered);
    }
    delivered = number + 1;
    long now = System.nanoTime();
    gap = Math.max(gap, now - last);
    last = now;
  }

  private static byte[] piece(int number) {
    byte[] piece = new byte[PIECE_BYTES];
    ByteBuffer words = ByteBuffer.wrap(piece);
    long word = number + 1;
    while (words.hasRemaining()) {
      word = word * 6364136223846793005L + 1442695040888963407L; // Knuth's MMIX, so that no two pieces are alike
      words.putLong(word);
    }
    return piece;
  }

  private void give(StateSink sink) {
    long next = delivered;
    int pieces = mib * ((1 << 20) / PIECE_BYTES);
    Thread.ofVirtual()
        .start(() -> {
          try (sink) {
            var crc = new CRC32C();
            var out = new DataOutputStream(new CheckedOutputStream(sink, crc));
            out.writeLong(next);
            out.writeInt(pieces);
            for (int i = 0; i < pieces; i++) {
              out.write(piece(i));
            }
            out.writeLong(crc.getValue());
            out.flush();
            sink.complete();
          } catch (IOException gone) {
            throw new IllegalStateException(gone);
          }
        });
  }

  private void take(Event.StateOffer offer) throws IOException {
    long start = System.nanoTime();
    var crc = new CRC32C();
    try (var source = offer.source()) {
      var in = new DataInputStream(new CheckedInputStream(source, crc));
      delivered = in.readLong();
      int pieces = in.readInt();
      byte[] piece = new byte[PIECE_BYTES];
      for (int i = 0; i < pieces; i++) {
        in.readFully(piece);
      }
      long digest = crc.getValue();
      if (in.readLong() != digest || source.read() >= 0 || delivered != offer.position()) {
        throw new IllegalStateException("the state of " + offer.donor() + " is not what it wrote");
      }
    }
    say("current " + (System.nanoTime() - start));
  }

  private void report(long count) {
    while (delivered < count) {
      LockSupport.parkNanos(1_000_000);
    }
    long heap =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getPeakUsage)
            .mapToLong(usage -> usage == null ? 0 : usage.getUsed())
            .sum();
    say("report " + delivered + " " + gap + " " + heap + " " + resident());
  }

  /// The most memory that the process had, in bytes; 0 where the operating system does not tell.
  private static long resident() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .findFirst()
          .orElse(0);
    } catch (IOException notLinux) {
      return 0;
    }
  }
}
