package org.tutti.blocks;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Client;
import org.tutti.replica.Read;
import org.tutti.replica.ServiceException;

/// A map that all clients share. Each change is made once, all changes are in one order, and reads are linearizable,
/// unless [another way to read][#reading] is chosen.
///
/// ```java
/// ReplicatedMap<String, Long> stock = ReplicatedMap.of(client, "stock", Codec.text(), Codec.number());
/// stock.put("bolts", 500L);
/// stock.compute("bolts", left -> left == null ? null : left - 20);
/// try (Watch watch = stock.watch(event -> System.out.println(event))) {
///   ...
/// }
/// ```
///
/// Each value has a *version*, the number of the map's change that put it. So what depends on a value that was read is
/// put with [#compareAndSet], and is refused when somebody else has put or removed it since.
///
/// An entry has up to 4 MiB. All methods may be called from any thread; they wait for the reply, and throw a
/// [ServiceException] that says what is known when there is none in time ([Client.Builder#deadline]). Who is
/// interrupted while waiting for a change does not know whether it was made.
///
/// @param <K> the type of keys
/// @param <V> the type of values
public final class ReplicatedMap<K, V> {
  private final Calls calls;
  private final Codec<K> keys;
  private final Codec<V> values;
  private final Read read;

  private ReplicatedMap(Calls calls, Codec<K> keys, Codec<V> values, Read read) {
    this.calls = calls;
    this.keys = keys;
    this.values = values;
    this.read = read;
  }

  /// A map, which need not have been used before.
  ///
  /// @param <K>    the type of keys
  /// @param <V>    the type of values
  /// @param client connected to [Blocks]
  /// @param name   the map's, up to 1024 bytes in UTF-8
  /// @param keys   how keys are bytes
  /// @param values how values are bytes
  /// @return the map
  public static <K, V> ReplicatedMap<K, V> of(Client client, String name, Codec<K> keys, Codec<V> values) {
    return new ReplicatedMap<>(new Calls(client, Blocks.Kind.MAP, name), keys, values, Read.LINEARIZABLE);
  }

  /// The same map, read in another way: with [Read#LOCAL] and [Read#SEQUENTIAL] one replica is asked, which asks
  /// nobody.
  ///
  /// @param instead the other way
  /// @return another object
  public ReplicatedMap<K, V> reading(Read instead) {
    return new ReplicatedMap<>(calls, keys, values, instead);
  }

  /// The value of a key.
  ///
  /// @param key the key
  /// @return null when it has none
  /// @throws InterruptedException when interrupted while waiting
  public @Nullable V get(K key) throws InterruptedException {
    return getVersioned(key).map(Versioned::value).orElse(null);
  }

  /// The value of a key, and its version.
  ///
  /// @param key the key
  /// @return empty when it has none
  /// @throws InterruptedException when interrupted while waiting
  public Optional<Versioned<V>> getVersioned(K key) throws InterruptedException {
    return Calls.await(getAsync(key));
  }

  /// As [#getVersioned], without waiting.
  ///
  /// @param key the key
  /// @return completes on the client's thread; exceptionally with a [ServiceException]
  /// @throws InterruptedException when interrupted while waiting for room ([Client#call(ByteBuffer)])
  public CompletableFuture<Optional<Versioned<V>>> getAsync(K key) throws InterruptedException {
    ByteBuffer bytes = keys.encode(key);
    ByteBuffer question = Message.put(calls.message(MapBlock.GET, Message.length(bytes)), bytes).flip();
    return calls.client().query(question, read).thenApply(this::entry);
  }

  /// Puts a value.
  ///
  /// @param key   of what
  /// @param value what it has from now on
  /// @return what it had before; null when it had none
  /// @throws InterruptedException when interrupted while waiting
  public @Nullable V put(K key, V value) throws InterruptedException {
    return Calls.await(putAsync(key, value)).map(Versioned::value).orElse(null);
  }

  /// As [#put], without waiting.
  ///
  /// @param key   of what
  /// @param value what it has from now on
  /// @return completes with what it had before, on the client's thread; exceptionally with a [ServiceException]
  /// @throws InterruptedException when interrupted while waiting for room ([Client#call(ByteBuffer)])
  public CompletableFuture<Optional<Versioned<V>>> putAsync(K key, V value) throws InterruptedException {
    return update(key, MapBlock.ANY, value).thenApply(Update::before);
  }

  /// Puts a value unless there is one.
  ///
  /// @param key   of what
  /// @param value what it has from now on, if it had none
  /// @return what it had and has; null when it had none
  /// @throws InterruptedException when interrupted while waiting
  public @Nullable V putIfAbsent(K key, V value) throws InterruptedException {
    return Calls.await(update(key, 0, value)).before.map(Versioned::value).orElse(null);
  }

  /// Removes a key.
  ///
  /// @param key what
  /// @return what it had; null when it had nothing
  /// @throws InterruptedException when interrupted while waiting
  public @Nullable V remove(K key) throws InterruptedException {
    return Calls.await(update(key, MapBlock.ANY, null)).before.map(Versioned::value).orElse(null);
  }

  /// Removes a key if its value has a version.
  ///
  /// @param key     what
  /// @param version what it has to have
  /// @return whether it was removed
  /// @throws InterruptedException when interrupted while waiting
  public boolean remove(K key, long version) throws InterruptedException {
    return Calls.await(update(key, version, null)).done;
  }

  /// Puts a value if the one that is there has a version.
  ///
  /// @param key     of what
  /// @param version what it has to have; 0 when it has to have no value
  /// @param value   what it has from then on
  /// @return whether it was put
  /// @throws InterruptedException when interrupted while waiting
  public boolean compareAndSet(K key, long version, V value) throws InterruptedException {
    return Calls.await(update(key, version, value)).done;
  }

  /// Changes a value as a function of itself: reads, and puts or removes what the function says if nobody else has been
  /// faster; otherwise again.
  ///
  /// @param key    of what
  /// @param change given the value, or null; null removes it. Called once for each attempt
  /// @return what it has then
  /// @throws InterruptedException when interrupted while waiting
  public @Nullable V compute(K key, Function<@Nullable V, @Nullable V> change) throws InterruptedException {
    Optional<Versioned<V>> now = getVersioned(key);
    while (true) {
      V value = change.apply(now.map(Versioned::value).orElse(null));
      if (value == null && now.isEmpty()) {
        return null;
      }
      Update<V> update = Calls.await(update(key, now.map(Versioned::version).orElse(0L), value));
      if (update.done) {
        return value;
      }
      now = update.before;
    }
  }

  private record Update<V>(boolean done, Optional<Versioned<V>> before) {}

  private CompletableFuture<Update<V>> update(K key, long expected, @Nullable V value) throws InterruptedException {
    ByteBuffer name = keys.encode(key);
    ByteBuffer content = value == null ? null : values.encode(value);
    int length = Long.BYTES + Message.length(name) + 1 + (content == null ? 0 : Message.length(content));
    ByteBuffer message = Message.put(calls.message(MapBlock.UPDATE, length).putLong(expected), name);
    if (content == null) {
      message.put((byte) 0);
    } else {
      Message.put(message.put((byte) 1), content);
    }
    return calls.client().call(message.flip()).thenApply(reply -> new Update<>(reply.get() != 0, entry(reply)));
  }

  private Optional<Versioned<V>> entry(ByteBuffer in) {
    long version = in.getLong();
    return version == 0 ? Optional.empty() : Optional.of(new Versioned<>(values.decode(Message.bytes(in)), version));
  }

  /// How many entries there are.
  ///
  /// @return the number
  /// @throws InterruptedException when interrupted while waiting
  public long size() throws InterruptedException {
    return calls.query(calls.message(MapBlock.SIZE, 0), read).getLong();
  }

  /// All entries. A map of more than a megabyte is read in pieces, between which it may change.
  ///
  /// @return in the order of the keys' bytes; read only
  /// @throws InterruptedException when interrupted while waiting
  public Map<K, V> entries() throws InterruptedException {
    var all = new LinkedHashMap<K, V>();
    list(all);
    return Collections.unmodifiableMap(all);
  }

  /// Returns the revision of the first piece: what it does not have comes later.
  private long list(Map<K, V> into) throws InterruptedException {
    ByteBuffer last = null;
    long revision = -1;
    for (boolean more = true; more; ) {
      ByteBuffer question = calls.message(MapBlock.LIST, 1 + (last == null ? 0 : Message.length(last)));
      question.put((byte) (last == null ? 0 : 1));
      ByteBuffer answer = calls.query(last == null ? question : Message.put(question, last), read);
      long now = answer.getLong();
      revision = revision < 0 ? now : revision;
      more = answer.get() != 0;
      while (answer.get() != 0) {
        last = Message.bytes(answer);
        K key = keys.decode(last.duplicate());
        entry(answer).ifPresent(entry -> into.put(key, entry.value()));
      }
    }
    return revision;
  }

  /// Tells all changes from now on, in their order, each once.
  ///
  /// @param listener called on a thread of its own, one time after the other
  /// @return ends it when closed
  /// @throws InterruptedException when interrupted while waiting for the moment in which it begins
  public Watch watch(Consumer<? super MapEvent<K, V>> listener) throws InterruptedException {
    ByteBuffer size = calls.query(calls.message(MapBlock.SIZE, 0), Read.LINEARIZABLE);
    var known = new AtomicLong(size.getLong(Long.BYTES));
    return new Watch(
        calls.name(),
        watch -> {
          ByteBuffer question = calls.message(MapBlock.WATCH, Long.BYTES).putLong(known.get());
          ByteBuffer answer = calls.query(question, Calls.FOR_EVER);
          long revision = answer.getLong();
          if (answer.get() == 0) {
            var all = new LinkedHashMap<K, V>();
            revision = reading(Read.SEQUENTIAL).list(all);
            watch.check();
            listener.accept(new MapEvent.Reset<>(Collections.unmodifiableMap(all)));
          } else {
            while (answer.get() != 0) {
              watch.check();
              listener.accept(change(answer));
            }
          }
          known.set(revision);
        });
  }

  private MapEvent<K, V> change(ByteBuffer in) {
    long revision = in.getLong();
    K key = keys.decode(Message.bytes(in));
    return in.get() == 0
        ? new MapEvent.Removed<>(key, revision)
        : new MapEvent.Put<>(key, values.decode(Message.bytes(in)), revision);
  }
}
