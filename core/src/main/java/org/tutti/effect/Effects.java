package org.tutti.effect;

import java.time.Duration;
import java.util.Collection;
import java.util.random.RandomGenerator;
import org.tutti.MemberId;

/// The only port out of a protocol. Nothing blocks, nothing throws; what is sent leaves after the step.
///
/// Messages between two members are delivered in the order in which they were sent, without loss, as long as both are
/// in one view; see `org.tutti.link.Link` for what ends that. But batches may be overtaken by what was sent later.
///
/// @param <M> the protocol's sealed messages
public interface Effects<M> {
  /// Sends to one member; to oneself is a later part of the same step.
  ///
  /// @param to      the receiver
  /// @param message what to send
  void send(MemberId to, M message);

  /// Sends the same to several members, one after the other; the message is encoded once.
  ///
  /// @param to      the receivers; oneself may be among them
  /// @param message what to send
  default void send(Collection<MemberId> to, M message) {
    to.forEach(each -> send(each, message));
  }

  /// Sends to every other member of the current view; the message is encoded once.
  ///
  /// @param message what to send
  void broadcast(M message);

  /// Asks for an expiry; a pending one with the same key is replaced.
  ///
  /// @param timer the key
  /// @param after how long from now
  void schedule(Timer timer, Duration after);

  /// Forgets an expiry; does nothing when none is pending.
  ///
  /// @param timer the key
  void cancel(Timer timer);

  /// The time of this step.
  ///
  /// @return monotonic nanoseconds, constant during one step
  long nowNanos();

  /// Where all randomness comes from.
  ///
  /// @return a seeded generator
  RandomGenerator random();

  /// The key of one pending expiry of one protocol of one group.
  ///
  /// @param name says what the time is for; equal names are the same timer
  record Timer(String name) {}

  /// Where a protocol's expiries, and what it sends to itself, come back.
  ///
  /// @param <M> the protocol's sealed messages
  interface Inward<M> {
    /// A message of this member has come to itself.
    ///
    /// @param from    this member
    /// @param message what it sent
    void receive(MemberId from, M message);

    /// A time has come.
    ///
    /// @param timer its key
    default void expire(Timer timer) {
      throw new IllegalArgumentException("no timer " + timer);
    }
  }
}
