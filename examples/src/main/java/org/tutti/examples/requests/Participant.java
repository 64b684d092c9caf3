package org.tutti.examples.requests;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;
import org.tutti.GroupListener;
import org.tutti.View;

/// What a server and a client have in common: a membership, whose listener they are, and who else is registered.
abstract class Participant implements GroupListener, AutoCloseable {
  private final AtomicReference<@Nullable View> view = new AtomicReference<>();
  private volatile @Nullable Group group;

  /// Waits until this is in a view. Events may have come before.
  final void register(Group joining) {
    group = joining;
    view.compareAndSet(null, joining.joined().join()); // unless it was installed already, or a later one
  }

  final Group group() {
    return Objects.requireNonNull(group);
  }

  final View view() {
    return Objects.requireNonNull(view.get());
  }

  /// How many servers there are now: as many replies a request gets, as long as nobody crashes.
  ///
  /// @return the members that are no observers
  public int serverNum() {
    return view().voting();
  }

  /// How many clients there are now.
  ///
  /// @return the observers
  public int clientNum() {
    return view().observers().size();
  }

  @Override
  public void install(View installed) {
    view.set(installed);
  }

  @Override
  public void close() {
    group().close();
  }
}
