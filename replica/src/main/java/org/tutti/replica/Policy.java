package org.tutti.replica;

import java.util.ArrayList;
import java.util.List;
import org.tutti.Ordering;

/// How a client wants to use the replicas of a service: one value of four choices. Passive replication gives one reply,
/// so it does not go with the collection of several; that leaves 24 policies with the two orderings of the source.
///
/// The client decides where its commands go and how many replies it waits for, the replicas decide the ordering, and
/// the replication is negotiated: [Client#policy] says what was agreed on.
///
/// Source: *Policies for using Replica Groups and their effectiveness over the Internet*, section 2.
///
/// @param dissemination to whom commands go
/// @param collection    how many replies a call waits for
/// @param replication   who executes
/// @param ordering      how the replicas order commands: [Ordering#SEQUENCER] is the source's O1, asymmetric, and
///                      [Ordering#SYMMETRIC] is O2
public record Policy(Dissemination dissemination, Collection collection, Replication replication, Ordering ordering) {
  /// To whom a client's commands go.
  public enum Dissemination {
    /// To the request manager: the most senior replica that serves. Any other one refuses the client and names the
    /// manager, as long as the manager is there. The source calls it D1.
    MANAGER,
    /// To all replicas: the client is connected to each, and a crash delays nothing that another one has. Each
    /// multicasts the command, and it is executed once. The source calls it D2.
    ALL
  }

  /// How many replies a call waits for.
  public enum Collection {
    /// None: a call completes when the command was handed to the connection. It is executed once as the others are, but
    /// nobody is told. The source calls it C0.
    NONE,
    /// The first. The source calls it C1.
    FIRST,
    /// Those of all replicas that are there when the command is executed; who leaves before it has answered is not
    /// waited for. The source calls it C2.
    ALL,
    /// Those of more than half of them. The source calls it C3.
    MAJORITY
  }

  private static final Dissemination[] DISSEMINATIONS = Dissemination.values();
  private static final Collection[] COLLECTIONS = Collection.values();
  private static final Replication[] REPLICATIONS = Replication.values();
  private static final Ordering[] ORDERINGS = Ordering.values();

  /// Refuses what does not go together.
  ///
  /// @throws IllegalArgumentException when several replies are wanted of passive replication
  public Policy {
    if (replication == Replication.PASSIVE && isOfSeveral(collection)) {
      throw new IllegalArgumentException(
          "passive replication gives one reply, of the primary: a client cannot collect " + collection);
    }
  }

  /// The policies of the source.
  ///
  /// @return all 24, in the order of their choices
  public static List<Policy> all() {
    var all = new ArrayList<Policy>();
    for (Dissemination dissemination : DISSEMINATIONS) {
      for (Collection collection : COLLECTIONS) {
        for (Replication replication : REPLICATIONS) {
          if (replication == Replication.ACTIVE || !isOfSeveral(collection)) {
            all.add(new Policy(dissemination, collection, replication, Ordering.SEQUENCER));
            all.add(new Policy(dissemination, collection, replication, Ordering.SYMMETRIC));
          }
        }
      }
    }
    return List.copyOf(all);
  }

  /// The policy with what the replicas do.
  ///
  /// @param its replication
  /// @param by  ordering
  /// @return what was agreed on
  /// @throws IllegalArgumentException when several replies are wanted of replicas that replicate passively
  public Policy agreed(Replication its, Ordering by) {
    return new Policy(dissemination, collection, its, by);
  }

  /// Whether a call waits for the replies of several replicas.
  ///
  /// @return whether those of all are collected, or of a majority
  public boolean collectsSeveral() {
    return isOfSeveral(collection);
  }

  private static boolean isOfSeveral(Collection collection) {
    return collection == Collection.ALL || collection == Collection.MAJORITY;
  }

  /// As it is sent: a byte for each choice.
  ///
  /// @return not negative
  public int code() {
    return dissemination.ordinal() << 24 | collection.ordinal() << 16 | replication.ordinal() << 8 | ordering.ordinal();
  }

  /// The policy that was sent.
  ///
  /// @param code as [#code]
  /// @return the policy
  /// @throws IllegalArgumentException when there is no such policy, or its choices do not go together
  public static Policy of(int code) {
    int dissemination = code >>> 24;
    int collection = code >>> 16 & 0xff;
    int replication = code >>> 8 & 0xff;
    int ordering = code & 0xff;
    if (dissemination >= DISSEMINATIONS.length
        || collection >= COLLECTIONS.length
        || replication >= REPLICATIONS.length
        || ordering >= ORDERINGS.length) {
      throw new IllegalArgumentException(String.format("there is no policy %08x", code));
    }
    return new Policy(
        DISSEMINATIONS[dissemination], COLLECTIONS[collection], REPLICATIONS[replication], ORDERINGS[ordering]);
  }

  /// The policy in the letters and numbers of the source: D, C, R and O for the choices in their order.
  @Override
  public String toString() {
    String by =
        switch (ordering) {
          case SEQUENCER -> "O1";
          case SYMMETRIC -> "O2";
          default -> ordering.toString();
        };
    return "D"
        + (dissemination.ordinal() + 1)
        + " C"
        + collection.ordinal()
        + " R"
        + (replication.ordinal() + 1)
        + " "
        + by;
  }
}
