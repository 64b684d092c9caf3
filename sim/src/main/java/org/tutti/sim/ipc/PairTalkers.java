package org.tutti.sim.ipc;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.Status;
import org.tutti.ipc.protocol.IpcHost;
import org.tutti.ipc.protocol.IpcProtocol.Received;
import org.tutti.ipc.protocol.IpcProtocol.Sent;
import org.tutti.ipc.protocol.IpcProtocol.TakenReply;
import org.tutti.ipc.protocol.PairProtocol;
import org.tutti.ipc.protocol.Selection;
import org.tutti.sim.ipc.IpcSites.Site;
import org.tutti.sim.ipc.PairChecks.Kind;
import org.tutti.sim.ipc.PairChecks.Message;
import org.tutti.sim.ipc.PairChecks.Wait;

/// Processes that talk to each other one to one, each with one call at a time: they send, request, receive and reply,
/// now and then several in a ring ask the next one, many send to one, and some end.
final class PairTalkers {
  private static final long MILLI = IpcSites.MILLI;
  private static final long PAUSE = 40 * MILLI;
  private static final long SOON =
      700 * MILLI; // two looks at who waits, two rounds in a ring, or many short round trips
  private static final int FLOOD = PairProtocol.QUEUE_MAX + 6;

  private final IpcSites sites;
  private final SplittableRandom random;
  private final long calmFrom;
  private final long end;
  private final List<Talker> talkers = new ArrayList<>();
  private final PairChecks checks;

  /// @param calmFrom when all hear each other
  /// @param end      when all are to end
  PairTalkers(IpcSites sites, SplittableRandom random, long calmFrom, long end) {
    this.sites = sites;
    this.random = random;
    this.calmFrom = calmFrom;
    this.end = end;
    this.checks = sites.pairChecks;
    for (int rings = random.nextInt(4); rings > 0; rings--) {
      sites.at(random.nextLong(calmFrom), this::ring);
    }
    sites.at(calmFrom + random.nextLong(200 * MILLI), this::ring);
    if (random.nextInt(8) == 0) {
      sites.at(random.nextLong(end - 1000 * MILLI), this::flood);
    }
    sites.at(end, () -> List.copyOf(talkers).forEach(Talker::finish));
  }

  /// Opens some at a host.
  void populate(Site site, IpcHost host) {
    for (int i = random.nextInt(3); i > 0; i--) {
      begin(site, host);
    }
  }

  private Talker begin(Site site, IpcHost host) {
    var talker = new Talker(site, host, host.protocol().open());
    talkers.add(talker);
    sites.at(sites.now() + random.nextLong(PAUSE), talker::act);
    return talker;
  }

  private @Nullable Talker any() {
    int recent = Math.min(talkers.size(), 12);
    return recent == 0 ? null : talkers.get(talkers.size() - 1 - random.nextInt(recent));
  }

  /// Some ask the next one, and receive nothing meanwhile.
  private void ring() {
    List<Talker> living = new ArrayList<>(talkers.stream().filter(Talker::lives).toList());
    int size = Math.min(living.size(), random.nextInt(1, 5));
    while (living.size() > size) {
      living.remove(random.nextInt(living.size()));
    }
    for (int i = 0; i < size; i++) {
      living.get(i).next = living.get((i + 1) % size);
    }
  }

  /// Many processes send to one: more messages than its queue takes, or more bytes than its host does.
  private void flood() {
    Talker to = any();
    Site site = sites.sites.get(random.nextInt(sites.sites.size()));
    if (to == null || site.host == null || sites.now() >= end) {
      return;
    }
    sites.met(site.name, "flood");
    to.isDeaf = true;
    int length = random.nextBoolean() ? Long.BYTES : Math.min(sites.pairs.bytesMax(), sites.pairs.windowBytes());
    List<Talker> many = new ArrayList<>();
    site.step(host -> {
      for (int i = 0; i < FLOOD; i++) {
        many.add(new Talker(site, host, host.protocol().open()));
        many.getLast().send(to, length, 300 * MILLI, false);
      }
    });
    sites.at(sites.now() + 400 * MILLI, () -> many.forEach(talker -> talker.end(false)));
    sites.at(sites.now() + 500 * MILLI, () -> to.isDeaf = false);
  }

  private boolean hasRoom() {
    return sites.sites.stream().allMatch(this::hasRoom);
  }

  /// Whether nothing waits for room, and nothing has just given up to wait: who waits for a host's room waits for no
  /// process in particular.
  private boolean hasRoom(Site site) {
    if (site.host == null) {
      return true;
    }
    PairProtocol.Sizes sizes = site.host.protocol().pairs().sizes();
    return sizes.offers() == 0
        && sizes.queue() < PairProtocol.QUEUE_MAX
        && sizes.in() + sites.pairs.bytesMax() <= sites.pairs.bufferBytes();
  }

  /// One of them.
  private final class Talker {
    private final Site site;
    private final IpcHost life;
    private final ProcessId id;
    private boolean isDeaf;
    private @Nullable Talker next; // whom it is to ask in a ring

    Talker(Site site, IpcHost life, int number) {
      this.site = site;
      this.life = life;
      this.id = new ProcessId(life.self(), number);
    }

    boolean lives() {
      return site.host == life && !checks.hasEnded(id);
    }

    private PairProtocol pairs() {
      return life.protocol().pairs();
    }

    private long upTo(long most) {
      return Math.min(random.nextLong(most), end - 1 - sites.now());
    }

    private void soon() {
      sites.at(sites.now() + random.nextLong(PAUSE), this::act);
    }

    void act() {
      if (!lives() || sites.now() >= end - 50 * MILLI) {
        return;
      }
      Talker ring = next;
      Talker other = any();
      next = null;
      site.step(_ -> {
        if (ring != null) {
          request(ring, random.nextInt(3) == 0 ? end - 1 - sites.now() : upTo(600 * MILLI));
          return;
        }
        switch (random.nextInt(20)) {
          case 0, 1, 2, 3 -> request(other, upTo(800 * MILLI));
          case 4, 5, 6 -> send(other, random.nextInt(200) == 0 ? tooLong() : length(), upTo(800 * MILLI), true);
          case 7 -> receive(new Selection(null, other.id, null), other.id, upTo(600 * MILLI));
          case 8 -> {
            if (random.nextInt(6) == 0) {
              sites.at(sites.now(), () -> end(random.nextInt(3) > 0));
            } else {
              soon();
            }
          }
          default -> {
            if (isDeaf) {
              soon();
            } else {
              receive(new Selection(null, null), null, upTo(150 * MILLI));
            }
          }
        }
      });
    }

    private int length() {
      return switch (random.nextInt(10)) {
        case 0 -> sites.pairs.bytesMax() - random.nextInt(300);
        case 1 -> random.nextInt(Long.BYTES, sites.pairs.bytesMax());
        default -> random.nextInt(Long.BYTES, Math.min(sites.pairs.bytesMax(), 2 * sites.pairs.partBytes()));
      };
    }

    // ---- sending ---------------------------------------------------------------------------------------------------

    void send(Talker to, int length, long timeout, boolean goesOn) {
      Message message = checks.sent(id, to.id, length, sites.now());
      pairs()
          .send(
              id.number(),
              to.id,
              0,
              message.payload(),
              timeout,
              this.<Sent>waiting(
                  "send to one",
                  to.id,
                  Kind.SEND,
                  message,
                  timeout,
                  result -> {
                    if (result instanceof Done<Sent>(Sent sent)) {
                      checks.queued(message);
                      if (goesOn && random.nextBoolean()) {
                        long session = sent.session();
                        sites.at(sites.now(), () -> take(to, session, message));
                        return;
                      }
                    }
                    if (goesOn) {
                      soon();
                    }
                  }));
    }

    private int tooLong() {
      return sites.pairs.bytesMax() + 1;
    }

    private void take(Talker of, long session, Message message) {
      if (!lives() || sites.now() >= end - 50 * MILLI) {
        return;
      }
      long timeout = upTo(800 * MILLI);
      site.step(_ ->
          pairs()
              .getreply(
                  id.number(),
                  of.id,
                  session,
                  timeout,
                  this.<TakenReply>waiting(
                      "take of one",
                      of.id,
                      Kind.REPLY,
                      message,
                      timeout,
                      result -> {
                        took(message, result);
                        soon();
                      })));
    }

    private void request(Talker to, long timeout) {
      Message message = checks.sent(id, to.id, length(), sites.now());
      pairs()
          .request(
              id.number(),
              to.id,
              0,
              message.payload(),
              timeout,
              this.<TakenReply>waiting(
                  "request to one",
                  to.id,
                  Kind.REPLY,
                  message,
                  timeout,
                  result -> {
                    took(message, result);
                    soon();
                  }));
    }

    private void took(Message message, Result<TakenReply> result) {
      if (result instanceof Done<TakenReply>(TakenReply(ProcessId member, ByteBuffer payload))) {
        checks.took(message, member, payload);
      } else if (result instanceof Aborted<TakenReply>(var status)
          && status == Status.TIMED_OUT
          && Math.max(message.repliedAt(), calmFrom) < sites.now() - SOON
          && message.repliedAt() < Long.MAX_VALUE
          && pairs().sizes().replies() + sites.pairs.bytesMax() <= sites.pairs.bufferBytes()) {
        checks.isLate(message, "the reply to"); // it did not wait for room either
      }
    }

    /// A call that waits for another process, or for any when there is none.
    private <T> Consumer<Result<T>> waiting(
        String what,
        @Nullable ProcessId of,
        Kind kind,
        @Nullable Message message,
        long timeout,
        Consumer<Result<T>> then) {
      long began = sites.now();
      Wait wait = of == null ? null : checks.waits(id, of, kind, message);
      List<Wait> cycle = wait == null || began < calmFrom ? List.of() : checks.closes(wait);
      if (!cycle.isEmpty()) {
        sites.met(id.toString(), "cycle while all is well");
        sites.at(
            began + SOON,
            () -> {
              if (hasRoom()) {
                checks.isOld(cycle);
              }
            });
      }
      return sites.waiting(
          id,
          what,
          began + timeout,
          result -> {
            if (wait != null) {
              checks.goesOn(wait);
            }
            if (result instanceof Aborted<T>(var status) && of != null) {
              told(status, of, wait, message == null ? began : message.sentAt);
              if (status == Status.TIMED_OUT
                  && kind == Kind.SEND
                  && Math.max(began, calmFrom) < sites.now() - SOON
                  && hasRoom()) {
                checks.isLate(message, "the message");
              }
            }
            then.accept(result);
          });
    }

    private void told(Status status, ProcessId of, @Nullable Wait wait, long since) {
      switch (status) {
        case PROC_DEAD -> checks.toldProcessDead(id, of);
        case HOST_DEAD -> checks.toldHostDead(id, of, sites.areApart(id.host(), of.host(), since));
        case CM_DEADLOCK -> checks.toldDeadlock(wait);
        default -> {}
      }
    }

    // ---- receiving -------------------------------------------------------------------------------------------------

    private void receive(Selection selection, @Nullable ProcessId from, long timeout) {
      life.protocol()
          .receive(
              id.number(),
              selection,
              timeout,
              this.<Received>waiting(
                  from == null ? "receive" : "receive from one",
                  from,
                  Kind.RECEIVE,
                  null,
                  timeout,
                  result -> {
                    Message message = received(result);
                    if (message != null && random.nextInt(6) > 0 && result instanceof Done<Received>(Received got)) {
                      boolean waits = random.nextBoolean();
                      sites.at(sites.now() + random.nextLong(PAUSE / 2), () -> reply(got.id(), message, waits));
                      if (waits) {
                        return;
                      }
                    }
                    soon();
                  }));
    }

    private @Nullable Message received(Result<Received> result) {
      return result instanceof Done<Received>(Received got) && got.group() == null
          ? checks.received(id, got.sender(), got.payload())
          : null;
    }

    private void reply(long number, Message message, boolean goesOn) {
      if (!lives() || sites.now() >= end) {
        return;
      }
      checks.replies(message);
      site.step(_ ->
          life.protocol()
              .reply(
                  id.number(),
                  number,
                  checks.replies(message, length(), sites.now()),
                  sites.<Integer>waiting(
                      id,
                      "reply to one",
                      Long.MAX_VALUE,
                      result -> {
                        checks.repliesNoMore(message);
                        if (result instanceof Aborted<Integer>(var status)) {
                          if (status == Status.NO_BUFF) {
                            checks.repliesNot(message);
                          }
                          told(status, message.sender, null, message.sentAt);
                        } else {
                          checks.takenTold(message);
                        }
                        if (goesOn) {
                          soon();
                        }
                      })));
    }

    // ---- the end ---------------------------------------------------------------------------------------------------

    /// Receives what is there, and ends.
    void finish() {
      if (!lives()) {
        return;
      }
      boolean[] more = {true};
      while (more[0]) {
        more[0] = false;
        site.step(host ->
            host.protocol()
                .receive(id.number(), new Selection(null, null), 0, result -> more[0] = received(result) != null));
      }
      checks.isEmpty(id);
      checks.endsIts(id, end - SOON);
      end(false);
    }

    private void end(boolean another) {
      if (lives()) {
        checks.ended(id, sites.now());
        site.step(host -> {
          host.protocol().end(id.number());
          if (another) {
            begin(site, host);
          }
        });
      }
    }
  }
}
