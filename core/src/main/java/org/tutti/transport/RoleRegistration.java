package org.tutti.transport;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/// The registration of one process at a registry, as a client or as a server: the registry gives it a number, tells who
/// else is registered, and whether all that are expected are there. Clients have the low numbers, servers those behind
/// them:
///
/// ```
/// clients   0 1 2 ... C-1       C: how many there are, or may be
/// servers   C C+1 ...           as many as are expected, and those that come later
/// ```
///
/// Source: N. Hirt, *Atomic Broadcast on various middlewares* (1998), sections 4.4 and C.1 to C.4. There every process
/// is registered before the first message; here processes come and go at any time.
///
/// A number is that of one living process of the group, and stays with its name: a process that comes back under its
/// name gets the same number, unless another one has it by now. Who leaves ([#close]) frees its number. A process
/// renews its registration each time that it asks, so it has to ask once a second, as a node does with what it is to
/// discover; one that has not asked for [#LEASE_SECONDS] counts as crashed, and what it had may be given to another.
///
/// **Threads**: any, and several at a time.
public interface RoleRegistration extends Discovery {
  /// For how long a registration holds that is not renewed, unless the registry has a setting for it.
  int LEASE_SECONDS = 10;

  /// What a process is to the others.
  enum Role {
    /// Sends requests.
    CLIENT,

    /// Answers requests.
    SERVER;

    /// The word for it in what registries keep and send.
    ///
    /// @return the name in lower case
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// A process that is registered in a role.
  ///
  /// @param id      its number, from 0
  /// @param role    what it is
  /// @param name    its name, of which there is one in a group
  /// @param address where it listens
  record Registrant(long id, Role role, String name, Address address) {}

  /// What a registry says to a process that is registered there.
  ///
  /// @param id          the process's own number. It stays the same as long as the registration is renewed in time and
  ///                    the registry knows of it; otherwise it is claimed again, and is another one only when somebody
  ///                    else has got it before
  /// @param servers     how many servers are expected, 1 or more
  /// @param complete    whether all that are expected are there: these servers, and where the number of clients is
  ///                    exact, these clients, too
  /// @param registrants who is registered in a role, by number; this process among them, unless the registry tells
  ///                    addresses only when it is complete
  record State(long id, int servers, boolean complete, List<Registrant> registrants) {
    /// Copies the list.
    public State {
      registrants = List.copyOf(registrants);
    }
  }

  /// Registers this process, or renews its registration. May block for some seconds.
  ///
  /// @return what the registry says now
  /// @throws IOException          when there is no answer, no number for this role is free, or a later life of this
  ///                              process's name is registered; the message says which, in one line
  /// @throws InterruptedException when interrupted while waiting for the answer
  State register() throws IOException, InterruptedException;

  /// Registers this process, or renews its registration, and looks who may be there: those that are registered in a
  /// role, and those that are registered without.
  @Override
  List<Address> find() throws IOException, InterruptedException;

  /// Ends the registration, which frees the number, and releases what is held for it. Called once, when nobody asks any
  /// more. May block for some seconds.
  @Override
  void close();
}
