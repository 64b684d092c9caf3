package org.tutti.sim.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;

/// A service that keeps to the rules passes, and each way to break one of them is found, named, and shown again.
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class SimulatedTest {
  private static final int KEYS = 5;
  private static final int SEEDS = 30;
  private static final int MANY = 300; // for what happens in one run of ten

  /// A table of numbers: adds to one, and replies what it is and how many commands there were.
  private static class Sums implements StateMachine {
    final Map<Integer, Long> sums;
    long executed;

    Sums(Map<Integer, Long> sums) {
      this.sums = sums;
    }

    @Override
    public ByteBuffer apply(Command command) {
      executed++;
      long sum = sums.merge((int) command.payload().get(), (long) command.payload().get(), Long::sum);
      return ByteBuffer.allocate(16).putLong(sum).putLong(executed).flip();
    }

    @Override
    public @Nullable ByteBuffer query(ByteBuffer request) {
      return ByteBuffer.allocate(8).putLong(0, sums.getOrDefault((int) request.get(0), 0L));
    }

    @Override
    public Snapshot snapshot() {
      var copy = new HashMap<>(sums);
      long count = executed;
      return out -> {
        var data = new DataOutputStream(out);
        data.writeLong(count);
        data.writeInt(copy.size());
        for (var entry : copy.entrySet()) {
          data.writeInt(entry.getKey());
          data.writeLong(entry.getValue());
        }
      };
    }

    @Override
    public void restore(InputStream in) throws IOException {
      var data = new DataInputStream(in);
      executed = data.readLong();
      sums.clear();
      for (int left = data.readInt(); left > 0; left--) {
        sums.put(data.readInt(), data.readLong());
      }
    }
  }

  private static Simulated simulated(Supplier<? extends StateMachine> service) {
    return Simulated.service(service)
        .calls((_, random) -> ByteBuffer.wrap(new byte[] {(byte) random.nextInt(KEYS), (byte) random.nextInt(9)}))
        .queries((_, random) -> ByteBuffer.wrap(new byte[] {(byte) random.nextInt(KEYS)}))
        .words(payload -> payload.remaining() == 1 ? "what is " + payload.get() : "add to " + payload.get())
        .seeds(SEEDS);
  }

  private static String violation(Simulated wrong) {
    return catchThrowableOfType(AssertionError.class, wrong::check).getMessage();
  }

  @Test
  void aServiceThatKeepsToTheRulesPasses() {
    Report report = simulated(() -> new Sums(new TreeMap<>())).check();
    assertThat(report.seeds()).isEqualTo(SEEDS);
    assertThat(report.calls()).isGreaterThan(20L * SEEDS);
    // Of 600 runs four fifths of the calls; few where a founder crashes for good, so that 30 runs in turn vary by much.
    assertThat(report.told()).isGreaterThan(report.calls() / 4);
    assertThat(report.faults()).containsKeys("loss", "partition", "crash", "restart");
  }

  @Test
  @Tag("deep")
  void theOrderOfAHashTableInASnapshotIsNoDifference() {
    assertThat(simulated(() -> new Sums(new HashMap<>())).check().seeds()).isEqualTo(SEEDS);
  }

  @Test
  @Tag("deep")
  void anOrderThatReplicasDoNotShareIsFound() {
    String found =
        violation(
            simulated(() ->
                new Sums(new TreeMap<>()) {
                  final Set<Object> tokens = new HashSet<>();
                  final List<Object> all = new ArrayList<>();

                  @Override
                  public ByteBuffer apply(Command command) {
                    super.apply(command);
                    while (all.size() < KEYS) {
                      all.add(new Object()); // of no hash of its own
                      tokens.add(all.getLast());
                    }
                    return ByteBuffer.allocate(1).put(0, (byte) all.indexOf(tokens.iterator().next()));
                  }
                }));
    assertThat(found)
        .containsPattern(
            "(ReplicasAgree|AsModel): at position \\d+ command \\d+ of session \\d+, add to \\d of client \\d");
  }

  @Test
  @Tag("deep")
  void aClockIsFound() {
    String found =
        violation(
            simulated(() ->
                new Sums(new TreeMap<>()) {
                  @Override
                  public ByteBuffer apply(Command command) {
                    super.apply(command);
                    return ByteBuffer.allocate(8).putLong(0, System.nanoTime());
                  }
                }));
    assertThat(found).containsPattern("ReplicasAgree|AsModel");
  }

  @Test
  void randomNumbersInTheStateAreFoundAtTheCommandThatDrewThem() {
    String found =
        violation(
            simulated(() ->
                new Sums(new TreeMap<>()) {
                  @Override
                  public ByteBuffer apply(Command command) {
                    sums.put(KEYS, (long) (Math.random() * 1e9)); // nobody asks for that one
                    return super.apply(command);
                  }
                }));
    assertThat(found)
        .containsPattern(
            "EqualStates: behind position \\d+, command \\d+ of session \\d+, add to \\d of client \\d, the");
  }

  @Test
  void aSnapshotThatForgetsAFieldIsFound() {
    String found =
        violation(
            simulated(() ->
                new Sums(new TreeMap<>()) {
                  @Override
                  public void restore(InputStream in) throws IOException {
                    long before = executed;
                    super.restore(in);
                    executed = before;
                  }
                }));
    // AsModel where all that execute the command began from the snapshot.
    assertThat(found)
        .containsPattern(
            "ReplicasAgree: .* n\\d'* replies 0x\\w+, n\\d'* replies 0x|AsModel: at position \\d+ command");
  }

  @Test
  @Tag("deep")
  void aSnapshotThatLaterCommandsChangeIsFound() {
    String found =
        violation(
            simulated(() ->
                new Sums(new TreeMap<>()) {
                  @Override
                  public Snapshot snapshot() {
                    return out -> super.snapshot().writeTo(out);
                  }
                }));
    assertThat(found).containsPattern("ReplicasAgree|EqualStates|AsModel");
  }

  @Test
  void anAnswerFromOldDataIsFound() {
    String found =
        violation(
            simulated(() ->
                new Sums(new TreeMap<>()) {
                  final Map<Integer, ByteBuffer> cache = new HashMap<>();

                  @Override
                  public ByteBuffer query(ByteBuffer request) {
                    return cache.computeIfAbsent((int) request.get(0), _ -> super.query(request)).duplicate();
                  }
                }));
    assertThat(found).containsPattern("QueryAnswer: call \\d+ of client \\d \\(what is \\d, \\w+; REPLIED");
  }

  @Test
  @Tag("deep")
  void aQueryThatChangesSomethingIsFound() {
    String found =
        violation(
            simulated(() ->
                new Sums(new TreeMap<>()) {
                  @Override
                  public ByteBuffer query(ByteBuffer request) {
                    executed++;
                    return super.query(request);
                  }
                }));
    assertThat(found).contains("QueryChangesNothing");
  }

  @Test
  @Tag("deep")
  void aLentBufferThatIsKeptIsFound() {
    String found =
        violation(
            simulated(() ->
                new Sums(new TreeMap<>()) {
                  ByteBuffer last = ByteBuffer.allocate(0);

                  @Override
                  public ByteBuffer apply(Command command) {
                    ByteBuffer reply = last.duplicate();
                    last = command.payload().duplicate();
                    super.apply(command);
                    return reply;
                  }
                }));
    assertThat(found).containsPattern("ReplicasAgree|AsModel");
  }

  @Test
  @Tag("deep")
  void aServiceThatIsWrongEverywhereIsFoundByItsModel() {
    String found =
        violation(
            simulated(() ->
                    new Sums(new TreeMap<>()) {
                      @Override
                      public ByteBuffer apply(Command command) {
                        executed += executed == 20 ? 1 : 0;
                        return super.apply(command);
                      }
                    })
                .model(() -> new Sums(new TreeMap<>())));
    assertThat(found).containsPattern("AsModel: at position \\d+ command").contains("executed one by one it is 0x");
  }

  @Test
  void anErrorIsFound() {
    String found =
        violation(
            simulated(() ->
                new Sums(new TreeMap<>()) {
                  @Override
                  public ByteBuffer apply(Command command) {
                    if (executed == 10) {
                      throw new AssertionError("ten is enough");
                    }
                    return super.apply(command);
                  }
                }));
    assertThat(found).contains("NoBrokenInvariant").contains("ten is enough");
  }

  @Test
  void whatIsFoundIsShownAgain() {
    Simulated wrong =
        simulated(() ->
                new Sums(new TreeMap<>()) {
                  @Override
                  public ByteBuffer apply(Command command) {
                    executed += executed == 5 ? 1 : 0;
                    return super.apply(command);
                  }
                })
            .model(() -> new Sums(new TreeMap<>()));
    Matcher runs = Pattern.compile("-Dsim\\.replay=(\\S+)").matcher(violation(wrong));
    List<String> names = new ArrayList<>(runs.results().map(run -> run.group(1)).toList());
    assertThat(names).as("as it was, and smaller if it can be").hasSizeBetween(1, 2);
    for (String run : names) {
      var lines = new ArrayList<String>();
      String again = catchThrowableOfType(AssertionError.class, () -> wrong.replay(run, lines::add)).getMessage();
      assertThat(again).contains("AsModel");
      assertThat(lines).anyMatch(line -> line.contains("** service executes") && line.contains("add to"));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> wrong.replay("7:more=2", _ -> {}));
  }

  @Test
  void whatAClientWasToldMayDecideWhatItAsksNext() {
    Simulated.service(() -> new Sums(new TreeMap<>()))
        .clients(2)
        .calls((client, random) -> {
          ByteBuffer last = client.lastReply();
          assertThat(client.number()).isBetween(0, 1);
          return ByteBuffer.wrap(new byte[] {(byte) (last == null ? 0 : 1 + last.getLong(8) % 2), 1});
        })
        .model(() ->
            new Sums(new TreeMap<>()) {
              @Override
              public ByteBuffer apply(Command command) {
                assertThat(command.payload().get(0)).isLessThan((byte) 3);
                return super.apply(command);
              }
            })
        .seeds(10)
        .check();
  }

  @Test
  void aQuestionMayWaitForItsAnswerOrBeRefused() {
    Report report =
        simulated(() ->
                new Sums(new TreeMap<>()) {
                  @Override
                  public @Nullable ByteBuffer query(ByteBuffer request) {
                    if (request.get(0) == 0) {
                      throw new IllegalArgumentException("nobody asks for 0");
                    }
                    return sums.getOrDefault((int) request.get(0), 0L) < 60 ? null : super.query(request);
                  }
                })
            .check();
    assertThat(report.told()).isLessThan(report.calls()); // some wait to the end
  }

  @Test
  @Tag("deep")
  void whoIsToldThatASessionHasEndedMayForgetIt() {
    Simulated.service(Sessions::new)
        .calls((_, random) -> ByteBuffer.wrap(new byte[] {(byte) random.nextInt(5)}))
        .queries((_, _) -> ByteBuffer.allocate(0))
        .seeds(SEEDS)
        .check();
    String found =
        violation(
            Simulated.service(() ->
                    new Sessions() {
                      @Override
                      public void sessionEnded(long session, long position, Instant time) {
                        sums.put(session, System.nanoTime());
                      }
                    })
                .calls((_, random) -> ByteBuffer.wrap(new byte[] {(byte) random.nextInt(5)}))
                .seeds(MANY));
    assertThat(found).containsPattern("ReplicasAgree|EqualStates|EqualReplicas|AsModel");
  }

  /// Adds up what each session has said as long as it lives.
  private static class Sessions implements StateMachine {
    final TreeMap<Long, Long> sums = new TreeMap<>();

    @Override
    public ByteBuffer apply(Command command) {
      sums.merge(command.session(), (long) command.payload().get(), Long::sum);
      return query(command.payload());
    }

    @Override
    public ByteBuffer query(ByteBuffer request) {
      return ByteBuffer.allocate(8).putLong(0, sums.values().stream().mapToLong(Long::longValue).sum());
    }

    @Override
    public void sessionEnded(long session, long position, Instant time) {
      sums.remove(session);
    }

    @Override
    public Snapshot snapshot() {
      var copy = new TreeMap<>(sums);
      return out -> {
        var data = new DataOutputStream(out);
        data.writeInt(copy.size());
        for (var entry : copy.entrySet()) {
          data.writeLong(entry.getKey());
          data.writeLong(entry.getValue());
        }
      };
    }

    @Override
    public void restore(InputStream in) throws IOException {
      var data = new DataInputStream(in);
      sums.clear();
      for (int left = data.readInt(); left > 0; left--) {
        sums.put(data.readLong(), data.readLong());
      }
    }
  }

  @Test
  void numbersOutOfRangeAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> simulated(() -> new Sums(new TreeMap<>())).replicas(10));
    assertThatIllegalArgumentException().isThrownBy(() -> simulated(() -> new Sums(new TreeMap<>())).clients(0));
    assertThatIllegalArgumentException().isThrownBy(() -> simulated(() -> new Sums(new TreeMap<>())).seeds(0));
  }
}
