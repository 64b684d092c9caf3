package org.tutti;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// A process's membership of one group. All methods may be called from any thread, virtual threads included.
public interface Group extends AutoCloseable {
  /// The longest message, in bytes.
  int MESSAGE_BYTES_MAX = 16 << 20;

  /// The longest message of [#propagate], in bytes.
  int PROPAGATE_BYTES_MAX = 64 << 10;

  /// The group's name.
  ///
  /// @return the name given on create or join
  String name();

  /// Who this process is in the group.
  ///
  /// @return this life of this node
  MemberId self();

  /// The view that was installed last; the application may not have taken its [Event.ViewChange] yet.
  ///
  /// @return the view, or null before the first one and after the end of the membership
  @Nullable View view();

  /// Whether this member has got into a view, which is what a join is for.
  ///
  /// @return completes with the first view that is installed here, primary or not, on the engine thread; exceptionally
  ///     with [GroupClosedException] when the membership ends before, as when it is refused
  CompletableFuture<View> joined();

  /// What was decided for this group when it was founded. Who creates it or founds it with others knows that soon after
  /// it has entered; who joins, as soon as a member has told it, which is before [#joined()] completes. The ordering
  /// may have been switched since.
  ///
  /// @return null as long as this member does not know
  @Nullable GroupConfig config();

  /// Waits until this member serves: it is caught up, in a primary view ([Status#isServing]).
  ///
  /// ```java
  /// Group bank = node.joinOrCreate("bank", 3, GroupConfig.standard());
  /// bank.awaitServing(Duration.ofSeconds(10));
  /// ```
  ///
  /// The application may not have taken the events that led there; for these there is [Event.CaughtUp]. In a group with
  /// state transfer somebody has to take them meanwhile, or the state does not come.
  ///
  /// @param wait the longest wait
  /// @return the primary view, as it is when this method returns
  /// @throws InterruptedException  when interrupted while waiting
  /// @throws TimeoutException      when it does not serve in that time; the message says who is waited for, and why
  ///                               ([#status])
  /// @throws GroupClosedException  when the membership has ended, or ends before
  /// @throws IllegalStateException on the engine thread, which must not wait
  View awaitServing(Duration wait) throws InterruptedException, TimeoutException;

  /// Multicasts to the group, totally ordered.
  ///
  /// @param payload as in [#multicast(byte\[\], Service)]
  /// @return the same
  /// @throws InterruptedException when interrupted while waiting; nothing was sent
  default CompletableFuture<Long> multicast(byte[] payload) throws InterruptedException {
    return multicast(payload, Service.TOTAL);
  }

  /// Multicasts to the group. Blocks while the window is full: because members are slow, or because there is no primary
  /// view and the group does not go on without ([Partitions]).
  ///
  /// The future tells when the message has its place in the history, and so will reach everybody who goes on. Messages
  /// of services other than [Service#TOTAL] have no position, and are delivered before or after that moment.
  ///
  /// @param payload 0 to [#MESSAGE_BYTES_MAX] bytes; copied before the method returns
  /// @param service how it stands to other messages
  /// @return completes with the message's position when it is delivered here, with -1 when it was delivered while this
  ///     member was cut off or has no position, as in a branch; exceptionally with [UndecidedException] when it was on
  ///     the way as this member went to a view that is not primary, and with [GroupClosedException] when the membership
  ///     ends before its fate is known
  /// @throws InterruptedException     when interrupted while waiting; nothing was sent
  /// @throws GroupClosedException     when the membership has ended
  /// @throws IllegalArgumentException when the payload is too long
  CompletableFuture<Long> multicast(byte[] payload, Service service) throws InterruptedException;

  /// Multicasts to the group, totally ordered, but never blocks.
  ///
  /// @param payload as in [#tryMulticast(byte\[\], Service)]
  /// @return the same
  default @Nullable CompletableFuture<Long> tryMulticast(byte[] payload) {
    return tryMulticast(payload, Service.TOTAL);
  }

  /// As [#multicast(byte\[\], Service)], but never blocks.
  ///
  /// @param payload 0 to [#MESSAGE_BYTES_MAX] bytes; copied before the method returns
  /// @param service how it stands to other messages
  /// @return the future, or null when the window is full
  /// @throws GroupClosedException     when the membership has ended
  /// @throws IllegalArgumentException when the payload is too long
  @Nullable CompletableFuture<Long> tryMulticast(byte[] payload, Service service);

  /// Multicasts to the group, totally ordered, for senders that do not ask what becomes of a message: as
  /// [#multicast(byte\[\])], without a future, and without allocating anything for the message. What the guarantees say
  /// of messages holds for it; whether it was delivered, the sender sees by its own delivery.
  ///
  /// @param payload 0 to [#MESSAGE_BYTES_MAX] bytes from position to limit, which are not moved; copied before the
  ///                method returns
  /// @throws InterruptedException     when interrupted while waiting for the window; nothing was sent
  /// @throws GroupClosedException     when the membership has ended
  /// @throws IllegalArgumentException when the payload is too long
  void put(ByteBuffer payload) throws InterruptedException;

  /// As [#put], but never blocks.
  ///
  /// @param payload as there
  /// @return whether it was sent; false when the window is full
  /// @throws GroupClosedException     when the membership has ended
  /// @throws IllegalArgumentException when the payload is too long
  boolean offer(ByteBuffer payload);

  /// Multicasts to some members of the view, totally ordered; nobody else gets or does anything for it. Blocks
  /// while the window is full.
  ///
  /// It needs a primary view that began with [Ordering#SKEEN] and keeps it, and a group without domain. All deliveries
  /// of such messages, and of those to all, are in one order, as far as members see them; but they have no position,
  /// and are no part of the history that newcomers get the state of. This member's multicasts are delivered in its
  /// order: those that follow wait until all destinations hold this one.
  ///
  /// @param payload      0 to [#MESSAGE_BYTES_MAX] bytes; copied before the method returns
  /// @param destinations members of the view, at least one; this member only if it is among them
  /// @return completes when every destination in the view holds the message, so that all that go on deliver it;
  ///     exceptionally with [IllegalStateException] that says why when it was not sent, or when its fate is unknown
  ///     because this member was cut off, or because no destination is left; with [GroupClosedException] when the
  ///     membership ends before its fate is known
  /// @throws InterruptedException     when interrupted while waiting; nothing was sent
  /// @throws GroupClosedException     when the membership has ended
  /// @throws IllegalArgumentException when the payload is too long, or there is no destination
  CompletableFuture<Void> multicast(byte[] payload, Set<MemberId> destinations) throws InterruptedException;

  /// As [#multicast(byte\[\], Set)], but never blocks.
  ///
  /// @param payload      0 to [#MESSAGE_BYTES_MAX] bytes; copied before the method returns
  /// @param destinations members of the view, at least one
  /// @return the future, or null when the window is full
  /// @throws GroupClosedException     when the membership has ended
  /// @throws IllegalArgumentException when the payload is too long, or there is no destination
  @Nullable CompletableFuture<Void> tryMulticast(byte[] payload, Set<MemberId> destinations);

  /// Exchanges small messages among all members of a view, for instance to find out after a view change who has
  /// which state. Every member of the view is expected to call it, equally often; it returns when the messages of all
  /// have come, at all members behind the same delivery. When a view change comes first, what was said does not count,
  /// and the exchange starts again among the members of the new view with the same payload. Only for a group without a
  /// [GroupListener]; events are taken while it waits, and returned with the messages.
  ///
  /// In a view that is not primary nothing is exchanged: it waits for a primary one. Whenever it throws, the events
  /// taken so far are given back to [#receive()]; what was said in the view stays said, and the next call in the same
  /// view goes on from there.
  ///
  /// @param payload 0 to [#PROPAGATE_BYTES_MAX] bytes
  /// @return what everybody said, and the events meanwhile
  /// @throws InterruptedException     when interrupted while waiting
  /// @throws GroupClosedException     when the membership has ended, or is being left
  /// @throws IllegalStateException    when state is offered, which must be received and read first; when more than 64
  ///                                  MiB are delivered meanwhile; on the engine thread
  /// @throws IllegalArgumentException when the payload is too long
  Propagation propagate(byte[] payload) throws InterruptedException;

  /// The numbers that the members show each other.
  ///
  /// @return always the same
  Whiteboard whiteboard();

  /// Puts a request into this member's own flow of events, as an [Event.LocalCall], and waits for the response. So
  /// the threads of a server that talk to clients leave all work on the replicated state to the one that takes events.
  ///
  /// The event comes after all that had happened to this member before the call: for instance after the delivery of a
  /// multicast whose future the caller has seen completed. Nothing is sent to other members. When 1024 calls are open,
  /// further callers wait. A thread that takes the events itself must not call: nobody would answer.
  ///
  /// @param request anything; passed on as it is
  /// @return the response
  /// @throws InterruptedException  when interrupted while waiting; the event may have been taken, and then its response
  ///                               is dropped
  /// @throws GroupClosedException  when the membership has ended, or ends before the response
  /// @throws IllegalStateException on the engine thread, which must not wait
  Object localCall(Object request) throws InterruptedException;

  /// Answers a local call, from any thread, at once or later.
  ///
  /// @param call     which
  /// @param response anything; passed on as it is
  /// @return whether the caller gets it; false when it does not wait any more, or has been answered
  boolean localRespond(Event.LocalCall call, Object response);

  /// The ordering in force.
  ///
  /// @return the ordering that decides the next places, or null before the first primary view
  @Nullable Ordering ordering();

  /// Has the group change its ordering, without stopping deliveries. Members may wish differently: each wish comes
  /// true in turn. A wish that a view change overtakes is repeated. A later wish of this member replaces an earlier
  /// one, whose future then completes when that ordering happens to be in force.
  ///
  /// @param ordering any
  /// @return completes when the ordering is in force at this member; exceptionally with [GroupClosedException] when the
  ///     membership ends before
  CompletableFuture<Void> switchTo(Ordering ordering);

  /// Takes the next event; only for a group without a [GroupListener].
  ///
  /// @return the next event
  /// @throws InterruptedException  when interrupted while waiting
  /// @throws GroupClosedException  after [Event.Closed] was returned
  Event receive() throws InterruptedException;

  /// Takes the next event if there is one in time; only for a group without a [GroupListener].
  ///
  /// @param wait the longest wait
  /// @return the next event, or null when none came
  /// @throws InterruptedException  when interrupted while waiting
  /// @throws GroupClosedException  after [Event.Closed] was returned
  @Nullable Event receive(Duration wait) throws InterruptedException;

  /// Says up to where the application's own durable state contains the history, in a group with [Durability]: what lies
  /// before will not be delivered to this member again, so that stable storage may drop it. Returns at once; never
  /// takes back an earlier call.
  ///
  /// @param position the position behind the last delivery that is durable with the application
  void persisted(long position);

  /// How the group stands now, also for whoever waits for it: how far this member has come, the view, the last primary
  /// view, this member's position, and who is waited for and why. After the end it says that, and the reason. Its text
  /// is a sentence for people.
  ///
  /// @return the status at this moment
  Status status();

  /// Leaves: what this member multicast before is delivered first, the others install a view without it.
  ///
  /// @return completes when the membership has ended
  CompletableFuture<Void> leave();

  /// Leaves and waits for the end. When it has not come in that time, because the others do not answer or still have to
  /// deliver what this member multicast before, the membership goes on to end, at the latest with its node. Idempotent.
  ///
  /// @param wait the longest wait; when the thread is interrupted, it ends, and the thread stays interrupted
  /// @return whether the membership has ended
  /// @throws IllegalStateException on the engine thread, which must not wait
  boolean close(Duration wait);

  /// Leaves and waits for the end, 5 s at most: [#close(Duration)].
  @Override
  default void close() {
    close(Duration.ofSeconds(5));
  }
}
