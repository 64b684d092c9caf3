package org.tutti.romiop;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.tutti.replica.StateMachine;
import org.tutti.romiop.Giop.BrokenGiopException;

/// The objects of a replicated service that clients call over IIOP: what a servant is to an ORB. [ReplicatedObjects]
/// has them called.
///
/// Deterministic, as [StateMachine] is: what an operation does and answers follows from the state and the [Call] alone.
interface ServedObjects {
  /// One call.
  ///
  /// @param key       of the object
  /// @param operation its name
  /// @param arguments as they came
  /// @param results   gets what is answered
  /// @param ports     of all replicas, for references to objects of the service
  /// @param unique    a number that no other command of any service has, most likely; 0 of a question
  record Call(
      String key, String operation, CdrIn arguments, CdrOut results, List<InetSocketAddress> ports, long unique) {}

  /// Whether an object has an interface, as `_is_a` asks.
  boolean isType(String key, String repositoryId);

  /// Whether an object may have that key.
  boolean isKey(String key);

  /// Whether there is an object of that key.
  boolean exists(String key);

  /// Whether an operation changes nothing.
  boolean isRead(String operation);

  /// Executes a call. One that throws has changed nothing.
  ///
  /// @throws DeclaredException   an exception of the interface
  /// @throws FailedException     one of the system
  /// @throws BrokenGiopException when the arguments are not those of the operation
  void call(Call call) throws DeclaredException, FailedException, BrokenGiopException;

  /// The state at this moment, behind the format's number.
  StateMachine.Snapshot snapshot();

  /// Takes a state instead of the own one.
  ///
  /// @throws IOException when it is not one
  void restore(DataInputStream in) throws IOException;

  /// A number that follows from the state.
  long digest();

  /// An exception that the IDL declares.
  final class DeclaredException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient CdrOut body;

    /// Begins one.
    ///
    /// @param repositoryId which exception
    DeclaredException(String repositoryId) {
      super(repositoryId, null, false, false); // a reply, not a mistake: nobody looks at where it was made
      body = new CdrOut().string(repositoryId);
    }

    /// Adds a member.
    DeclaredException with(String text) {
      body.string(text);
      return this;
    }

    /// What follows on the name: the members.
    CdrOut body() {
      return body;
    }
  }

  /// An exception that any operation may end by.
  final class FailedException extends Exception {
    private static final long serialVersionUID = 1;

    private final RomiopFailure failure;

    FailedException(RomiopFailure failure) {
      super(failure.name(), null, false, false);
      this.failure = failure;
    }

    RomiopFailure failure() {
      return failure;
    }
  }
}
