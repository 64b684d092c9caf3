package org.tutti.examples.requests;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;
import org.tutti.GroupListener;
import org.tutti.View;
import org.tutti.transport.RoleRegistration;

/// What a server and a client have in common: a membership, whose listener they are, and who else is registered.
abstract class Participant implements GroupListener, AutoCloseable {
  private final RoleRegistration.@Nullable State registered;
  private final AtomicReference<@Nullable View> view = new AtomicReference<>();
  private volatile @Nullable Group group;
  private volatile boolean wereAllThere;

  /// @param registered what the registry said; null without a registry
  Participant(RoleRegistration.@Nullable State registered) {
    this.registered = registered;
    wereAllThere = registered == null;
  }

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

  /// This process's number: that of the registry, where clients have the low ones. Without a registry it is the place
  /// in the view, by seniority, servers first, and smaller when those before it have gone.
  ///
  /// @return from 0
  public int id() {
    return registered == null ? view().rankOf(group().self()) : Math.toIntExact(registered.id());
  }

  /// How many servers there are now: as many replies a request gets, as long as nobody crashes.
  ///
  /// @return the members that are no observers; with a registry the number that is expected, until these were there
  public int serverNum() {
    return wereAllThere || registered == null ? view().voting() : registered.servers();
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
    wereAllThere |= registered == null || installed.voting() >= registered.servers();
  }

  @Override
  public void close() {
    group().close();
  }
}
