package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.Status;
import org.tutti.ipc.protocol.IpcMessage.Deliver;
import org.tutti.ipc.protocol.IpcMessage.Delivered;
import org.tutti.ipc.protocol.IpcMessage.Ended;
import org.tutti.ipc.protocol.IpcMessage.Key;
import org.tutti.ipc.protocol.IpcMessage.Probe;
import org.tutti.ipc.protocol.IpcMessage.Taken;
import org.tutti.ipc.protocol.IpcMessage.Wanted;

/// The communications of one host's processes: as senders, and as members of groups. [PairProtocol] has those of two
/// processes. Deterministic; no thread, no clock.
///
/// Guarantee: the count of a send is at most the number of members into whose queues the message was put; no reply
/// reaches a later communication; while hosts hear each other or know that they do not, every call ends some time after
/// its communication or its time has. Everything is bounded.
///
/// ```
///   sender    sender's host                       member's host            member
///     | send ->  | -- Deliver(session, payload) ---> |  into each queue       |
///     |  <- 2 -- | <----------- Delivered(count 2) --|  ------- message ----> |
///     |          | <------------------ Reply --------|  <------- reply ------ |  waits
///     | reply -> | -- Taken -----------------------> |  ------- taken ------> |
///     |          | -- Ended -----------------------> |
/// ```
///
/// Source: H. L. See, *Group Communication in Distributed System T-Shoshin*, chapters 3 and 4. Deviations: hosts talk
/// over links that repeat what is lost, so a host's acknowledgement is late rather than lost; a reply that came before
/// the number of replies was set is asked for again.
public final class IpcProtocol {
  /// How many processes a host has at most.
  public static final int PROCESSES_MAX = 1024;

  /// Of how many groups a process is a member at most, and to how many it is a sender.
  public static final int GROUPS_MAX = 64;

  /// How many messages of a process are not over at most.
  public static final int QUEUE_MAX = 64;

  /// How many replies are wanted in one communication at most.
  public static final int REPLIES_MAX = 1024;

  /// How many messages to one host are without an answer at most.
  public static final int UNANSWERED_MAX = 256;

  /// What the protocol asks of its host.
  public interface Port {
    /// The time in nanoseconds.
    ///
    /// @return the time
    long now();

    /// The other hosts that are heard.
    ///
    /// @return without this one
    Set<MemberId> hosts();

    /// Sends reliably and in order, unless a peer is lost.
    ///
    /// @param to      other hosts
    /// @param message what to send to each of them
    void send(Collection<MemberId> to, IpcMessage message);

    /// Sends in the same way to one host.
    ///
    /// @param to      another host
    /// @param message what to send
    void send(MemberId to, PairMessage message);

    /// Sends in the same way.
    ///
    /// @param to      other hosts
    /// @param message what to send to each of them
    void send(Collection<MemberId> to, MembershipMessage message);
  }

  /// How long things may take, in nanoseconds.
  ///
  /// @param acknowledgeNanos how long a send waits for a host
  /// @param probeNanos       how often a member's host asks whether a communication goes on
  public record Times(long acknowledgeNanos, long probeNanos) {}

  /// A send that reached somebody.
  ///
  /// @param count   how many members, at least
  /// @param session names the communication
  public record Sent(int count, long session) {}

  /// A reply that the sender took.
  ///
  /// @param member  whose it is
  /// @param payload its bytes
  public record TakenReply(ProcessId member, ByteBuffer payload) {}

  /// A message that a process took out of its queue.
  ///
  /// @param id      its number at this host
  /// @param sender  who sent it
  /// @param group   to whom it was sent, or null when it was sent to this process
  /// @param session which communication of the sender it is
  /// @param tag     the sender's tag
  /// @param payload what was sent
  public record Received(
      long id, ProcessId sender, @Nullable GroupId group, long session, int tag, ByteBuffer payload) {}

  /// A message that a member of this host has.
  ///
  /// @param id     its number here, larger than those of all that came before
  /// @param member the process
  /// @param host   the sender's host
  /// @param key    the communication
  public record Queued(long id, int member, MemberId host, Key key) {}

  /// How full the fullest of each is.
  ///
  /// @param processes      how many there are
  /// @param groups         of a process, as a member
  /// @param queue          messages of a process
  /// @param communications of a process, as the sender
  /// @param replies        of a communication, queued or taken
  /// @param unanswered     messages to a host
  public record Sizes(int processes, int groups, int queue, int communications, int replies, int unanswered) {}

  private final MemberId self;
  private final Times times;
  private final Port port;
  private final PairProtocol pairs;
  private final Memberships memberships;

  private final Map<Integer, LocalProcess> processes = new LinkedHashMap<>(); // in the order of their numbers
  private final Deliveries deliveries = new Deliveries();
  private final Map<MemberId, Integer> unanswered = new TreeMap<>(); // messages to hosts
  private final Later later = new Later(); // messages to this host itself, results of calls
  private int processNext = 1;
  private long sessionNext = 1;
  private long deliveryNext = 1;
  private long dueAt = Long.MAX_VALUE; // nothing is due before

  /// Makes a host without processes.
  ///
  /// @param self     the host
  /// @param times    how long things may take
  /// @param settings of communications of two processes
  /// @param port     what it asks of its host
  public IpcProtocol(MemberId self, Times times, PairProtocol.Settings settings, Port port) {
    this.self = self;
    this.times = times;
    this.port = port;
    this.pairs = new PairProtocol(self, times.probeNanos, settings, new Here(), later);
    this.memberships = new Memberships(times.acknowledgeNanos, port, later);
  }

  // ---- processes and groups ----------------------------------------------------------------------------------------

  /// Begins a process.
  ///
  /// @return its number; 0 when there are too many
  public int open() {
    if (processes.size() == PROCESSES_MAX) {
      return 0;
    }
    processes.put(processNext, new LocalProcess(processNext));
    return processNext++;
  }

  /// Ends a process: its communications and its waits are over.
  ///
  /// @param number the process
  public void end(int number) {
    LocalProcess process = processes.remove(number);
    if (process != null) {
      List.copyOf(process.own.values()).forEach(communication -> over(process, communication));
      List.copyOf(process.queue.values()).forEach(this::drop);
      process.groups.forEach(memberships::left);
      abortReceive(process, Status.NO_COMM);
      pairs.ended(number);
      abortReceives(new ProcessId(self, number), Status.PROC_DEAD);
    }
    later.run();
  }

  /// Makes a process a member of a group: at once for senders at this host, and for others when they know.
  ///
  /// @param number the process
  /// @param group  the group
  /// @return of how many groups it is one now
  public Result<Integer> join(int number, GroupId group) {
    LocalProcess process = processes.get(number);
    if (process == null) {
      return new Aborted<>(Status.NO_COMM);
    }
    if (process.groups.size() == GROUPS_MAX && !process.groups.contains(group)) {
      return new Aborted<>(Status.NO_BUFF);
    }
    if (process.groups.add(group)) {
      memberships.joined(group);
    }
    return new Done<>(process.groups.size());
  }

  /// Ends a membership, and drops the group's messages in the member's queue.
  ///
  /// @param number the process
  /// @param group  the group
  /// @return of how many groups it is a member now
  public Result<Integer> leave(int number, GroupId group) {
    LocalProcess process = processes.get(number);
    if (process == null || !process.groups.remove(group)) {
      return new Aborted<>(process == null ? Status.NO_COMM : Status.NOT_MEMBER);
    }
    memberships.left(group);
    dropAll(process, group);
    if (process.selection != null && group.equals(process.selection.group())) {
      abortReceive(process, Status.NOT_MEMBER);
    }
    later.run();
    return new Done<>(process.groups.size());
  }

  private void dropAll(LocalProcess process, GroupId group) {
    for (Delivery delivery : List.copyOf(process.queue.values())) {
      if (delivery.key.group().equals(group)) {
        drop(delivery);
      }
    }
  }

  /// A group does not exist any more: nobody here is a member of it or communicates with it. A member is told by the
  /// receive that waits for its messages, or by the next one.
  ///
  /// @param group the group
  public void destroyed(GroupId group) {
    for (LocalProcess process : processes.values()) {
      Communication own = process.own.get(group);
      if (own != null) {
        abort(own.send, Status.GROUP_DOES_NOT_EXIST);
        abort(own.reply, Status.GROUP_DOES_NOT_EXIST);
        own.send = null;
        own.reply = null;
        over(process, own);
      }
      if (process.groups.remove(group)) {
        memberships.left(group);
        dropAll(process, group);
        Selection selection = process.selection;
        if (selection != null && (selection.group() == null || selection.group().equals(group))) {
          abortReceive(process, Status.GROUP_DOES_NOT_EXIST);
        } else {
          if (process.destroyed.size() == GROUPS_MAX) {
            process.destroyed.remove(process.destroyed.iterator().next());
          }
          process.destroyed.add(group);
        }
      }
    }
    later.run();
  }

  /// Of which groups a process is a member.
  ///
  /// @param number the process
  /// @return in the order in which it has joined; none when there is no such process
  public Set<GroupId> groups(int number) {
    LocalProcess process = processes.get(number);
    return process == null ? Set.of() : Collections.unmodifiableSet(new LinkedHashSet<>(process.groups));
  }

  /// Whether a group has members here.
  ///
  /// @param group the group
  /// @return whether it has
  public boolean hasMembers(GroupId group) {
    return memberships.has(group);
  }

  /// Whether processes here communicate with a group.
  ///
  /// @param group the group
  /// @return whether one does
  public boolean hasSenders(GroupId group) {
    return processes.values().stream().anyMatch(process -> process.own.containsKey(group));
  }

  /// Which hosts have members of which groups.
  Memberships memberships() {
    return memberships;
  }

  // ---- the sender --------------------------------------------------------------------------------------------------

  /// Sends to a group, and ends the sender's communication with it that there was.
  ///
  /// @param number  the process
  /// @param group   the group
  /// @param tag     what members may select by
  /// @param payload what to send
  /// @param wanted  the number of replies; 0 to set it later
  /// @param caller  told when the message is in the queues of the members at all hosts that answer in time
  public void send(int number, GroupId group, int tag, ByteBuffer payload, int wanted, Consumer<Result<Sent>> caller) {
    LocalProcess process = processes.get(number);
    Status fault = process == null ? Status.NO_COMM : sendFault(process, group, wanted);
    if (fault != null) {
      later.add(() -> caller.accept(new Aborted<>(fault)));
    } else {
      process.begun++;
      var communication = new Communication(new Key(number, group, sessionNext++));
      for (MemberId host : port.hosts()) {
        if (memberships.mayHave(host, group)) {
          communication.hosts.add(host);
        }
      }
      communication.asked.addAll(communication.hosts);
      if (hasMembers(group)) {
        communication.asked.add(self);
      }
      Communication before = process.own.get(group);
      if (before != null) { // a host that may refuse the message for its code does not learn the end from it
        over(process, before, group.isIssued() ? Set.of() : communication.asked);
      }
      communication.wanted = wanted;
      communication.send = waiting(times.acknowledgeNanos(), caller);
      process.own.put(group, communication);
      communication.asked.forEach(host -> unanswered.merge(host, 1, Integer::sum));
      var message = new Deliver(communication.key, tag, payload);
      if (hasMembers(group)) {
        post(self, message);
      }
      port.send(communication.hosts, message);
      sentToAll(communication);
    }
    later.run();
  }

  private @Nullable Status sendFault(LocalProcess process, GroupId group, int wanted) {
    if (wanted < 0 || wanted > REPLIES_MAX) {
      return Status.CM_ERROR;
    }
    boolean full = process.own.size() == GROUPS_MAX && !process.own.containsKey(group);
    for (MemberId host : port.hosts()) {
      full |= unanswered.getOrDefault(host, 0) >= UNANSWERED_MAX && memberships.mayHave(host, group);
    }
    return full ? Status.NO_BUFF : null;
  }

  private void delivered(MemberId from, Delivered message) {
    unanswered.computeIfPresent(from, (host, count) -> count > 1 ? count - 1 : null);
    Communication communication = find(message.key());
    if (communication != null && communication.send != null && communication.asked.remove(from)) {
      communication.count += message.count();
      if (message.count() == 0) {
        communication.hosts.remove(from);
      }
      communication.refused |= message.refused();
      sentToAll(communication);
    }
  }

  private void sentToAll(Communication communication) {
    if (communication.asked.isEmpty()) {
      sent(communication);
    }
  }

  private void sent(Communication communication) {
    Waiting<Sent> waiting = communication.send;
    if (waiting == null) {
      return;
    }
    communication.send = null;
    communication.asked.clear();
    if (communication.count > 0) {
      complete(waiting, new Done<>(new Sent(communication.count, communication.key.session())));
    } else {
      complete(waiting, new Aborted<>(communication.refused ? Status.NO_BUFF : Status.NO_MEMBERS));
      over(processes.get(communication.key.process()), communication);
    }
  }

  /// Says how many replies are wanted; 0 ends the communication. Only the first number, and later ones that are not
  /// larger, count.
  ///
  /// @param number  the process
  /// @param group   the group
  /// @param session as it was sent
  /// @param wanted  how many
  /// @return the number that counts from now on; 0 when the communication is over
  public Result<Integer> totreply(int number, GroupId group, long session, int wanted) {
    Communication communication = find(new Key(number, group, session));
    if (communication == null) {
      return new Aborted<>(Status.NO_COMM);
    }
    if (wanted < 0 || wanted > REPLIES_MAX) {
      return new Aborted<>(Status.CM_ERROR);
    }
    LocalProcess process = processes.get(number);
    if (wanted == 0) {
      over(process, communication);
    } else {
      communication.wanted = communication.wanted == 0 ? wanted : Math.min(wanted, communication.wanted);
      while (communication.queued.size() + communication.taken.size() > communication.wanted
          && !communication.queued.isEmpty()) {
        communication.queued.remove(List.copyOf(communication.queued.keySet()).getLast());
      }
      overWhenAllAreTaken(process, communication);
    }
    later.run();
    return new Done<>(process.own.get(group) == communication ? communication.wanted : 0);
  }

  /// Takes the next reply of a communication, and waits for it.
  ///
  /// @param number       the process
  /// @param group        the group
  /// @param session      as it was sent
  /// @param timeoutNanos how long at most
  /// @param caller       told the reply
  public void getreply(
      int number, GroupId group, long session, long timeoutNanos, Consumer<Result<TakenReply>> caller) {
    Communication communication = find(new Key(number, group, session));
    if (communication == null || communication.reply != null) {
      Status status = communication == null ? Status.NO_COMM : Status.CM_ERROR;
      later.add(() -> caller.accept(new Aborted<>(status)));
    } else {
      processes.get(number).begun++;
      communication.reply = waiting(timeoutNanos, caller);
      take(communication);
    }
    later.run();
  }

  private void replied(MemberId from, IpcMessage.Reply message) {
    Communication communication = find(message.key());
    var member = new ProcessId(from, message.member());
    if (communication == null) {
      post(from, new Ended(message.key()));
    } else if (communication.taken.contains(member)) {
      post(from, new Taken(message.key(), message.member()));
    } else if (communication.taken.size() + communication.queued.size() < communication.wanted) {
      communication.queued.putIfAbsent(member, message.payload());
      take(communication);
    }
  }

  private void take(Communication communication) {
    Waiting<TakenReply> waiting = communication.reply;
    if (waiting != null && !communication.queued.isEmpty()) {
      communication.reply = null;
      var first = communication.queued.entrySet().iterator().next();
      ProcessId member = first.getKey();
      communication.queued.remove(member);
      communication.taken.add(member);
      complete(waiting, new Done<>(new TakenReply(member, first.getValue())));
      post(member.host(), new Taken(communication.key, member.number()));
      overWhenAllAreTaken(processes.get(communication.key.process()), communication);
    }
  }

  private void probed(MemberId from, Probe message) {
    Communication communication = find(message.key());
    var member = new ProcessId(from, message.member());
    if (communication == null) {
      post(from, new Ended(message.key()));
    } else if (message.offers() && communication.taken.contains(member)) {
      post(from, new Taken(message.key(), message.member()));
    } else if (message.offers()
        && !communication.queued.containsKey(member)
        && communication.taken.size() + communication.queued.size() < communication.wanted) {
      post(from, new Wanted(message.key(), message.member()));
    }
  }

  private void overWhenAllAreTaken(LocalProcess process, Communication communication) {
    if (communication.wanted > 0 && communication.taken.size() >= communication.wanted) {
      over(process, communication);
    }
  }

  private void over(LocalProcess process, Communication communication) {
    over(process, communication, Set.of());
  }

  /// Ends a communication, and tells the hosts: also one that has not answered may have members that got it.
  ///
  /// @param superseded hosts that get a later message of the sender to the group at once, which tells them, too
  private void over(LocalProcess process, Communication communication, Set<MemberId> superseded) {
    process.own.remove(communication.key.group(), communication);
    communication.hosts.removeAll(superseded);
    var ended = new Ended(communication.key);
    if (hasMembers(communication.key.group()) && !superseded.contains(self)) {
      post(self, ended);
    }
    port.send(communication.hosts, ended);
    abort(communication.send, Status.NO_COMM);
    abort(communication.reply, Status.NO_COMM);
    communication.send = null;
    communication.reply = null;
  }

  private @Nullable Communication find(Key key) {
    LocalProcess process = processes.get(key.process());
    Communication communication = process == null ? null : process.own.get(key.group());
    return communication != null && communication.key.session() == key.session() ? communication : null;
  }

  // ---- the member --------------------------------------------------------------------------------------------------

  private void deliver(MemberId from, Deliver message) {
    int count = 0;
    boolean refused = false;
    Key key = message.key();
    if (!deliveries.isOld(from, key)) {
      deliveries.upTo(from, key, key.session() - 1).forEach(this::ended); // with or without a word that it is over
      for (LocalProcess process : processes.values()) {
        if (!process.groups.contains(key.group())) {
          continue;
        }
        if (process.queue.size() >= QUEUE_MAX && !deliveries.dropOldest(process)) {
          refused = true;
          continue;
        }
        var delivery = new Delivery(deliveryNext++, process, from, message);
        delivery.probeAt = due(times.probeNanos());
        deliveries.add(delivery);
        count++;
        serve(process);
      }
    }
    post(from, new Delivered(key, count, refused));
  }

  /// Takes the next message of a selection out of the queue, and waits for it.
  ///
  /// @param number       the process
  /// @param selection    which message
  /// @param timeoutNanos how long at most; 0 does not wait
  /// @param caller       told the message
  public void receive(int number, Selection selection, long timeoutNanos, Consumer<Result<Received>> caller) {
    LocalProcess process = processes.get(number);
    Status fault = null;
    if (process == null) {
      fault = Status.NO_COMM;
    } else if (process.receive != null) {
      fault = Status.CM_ERROR;
    } else if (process.isNews(selection)) {
      fault = Status.GROUP_DOES_NOT_EXIST;
    } else if (selection.group() != null && !process.groups.contains(selection.group())) {
      fault = Status.NOT_MEMBER;
    } else if (selection.from() != null && pairs.oldest(number, selection) == null) {
      fault = deadOf(selection.from());
    }
    if (fault != null) {
      Status status = fault;
      later.add(() -> caller.accept(new Aborted<>(status)));
    } else {
      process.begun++;
      process.selection = selection;
      if (selection.from() != null) {
        pairs.waits();
      }
      process.receive = waiting(timeoutNanos, caller);
      serve(process);
      if (process.receive != null && timeoutNanos <= 0) {
        abortReceive(process, Status.TIMED_OUT);
      }
    }
    later.run();
  }

  /// Whether nothing can come of a process, as far as this host knows.
  private @Nullable Status deadOf(ProcessId process) {
    if (process.host().equals(self)) {
      return processes.containsKey(process.number()) ? null : Status.PROC_DEAD;
    }
    return pairs.isHeard(process.host()) ? null : Status.HOST_DEAD;
  }

  /// Gives the process that waits the oldest message of its selection.
  private void serve(LocalProcess process) {
    Waiting<Received> waiting = process.receive;
    if (waiting == null) {
      return;
    }
    Letter letter = pairs.oldest(process.number, process.selection);
    for (Delivery delivery : process.queue.values()) {
      if (!delivery.received && process.selection.takes(delivery)) {
        if (letter != null && letter.id < delivery.id) {
          break;
        }
        if (delivery.over) {
          deliveries.remove(delivery);
          abortReceive(process, Status.NO_COMM);
        } else {
          delivery.received = true;
          process.receive = null;
          process.selection = null;
          Key key = delivery.key;
          var sender = new ProcessId(delivery.host, key.process());
          complete(
              waiting,
              new Done<>(
                  new Received(
                      delivery.id, sender, key.group(), key.session(), delivery.tag, delivery.payload.duplicate())));
        }
        return;
      }
    }
    if (letter != null) {
      process.receive = null;
      process.selection = null;
      complete(waiting, new Done<>(pairs.receive(letter)));
    }
  }

  /// Ends the waits for messages of one process.
  private void abortReceives(ProcessId from, Status status) {
    for (LocalProcess process : processes.values()) {
      if (process.selection != null && from.equals(process.selection.from())) {
        abortReceive(process, status);
      }
    }
  }

  private void abortReceive(LocalProcess process, Status status) {
    abort(process.receive, status);
    process.receive = null;
    process.selection = null;
  }

  /// Replies to a message that was received. The caller is told the length of the reply when the sender has taken it.
  ///
  /// @param number  the process
  /// @param id      as received
  /// @param payload the reply
  /// @param caller  told when it was taken
  public void reply(int number, long id, ByteBuffer payload, Consumer<Result<Integer>> caller) {
    LocalProcess process = processes.get(number);
    Delivery delivery = process == null ? null : process.queue.get(id);
    if (process != null) {
      process.begun++;
    }
    if (pairs.has(number, id)) {
      pairs.reply(number, id, payload, caller);
    } else if (delivery == null || !delivery.received) {
      later.add(() -> caller.accept(new Aborted<>(Status.NO_COMM)));
    } else if (delivery.reply != null) {
      later.add(() -> caller.accept(new Aborted<>(Status.CM_MISMATCH)));
    } else if (payload.remaining() > IpcMessage.PAYLOAD_BYTES_MAX) {
      later.add(() -> caller.accept(new Aborted<>(Status.NO_BUFF)));
    } else {
      delivery.reply = payload;
      delivery.replied = caller;
      post(delivery.host, new IpcMessage.Reply(delivery.key, number, payload));
    }
    later.run();
  }

  private void taken(MemberId from, Taken message) {
    Delivery delivery = deliveries.replying(message.member(), from, message.key());
    if (delivery != null) {
      int length = delivery.reply.remaining();
      Consumer<Result<Integer>> caller = delivery.replied;
      deliveries.remove(delivery);
      later.add(() -> caller.accept(new Done<>(length)));
    }
  }

  private void wanted(MemberId from, Wanted message) {
    Delivery delivery = deliveries.replying(message.member(), from, message.key());
    if (delivery != null) {
      post(from, new IpcMessage.Reply(delivery.key, message.member(), delivery.reply));
    }
  }

  /// A message in the queue stays there: who comes to it is told that it is over.
  private void ended(Delivery delivery) {
    if (delivery.received) {
      drop(delivery);
    } else {
      delivery.over = true;
    }
  }

  private void drop(Delivery delivery) {
    deliveries.remove(delivery);
    Consumer<Result<Integer>> caller = delivery.replied;
    if (caller != null) {
      later.add(() -> caller.accept(new Aborted<>(Status.NO_COMM)));
    }
  }

  // ---- other hosts, and time ---------------------------------------------------------------------------------------

  /// Handles a message of another host.
  ///
  /// @param from    another host
  /// @param message what it says
  public void arrived(MemberId from, IpcMessage message) {
    handle(from, message);
    later.run();
  }

  /// Handles a message of another host about communications of two processes.
  ///
  /// @param from    another host
  /// @param message what it says
  public void arrived(MemberId from, PairMessage message) {
    pairs.arrived(from, message);
    later.run();
  }

  private void handle(MemberId from, IpcMessage message) {
    switch (message) {
      case Deliver deliver -> deliver(from, deliver);
      case Delivered delivered -> delivered(from, delivered);
      case IpcMessage.Reply reply -> replied(from, reply);
      case Taken taken -> taken(from, taken);
      case Probe probe -> probed(from, probe);
      case Wanted wanted -> wanted(from, wanted);
      case Ended(Key key) -> deliveries.upTo(from, key, key.session()).forEach(this::ended);
      case IpcMessage.Coded coded -> deliver(from, coded.message());
      case IpcMessage.Destroyed _, IpcMessage.Gone _ -> {} // these are for IssuedGroups
    }
  }

  /// A host is not heard any more, or has another life: nobody waits for it, and its communications are over here.
  ///
  /// @param host the host
  public void lost(MemberId host) {
    unanswered.remove(host);
    for (LocalProcess process : processes.values()) {
      for (Communication communication : List.copyOf(process.own.values())) {
        if (communication.send != null && communication.asked.remove(host)) {
          sentToAll(communication);
        }
      }
      for (Delivery delivery : List.copyOf(process.queue.values())) {
        if (delivery.host.equals(host)) {
          ended(delivery);
        }
      }
      if (process.selection != null
          && process.selection.from() != null
          && process.selection.from().host().equals(host)) {
        abortReceive(process, Status.HOST_DEAD);
      }
    }
    pairs.lost(host);
    memberships.lost(host);
    later.run();
  }

  /// Does what is due.
  public void tick() {
    long now = port.now();
    if (dueAt <= now) {
      expire(now);
      dueAt = nextDue();
    }
    pairs.tick();
    memberships.tick();
    later.run();
  }

  private void expire(long now) {
    for (LocalProcess process : processes.values()) {
      for (Communication communication : List.copyOf(process.own.values())) {
        if (communication.send != null && communication.send.deadline() <= now) {
          sent(communication);
        }
        if (communication.reply != null && communication.reply.deadline() <= now) {
          abort(communication.reply, Status.TIMED_OUT);
          communication.reply = null;
        }
      }
      if (process.receive != null && process.receive.deadline() <= now) {
        abortReceive(process, Status.TIMED_OUT);
      }
      for (Delivery delivery : process.queue.values()) {
        if (delivery.probeAt() <= now) {
          delivery.probeAt = due(times.probeNanos());
          post(delivery.host, new Probe(delivery.key, process.number, delivery.reply != null));
        }
      }
    }
  }

  /// When [#tick] is wanted next; perhaps earlier than something is due, as it is computed anew only then.
  ///
  /// @return the time, or [Long#MAX_VALUE]
  public long deadline() {
    return Math.min(dueAt, Math.min(pairs.deadline(), memberships.deadline()));
  }

  private long nextDue() {
    long deadline = Long.MAX_VALUE;
    for (LocalProcess process : processes.values()) {
      for (Communication communication : process.own.values()) {
        deadline = Math.min(deadline, deadlineOf(communication.send));
        deadline = Math.min(deadline, deadlineOf(communication.reply));
      }
      deadline = Math.min(deadline, deadlineOf(process.receive));
      for (Delivery delivery : process.queue.values()) {
        deadline = Math.min(deadline, delivery.probeAt());
      }
    }
    return deadline;
  }

  /// Something is to be done so much later.
  private long due(long nanos) {
    long at = port.now() + nanos;
    dueAt = Math.min(dueAt, at);
    return at;
  }

  private <T> Waiting<T> waiting(long nanos, Consumer<Result<T>> caller) {
    return new Waiting<>(due(nanos), caller);
  }

  private static long deadlineOf(@Nullable Waiting<?> waiting) {
    return waiting == null ? Long.MAX_VALUE : waiting.deadline();
  }

  private void post(MemberId to, IpcMessage message) {
    if (to.equals(self)) {
      later.add(() -> handle(self, message));
    } else {
      port.send(List.of(to), message);
    }
  }

  private <T> void complete(Waiting<T> waiting, Result<T> result) {
    later.add(() -> waiting.caller().accept(result));
  }

  private <T> void abort(@Nullable Waiting<T> waiting, Status status) {
    if (waiting != null) {
      complete(waiting, new Aborted<>(status));
    }
  }

  // ---- communications of two processes -----------------------------------------------------------------------------

  private final class Here implements PairProtocol.Local {
    @Override
    public long now() {
      return port.now();
    }

    @Override
    public Set<MemberId> hosts() {
      return port.hosts();
    }

    @Override
    public void post(MemberId to, PairMessage message) {
      if (to.equals(self)) {
        later.add(() -> pairs.arrived(self, message));
      } else {
        port.send(to, message);
      }
    }

    @Override
    public Set<Integer> processes() {
      return processes.keySet();
    }

    @Override
    public void begin(int process) {
      if (processes.containsKey(process)) {
        processes.get(process).begun++;
      }
    }

    @Override
    public long begun(int process) {
      return processes.get(process).begun;
    }

    @Override
    public long next() {
      return deliveryNext++;
    }

    @Override
    public void serve(int process) {
      IpcProtocol.this.serve(processes.get(process));
    }

    @Override
    public PairProtocol.Others others(int number) {
      LocalProcess process = processes.get(number);
      return process == null ? new PairProtocol.Others(0, null) : process.others();
    }

    @Override
    public void abortReceive(int process, Status status) {
      IpcProtocol.this.abortReceive(processes.get(process), status);
    }
  }

  // ---- what is seen from outside -----------------------------------------------------------------------------------

  /// The processes.
  ///
  /// @return their numbers
  public Set<Integer> processes() {
    return Collections.unmodifiableSet(processes.keySet());
  }

  /// The messages of all members here, those that are over and still wait in a queue included.
  ///
  /// @param after only those with larger numbers; 0 for all
  /// @return oldest first, for each member
  public List<Queued> queued(long after) {
    List<Queued> all = new ArrayList<>();
    for (LocalProcess process : processes.values()) {
      for (Delivery delivery : process.queue.values()) {
        if (delivery.id > after) {
          all.add(new Queued(delivery.id, process.number, delivery.host, delivery.key));
        }
      }
    }
    return all;
  }

  /// Communications of two processes.
  ///
  /// @return what is kept of them
  public PairProtocol pairs() {
    return pairs;
  }

  /// The communications of this host's processes.
  ///
  /// @return those that are not over
  public List<Key> communications() {
    List<Key> all = new ArrayList<>();
    for (LocalProcess process : processes.values()) {
      process.own.values().forEach(communication -> all.add(communication.key));
    }
    return all;
  }

  /// How much is kept, each at its fullest place.
  ///
  /// @return each at most as large as the bound of that kind
  public Sizes sizes() {
    int groups = 0;
    int queue = 0;
    int own = 0;
    int replies = 0;
    for (LocalProcess process : processes.values()) {
      groups = Math.max(groups, process.groups.size());
      queue = Math.max(queue, process.queue.size());
      own = Math.max(own, process.own.size());
      for (Communication one : process.own.values()) {
        replies = Math.max(replies, one.queued.size() + one.taken.size());
      }
    }
    int waiting = unanswered.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    return new Sizes(processes.size(), groups, queue, own, replies, waiting);
  }

  /// Fails when an invariant does not hold.
  public void check() {
    pairs.check();
    memberships.check();
    Set<Long> ids = new TreeSet<>();
    for (LocalProcess process : processes.values()) {
      process.check();
      for (Delivery delivery : process.queue.values()) {
        Invariant.check(ids.add(delivery.id), "a message at a member has a number of its own");
      }
    }
  }
}
