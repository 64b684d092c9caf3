package org.tutti.middleware;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.middleware.RoleNumbers.Name;
import org.tutti.transport.Address;
import org.tutti.transport.RoleRegistration;
import org.tutti.transport.RoleRegistration.Registrant;
import org.tutti.transport.RoleRegistration.Role;

/// Processes that take numbers at once, one step of one of them at a time, in random orders: some crash between two
/// steps and come back, some stand still for longer than a lease.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RoleNumbersScheduleTest {
  private static final int CLIENTS = 2;
  private static final int SERVERS = 2;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long HELD_NANOS = RoleRegistration.LEASE_SECONDS * SECOND;

  private static final class CrashedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /// What one of them does in one life.
  private interface Course {
    void run(Process process) throws IOException;
  }

  private static final class Cluster {
    final Random random;
    final Set<Name> bound = new LinkedHashSet<>();
    final List<Process> processes = new ArrayList<>();
    final Semaphore back = new Semaphore(0);
    long nanos = 1;

    Cluster(long seed) {
      random = new Random(seed);
    }

    Process start(Role role, String name, int life, Course course) {
      var process = new Process(this, role, name, life, course);
      processes.add(process);
      process.step(); // up to its first step
      return process;
    }

    List<Process> living() {
      return processes.stream().filter(one -> !one.ended).toList();
    }

    /// No two have one number, of those that have renewed it within a lease.
    void check() {
      List<Long> held =
          processes.stream()
              .filter(one -> !one.crashed && one.id >= 0 && nanos - one.since <= HELD_NANOS)
              .map(one -> one.id)
              .toList();
      assertThat(held).doesNotHaveDuplicates();
    }
  }

  private static final class Process implements RoleNumbers.Bindings {
    final Cluster cluster;
    final Role role;
    final String name;
    final int life;
    final Semaphore go = new Semaphore(0);
    final RoleNumbers numbers;
    volatile long id = -1;
    volatile long since;
    int stillUntil; // a step of the schedule
    volatile boolean crashed;
    volatile boolean ended;
    volatile @Nullable Throwable failure;

    Process(Cluster cluster, Role role, String name, int life, Course course) {
      this.cluster = cluster;
      this.role = role;
      this.name = name;
      this.life = life;
      var self = new Registrant(0, role, name, new Address(name + ":" + life));
      numbers = new RoleNumbers(this, self, CLIENTS, SERVERS, () -> cluster.nanos);
      Thread.ofVirtual()
          .start(() -> {
            go.acquireUninterruptibly();
            try {
              course.run(this);
            } catch (CrashedException _) {
              // As planned.
            } catch (Throwable e) {
              failure = e;
            } finally {
              ended = true;
              cluster.back.release();
            }
          });
    }

    void step() {
      go.release();
      cluster.back.acquireUninterruptibly();
    }

    void crash() {
      crashed = true;
      step();
    }

    void register() throws IOException {
      long began = cluster.nanos;
      long told = numbers.register().id();
      since = began;
      id = told;
    }

    private void turn() {
      cluster.back.release();
      go.acquireUninterruptibly();
      if (crashed) {
        throw new CrashedException();
      }
    }

    @Override
    public boolean bind(Name bound) {
      turn();
      return cluster.bound.add(bound);
    }

    @Override
    public void unbind(Name bound) {
      turn();
      cluster.bound.remove(bound);
    }

    @Override
    public List<Name> list() {
      turn();
      return List.copyOf(cluster.bound);
    }

    @Override
    public String refusal() {
      return "refused";
    }

    @Override
    public void close() {}
  }

  @Test
  void whoBeginsAtOnceGetsADifferentNumberWithoutAGap() {
    for (int seed = 0; seed < 500; seed++) {
      var cluster = new Cluster(seed);
      for (int i = 0; i < 5; i++) {
        Role role = i < CLIENTS ? Role.CLIENT : Role.SERVER;
        cluster.start(role, "p" + i, 1, Process::register);
      }
      while (!cluster.living().isEmpty()) {
        cluster.living().get(cluster.random.nextInt(cluster.living().size())).step();
        cluster.check();
      }
      assertThat(cluster.processes).allSatisfy(one -> assertThat(one.failure).isNull());
      assertThat(cluster.processes)
          .as("seed %d", seed)
          .extracting(one -> one.id)
          .containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L);
    }
  }

  private static void comeAndGo(Process process) throws IOException {
    int rounds = 1 + process.cluster.random.nextInt(20);
    for (int i = 0; i < rounds; i++) {
      try {
        process.register();
      } catch (IOException full) {
        assertThat(full).hasMessage("no number is free for a client: all 2 are taken");
        process.id = -1;
      }
    }
    process.id = -1;
    process.numbers.close();
  }

  /// Of four clients two can be there at a time.
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void noTwoLivingProcessesHaveOneNumberWhoeverCrashes(int part) {
    int seeds = 200;
    for (int seed = part * seeds; seed < (part + 1) * seeds; seed++) {
      var cluster = new Cluster(seed);
      for (int i = 0; i < 6; i++) {
        cluster.start(i < 4 ? Role.CLIENT : Role.SERVER, "p" + i, 1, RoleNumbersScheduleTest::comeAndGo);
      }
      for (int step = 0; step < 400; step++) {
        int now = step;
        List<Process> living = cluster.living().stream().filter(each -> each.stillUntil <= now).toList();
        if (living.isEmpty()) {
          break;
        }
        int what = cluster.random.nextInt(100);
        Process one = living.get(cluster.random.nextInt(living.size()));
        if (what < 1) {
          cluster.nanos += 12 * SECOND;
        } else if (what < 20) {
          cluster.nanos += SECOND;
        } else if (what < 22) {
          one.crash();
          if (cluster.random.nextInt(3) > 0) {
            cluster.start(one.role, one.name, one.life + 1, RoleNumbersScheduleTest::comeAndGo);
          }
        } else if (what < 24) {
          one.stillUntil = step + cluster.random.nextInt(150);
        } else {
          one.step();
        }
        cluster.check();
      }
      settle(cluster, seed);
    }
  }

  /// Those that are left, and whoever comes, get numbers when they ask for longer than a lease.
  private static void settle(Cluster cluster, int seed) {
    while (!cluster.living().isEmpty()) {
      cluster.living().get(cluster.random.nextInt(cluster.living().size())).step();
      cluster.check();
    }
    assertThat(cluster.processes).as("seed %d", seed).allSatisfy(one -> assertThat(one.failure).isNull());
    cluster.processes.forEach(one -> one.id = -1);
    List<Process> last = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      last.add(
          cluster.start(
              Role.CLIENT,
              "last" + i,
              1,
              process -> {
                long begin = process.cluster.nanos;
                while (process.cluster.nanos - begin < 20 * SECOND) {
                  try {
                    process.register();
                  } catch (IOException _) {
                    process.id = -1;
                  }
                }
              }));
    }
    while (!cluster.living().isEmpty()) {
      cluster.nanos += SECOND / 4;
      cluster.living().get(cluster.random.nextInt(cluster.living().size())).step();
    }
    assertThat(last).as("seed %d", seed).extracting(one -> one.id).containsExactlyInAnyOrder(0L, 1L);
  }
}
