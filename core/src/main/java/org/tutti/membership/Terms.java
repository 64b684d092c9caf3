package org.tutti.membership;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.Event;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;

/// On which terms a member takes part in a group.
///
/// @param group    what its founder decides
/// @param member   what it decides for itself
/// @param observer whether it only observes: it gets everything and may multicast, but counts in no quorum, orders
///                 nothing, gives no state, keeps nothing, and nobody waits for it
public record Terms(GroupConfig group, MemberConfig member, boolean observer) {
  /// Those of a voter.
  ///
  /// @param group  what the founder decides
  /// @param member what the member decides for itself
  /// @return the terms
  public static Terms voter(GroupConfig group, MemberConfig member) {
    return new Terms(group, member, false);
  }

  /// What the member keeps in stable storage.
  ///
  /// @return what the group's members do, but nothing for an observer
  public Durability durability() {
    return observer ? Durability.NONE : group.durability();
  }

  /// Whether this member gets the application's state.
  ///
  /// @return whether there is one, which it takes
  public boolean stateTransfer() {
    return group.stateTransfer() && member.takesState();
  }

  /// What does not go together.
  ///
  /// @param name the group's name
  /// @return in words; null when all does
  public @Nullable String fault(String name) {
    String position = positionFault();
    return position == null ? stateFault(name) : position;
  }

  /// A position tells where the log goes on. Who has none gets the state from others after a restart; when all were
  /// restarted, nobody would have it.
  private @Nullable String positionFault() {
    OptionalLong position = member.position();
    if (position.isPresent() && durability() == Durability.NONE) {
      return "position "
          + position.getAsLong()
          + (observer ? " has no meaning for an observer" : " has no meaning with durability NONE");
    }
    if (position.isEmpty() && durability() != Durability.NONE && group.stateTransfer()) {
      return "durability "
          + durability()
          + " with state transfer needs a position: position(n) when the application has made durable what is"
          + " before position n, position(0) when it has nothing durable and is to get everything again";
    }
    return null;
  }

  /// The first request for the state, some day, is too late to find out that nobody answers it.
  private @Nullable String stateFault(String name) {
    if (!observer && group.stateTransfer() && !member.takesState()) {
      return "group \"" + name + "\" has state transfer, and a member that does without the state may only observe";
    }
    GroupListener listener = member.listener();
    if (listener == null || !stateTransfer()) {
      return null;
    }
    boolean gives = observer || overrides(listener, "requestState", Event.StateRequest.class);
    return gives && overrides(listener, "offerState", Event.StateOffer.class)
        ? null
        : "group \"%s\" has state transfer, and %s does not handle it: override %sofferState"
            .formatted(name, listener.getClass().getName(), observer ? "" : "requestState and ");
  }

  private static boolean overrides(GroupListener listener, String method, Class<?> event) {
    try {
      return listener.getClass().getMethod(method, event).getDeclaringClass() != GroupListener.class;
    } catch (NoSuchMethodException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
