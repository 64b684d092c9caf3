package org.tutti.ipc.ids;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.GroupIds;
import org.tutti.ipc.IssuedGroup;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.SendKey;
import org.tutti.ipc.Status;
import org.tutti.replica.Client;
import org.tutti.replica.Read;
import org.tutti.replica.ServiceException;

/// A client of a [GroupIdServer]: it draws salts and hashes passwords, each call on a thread of its own.
///
/// ```java
/// Client client = Client.of(GroupIdClient.SERVICE).at(servers).deadline(Duration.ofSeconds(5)).connect();
/// Ipc host = Ipc.open("a", "tutti", transport, hosts, new GroupIdClient(client));
/// ```
///
/// A call takes as long as the client's deadline at most, twice that where it asks twice, and the time that hashing
/// takes. Commands are executed once, whatever crashes: a group that was created when a server crashed is created once.
///
/// What is said: to create a group, salts, the hash of the control password's key, and the send key; to join, leave and
/// destroy one, the control password's key. So who listens without TLS can do all that, and send; who reads a server's
/// disk can send, and can try passwords at a cost of so many hashes each ([#ITERATIONS]).
public final class GroupIdClient implements GroupIds {
  /// The name of the service.
  public static final String SERVICE = "ipc-ids";

  /// How often a password is hashed if nothing else is said; as OWASP's Password Storage Cheat Sheet has it for
  /// HMAC-SHA512 in 2023. It takes about 0.2 s.
  public static final int ITERATIONS = 210_000;

  private static final int ITERATIONS_MIN = 1000;

  private final Client client;
  private final int iterations;
  private final SecureRandom random = new SecureRandom();

  /// Takes a client.
  ///
  /// @param client of a service of [#SERVICE]; stays the caller's, who closes it
  public GroupIdClient(Client client) {
    this(client, ITERATIONS);
  }

  /// Takes a client, and chooses how hard the passwords are to guess of the groups that it creates.
  ///
  /// @param client     as in [#GroupIdClient(Client)]
  /// @param iterations how often a password is hashed, 1000 to 10,000,000: fewer where passwords are long and random
  /// @throws IllegalArgumentException when the number is out of range
  public GroupIdClient(Client client, int iterations) {
    if (iterations < ITERATIONS_MIN || iterations > Lock.ITERATIONS_MAX) {
      throw new IllegalArgumentException(
          "a password is hashed " + ITERATIONS_MIN + " to " + Lock.ITERATIONS_MAX + " times, not " + iterations);
    }
    this.client = client;
    this.iterations = iterations;
  }

  /// What happens on a call's own thread.
  private interface Steps<T> {
    Result<T> run() throws InterruptedException, ExecutionException;
  }

  @Override
  public CompletableFuture<Result<GroupId>> create(String password, String sendPassword) {
    GroupIds.requirePassword(password);
    GroupIds.requirePassword(sendPassword);
    return async(() -> {
      Lock control = Lock.draw(iterations, random);
      byte[] verifier = Lock.verifier(control.key(password));
      ByteBuffer command;
      if (sendPassword.isEmpty()) {
        command = IdMessage.create(control, verifier);
      } else {
        Lock send = Lock.draw(iterations, random);
        command = IdMessage.create(control, verifier, send, Lock.sendKey(send.key(sendPassword)));
      }
      ByteBuffer reply = client.call(command).get();
      Status status = status(reply);
      return status == null ? new Done<>(id(reply)) : new Aborted<>(status);
    });
  }

  private static GroupId id(ByteBuffer reply) {
    var id = new GroupId(IdMessage.number(reply));
    IdMessage.end(reply);
    return id;
  }

  /// What the server says to everybody.
  private record Looked(Lock control, @Nullable Lock send) {
    static Looked read(ByteBuffer reply) {
      var control = new Lock(IdMessage.number(reply), IdMessage.take(reply, Lock.SALT_BYTES));
      Lock send = IdMessage.flag(reply) ? new Lock(control.iterations(), IdMessage.take(reply, Lock.SALT_BYTES)) : null;
      IdMessage.end(reply);
      return new Looked(control, send);
    }

    IssuedGroup group(GroupId id, @Nullable SendKey key) {
      return new IssuedGroup(id, ByteBuffer.wrap(control.salt()).asReadOnlyBuffer(), send != null, key);
    }
  }

  private Result<Looked> looked(GroupId id) throws InterruptedException, ExecutionException {
    if (!id.isIssued()) {
      return new Aborted<>(Status.GROUP_DOES_NOT_EXIST);
    }
    ByteBuffer reply = client.query(IdMessage.look(id.value()), Read.LINEARIZABLE).get();
    Status status = status(reply);
    return status == null ? new Done<>(Looked.read(reply)) : new Aborted<>(status);
  }

  @Override
  public CompletableFuture<Result<IssuedGroup>> look(GroupId id) {
    return async(() ->
        switch (looked(id)) {
          case Done(Looked looked) -> new Done<>(looked.group(id, null));
          case Aborted(Status status) -> new Aborted<>(status);
        });
  }

  @Override
  public CompletableFuture<Result<IssuedGroup>> check(GroupId id, String password) {
    GroupIds.requirePassword(password);
    return async(() ->
        switch (looked(id)) {
          case Done(Looked looked) -> check(id, looked, password);
          case Aborted(Status status) -> new Aborted<>(status);
        });
  }

  private Result<IssuedGroup> check(GroupId id, Looked looked, String password)
      throws InterruptedException, ExecutionException {
    ByteBuffer question = IdMessage.with(IdMessage.CHECK, id.value(), looked.control.key(password));
    ByteBuffer reply = client.query(question, Read.LINEARIZABLE).get();
    Status status = status(reply);
    if (status != null) {
      return new Aborted<>(status);
    }
    SendKey key = IdMessage.flag(reply) ? new SendKey(IdMessage.take(reply, Lock.KEY_BYTES)) : null;
    IdMessage.end(reply);
    return new Done<>(looked.group(id, key));
  }

  @Override
  public CompletableFuture<Result<SendKey>> sendKey(GroupId id, String sendPassword) {
    GroupIds.requirePassword(sendPassword);
    return async(() ->
        switch (looked(id)) {
          case Done(Looked looked) -> sendKey(id, looked.send, sendPassword);
          case Aborted(Status status) -> new Aborted<>(status);
        });
  }

  private Result<SendKey> sendKey(GroupId id, @Nullable Lock lock, String password)
      throws InterruptedException, ExecutionException {
    if (lock == null) {
      return new Aborted<>(Status.WRONG_PASSWORD);
    }
    byte[] key = Lock.sendKey(lock.key(password));
    ByteBuffer question = IdMessage.with(IdMessage.CHECK_SEND, id.value(), key);
    Status status = status(client.query(question, Read.LINEARIZABLE).get());
    return status == null ? new Done<>(new SendKey(key)) : new Aborted<>(status);
  }

  @Override
  public CompletableFuture<Result<GroupId>> destroy(GroupId id, String password) {
    GroupIds.requirePassword(password);
    return async(() ->
        switch (looked(id)) {
          case Done(Looked looked) -> {
            ByteBuffer command = IdMessage.with(IdMessage.DESTROY, id.value(), looked.control.key(password));
            Status status = status(client.call(command).get());
            yield status == null ? new Done<>(id) : new Aborted<>(status);
          }
          case Aborted(Status status) -> new Aborted<>(status);
        });
  }

  private static @Nullable Status status(ByteBuffer reply) {
    byte outcome = IdMessage.octet(reply);
    return switch (outcome) {
      case IdMessage.DONE -> null;
      case IdMessage.UNKNOWN -> Status.GROUP_DOES_NOT_EXIST;
      case IdMessage.WRONG -> Status.WRONG_PASSWORD;
      case IdMessage.FULL -> Status.NO_BUFF;
      default -> throw new IllegalArgumentException("no outcome of a group-id server: " + outcome);
    };
  }

  private static <T> CompletableFuture<Result<T>> async(Steps<T> steps) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return steps.run();
          } catch (ServiceException | ExecutionException | IllegalArgumentException _) {
            return new Aborted<>(Status.NO_SERVER); // it is not there, or it is another service
          } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new Aborted<>(Status.NO_SERVER);
          }
        },
        task -> Thread.ofVirtual().name("ipc-ids").start(task));
  }
}
