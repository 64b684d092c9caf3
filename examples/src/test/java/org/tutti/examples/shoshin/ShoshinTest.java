package org.tutti.examples.shoshin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.examples.shoshin.Shoshin.Received;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.Ipc;
import org.tutti.ipc.IpcProcess;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Status;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// Each call of T-Shoshin, to a group and to a process.
class ShoshinTest {
  private static final GroupId PRINTERS = GroupId.named("printers");
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final int TAG = 3;

  private final InProcess hub = new InProcess();
  private final List<Address> addresses = List.of(new Address("a"), new Address("b"));
  private final Ipc a = Ipc.open("a", hub.open(addresses.getFirst()), addresses);
  private final Ipc b = Ipc.open("b", hub.open(addresses.getLast()), addresses);
  private final IpcProcess here = a.process();
  private final IpcProcess there = b.process();
  private final Shoshin client = new Shoshin(here);
  private final Shoshin server = new Shoshin(there);
  private final ByteBuffer buf = ByteBuffer.allocate(100);

  @AfterEach
  void close() {
    a.close();
    b.close();
  }

  @Test
  void aGroupIsAsked() {
    hear();
    there.join(PRINTERS).join();
    assertThat(server.nrec(PRINTERS, buf, TAG).nr()).isEqualTo(Shoshin.TIMED_OUT);
    assertThat(client.bsend(PRINTERS, bytes("free?"), TAG)).isEqualTo(1);
    assertThat(server.nrec(PRINTERS, buf, TAG + 1).nr()).isEqualTo(Shoshin.TIMED_OUT);
    assertThat(server.nrec(PRINTERS, buf, TAG)).isEqualTo(new Received(here.id(), 5));
    assertThat(text()).isEqualTo("free?");
    CompletableFuture<Integer> ns = later(() -> server.reply(here.id(), bytes("yes")));
    assertThat(client.totreply(PRINTERS, 2)).isEqualTo(2);
    assertThat(client.totreply(PRINTERS, 3)).isEqualTo(2);
    assertThat(client.getreply(PRINTERS, buf, LONG)).isEqualTo(new Received(there.id(), 3));
    assertThat(text()).isEqualTo("yes");
    assertThat(within(ns)).isEqualTo(3);
    assertThat(client.getreply(PRINTERS, buf, Duration.ZERO).nr()).isEqualTo(Shoshin.TIMED_OUT);
    assertThat(client.totreply(PRINTERS, 0)).isZero();
    assertThat(client.totreply(PRINTERS, 1)).isEqualTo(Shoshin.NO_COMM);

    CompletableFuture<Received> answer = later(() -> client.request(PRINTERS, bytes("again?"), buf, TAG));
    var got = ByteBuffer.allocate(2);
    assertThat(server.brec(PRINTERS, got)).as("cut off").isEqualTo(new Received(here.id(), 2));
    assertThat(server.reply(here.id(), bytes("no"))).isEqualTo(2);
    assertThat(within(answer)).isEqualTo(new Received(there.id(), 2));
    assertThat(text()).isEqualTo("no");
    assertThat(client.bsend(GroupId.wellKnown(1), bytes(""), 0)).isEqualTo(Shoshin.NO_MEMBERS);
    assertThat(client.request(GroupId.wellKnown(1), bytes(""), buf, 0).nr()).isEqualTo(Shoshin.NO_MEMBERS);
    assertThat(client.brec(PRINTERS, buf).nr()).isEqualTo(Shoshin.NOT_MEMBER);
  }

  @Test
  void aProcessIsAsked() {
    hear();
    assertThat(server.nrecany(buf, TAG).nr()).isEqualTo(Shoshin.TIMED_OUT);
    assertThat(client.bsend(there.id(), bytes("one"), TAG)).isEqualTo(1);
    assertThat(server.brec(here.id(), buf)).isEqualTo(new Received(here.id(), 3));
    assertThat(text()).isEqualTo("one");
    CompletableFuture<Integer> ns = later(() -> server.reply(here.id(), bytes("1")));
    assertThat(client.totreply(there.id(), 1)).isEqualTo(1);
    assertThat(client.getreply(there.id(), buf, LONG)).isEqualTo(new Received(there.id(), 1));
    assertThat(text()).isEqualTo("1");
    assertThat(within(ns)).isEqualTo(1);

    CompletableFuture<Received> answer = later(() -> client.request(there.id(), bytes("two"), buf, TAG));
    assertThat(server.brecany(ByteBuffer.allocate(9), TAG)).isEqualTo(new Received(here.id(), 3));
    assertThat(server.reply(here.id(), bytes("2"))).isEqualTo(1);
    assertThat(within(answer)).isEqualTo(new Received(there.id(), 1));
    assertThat(text()).isEqualTo("2");

    assertThat(client.bsend(there.id(), bytes("three"), TAG)).isEqualTo(1);
    assertThat(server.nrec(here.id(), buf, TAG + 1).nr()).isEqualTo(Shoshin.TIMED_OUT);
    assertThat(server.nrec(here.id(), buf, TAG).nr()).isEqualTo(5);
    assertThat(client.bsend(there.id(), bytes("four"), TAG)).isEqualTo(1);
    assertThat(server.nrecany(buf, TAG).nr()).isEqualTo(4);
    server.close();
    assertThat(client.bsend(there.id(), bytes("five"), TAG)).isEqualTo(Shoshin.PROC_DEAD);
    var nobody = new ProcessId(new MemberId("nobody", new Address("nobody"), 1), 1);
    assertThat(client.bsend(nobody, bytes("six"), TAG)).isEqualTo(Shoshin.HOST_DEAD);
    assertThat(client.request(here.id(), bytes("me?"), buf, TAG).nr()).isEqualTo(Shoshin.CM_DEADLOCK);
  }

  @Test
  void aWrongCallHasItsStatus() {
    assertThat(client.reply(there.id(), bytes("?"))).isEqualTo(Shoshin.CM_MISMATCH);
    assertThat(client.getreply(PRINTERS, buf, LONG).nr()).isEqualTo(Shoshin.NO_COMM);
    assertThat(
            Stream.of(
                client.bsend(PRINTERS, null, 0),
                client.bsend(there.id(), null, 0),
                client.brec(PRINTERS, null).nr(),
                client.brec(there.id(), null).nr(),
                client.nrec(PRINTERS, null, 0).nr(),
                client.nrec(there.id(), null, 0).nr(),
                client.brecany(null, 0).nr(),
                client.nrecany(null, 0).nr(),
                client.reply(there.id(), null),
                client.request(PRINTERS, bytes(""), null, 0).nr(),
                client.request(there.id(), null, buf, 0).nr()))
        .containsOnly(Shoshin.ADDR_ERROR);
    assertThat(Stream.of(Status.values()).map(Shoshin::code)).doesNotHaveDuplicates().allMatch(code -> code < 0);
  }

  private void hear() {
    within(a.heard(1));
    within(b.heard(1));
  }

  private static <T> CompletableFuture<T> later(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, Thread::startVirtualThread);
  }

  private static <T> T within(CompletableFuture<T> future) {
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }

  private String text() {
    String text = UTF_8.decode(buf.flip()).toString();
    buf.clear();
    return text;
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }
}
