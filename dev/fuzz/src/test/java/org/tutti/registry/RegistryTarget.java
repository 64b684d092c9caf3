package org.tutti.registry;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Set;
import org.tutti.fixture.MemoryStorage;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.registry.http.HttpPort;
import org.tutti.storage.StorageException;

/// The JSON that members and a registry say to each other, and that a registry finds on its disk.
public final class RegistryTarget implements FuzzTarget {
  private static final int MANY = 8;

  // The registry remembers what earlier inputs announced. An answer tells all members of a group and a change writes
  // all groups, so with many of them a short input rightly costs more than its length allows.
  private static final RegistryConfig CONFIG =
      new RegistryConfig(4, RegistryConfig.expecting(2).lease(), MANY, MANY, 2);

  private final Registry registry;

  /// Begins.
  ///
  /// @throws IOException when the registry cannot listen
  public RegistryTarget() throws IOException {
    var anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    registry = Registry.open(anywhere, CONFIG, new MemoryStorage(), null, _ -> {});
  }

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(GroupRecords.Refused.class, StorageException.class);
  }

  @Override
  public void take(ByteBuffer input) throws GroupRecords.Refused {
    switch (FuzzTarget.choice(input, 5)) {
      case 0 -> ask(RegistryCount.ANNOUNCED, input);
      case 1 -> ask(RegistryCount.LEFT, input);
      case 2 -> ask(RegistryCount.LOOKED, input);
      case 3 -> {
        var storage = new MemoryStorage();
        storage.region("registry").record("rolls", FuzzTarget.array(input));
        new GroupRecords(CONFIG, storage, _ -> {}, 0).look("g", 0);
      }
      default -> answered(input);
    }
  }

  /// What a registry answers to members, who expect any [IOException].
  private static void answered(ByteBuffer input) {
    try {
      GroupState state = GroupState.ofJson(JSON.std.anyFrom(FuzzTarget.array(input)));
      if (!GroupState.ofJson(JSON.std.anyFrom(JSON.std.asBytes(state.toJson()))).equals(state)) {
        throw new AssertionError(state + " is not read again");
      }
    } catch (IOException _) {
      // As said.
    }
  }

  private void ask(RegistryCount what, ByteBuffer input) throws GroupRecords.Refused {
    var request = new HttpPort.Request("POST", "/", FuzzTarget.array(input), false);
    Registry.bytes(registry.answer(what, request));
  }
}
