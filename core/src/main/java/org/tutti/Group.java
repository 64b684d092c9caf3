package org.tutti;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// A process's membership of one group: it multicasts, and takes the events of the group in their one order.
///
/// {@snippet class="ApiExamplesTest" region="group"}
///
/// Events are taken by [#receive()], or told to a [GroupListener]; [Event] has an example. All methods may be called
/// from any thread, virtual threads included. Those that wait can be interrupted, and are refused on the engine thread
/// with an [IllegalStateException], as it would wait for itself. When the membership has ended, methods that need it
/// throw [GroupClosedException]. Whatever is attached to a future without an executor of its own runs on the engine
/// thread and must not block.
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

  /// Multicasts to the group. Blocks while the window is full: because members are slow, or because there is no primary
  /// view and the group does not go on without ([Partitions]).
  ///
  /// The future tells what became of the message. It may complete before the application has taken the message's own
  /// delivery, which tells the position as well. Messages of services other than [Service#TOTAL] have no position, and
  /// are delivered before or after their future completes.
  ///
  /// @param payload 0 to [#MESSAGE_BYTES_MAX] bytes from position to limit, which are not moved; copied before the
  ///                method returns
  /// @param how     the service, and to whom
  /// @return completes on the engine thread with [Outcome.Ordered] when the message has its place in the history, and
  ///     otherwise as [Outcome] says; exceptionally in one case only, with [GroupClosedException], when the membership
  ///     ends before that is known
  /// @throws InterruptedException     when interrupted while waiting; nothing was sent
  /// @throws GroupClosedException     when the membership has ended
  /// @throws IllegalArgumentException when the payload is too long
  /// @throws IllegalStateException    on the engine thread, if it would have to wait
  CompletableFuture<Outcome> multicast(ByteBuffer payload, SendOptions how) throws InterruptedException;

  /// Multicasts to the group, totally ordered: [#multicast(ByteBuffer, SendOptions)].
  ///
  /// @param payload 0 to [#MESSAGE_BYTES_MAX] bytes; copied before the method returns
  /// @return what becomes of the message
  /// @throws InterruptedException when interrupted while waiting; nothing was sent
  default CompletableFuture<Outcome> multicast(ByteBuffer payload) throws InterruptedException {
    return multicast(payload, SendOptions.total());
  }

  /// Multicasts an array: [#multicast(ByteBuffer, SendOptions)].
  ///
  /// @param payload 0 to [#MESSAGE_BYTES_MAX] bytes; copied before the method returns
  /// @param how     the service, and to whom
  /// @return what becomes of the message
  /// @throws InterruptedException when interrupted while waiting; nothing was sent
  default CompletableFuture<Outcome> multicast(byte[] payload, SendOptions how) throws InterruptedException {
    return multicast(ByteBuffer.wrap(payload), how);
  }

  /// Multicasts an array to the group, totally ordered: [#multicast(ByteBuffer, SendOptions)].
  ///
  /// @param payload 0 to [#MESSAGE_BYTES_MAX] bytes; copied before the method returns
  /// @return what becomes of the message
  /// @throws InterruptedException when interrupted while waiting; nothing was sent
  default CompletableFuture<Outcome> multicast(byte[] payload) throws InterruptedException {
    return multicast(ByteBuffer.wrap(payload), SendOptions.total());
  }

  /// As [#multicast(ByteBuffer, SendOptions)], but never blocks.
  ///
  /// @param payload as there
  /// @param how     the service, and to whom
  /// @return as there; completes at once with [Outcome.Refused] and [Outcome.Reason#WINDOW_FULL] when there is no room
  /// @throws GroupClosedException     when the membership has ended
  /// @throws IllegalArgumentException when the payload is too long
  CompletableFuture<Outcome> tryMulticast(ByteBuffer payload, SendOptions how);

  /// Multicasts to the group, totally ordered, but never blocks: [#tryMulticast(ByteBuffer, SendOptions)].
  ///
  /// @param payload 0 to [#MESSAGE_BYTES_MAX] bytes; copied before the method returns
  /// @return what becomes of the message
  default CompletableFuture<Outcome> tryMulticast(ByteBuffer payload) {
    return tryMulticast(payload, SendOptions.total());
  }

  /// Multicasts an array, but never blocks: [#tryMulticast(ByteBuffer, SendOptions)].
  ///
  /// @param payload 0 to [#MESSAGE_BYTES_MAX] bytes; copied before the method returns
  /// @param how     the service, and to whom
  /// @return what becomes of the message
  default CompletableFuture<Outcome> tryMulticast(byte[] payload, SendOptions how) {
    return tryMulticast(ByteBuffer.wrap(payload), how);
  }

  /// Multicasts an array to the group, totally ordered, but never blocks: [#tryMulticast(ByteBuffer, SendOptions)].
  ///
  /// @param payload 0 to [#MESSAGE_BYTES_MAX] bytes; copied before the method returns
  /// @return what becomes of the message
  default CompletableFuture<Outcome> tryMulticast(byte[] payload) {
    return tryMulticast(ByteBuffer.wrap(payload), SendOptions.total());
  }

  /// Multicasts to the group for senders that do not ask what becomes of a message: as
  /// [#multicast(ByteBuffer, SendOptions)], without a future, and, for messages to all, without allocating anything.
  /// What the guarantees say of messages holds for it; whether it was delivered, the sender sees by its own delivery.
  ///
  /// @param payload as there
  /// @param how     the service, and to whom
  /// @throws InterruptedException     when interrupted while waiting for the window; nothing was sent
  /// @throws GroupClosedException     when the membership has ended
  /// @throws IllegalArgumentException when the payload is too long
  /// @throws IllegalStateException    on the engine thread, if it would have to wait
  void post(ByteBuffer payload, SendOptions how) throws InterruptedException;

  /// Posts to the group, totally ordered: [#post(ByteBuffer, SendOptions)].
  ///
  /// @param payload as there
  /// @throws InterruptedException when interrupted while waiting for the window; nothing was sent
  default void post(ByteBuffer payload) throws InterruptedException {
    post(payload, SendOptions.total());
  }

  /// As [#post(ByteBuffer, SendOptions)], but never blocks.
  ///
  /// @param payload as there
  /// @param how     the service, and to whom
  /// @return whether it was sent; false when the window is full
  /// @throws GroupClosedException     when the membership has ended
  /// @throws IllegalArgumentException when the payload is too long
  boolean tryPost(ByteBuffer payload, SendOptions how);

  /// Posts to the group, totally ordered, but never blocks: [#tryPost(ByteBuffer, SendOptions)].
  ///
  /// @param payload as there
  /// @return whether it was sent; false when the window is full
  default boolean tryPost(ByteBuffer payload) {
    return tryPost(payload, SendOptions.total());
  }

  /// Begins an exchange of small messages among all members of a view, for instance to find out after a view change who
  /// has which state. Returns at once. When the messages of all have come, [Event.Propagated] tells them, behind the
  /// same delivery at all members. Every member of the view is expected to call this, equally often; observers may.
  ///
  /// When a view change comes first, what was said does not count, and the exchange starts again among the members of
  /// the new view, with the same payload. In a view that is not primary it waits for a primary one; with a full window,
  /// for room. It ends without an event when the membership ends.
  ///
  /// A member has one exchange under way, from this call until its application has taken the event. A call in between
  /// does nothing; so members that call at each view change are in one exchange, however many views follow each other:
  ///
  /// {@snippet class="ApiExamplesTest" region="propagate"}
  ///
  /// @param payload 0 to [#PROPAGATE_BYTES_MAX] bytes; copied before the method returns
  /// @return whether an exchange has begun; false while another one of this member is under way
  /// @throws GroupClosedException     when the membership has ended, or is being left
  /// @throws IllegalArgumentException when the payload is too long
  boolean propagate(byte[] payload);

  /// Asks a quorum where the history stands: what a linearizable read needs, without a multicast.
  ///
  /// {@snippet class="ApiExamplesTest" region="confirm-position"}
  ///
  /// Everything that was delivered at any member, or whose [Outcome.Ordered] anybody knew, before this call lies before
  /// the position; and this member's application has been given all up to there. It costs a round trip to a quorum of
  /// the view; calls that are made while one is under way share the next. In a view that is not primary, and while this
  /// member waits for the state, it waits.
  ///
  /// @return completes on the engine thread with the position; exceptionally with [GroupClosedException] when the
  ///     membership ends before, and with [UnsupportedOperationException] in a group without uniform delivery
  ///     ([Guarantee#UNIFORM]), where nobody can know
  CompletableFuture<Long> confirmPosition();

  /// The numbers that the members show each other.
  ///
  /// @return always the same
  Whiteboard whiteboard();

  /// Puts a request into this member's own flow of events, as an [Event.LocalCall], and waits for the response. So
  /// the threads of a server that talk to clients leave all work on the replicated state to the one that takes events.
  ///
  /// {@snippet class="ApiExamplesTest" region="local-call"}
  ///
  /// The event comes after all that had happened to this member before the call: for instance after the delivery of a
  /// multicast whose future the caller has seen completed. Nothing is sent to other members. When 1024 calls are open,
  /// further callers wait. A thread that takes the events itself must not call: nobody would answer.
  ///
  /// @param <R>     the type of the response
  /// @param request passed on as it is
  /// @return the response
  /// @throws InterruptedException  when interrupted while waiting; the event may have been taken, and then its response
  ///                               is dropped
  /// @throws CompletionException   when the call was failed ([Event.LocalCall#fail]); its cause says why
  /// @throws GroupClosedException  when the membership has ended, or ends before the response
  /// @throws IllegalStateException on the engine thread, which must not wait
  <R extends @Nullable Object> R localCall(LocalRequest<R> request) throws InterruptedException;

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

  /// What this membership has done, and how it and the other members stand, in numbers: messages, bytes, views, the
  /// window, who lags behind. Returns at once, also when the engine thread does not turn; what it says of the others is
  /// then as old as that. After the end, what was counted until then.
  ///
  /// @return the numbers at this moment
  GroupMetrics metrics();

  /// The last 256 lines that this membership has written to the log, for whoever asks later why a view changed or whom
  /// others suspected. Returns at once; after the end, too.
  ///
  /// @return the oldest first
  List<LoggedEvent> logged();

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
