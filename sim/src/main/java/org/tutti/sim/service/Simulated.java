package org.tutti.sim.service;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.StateMachine;
import org.tutti.sim.Campaign;
import org.tutti.sim.CampaignReport;
import org.tutti.sim.FaultKind;
import org.tutti.sim.FirstSeed;
import org.tutti.sim.Limits;
import org.tutti.sim.Plan;
import org.tutti.sim.RunResult;
import org.tutti.sim.Shrinking;
import org.tutti.sim.Simulation;
import org.tutti.sim.TestedService;
import org.tutti.sim.check.ServiceHistory;

/// A test of a program's own service: its replicas and clients run in a simulator, on Tutti's own engine, while
/// messages are lost, the network is cut, and replicas stand still, end, come back and get the state from each other.
///
/// ```java
/// @Test
/// void countsWhateverCrashes() {
///   Simulated.service(Counter::new)
///       .replicas(3)
///       .clients(4)
///       .calls((client, random) -> ByteBuffer.allocate(8).putLong(0, random.nextInt(10)))
///       .queries((client, random) -> ByteBuffer.allocate(0))
///       .seeds(200)
///       .check();
/// }
/// ```
///
/// Each run follows from its seed alone, in simulated time: some 50 ms of computing for seconds of a cluster. What is
/// checked:
///
/// | property | holds when |
/// | --- | --- |
/// | `ReplicasAgree` | all replicas reply the same to the same command |
/// | `EqualStates` | behind each command all replicas are in the same state, also where it came by a snapshot |
/// | `EqualDigests` | their digests ([StateMachine#digest]) are the same at the same place |
/// | `AsModel` | each reply is that of one more instance, the *model*, which executes the commands one by one |
/// | `QueryAnswer` | each query is answered as the model answers it in the state that the query saw |
/// | `QueryChangesNothing` | a query leaves the state as it was |
/// | `NoBrokenInvariant` | the service throws no [Error], and reads its own snapshots |
/// | `ExactlyOnce`, ... | what Tutti promises: each command is executed once, what clients see is linearizable |
/// | `ClientsAnswered`, ... | when the faults have ended, all clients are answered, and all replicas are equal |
///
/// The first seed is another one each time; it is printed, and `-Dsim.first=SEED` begins there. A violation comes with
/// the text that runs its seed again, with a trace: see [#replay].
///
/// Not thread-safe; [#check] makes instances of the service on several threads, each of which stays on its thread.
public final class Simulated {
  /// The system property that names one run, which [#check] then does with a trace, instead of all others:
  /// `-Dsim.replay=4711`.
  public static final String REPLAY_PROPERTY = "sim.replay";

  private static final int CLIENTS_MAX = 64;
  private static final int REPLICAS_MAX = 9;
  private static final int SHRINKING_RUNS_MAX = 60;

  private final Supplier<? extends StateMachine> service;
  private @Nullable Supplier<? extends StateMachine> model;
  private Function<ByteBuffer, String> words = ServiceHistory::text;
  private @Nullable Calls calls;
  private @Nullable Calls queries;
  private int replicas = 3;
  private int clients = 4;
  private int seeds = 100;
  private int threads = Math.min(4, Runtime.getRuntime().availableProcessors());
  private boolean comparesStates = true;

  private Simulated(Supplier<? extends StateMachine> service) {
    this.service = service;
  }

  /// Begins a test of a service.
  ///
  /// @param service makes one that has executed nothing, another one each time, on any thread: `Counter::new`
  /// @return the settings of a test
  public static Simulated service(Supplier<? extends StateMachine> service) {
    return new Simulated(service);
  }

  /// Says how many replicas there are.
  ///
  /// @param count 1 to 9; by default 3
  /// @return this
  public Simulated replicas(int count) {
    replicas = within("replicas", count, REPLICAS_MAX);
    return this;
  }

  /// Says how many clients there are, each of which may have several calls open.
  ///
  /// @param count 1 to 64; by default 4
  /// @return this
  public Simulated clients(int count) {
    clients = within("clients", count, CLIENTS_MAX);
    return this;
  }

  /// Says what clients command.
  ///
  /// @param commands makes a command
  /// @return this
  public Simulated calls(Calls commands) {
    calls = commands;
    return this;
  }

  /// Says what clients ask without changing anything: a third of their calls then, most of them
  /// [linearizable][org.tutti.replica.Read#LINEARIZABLE], the others as any [org.tutti.replica.Read].
  ///
  /// @param questions makes a question
  /// @return this
  public Simulated queries(Calls questions) {
    queries = questions;
    return this;
  }

  /// Says what the service should do: another one that is simpler, and sees the same commands one by one. It may refuse
  /// in other words. By default it is the service itself.
  ///
  /// @param instead makes one that has executed nothing
  /// @return this
  public Simulated model(Supplier<? extends StateMachine> instead) {
    model = instead;
    return this;
  }

  /// Says how many runs there are.
  ///
  /// @param count 1 or more; by default 100, which takes a few seconds
  /// @return this
  public Simulated seeds(int count) {
    seeds = within("seeds", count, Integer.MAX_VALUE);
    return this;
  }

  /// Says what a command or question is, for people who read a violation.
  ///
  /// @param text by default the bytes, as text or as hexadecimal numbers
  /// @return this
  public Simulated words(Function<ByteBuffer, String> text) {
    words = payload -> text.apply(payload.duplicate());
    return this;
  }

  /// Says that snapshots of equal states may differ, so that states are not compared; replies and answers still are.
  ///
  /// Not needed for the order of hash tables: two snapshots are equal, too, when both are so after each was restored
  /// and written again.
  ///
  /// @return this
  public Simulated statesMayLookDifferent() {
    comparesStates = false;
    return this;
  }

  private static int within(String what, int count, int max) {
    if (count < 1 || count > max) {
      throw new IllegalArgumentException(what + " are 1 to " + max + ", not " + count);
    }
    return count;
  }

  /// Runs all seeds, on up to four threads, or the one that [#REPLAY_PROPERTY] names.
  ///
  /// @return what was gone through
  /// @throws AssertionError when something does not hold: its message names the seed, what was violated, how little of
  ///     the run is needed for that, and how to run it again
  public Report check() {
    String one = System.getProperty(REPLAY_PROPERTY);
    if (one != null) {
      replay(one, System.out::println);
      return new Report(Run.parse(one).seed, 1, 0, 0, Map.of());
    }
    long first = FirstSeed.ofTest(name() + ", simulated");
    var campaign = new Campaign<>(first, seeds, seed -> run(new Run(seed, Limits.NONE), null), new CampaignReport());
    CampaignReport report =
        campaign.run(
            threads,
            soFar -> {
              if (soFar.failed() > 0) {
                campaign.stop();
              }
            });
    if (report.failed() > 0) {
      throw new AssertionError(describe(report.failures().getFirst()));
    }
    Map<String, Long> faults = new LinkedHashMap<>();
    Arrays.stream(FaultKind.values())
        .filter(kind -> report.faults(kind) > 0)
        .forEach(kind -> faults.put(kind.option(), report.faults(kind)));
    return new Report(first, report.seeds(), report.calls(), report.told(), faults);
  }

  private String name() {
    Class<?> type = service.get().getClass();
    return type.isAnonymousClass() ? type.getSuperclass().getSimpleName() : type.getSimpleName();
  }

  /// Does one run again and tells every step: simulated time, node, event. Lines with `**` are what the replicas of the
  /// service and its clients do.
  ///
  /// @param run   what a violation came with, such as `4711` or `4711:acts=12:without=loss,crash`
  /// @param lines gets the steps
  /// @throws AssertionError           when something does not hold
  /// @throws IllegalArgumentException when the text is not one of a run
  public void replay(String run, Consumer<String> lines) {
    RunResult outcome = run(Run.parse(run), lines);
    if (!outcome.passed()) {
      throw new AssertionError(said(outcome) + outcome.plan().describe());
    }
  }

  private RunResult run(Run run, @Nullable Consumer<String> lines) {
    return Simulation.run(Plan.drawOfService(run.seed, replicas).within(run.limits), new Tested(), lines);
  }

  private String describe(RunResult failing) {
    long seed = failing.plan().seed();
    Shrinking.Shrunk shrunk =
        Shrinking.shrink(failing, Limits.NONE, SHRINKING_RUNS_MAX, limits -> run(new Run(seed, limits), null));
    Run smaller = new Run(seed, shrunk.limits());
    var text = new StringBuilder("seed " + seed + " of " + replicas + " replicas and " + clients + " clients:\n");
    text.append(said(failing)).append(again(new Run(seed, Limits.NONE)));
    if (!smaller.text().equals(Long.toString(seed))) {
      text.append("with less in it:\n").append(said(shrunk.outcome())).append(again(smaller));
    }
    return text.toString();
  }

  private static String said(RunResult outcome) {
    return outcome.violations().stream().map(violation -> "  " + violation + "\n").collect(Collectors.joining());
  }

  private static String again(Run run) {
    return "  again, with a trace: -D" + REPLAY_PROPERTY + "=" + run.text() + "\n";
  }

  /// A seed, and what is left out.
  private record Run(long seed, Limits limits) {
    private static final String ACTS = "acts=";
    private static final String REPLICAS = "replicas=";
    private static final String WITHOUT = "without=";

    String text() {
      var text = new StringBuilder(Long.toString(seed));
      if (limits.nodesMax() != Integer.MAX_VALUE) {
        text.append(':').append(REPLICAS).append(limits.nodesMax());
      }
      if (limits.multicastsMax() != Integer.MAX_VALUE) {
        text.append(':').append(ACTS).append(limits.multicastsMax());
      }
      if (!limits.without().isEmpty()) {
        String kinds = limits.without().stream().map(FaultKind::option).collect(Collectors.joining(","));
        text.append(':').append(WITHOUT).append(kinds);
      }
      return text.toString();
    }

    static Run parse(String text) {
      String[] parts = text.strip().split(":");
      Limits limits = Limits.NONE;
      for (String part : List.of(parts).subList(1, parts.length)) {
        if (part.startsWith(ACTS)) {
          limits = limits.multicasts(Integer.parseInt(part.substring(ACTS.length())));
        } else if (part.startsWith(REPLICAS)) {
          limits = limits.nodes(Integer.parseInt(part.substring(REPLICAS.length())));
        } else if (part.startsWith(WITHOUT)) {
          for (String kind : part.substring(WITHOUT.length()).split(",")) {
            limits = limits.without(FaultKind.of(kind));
          }
        } else {
          throw new IllegalArgumentException("not part of a run: " + part);
        }
      }
      return new Run(Long.parseLong(parts[0]), limits);
    }
  }

  /// What is tested, in one run.
  private final class Tested implements TestedService {
    private final List<Caller> callers = IntStream.range(0, clients).mapToObj(Caller::new).toList();

    @Override
    public StateMachine machine() {
      return service.get();
    }

    @Override
    public StateMachine model() {
      Supplier<? extends StateMachine> other = model;
      return other == null ? service.get() : other.get();
    }

    @Override
    public boolean refusesInSameWords() {
      return model == null;
    }

    @Override
    public int clients() {
      return clients;
    }

    @Override
    public ByteBuffer command(int client, RandomGenerator random) {
      Calls commands = calls;
      if (commands == null) {
        throw new IllegalStateException("say by calls what clients command");
      }
      return copy(commands.next(callers.get(client), random));
    }

    @Override
    public @Nullable ByteBuffer question(int client, RandomGenerator random) {
      Calls questions = queries;
      return questions == null ? null : copy(questions.next(callers.get(client), random));
    }

    private static ByteBuffer copy(ByteBuffer payload) {
      return ByteBuffer.allocate(payload.remaining()).put(payload.duplicate()).flip();
    }

    @Override
    public void replied(int client, ByteBuffer reply) {
      callers.get(client).replied(reply);
    }

    @Override
    public boolean comparesStates() {
      return comparesStates;
    }

    @Override
    public boolean comparesStatesAtRest() {
      return comparesStates;
    }

    @Override
    public String words(ByteBuffer payload) {
      return words.apply(payload);
    }
  }
}
