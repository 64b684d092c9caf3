package org.tutti.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.effect.Effects;
import org.tutti.membership.ViewMessage;
import org.tutti.user.Notice;

/// Between what agrees on views and its port: tells the user what this member says ([Notice.Said]) and hears
/// ([Notice.Told]), so that a view change can be followed in its log.
///
/// What is said to several in a row is one notice, told before anything that follows from it. What this member says to
/// itself is told when it is said. Batches are left out, as there may be many: the request for them says which.
final class ViewTrace implements Effects<ViewMessage> {
  private final MemberId self;
  private final Effects<ViewMessage> port;
  private final Consumer<Notice> user;
  private @Nullable ViewMessage saying; // and not told yet
  private final List<MemberId> listeners = new ArrayList<>();

  ViewTrace(MemberId self, Effects<ViewMessage> port, Consumer<Notice> user) {
    this.self = self;
    this.port = port;
    this.user = user;
  }

  @Override
  public void send(MemberId to, ViewMessage message) {
    note(List.of(to), message);
    port.send(to, message);
  }

  @Override
  public void send(Collection<MemberId> to, ViewMessage message) {
    if (!to.isEmpty()) {
      note(to, message);
      port.send(to, message);
    }
  }

  private void note(Collection<MemberId> to, ViewMessage message) {
    if (!message.equals(saying)) {
      flush();
      saying = isTold(message) ? message : null;
    }
    if (saying != null) {
      listeners.addAll(to);
    }
  }

  private static boolean isTold(ViewMessage message) {
    return !(message instanceof ViewMessage.Supply);
  }

  /// A message has come.
  void heard(MemberId from, ViewMessage message) {
    flush();
    if (!from.equals(self) && isTold(message)) {
      user.accept(new Notice.Told(from, message));
    }
  }

  /// Something else has happened.
  void tell(Notice notice) {
    flush();
    user.accept(notice);
  }

  /// Tells what was said last.
  void flush() {
    ViewMessage said = saying;
    if (said != null) {
      saying = null;
      user.accept(new Notice.Said(listeners, said));
      listeners.clear();
    }
  }

  @Override
  public void broadcast(ViewMessage message) {
    throw new UnsupportedOperationException("what is said of views is said to each that it is for");
  }

  @Override
  public void schedule(Timer timer, Duration after) {
    port.schedule(timer, after);
  }

  @Override
  public void cancel(Timer timer) {
    port.cancel(timer);
  }

  @Override
  public long nowNanos() {
    return port.nowNanos();
  }

  @Override
  public RandomGenerator random() {
    return port.random();
  }
}
