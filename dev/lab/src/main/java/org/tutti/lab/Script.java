package org.tutti.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.tutti.lab.network.Conditions;

/// Draws what a fault does: who, how strong, how long. The same random numbers give the same steps.
///
/// The steps leave a group what it needs to go on: only a strict minority is killed, while all are together, or while
/// it is cut off and the others have gone on without it.
final class Script {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration RESET_WITHIN = Duration.ofMillis(300);

  private final List<String> names;
  private final Random random;
  private final List<Step> steps = new ArrayList<>();

  /// One line of a script: something is done to a lab, and then time passes.
  ///
  /// @param what   in words
  /// @param action does it
  /// @param hold   how long it lasts until the next step
  record Step(String what, Consumer<Lab> action, Duration hold) {}

  private Script(LabConfig config, Random random) {
    this.names = new ArrayList<>(config.names());
    this.random = random;
  }

  static List<Step> draw(Fault fault, LabConfig config, Random random) {
    var script = new Script(config, random);
    Collections.shuffle(script.names, random);
    script.write(fault);
    return script.steps;
  }

  /// Draws which members the clients reach meanwhile: often all, else some.
  static List<Step> drawReach(LabConfig config, Random random) {
    if (config.clients() == 0 || random.nextBoolean()) {
      return List.of();
    }
    List<String> names = new ArrayList<>(config.names());
    Collections.shuffle(names, random);
    List<String> some = names.subList(0, 1 + random.nextInt(names.size() - 1)).stream().sorted().toList();
    String words = "clients reach " + String.join(" ", some) + " only";
    return List.of(new Step(words, lab -> lab.clientsReach(some), Duration.ZERO));
  }

  private void write(Fault fault) {
    switch (fault) {
      case HALVES -> cut(halves(names.size() / 2), hold());
      case ISOLATED -> cut(halves(1), hold());
      case SCATTERED -> cut(new Split("everybody alone", Cuts.between(apart())), hold());
      case RING -> cut(ring(), hold());
      case BRIDGE -> cut(bridge(), hold());
      case ONE_WAY -> cut(oneWay(), hold());
      case SENIOR_DEAF -> step("the most senior hears nobody", lab -> lab.deafen(lab.senior()), hold());
      case MEMBER_DEAF -> deafen();
      case FLAPPING -> flap();
      case NESTED -> nest();
      case CHANGING -> change();
      case LOSS -> lose();
      case DELAY -> delay();
      case PAUSE -> pause(minority());
      case RESET -> reset();
      case KILL -> kill(minority(), false);
      case KILL_SENIOR -> kill(1, true);
      case KILL_CUT_OFF -> killCutOff();
      case STORM -> storm();
    }
  }

  /// A shape of the network, in words too.
  private record Split(String words, Cuts cuts) {}

  // ---- splits ----------------------------------------------------------------------------------------------------

  private Split halves(int first) {
    var part = new int[names.size()];
    for (int i = 0; i < first; i++) {
      part[number(i)] = 1;
    }
    return new Split(list(0, first) + " | " + list(first, names.size()), Cuts.between(part));
  }

  private Split ring() {
    int count = names.size();
    Cuts cuts = Cuts.between(apart());
    for (int i = 0; i < count; i++) {
      cuts = join(cuts, number(i), number((i + 1) % count));
    }
    return new Split("ring " + String.join(" ", names), cuts);
  }

  private Split bridge() {
    int count = names.size();
    int first = count / 2;
    var part = new int[count];
    for (int i = 1; i < count; i++) {
      part[number(i)] = i <= first ? 1 : 2;
    }
    Cuts cuts = Cuts.between(part);
    for (int i = 1; i < count; i++) {
      cuts = join(cuts, number(0), number(i));
    }
    return new Split(
        "bridge " + names.getFirst() + " between " + list(1, first + 1) + " | " + list(first + 1, count), cuts);
  }

  private Split oneWay() {
    int mute = 1 + random.nextInt(names.size() / 2);
    boolean deaf = random.nextBoolean();
    Cuts cuts = Cuts.NONE;
    for (int i = 0; i < mute; i++) {
      for (int j = mute; j < names.size(); j++) {
        cuts = deaf ? cuts.with(number(j), number(i)) : cuts.with(number(i), number(j));
      }
    }
    return new Split(list(0, mute) + (deaf ? " deaf to " : " unheard by ") + list(mute, names.size()), cuts);
  }

  private void deafen() {
    String first = names.getFirst();
    String other = names.get(1);
    step(
        first + ", or " + other + " if that is the most senior, hears nobody",
        lab -> lab.deafen(lab.senior().equals(first) ? other : first),
        hold());
  }

  private Split anySplit() {
    Collections.shuffle(names, random);
    return switch (random.nextInt(5)) {
      case 0 -> halves(1);
      case 1 -> ring();
      case 2 -> bridge();
      case 3 -> oneWay();
      default -> halves(names.size() / 2);
    };
  }

  private static Cuts join(Cuts cuts, int one, int other) {
    return cuts.without(one, other).without(other, one);
  }

  private void cut(Split split, Duration hold) {
    step(split.words, lab -> lab.apply(split.cuts), hold);
  }

  private void heal(Duration hold) {
    step("healed", Lab::heal, hold);
  }

  private void flap() {
    Split split = random.nextBoolean() ? halves(1) : anySplit();
    int times = 4 + random.nextInt(6);
    for (int i = 0; i < times; i++) {
      cut(split, suspectTimes(0.1, 1.5));
      heal(suspectTimes(0.1, 1.0));
    }
  }

  private void nest() {
    int outer = names.size() / 2;
    int inner = outer + (names.size() - outer + 1) / 2;
    var part = new int[names.size()];
    for (int i = 0; i < names.size(); i++) {
      part[number(i)] = i < outer ? 0 : i < inner ? 1 : 2;
    }
    Split whole = halves(outer);
    String words = list(0, outer) + " | " + list(outer, inner) + " | " + list(inner, names.size());
    cut(whole, hold());
    cut(new Split(words, Cuts.between(part)), hold());
    if (random.nextBoolean()) {
      cut(whole, hold());
    }
  }

  private void change() {
    int times = 3 + random.nextInt(3);
    for (int i = 0; i < times; i++) {
      cut(anySplit(), suspectTimes(0.5, 4));
    }
  }

  // ---- frames ----------------------------------------------------------------------------------------------------

  private void lose() {
    double share = 0.01 + 0.19 * random.nextDouble() * random.nextDouble();
    step("loss of %.1f %%".formatted(100 * share), lab -> lab.conditions(Conditions.PERFECT.withLoss(share)), hold());
  }

  private void delay() {
    Duration each = Duration.ofMillis(5 + random.nextInt(60));
    step(
        "delay of " + each.toMillis() + " ms",
        lab -> lab.conditions(Conditions.PERFECT.withDelay(each, each.dividedBy(4))),
        hold());
    if (random.nextBoolean()) {
      Duration more = Duration.ofMillis(50 + random.nextInt(250));
      step(
          list(0, 1) + " heard after " + more.toMillis() + " ms",
          lab -> names.forEach(to -> lab.conditions(names.getFirst(), to, late(more))),
          hold());
    }
  }

  private static Conditions late(Duration delay) {
    return Conditions.PERFECT.withDelay(delay, delay.dividedBy(4));
  }

  private void reset() {
    int times = 1 + random.nextInt(4);
    for (int i = 0; i < times; i++) {
      Collections.shuffle(names, random);
      int count = 1 + random.nextInt(names.size() - 1);
      String one = names.getFirst();
      List<String> others = List.copyOf(names.subList(1, 1 + count));
      step(
          "reset of " + one + " with " + String.join(" ", others),
          lab -> {
            others.forEach(other -> lab.reset(one, other, RESET_WITHIN));
            lab.resetClients(one, RESET_WITHIN);
          },
          suspectTimes(0.5, 2));
    }
  }

  // ---- processes -------------------------------------------------------------------------------------------------

  private void pause(int most) {
    List<String> who = List.copyOf(names.subList(0, 1 + random.nextInt(most)));
    step("stop of " + String.join(" ", who), lab -> who.forEach(lab::pause), suspectTimes(0.3, 5));
    step("continued", lab -> who.forEach(lab::resume), suspectTimes(0.1, 1));
  }

  private void kill(int most, boolean senior) {
    if (senior) {
      step("kill of the most senior", lab -> lab.kill(lab.senior()), suspectTimes(0.5, 4));
    } else {
      List<String> who = List.copyOf(names.subList(0, 1 + random.nextInt(most)));
      step("kill of " + String.join(" ", who), lab -> who.forEach(lab::kill), suspectTimes(0.5, 4));
    }
    step("started again", Lab::restartAll, Duration.ZERO);
  }

  private void killCutOff() {
    int minority = minority();
    cut(halves(minority), suspectTimes(0.5, 2));
    String victim = names.getFirst();
    String[] others = names.subList(minority, names.size()).toArray(String[]::new);
    step(
        "kill of " + victim,
        lab -> {
          if (lab.isPrimary(PATIENCE, others)) { // or else the victim may be needed
            lab.kill(victim);
          }
        },
        suspectTimes(0.2, 2));
    if (random.nextBoolean()) {
      step("started again", Lab::restartAll, suspectTimes(0.5, 3));
    }
  }

  private void storm() {
    double share = 0.05 * random.nextDouble();
    Duration each = Duration.ofMillis(1 + random.nextInt(20));
    step(
        "loss of %.1f %%, delay of %d ms".formatted(100 * share, each.toMillis()),
        lab -> lab.conditions(late(each).withLoss(share)),
        suspectTimes(0.5, 2));
    String killed = names.get(0);
    step("kill of " + killed, lab -> lab.kill(killed), suspectTimes(0, 2));
    cut(halves(names.size() / 2), hold());
    String stopped = names.getLast();
    step("stop of " + stopped, lab -> lab.pause(stopped), suspectTimes(0.3, 3));
    step("started again", Lab::restartAll, suspectTimes(0.5, 3));
    step("continued", lab -> lab.resume(stopped), suspectTimes(0.5, 1));
    cut(anySplit(), hold());
  }

  // ---- words and numbers -----------------------------------------------------------------------------------------

  private void step(String what, Consumer<Lab> action, Duration hold) {
    steps.add(new Step(what, action, hold));
  }

  private int minority() {
    return (names.size() - 1) / 2;
  }

  /// Long enough for views to change.
  private Duration hold() {
    return suspectTimes(2, 6);
  }

  private Duration suspectTimes(double least, double most) {
    return Duration.ofMillis(
        (long) (LabConfig.SUSPECT_AFTER.toMillis() * (least + (most - least) * random.nextDouble())));
  }

  private int number(int at) {
    return Integer.parseInt(names.get(at).substring(1)) - 1;
  }

  private int[] apart() {
    var numbers = new int[names.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = i;
    }
    return numbers;
  }

  private String list(int from, int to) {
    return names.subList(from, to).stream().sorted().collect(Collectors.joining(" "));
  }
}
