package org.tutti.verify.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.StateSink;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;
import org.tutti.verify.lab.Hosts;

/// Three processes of little heap: a newcomer is given a state that fits into none of them, while multicasts go on.
///
/// Each process is this class: a member whose state is as long as it is told, made up while it is written, and that
/// checks that it gets every multicast once and in order; it ends when it does not. Arguments: name, and the address of
/// a member, or none to found the group. Commands on standard input: `size MIB`, `rate N` multicasts per second, `stop`
/// multicasting, `await N` deliveries. When standard input ends, so does the process.
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class StateLargerThanHeapTest {
  private static final int STATE_MIB = 128;
  private static final int RATE = 500;
  private static final int MESSAGE_BYTES = 100;
  private static final int PIECE_BYTES = 64 << 10;
  private static final int PIECES_PER_MIB = (1 << 20) / PIECE_BYTES;
  private static final int CATCH_UP_BYTES = 8 << 20; // with 48 MiB of heap
  private static final Duration SUSPECT = Duration.ofSeconds(10); // a busy machine is no reason for a view change
  private static final int BROKEN = 70;

  private Group group;
  private volatile int mib;
  private volatile int rate;
  private volatile boolean stopped;
  private volatile long delivered; // how many of the history, those in the state included

  /// A process, which ends with the test.
  private static final class Child implements AutoCloseable {
    final String address;
    private final String name;
    private final Process process;
    private final BufferedReader says;

    Child(String... args) throws IOException {
      name = args[0];
      process =
          new ProcessBuilder(Hosts.java(StateLargerThanHeapTest.class, List.of(args), "-Xmx48m"))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      says = process.inputReader();
      address = await("address");
    }

    void tell(String command) throws IOException {
      process.outputWriter().write(command + "\n");
      process.outputWriter().flush();
    }

    /// The second word of the next line, whose first one is this.
    String await(String first) throws IOException {
      String line = says.readLine();
      assertThat(line).as("what %s says", name).isNotNull().startsWith(first + " ");
      return line.substring(first.length() + 1);
    }

    @Override
    public void close() {
      process.destroyForcibly().onExit().join();
    }
  }

  @Tag("socket")
  @Tag("deep")
  @Test
  void itIsGivenWhileMulticastsGoOn() throws Exception {
    try (var founder = new Child("founder");
        var second = new Child("second", founder.address)) {
      second.await("current");
      for (Child either : List.of(founder, second)) { // may be the donor
        either.tell("size " + STATE_MIB);
      }
      founder.tell("rate " + RATE);
      try (var newcomer = new Child("newcomer", founder.address)) {
        assertThat(newcomer.await("current")).as("MiB of state").isEqualTo(String.valueOf(STATE_MIB));
        founder.tell("stop");
        String sent = founder.await("sent");
        for (Child each : List.of(founder, second, newcomer)) {
          each.tell("await " + sent);
          assertThat(each.await("delivered")).isEqualTo(sent);
        }
      }
    }
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
    NodeBuilder settings = Node.named(args[0]).contacts(contacts).times(Duration.ofMillis(100), SUSPECT);
    Node node = settings.transport(TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan())).start();
    GroupConfig config = GroupConfig.builder().stateTransfer(true).build();
    MemberConfig keeping = MemberConfig.builder().catchUpBytesMax(CATCH_UP_BYTES).build();
    Group group =
        contacts.isEmpty() ? node.create("transfer", config, keeping) : node.join("transfer", config, keeping);
    var member = new StateLargerThanHeapTest();
    member.group = group;
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
          case "stop" -> stopped = true;
          default -> await(Long.parseLong(words[1]));
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
    int pieces = mib * PIECES_PER_MIB;
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
    var crc = new CRC32C();
    int pieces;
    try (var source = offer.source()) {
      var in = new DataInputStream(new CheckedInputStream(source, crc));
      delivered = in.readLong();
      pieces = in.readInt();
      byte[] piece = new byte[PIECE_BYTES];
      for (int i = 0; i < pieces; i++) {
        in.readFully(piece);
      }
      long digest = crc.getValue();
      if (in.readLong() != digest || source.read() >= 0 || delivered != offer.position()) {
        throw new IllegalStateException("the state of " + offer.donor() + " is not what it wrote");
      }
    }
    say("current " + pieces / PIECES_PER_MIB);
  }

  private void await(long count) {
    while (delivered < count) {
      LockSupport.parkNanos(1_000_000);
    }
    say("delivered " + delivered);
  }
}
