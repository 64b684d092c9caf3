package org.tutti.verify.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.verify.lab.IpcFailureHost.REPLIES;
import static org.tutti.verify.lab.IpcFailureHost.STAGES;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What failures do to communications with real hosts: the 35 cells of `docs/ipc-failures.md`, with a process of the
/// system for each of four hosts, in network namespaces that the test makes and removes. Each fault strikes five
/// communications at a time, one at each stage. When it strikes within the first and the last stage is up to the
/// machine, so of these only what holds in any case is checked; the simulator has their exact places.
@Tag("deep")
@Tag("system")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IpcFailuresLabTest {
  private static final int INITIATED = 0;
  private static final int DELIVERED = 1;
  private static final int RECEIVED = 2;
  private static final int REPLIED = 3;
  private static final int TERMINATING = 4;

  private static final int SENDER = 0;
  private static final int MEMBER = 1; // that of the faults of a member
  private static final int HOSTS = 4;
  private static final long SOON = 30; // seconds; no call may take longer, however busy the machine
  private static final long SEVERED_MILLIS = 3_000; // longer than a host may be silent, then all hear each other again

  /// What goes wrong, and how many replies come in any case when it strikes after the message was delivered.
  enum Fault {
    SENDER_DIES(0),
    SENDERS_HOST_CRASHES(0),
    SENDERS_HOST_SEVERED(0),
    MEMBER_DIES(2),
    MEMBERS_HOST_CRASHES(2),
    MEMBERS_HOST_SEVERED(2),
    PARTITION(1);

    final int replies;

    Fault(int replies) {
      this.replies = replies;
    }
  }

  private static final class Host {
    final Process process;
    final String address;
    final ConcurrentMap<String, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
    boolean isDead;

    Host(Process process) throws IOException {
      this.process = process;
      BufferedReader out = process.inputReader();
      this.address = after(out, "address");
      Thread.ofPlatform().daemon().start(() -> read(out));
    }

    private static String after(BufferedReader out, String word) throws IOException {
      String line = out.readLine();
      assertThat(line).startsWith(word + " ");
      return line.substring(word.length() + 1);
    }

    private void read(BufferedReader out) {
      try {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
          int at = line.indexOf(": ");
          answers
              .computeIfAbsent(at < 0 ? line : line.substring(0, at), _ -> new CompletableFuture<>())
              .complete(line.substring(at + 2));
        }
      } catch (IOException _) {
        // it was killed
      }
    }

    /// Tells it to do something, which it has not done before.
    CompletableFuture<String> tell(int stage, String what) {
      if (isDead) {
        return CompletableFuture.completedFuture("dead");
      }
      try {
        answers.remove(stage + " " + what);
        var answer = answers.computeIfAbsent(stage + " " + what, _ -> new CompletableFuture<>());
        process.outputWriter().append(stage + " " + what + "\n").flush();
        return answer;
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    void kill() {
      isDead = true;
      process.destroyForcibly();
      answers.values().forEach(answer -> answer.complete("dead"));
    }
  }

  private Hosts lab;
  private final List<Host> hosts = new ArrayList<>();

  private void open() throws Exception {
    lab = Hosts.open("h0", "h1", "h2", "h3");
    for (int node = 0; node < HOSTS; node++) {
      List<String> args = List.of(lab.addressOf(node), node == 0 ? "-" : hosts.getFirst().address, "" + (HOSTS - 1));
      Process process = lab.start(node, Hosts.java(IpcFailureHost.class, args), ProcessBuilder.Redirect.INHERIT);
      hosts.add(new Host(process));
    }
    for (Host host : hosts) {
      host.answers.computeIfAbsent("ready now", _ -> new CompletableFuture<>()).get(SOON, TimeUnit.SECONDS);
    }
  }

  private static String result(CompletableFuture<String> answer, String what) throws Exception {
    try {
      return answer.get(SOON, TimeUnit.SECONDS);
    } catch (TimeoutException _) {
      throw new AssertionError(what + " waits for ever");
    }
  }

  private List<CompletableFuture<String>> members(int stage, String what) {
    return hosts.subList(1, HOSTS).stream().map(host -> host.tell(stage, what)).toList();
  }

  /// Cuts hosts off from the others.
  private void cut(int... some) {
    List<Integer> off = Arrays.stream(some).boxed().toList();
    between((one, other) -> lab.network().cut(one, other, off.contains(one) != off.contains(other)));
  }

  private void heal() {
    between((one, other) -> lab.network().cut(one, other, false));
  }

  private static void between(BiConsumer<Integer, Integer> action) {
    for (int one = 0; one < HOSTS; one++) {
      for (int other = 0; other < HOSTS; other++) {
        if (one != other) {
          action.accept(one, other);
        }
      }
    }
  }

  private void strike(Fault fault) throws Exception {
    switch (fault) {
      case SENDER_DIES -> end(hosts.get(SENDER));
      case MEMBER_DIES -> end(hosts.get(MEMBER));
      case SENDERS_HOST_CRASHES -> hosts.get(SENDER).kill();
      case MEMBERS_HOST_CRASHES -> hosts.get(MEMBER).kill();
      case SENDERS_HOST_SEVERED -> cut(SENDER);
      case MEMBERS_HOST_SEVERED -> cut(MEMBER);
      case PARTITION -> cut(2, 3);
    }
    CompletableFuture.runAsync(this::heal, CompletableFuture.delayedExecutor(SEVERED_MILLIS, TimeUnit.MILLISECONDS));
  }

  private static void end(Host host) throws Exception {
    for (int stage = 0; stage < STAGES; stage++) {
      host.tell(stage, "end");
    }
    host.isDead = true; // for what it is told from now on
  }

  @ParameterizedTest
  @EnumSource
  void everyCallEndsAndNobodyIsToldWhatIsNotSo(Fault fault) throws Exception {
    open();
    Host sender = hosts.getFirst();
    var sent = new String[STAGES];
    for (int stage = DELIVERED; stage < STAGES; stage++) {
      sent[stage] = result(sender.tell(stage, "send"), "send");
      assertThat(sent[stage]).as("all are there").isEqualTo("" + REPLIES);
    }
    for (int stage = RECEIVED; stage < STAGES; stage++) {
      for (CompletableFuture<String> one : members(stage, "receive")) {
        assertThat(result(one, "receive")).isEqualTo("done");
      }
    }
    var replies = new ArrayList<List<CompletableFuture<String>>>();
    for (int stage = 0; stage < STAGES; stage++) {
      replies.add(stage < REPLIED ? List.of() : members(stage, "reply"));
    }
    var taken = new int[STAGES];
    assertThat(result(sender.tell(REPLIED, "take"), "take")).isEqualTo("done");
    taken[REPLIED]++;
    for (int left = REPLIES - 1; left > 0; left--) {
      assertThat(result(sender.tell(TERMINATING, "take"), "take")).isEqualTo("done");
      taken[TERMINATING]++;
    }
    CompletableFuture<String> first = sender.tell(INITIATED, "send");
    CompletableFuture<String> last = sender.tell(TERMINATING, "take");
    strike(fault);
    List<CompletableFuture<String>> receivedFirst = members(INITIATED, "receive");
    List<CompletableFuture<String>> receivedNext = members(DELIVERED, "receive");
    sent[INITIATED] = result(first, "send");
    taken[TERMINATING] += result(last, "take").equals("done") ? 1 : 0;
    for (CompletableFuture<String> one : receivedFirst) {
      result(one, "receive");
    }
    for (CompletableFuture<String> one : receivedNext) {
      result(one, "receive");
    }
    for (int stage = INITIATED; stage <= RECEIVED; stage++) {
      replies.set(stage, members(stage, "reply"));
    }
    for (int stage = INITIATED; stage <= REPLIED; stage++) {
      while (result(sender.tell(stage, "take"), "take").equals("done")) {
        taken[stage]++;
      }
    }
    check(fault, sent, taken, replies);
  }

  private void check(Fault fault, String[] sent, int[] taken, List<List<CompletableFuture<String>>> replies)
      throws Exception {
    for (int stage = 0; stage < STAGES; stage++) {
      var told = new ArrayList<String>();
      for (CompletableFuture<String> one : replies.get(stage)) {
        told.add(result(one, "reply"));
      }
      System.out.printf(
          "%s, stage %d: send %s, %d replies, members %s%n", fault, stage, sent[stage], taken[stage], told);
      if (!hosts.get(SENDER).isDead) {
        assertThat(told.stream().filter("done"::equals).count())
            .as("members that are told that their reply was taken")
            .isLessThanOrEqualTo(taken[stage]);
      }
      assertThat(taken[stage]).as("replies").isLessThanOrEqualTo(REPLIES);
      if (stage != INITIATED) {
        assertThat(taken[stage]).as("replies at stage " + stage).isGreaterThanOrEqualTo(fault.replies);
      } else if (sent[stage].matches("\\d")) {
        assertThat(Integer.parseInt(sent[stage])).as("the count").isBetween(1, REPLIES);
      }
    }
  }

  @AfterEach
  void end() {
    if (lab != null) {
      lab.close();
    }
  }
}
