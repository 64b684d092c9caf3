package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.IssuedGroup;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.SendKey;
import org.tutti.ipc.Status;
import org.tutti.ipc.protocol.IpcMessage.Coded;
import org.tutti.ipc.protocol.IpcMessage.Deliver;
import org.tutti.ipc.protocol.IpcMessage.Delivered;
import org.tutti.ipc.protocol.IpcMessage.Destroyed;
import org.tutti.ipc.protocol.IpcMessage.Gone;
import org.tutti.ipc.protocol.IpcMessage.Key;

/// What one host knows of groups whose ids a server has given out: it stands before [IpcProtocol], and lets through
/// what the server allows. Deterministic; no thread, no clock.
///
/// Guarantee: a process becomes a member only when the server has said, after it asked, that the password is right.
/// When the server has said that a group does not exist, nobody here is a member of it, and no answer that was asked
/// for before that makes anybody one. While there are members or communications, the server is asked again: when its
/// answer is too old, when a host is heard that was not, and when another host says that the group is destroyed. So
/// what is left of a destroyed group ends soon after its host and the server hear each other.
///
/// ```
///   process         its host                 server          other hosts
///     | destroy ->   | ---------------------> |                |
///     |              | <------- done -------- |                |
///     |              | -- Destroyed ---------------------->    |
///     |              |                        | <--- look ---- |  if it has members
///     |              |                        | -- unknown --> |
///     |  <- count -- | <---------------------- Gone ------     |
/// ```
///
/// Source: T-Shoshin, section 4.2. Deviations: there the server tells all hosts and repeats it, and what a partition
/// leaves of a group may live on; here hosts ask.
public final class IssuedGroups {
  /// Of how many groups a host knows what the server said, at most.
  public static final int KNOWN_MAX = 1024;

  /// How many calls wait for the server at most.
  public static final int CALLS_MAX = 1024;

  private static final int LOOKS_MAX = 16; // questions of the host's own at a time
  private static final int TOLD_BY_MAX = 16; // hosts that want to know when a group is gone here

  /// The server, as a host asks it. Answers come once, on the host's thread, perhaps before the method returns.
  public interface Directory {
    /// Asks whether a group exists.
    ///
    /// @param group  the group
    /// @param answer gets what the server says, or why it says nothing
    void look(GroupId group, Consumer<Result<IssuedGroup>> answer);

    /// Asks whether this is a group's control password.
    ///
    /// @param group    the group
    /// @param password perhaps the right one
    /// @param answer   gets what the server says, or why it says nothing
    void check(GroupId group, String password, Consumer<Result<IssuedGroup>> answer);

    /// Has a group destroyed.
    ///
    /// @param group    the group
    /// @param password its control password
    /// @param answer   gets its id, or why it was not
    void destroy(GroupId group, String password, Consumer<Result<GroupId>> answer);
  }

  /// How long things may take, in nanoseconds.
  ///
  /// @param keepNanos        how long an answer of the server is good
  /// @param againNanos       how long it is at least until the next question about the same group
  /// @param acknowledgeNanos how long a destroy waits for other hosts
  public record Times(long keepNanos, long againNanos, long acknowledgeNanos) {}

  private record Origin(MemberId host, Key key) {}

  /// What waits until it is known whether its group exists.
  private record Waiting(Runnable goesOn, Consumer<Status> refused) {}

  /// What is known of a group.
  private static final class Known {
    private @Nullable IssuedGroup group; // null until the server has answered
    private @Nullable SendKey key;
    private long asked; // when the question was asked that it has answered last
    private long triedAt; // when it was asked last
    private long askAt;
    private boolean asking;
    private final Map<Integer, SendKey> senders = new TreeMap<>(); // processes that have said the send password
    private final List<Waiting> waiting = new ArrayList<>();
    private final Set<Origin> toldBy = new LinkedHashSet<>();
  }

  /// A destroy that waits for other hosts.
  private static final class Ending {
    private final long deadline;
    private final Set<MemberId> hosts;
    private final Consumer<Result<Integer>> caller;
    private int gone;

    Ending(long deadline, Set<MemberId> hosts, Consumer<Result<Integer>> caller) {
      this.deadline = deadline;
      this.hosts = hosts;
      this.caller = caller;
    }
  }

  private final MemberId self;
  private final Times times;
  private final IpcProtocol.Port port;
  private final IpcProtocol protocol;
  private Directory directory = new Nobody();

  private final Map<GroupId, Known> known = new LinkedHashMap<>();
  private final Map<GroupId, Long> destroyed = new LinkedHashMap<>(); // when this host was told; the last ones
  private final Map<Key, Ending> endings = new LinkedHashMap<>();
  private final Later later = new Later(); // results of calls
  private long doubtedAt = Long.MIN_VALUE; // what was asked before may be wrong now
  private int calls; // that wait for the server
  private int looks; // questions of this host's own that are open
  private long serial = 1; // of destroys

  /// Makes what a host knows at its start: nothing.
  ///
  /// @param self     the host
  /// @param times    how long things may take
  /// @param port     what it asks of its host
  /// @param protocol of the host's processes
  public IssuedGroups(MemberId self, Times times, IpcProtocol.Port port, IpcProtocol protocol) {
    this.self = self;
    this.times = times;
    this.port = port;
    this.protocol = protocol;
  }

  /// Says whom to ask; until then there is no server.
  ///
  /// @param whom the server
  public void ask(Directory whom) {
    directory = whom;
  }

  // ---- calls of processes ------------------------------------------------------------------------------------------

  /// Makes a process a member of a group; of one with an issued id, when the server says that the password is right.
  ///
  /// @param number   the process
  /// @param group    the group
  /// @param password its control password; empty for groups that nobody creates
  /// @param caller   told of how many groups it is a member, when the other hosts know that, or do not answer in time
  public void join(int number, GroupId group, String password, Consumer<Result<Integer>> caller) {
    check(
        group,
        password,
        caller,
        (issued, asked) -> {
          Status full = protocol.memberships().isFull() ? Status.NO_BUFF : null;
          Status fault = full != null || issued == null ? full : learn(issued, asked);
          Result<Integer> result = fault != null ? new Aborted<>(fault) : protocol.join(number, group);
          if (result instanceof Done) {
            protocol
                .memberships()
                .whenKnown(
                    group,
                    () -> {
                      told(caller, result);
                      later.run();
                    });
          } else {
            told(caller, result);
          }
        });
  }

  /// Ends a membership; of a group with an issued id, when the server says that the password is right.
  ///
  /// @param number   the process
  /// @param group    the group
  /// @param password its control password; empty for groups that nobody creates
  /// @param caller   told of how many groups it is a member
  public void leave(int number, GroupId group, String password, Consumer<Result<Integer>> caller) {
    if (protocol.processes().contains(number) && !protocol.groups(number).contains(group)) {
      told(caller, new Aborted<>(destroyed.containsKey(group) ? Status.GROUP_DOES_NOT_EXIST : Status.NOT_MEMBER));
      later.run();
    } else {
      check(group, password, caller, (_, _) -> told(caller, protocol.leave(number, group)));
    }
  }

  /// What follows of a right password.
  private interface Step {
    /// @param issued what the server says; null of a group that nobody creates
    /// @param asked  when it was asked
    void take(@Nullable IssuedGroup issued, long asked);
  }

  private void check(GroupId group, String password, Consumer<Result<Integer>> caller, Step then) {
    if (!group.isIssued()) {
      if (password.isEmpty()) {
        then.take(null, 0);
      } else {
        told(caller, new Aborted<>(Status.GROUP_DOES_NOT_EXIST));
      }
    } else if (calls == CALLS_MAX) {
      told(caller, new Aborted<>(Status.NO_BUFF));
    } else {
      calls++;
      long asked = port.now();
      directory.check(
          group,
          password,
          result -> {
            calls--;
            switch (result) {
              case Done(IssuedGroup issued) -> then.take(issued, asked);
              case Aborted(Status status) -> {
                heard(group, status, asked);
                told(caller, new Aborted<>(status));
              }
            }
            later.run();
          });
    }
    later.run();
  }

  /// Has the server destroy a group, and other hosts ask about it.
  ///
  /// @param number   the process that wants it; it need not be a member
  /// @param group    the group
  /// @param password its control password
  /// @param caller   told how many other hosts have said in time that they have no members of it any more
  public void destroy(int number, GroupId group, String password, Consumer<Result<Integer>> caller) {
    Status fault = !group.isIssued() ? Status.GROUP_DOES_NOT_EXIST : calls == CALLS_MAX ? Status.NO_BUFF : null;
    if (fault != null) {
      told(caller, new Aborted<>(fault));
    } else {
      calls++;
      long asked = port.now();
      directory.destroy(
          group,
          password,
          result -> {
            calls--;
            switch (result) {
              case Done(GroupId _) -> {
                end(group);
                tell(new Key(number, group, serial++), caller);
              }
              case Aborted(Status status) -> {
                heard(group, status, asked);
                told(caller, new Aborted<>(status));
              }
            }
            later.run();
          });
    }
    later.run();
  }

  private void tell(Key key, Consumer<Result<Integer>> caller) {
    var ending = new Ending(port.now() + times.acknowledgeNanos(), new LinkedHashSet<>(port.hosts()), caller);
    port.send(ending.hosts, new Destroyed(key));
    endings.put(key, ending);
    endIfAllAreGone(key, ending);
  }

  private void endIfAllAreGone(Key key, Ending ending) {
    if (ending.hosts.isEmpty()) {
      endings.remove(key);
      told(ending.caller, new Done<>(ending.gone));
    }
  }

  /// A process has said the send password: the messages that it sends to the group have a code from now on.
  ///
  /// @param number the process
  /// @param group  the group
  /// @param key    what the password comes to
  /// @param caller told of how many groups it is a member
  public void authorize(int number, GroupId group, SendKey key, Consumer<Result<Integer>> caller) {
    withKnown(
        group,
        new Waiting(
            () -> {
              Known one = known.get(group);
              if (one == null || !protocol.processes().contains(number)) {
                told(caller, new Aborted<>(Status.NO_COMM));
              } else {
                one.senders.put(number, key);
                told(caller, new Done<>(protocol.groups(number).size()));
              }
            },
            status -> told(caller, new Aborted<>(status))));
  }

  /// Sends to a group: [IpcProtocol#send]. A group with an issued id has to exist, as far as the server has said
  /// lately, and if it has a send password, the process has to have said it.
  ///
  /// @param number  the process
  /// @param group   the group
  /// @param tag     what members may select by
  /// @param payload what to send
  /// @param wanted  the number of replies; 0 to set it later
  /// @param caller  told when the message is in the queues of the members at all hosts that answer in time
  public void send(
      int number, GroupId group, int tag, ByteBuffer payload, int wanted, Consumer<Result<IpcProtocol.Sent>> caller) {
    if (!group.isIssued()) {
      protocol.send(number, group, tag, payload, wanted, caller);
      return;
    }
    Runnable send =
        () -> {
          Known one = known.get(group);
          if (one != null && one.group != null && one.group.guarded() && !one.senders.containsKey(number)) {
            told(caller, new Aborted<>(Status.WRONG_PASSWORD));
          } else {
            protocol.send(number, group, tag, payload, wanted, caller);
          }
        };
    withKnown(group, new Waiting(send, status -> told(caller, new Aborted<>(status))));
  }

  private void withKnown(GroupId group, Waiting call) {
    Known one = known.get(group);
    if (one != null && one.group != null) {
      call.goesOn.run();
    } else if (calls == CALLS_MAX || (one == null && !hasRoom())) {
      call.refused.accept(Status.NO_BUFF);
    } else {
      if (one == null) {
        one = new Known();
        one.askAt = port.now();
        known.put(group, one);
      }
      calls++;
      one.waiting.add(call);
      askWhatIsDue();
    }
    later.run();
  }

  /// Makes room for one group more, at the cost of one that nobody needs.
  private boolean hasRoom() {
    if (known.size() < KNOWN_MAX) {
      return true;
    }
    for (GroupId group : List.copyOf(known.keySet())) {
      if (!isNeeded(group, known.get(group))) {
        known.remove(group);
        return true;
      }
    }
    return false;
  }

  private boolean isNeeded(GroupId group, Known one) {
    one.senders.keySet().retainAll(protocol.processes());
    return one.asking
        || !one.senders.isEmpty()
        || !one.waiting.isEmpty()
        || protocol.hasMembers(group)
        || protocol.hasSenders(group);
  }

  // ---- the server's answers ----------------------------------------------------------------------------------------

  /// The server says that a group exists.
  ///
  /// @param asked when it was asked
  /// @return null; or why it does not help
  private @Nullable Status learn(IssuedGroup issued, long asked) {
    if (destroyed.getOrDefault(issued.id(), Long.MIN_VALUE) >= asked) {
      return Status.GROUP_DOES_NOT_EXIST;
    }
    Known one = known.get(issued.id());
    if (one != null && one.group != null && !one.group.mark().equals(issued.mark())) {
      end(issued.id()); // a server that has lost everything has given the id out again
      one = null;
    }
    if (one == null) {
      if (!hasRoom()) {
        return Status.NO_BUFF;
      }
      one = new Known();
      known.put(issued.id(), one);
    }
    one.group = issued;
    one.key = issued.sendKey() != null ? issued.sendKey() : one.key;
    one.asked = Math.max(one.asked, asked);
    one.askAt = asked <= doubtedAt ? port.now() + times.againNanos() : asked + times.keepNanos();
    take(one).forEach(call -> call.goesOn.run());
    return null;
  }

  private List<Waiting> take(Known one) {
    List<Waiting> all = List.copyOf(one.waiting);
    one.waiting.clear();
    calls -= all.size();
    return all;
  }

  /// The server says that a group does not exist, or says nothing.
  private void heard(GroupId group, Status status, long asked) {
    if (status != Status.GROUP_DOES_NOT_EXIST) {
      return;
    }
    Known one = known.get(group);
    if (one == null || one.group == null || asked >= one.asked) {
      end(group);
    } else {
      one.askAt = port.now(); // of two answers it is not known which one is the later
    }
  }

  /// There is no such group: from now on nobody here is in it.
  private void end(GroupId group) {
    destroyed.remove(group);
    if (destroyed.size() == KNOWN_MAX) {
      destroyed.remove(destroyed.keySet().iterator().next());
    }
    destroyed.put(group, port.now());
    Known one = known.remove(group);
    if (one != null) {
      looks -= one.asking ? 1 : 0;
      take(one).forEach(call -> call.refused.accept(Status.GROUP_DOES_NOT_EXIST));
      one.toldBy.forEach(origin -> port.send(List.of(origin.host), new Gone(origin.key)));
    }
    protocol.destroyed(group);
  }

  private void askWhatIsDue() {
    if (askAt() > port.now()) {
      return;
    }
    for (Map.Entry<GroupId, Known> each : List.copyOf(known.entrySet())) {
      GroupId group = each.getKey();
      Known one = each.getValue();
      if (looks == LOOKS_MAX) {
        return;
      }
      if (one.asking || one.askAt > port.now() || known.get(group) != one) {
        continue;
      }
      if (!isNeeded(group, one)) {
        known.remove(group);
        one.toldBy.forEach(origin -> port.send(List.of(origin.host), new Gone(origin.key)));
        continue;
      }
      one.asking = true;
      one.triedAt = port.now();
      looks++;
      long asked = port.now();
      directory.look(group, result -> looked(group, one, asked, result));
    }
  }

  private void looked(GroupId group, Known one, long asked, Result<IssuedGroup> result) {
    boolean isCurrent = known.get(group) == one;
    if (isCurrent) {
      one.asking = false;
      looks--;
    }
    switch (result) {
      case Done(IssuedGroup issued) -> {
        if (isCurrent) {
          if (asked > doubtedAt) {
            one.toldBy.clear();
          }
          learn(issued, asked);
        }
      }
      case Aborted(Status status) -> {
        heard(group, status, asked);
        if (isCurrent && status != Status.GROUP_DOES_NOT_EXIST) {
          one.askAt = port.now() + times.againNanos();
          take(one).forEach(call -> call.refused.accept(status));
          if (one.group == null) {
            known.remove(group);
          }
        }
      }
    }
    later.run();
  }

  // ---- other hosts, and time ---------------------------------------------------------------------------------------

  /// A host is heard that was not: there may be news of all groups.
  void newcomer() {
    doubtedAt = port.now();
    known.values().forEach(this::doubt);
  }

  private void doubt(Known one) {
    one.askAt = Math.min(one.askAt, Math.max(port.now(), one.triedAt + times.againNanos()));
  }

  /// A host is not heard any more: no destroy waits for it.
  void lost(MemberId host) {
    for (Map.Entry<Key, Ending> each : List.copyOf(endings.entrySet())) {
      if (each.getValue().hosts.remove(host)) {
        endIfAllAreGone(each.getKey(), each.getValue());
      }
    }
    later.run();
  }

  /// Handles a message of another host, or passes it on.
  ///
  /// @param from    another host
  /// @param message what it says
  void arrived(MemberId from, IpcMessage message) {
    switch (message) {
      case Destroyed(Key key) -> destroyedElsewhere(from, key);
      case Gone(Key key) -> {
        Ending ending = endings.get(key);
        if (ending != null && ending.hosts.remove(from)) {
          ending.gone++;
          endIfAllAreGone(key, ending);
        }
      }
      case Coded(Deliver deliver, ByteBuffer code) -> pass(from, deliver, message, code);
      case Deliver deliver -> pass(from, deliver, message, null);
      default -> protocol.arrived(from, message);
    }
    later.run();
  }

  private void destroyedElsewhere(MemberId from, Key key) {
    doubtedAt = port.now();
    Known one = known.get(key.group());
    if (one != null && isNeeded(key.group(), one)) {
      if (one.toldBy.size() < TOLD_BY_MAX) {
        one.toldBy.add(new Origin(from, key));
      }
      doubt(one);
      askWhatIsDue();
    } else {
      known.remove(key.group());
      port.send(List.of(from), new Gone(key));
    }
  }

  /// Nobody gets a message that lacks the code of its group.
  private void pass(MemberId from, Deliver deliver, IpcMessage message, @Nullable ByteBuffer code) {
    GroupId group = deliver.key().group();
    Known one = known.get(group);
    if (one != null && one.group != null && one.group.guarded() && protocol.hasMembers(group)) {
      SendKey key = one.key;
      if (key == null || code == null || !key.made(Coded.signed(from, deliver), bytes(code))) {
        port.send(List.of(from), new Delivered(deliver.key(), 0, false));
        return;
      }
    }
    protocol.arrived(from, message);
  }

  private static byte[] bytes(ByteBuffer code) {
    var bytes = new byte[code.remaining()];
    code.duplicate().get(bytes);
    return bytes;
  }

  /// What a message to other hosts looks like.
  ///
  /// @return the same, or with its code
  IpcMessage outgoing(IpcMessage message) {
    if (!(message instanceof Deliver deliver) || !deliver.key().group().isIssued()) {
      return message;
    }
    Known one = known.get(deliver.key().group());
    SendKey key = one == null ? null : one.senders.get(deliver.key().process());
    if (key == null) {
      return message;
    }
    return new Coded(deliver, ByteBuffer.wrap(key.code(Coded.signed(self, deliver))).asReadOnlyBuffer());
  }

  /// Does what is due.
  void tick() {
    for (Map.Entry<Key, Ending> each : List.copyOf(endings.entrySet())) {
      if (each.getValue().deadline <= port.now()) {
        each.getValue().hosts.clear();
        endIfAllAreGone(each.getKey(), each.getValue());
      }
    }
    askWhatIsDue();
    later.run();
  }

  /// When [#tick] is wanted next.
  ///
  /// @return the time, or [Long#MAX_VALUE]
  long deadline() {
    long deadline = Long.MAX_VALUE;
    for (Ending ending : endings.values()) {
      deadline = Math.min(deadline, ending.deadline);
    }
    return Math.min(deadline, askAt());
  }

  private long askAt() {
    long next = Long.MAX_VALUE;
    for (Known one : known.values()) {
      next = one.asking || looks == LOOKS_MAX ? next : Math.min(next, one.askAt);
    }
    return next;
  }

  private <T> void told(Consumer<Result<T>> caller, Result<T> result) {
    later.add(() -> caller.accept(result));
  }

  // ---- what is seen from outside -----------------------------------------------------------------------------------

  /// Which groups this host was told do not exist.
  ///
  /// @return the last ones
  public Set<GroupId> destroyed() {
    return new LinkedHashSet<>(destroyed.keySet());
  }

  /// Fails when an invariant does not hold.
  void check() {
    Invariant.check(known.size() <= KNOWN_MAX, "what is known of groups is bounded");
    Invariant.check(calls >= 0 && calls <= CALLS_MAX, "calls that wait for the server are bounded");
    long asking = known.values().stream().filter(one -> one.asking).count();
    Invariant.check(asking == looks, "each question of the host's own is about a group");
    for (int number : protocol.processes()) {
      for (GroupId group : protocol.groups(number)) {
        Invariant.check(!group.isIssued() || known.containsKey(group), "who is in a group is known to the server");
      }
    }
  }

  /// The server of a host that has none.
  private static final class Nobody implements Directory {
    @Override
    public void look(GroupId group, Consumer<Result<IssuedGroup>> answer) {
      answer.accept(new Aborted<>(Status.NO_SERVER));
    }

    @Override
    public void check(GroupId group, String password, Consumer<Result<IssuedGroup>> answer) {
      answer.accept(new Aborted<>(Status.NO_SERVER));
    }

    @Override
    public void destroy(GroupId group, String password, Consumer<Result<GroupId>> answer) {
      answer.accept(new Aborted<>(Status.NO_SERVER));
    }
  }
}
