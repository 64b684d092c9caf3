package org.tutti.net.udp.multicast;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.net.udp.multicast.RepairsCampaign.Totals;
import org.tutti.net.udp.multicast.RepairsCampaign.Weather;
import org.tutti.transport.Counts;

class RepairsTest {
  private static final int SEEDS = 2000;
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private static Totals campaign(int seeds) {
    var totals = new Totals();
    for (long seed = 1; seed <= seeds && totals.violations.isEmpty(); seed++) {
      RepairsCampaign.run(seed, RepairsCampaign.weather(seed), totals);
    }
    return totals;
  }

  private static Totals same(int seeds, Weather weather) {
    var totals = new Totals();
    for (long seed = 1; seed <= seeds; seed++) {
      RepairsCampaign.run(seed, weather, totals);
    }
    return totals;
  }

  private static String show(String what, Totals totals) {
    return ("%s: %d multicasts lost to somebody, %d missed, %d given up; for each lost multicast "
            + "%.2f questions, %.2f suppressed, %.2f repairs, %.2f by others; slowest %.1f ms")
        .formatted(
            what,
            totals.lost,
            totals.missed,
            totals.givenUp,
            (double) totals.asked / totals.lost,
            (double) totals.suppressed / totals.lost,
            (double) (totals.repaired + totals.repairedByOthers) / totals.lost,
            (double) totals.repairedByOthers / totals.lost,
            (double) totals.slowestNanos / MILLI);
  }

  @Test
  void whatSomebodyKeepsIsDeliveredOrGivenUp() {
    Totals totals = campaign(SEEDS);
    System.out.println(show("any weather", totals));
    assertThat(totals.violations).isEmpty();
    assertThat(totals.missed).isGreaterThan(SEEDS);
    assertThat(totals.repairedByOthers).isPositive();
    assertThat(totals.givenUp).isLessThan(totals.missed / 20);
  }

  @Test
  void whatOnlyMulticastsLoseIsRepairedSoon() {
    Totals totals = same(300, new Weather(5, 0.05, 0.05, 0, 0.2, false, false));
    System.out.println(show("only multicasts are lost", totals));
    assertThat(totals.violations).isEmpty();
    assertThat(totals.slowestNanos).isLessThan(20 * MILLI);
  }

  @Test
  void fewAskForWhatAllMiss() {
    Totals totals = same(200, new Weather(8, 0.05, 0, 0, 0, false, false));
    System.out.println(show("all lose the same", totals));
    assertThat(totals.violations).isEmpty();
    assertThat((double) totals.asked / totals.lost).isLessThan(1.6);
    assertThat((double) (totals.repaired + totals.repairedByOthers) / totals.lost).isLessThan(1.3);
  }

  @Test
  void whatIsRepairedOnceIsNotRepairedAgain() {
    Totals totals = same(200, new Weather(8, 0, 0.05, 0, 0, false, false));
    System.out.println(show("each loses others", totals));
    assertThat(totals.violations).isEmpty();
    assertThat((double) (totals.repaired + totals.repairedByOthers) / totals.lost).isLessThan(1.3);
  }

  @Test
  void othersRepairWhatADeadSenderCannot() {
    Totals totals = same(300, new Weather(4, 0, 0.2, 0, 0, true, false));
    System.out.println(show("the sender ends", totals));
    assertThat(totals.violations).isEmpty();
    assertThat(totals.repairedByOthers).isPositive();
  }

  @Test
  void memoryIsBounded() {
    var random = new SplittableRandom(5);
    var out =
        new Repairs.Out() {
          @Override
          public void ask(long life, long first, long bits) {}

          @Override
          public boolean repair(long life, long number, byte[] datagram) {
            return true;
          }
        };
    long now = MILLI;
    var repairs = new Repairs(now, 1, 1, out, new Counts<>(MulticastCount.class));
    for (int i = 0; i < 200_000; i++) {
      long life = 1 + random.nextInt(20);
      long number = random.nextInt(10) == 0 ? random.nextLong() : random.nextLong(1 + i);
      repairs.keep(now, life, number, new byte[random.nextInt(2000)]);
      if (life != 1) {
        repairs.came(now, life, random.nextInt(100) == 0 ? number : i, random.nextLong());
        repairs.last(now, life, number, random.nextLong());
        repairs.repaired(now, life, number, new byte[100]);
      }
      repairs.asked(now, life, number, random.nextLong());
      now += random.nextLong(MILLI / 100);
      repairs.tend(now);
      assertThat(repairs.keptBytes()).isBetween(0L, (long) MulticastStore.BYTES_MAX);
      assertThat(repairs.missing(life)).isLessThanOrEqualTo(Repairs.Gaps.MISSING_MAX);
    }
    assertThat(repairs.keptBytes()).isPositive();
    repairs.tend(now + 2 * MulticastStore.KEPT_NANOS);
    assertThat(repairs.keptBytes()).as("too old for anybody").isZero();
  }

  // ---- planted bugs ------------------------------------------------------------------------------------------------

  /// Loads these classes once more, one method of one of them changed.
  private static final class Planted extends ClassLoader {
    private final String owner;
    private final String method;
    private final int result;

    /// @param result what the method returns at once, if it returns something
    Planted(String owner, String method, int result) {
      super(RepairsTest.class.getClassLoader());
      this.owner = Repairs.class.getPackageName() + "." + owner;
      this.method = method;
      this.result = result;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("org.tutti.net.")) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      try (InputStream in = RepairsTest.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        byte[] changed = name.equals(owner) ? change(bytes) : bytes;
        return defineClass(name, changed, 0, changed.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }

    private byte[] change(byte[] bytes) {
      int[] found = {0};
      ClassTransform transform =
          (to, element) -> {
            if (element instanceof MethodModel one && one.methodName().equalsString(method)) {
              found[0]++;
              to.withMethodBody(
                  one.methodName(),
                  one.methodType(),
                  one.flags().flagsMask(),
                  code -> {
                    TypeKind kind = TypeKind.from(one.methodTypeSymbol().returnType());
                    if (kind != TypeKind.VOID) {
                      code.loadConstant(result);
                    }
                    code.return_(kind);
                  });
            } else {
              to.with(element);
            }
          };
      byte[] changed = ClassFile.of().transformClass(ClassFile.of().parse(bytes), transform);
      assertThat(found[0]).as("methods called " + method).isEqualTo(1);
      return changed;
    }

    void run(String test) throws ReflectiveOperationException {
      var other = loadClass(RepairsTest.class.getName()).getDeclaredConstructor();
      other.setAccessible(true);
      var run = other.getDeclaringClass().getDeclaredMethod(test);
      run.setAccessible(true);
      run.invoke(other.newInstance());
    }
  }

  private static void isCaught(String owner, String method, int result, String test) {
    assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> new Planted(owner, method, result).run(test)))
        .as("%s.%s returns %d at once", owner, method, result)
        .hasRootCauseInstanceOf(AssertionError.class);
  }

  @Test
  @Tag("deep")
  void plantedBugsAreCaught() {
    isCaught("Repairs", "suppress", 0, "fewAskForWhatAllMiss");
    isCaught("Repairs", "leave", 0, "whatIsRepairedOnceIsNotRepairedAgain");
    isCaught("Repairs$Gaps", "lacks", 0, "whatSomebodyKeepsIsDeliveredOrGivenUp");
    isCaught("Repairs$Gaps", "has", 0, "whatSomebodyKeepsIsDeliveredOrGivenUp");
    isCaught("Repairs$Gaps", "giveUp", 0, "whatSomebodyKeepsIsDeliveredOrGivenUp");
    isCaught("MulticastStore", "age", 0, "memoryIsBounded");
  }
}
