package org.tutti;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// What happens to a member of a group, in the one order that its application sees. One thread takes events by
/// [Group#receive()] and does what they say:
///
/// {@snippet class="ApiExamplesTest" region="event"}
///
/// Events are values: they may be passed to other threads. What is delivered to a member fills its queue as long as
/// nobody takes it, and holds up those that multicast when the queue is full ([MemberConfig#windowBytes()]).
public sealed interface Event {
  /// A message may be acted upon.
  ///
  /// @param sender   who multicast it
  /// @param service  how it stands to other messages
  /// @param position its place in the history of the group's primary views, counted in messages from 0; positions
  ///                 that a member delivers rise, and jump only where [StateOffer] filled the gap; -1 for messages of
  ///                 services other than [Service#TOTAL], for those to some members only, and for all in a view that is
  ///                 not primary whose group goes on there ([Partitions#CONTINUE])
  /// @param payload  a copy that belongs to the receiver
  record Delivery(MemberId sender, Service service, long position, ByteBuffer payload) implements Event {}

  /// A view was installed; all deliveries of the view before came earlier.
  ///
  /// @param view the new view
  record ViewChange(View view) implements Event {}

  /// This member serves from here on: it is in a primary view, and all of the history before a position is with the
  /// application: in the deliveries that came earlier, or in the state that it took. Comes after the [ViewChange] to
  /// the first primary view, after a state or a log has brought this member up to date, and when a primary view follows
  /// one that was not. It ends with a [ViewChange] to a view that is not primary, and with a [StateOffer].
  ///
  /// @param position of the next delivery that has one
  record CaughtUp(long position) implements Event {}

  /// A newcomer needs the application's state as it is now, after all earlier events and before all later ones. The
  /// state may be written by any thread as long as it is of this moment; later events may be taken meanwhile.
  ///
  /// @param newcomer who needs it
  /// @param sink     takes the state; blocks while the newcomer does not keep up; must be completed, or else closed,
  ///                 which gives the state up; throws [java.io.IOException] when the newcomer has gone
  record StateRequest(MemberId newcomer, StateSink sink) implements Event {}

  /// The state to start from, in place of what this member knew. To be read to its end before later events are taken.
  /// Then this member counts as one that has the state. An application with a durable state ([MemberConfig#position()])
  /// makes it durable before that, and says so by [StateSource#complete].
  ///
  /// Reading throws [java.io.IOException] when the member that gives it is not in the next view, primary or not, or
  /// gives up: what was read so far is no state of any moment. Another offer follows as soon as there is a primary view
  /// again; until then, views that are not primary. What was read may still be of use: by [StateSource#resume] the next
  /// donor is told of it. Who does not want the state any more leaves, or closes the source, which is the same.
  ///
  /// @param donor    who gives it
  /// @param position the position of the first delivery that is not contained in it
  /// @param source   the state's bytes
  record StateOffer(MemberId donor, long position, StateSource source) implements Event {}

  /// What the members of a view said to each other is here: the end of an exchange that this member began with
  /// [Group#propagate]. It comes behind the same delivery at all members of the view.
  ///
  /// @param view     the view whose members spoke: that of the last [ViewChange]
  /// @param messages what each of its members said, observers apart, by seniority; the same at all of them; the
  ///                 buffers belong to the receiver
  record Propagated(View view, Map<MemberId, ByteBuffer> messages) implements Event {
    /// Copies the map.
    public Propagated {
      messages = Collections.unmodifiableMap(new LinkedHashMap<>(messages));
    }
  }

  /// A request of a thread of this process, which waits in [Group#localCall] for the response. It comes after all that
  /// had happened to this member when it was made. Any thread may answer it, at once or later; only the first answer
  /// counts, and a caller whose call nobody answers waits until it is interrupted or the membership ends.
  ///
  /// {@snippet class="ApiExamplesTest" region="local-call-answer"}
  non-sealed interface LocalCall extends Event {
    /// What the caller asks.
    ///
    /// @return the object that it passed
    LocalRequest<?> request();

    /// Gives the response.
    ///
    /// @param <R>      its type
    /// @param request  the object that [#request] returns, with its own type; it tells the type of the response
    /// @param response passed on as it is
    /// @return whether the caller gets it; false when it does not wait any more, or has been answered
    /// @throws IllegalArgumentException when the request is that of another call
    <R extends @Nullable Object> boolean respond(LocalRequest<R> request, R response);

    /// Gives no response: the caller gets a [CompletionException] with this cause.
    ///
    /// @param why what went wrong
    /// @return whether the caller gets it; false when it does not wait any more, or has been answered
    boolean fail(Throwable why);
  }

  /// The membership has ended; no event follows.
  ///
  /// @param end why
  record Closed(End end) implements Event {}
}
