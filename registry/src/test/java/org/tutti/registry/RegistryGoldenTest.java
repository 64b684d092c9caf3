package org.tutti.registry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.fixture.Golden;
import org.tutti.fixture.MemoryStorage;
import org.tutti.transport.Address;
import org.tutti.transport.RoleRegistration.Role;

/// The bytes of requests to a registry, of its answers, and of what it keeps.
class RegistryGoldenTest {
  private static final RegistryConfig CONFIG = RegistryConfig.expecting(2);
  private static final GroupRecord.Announcement SAID =
      new GroupRecord.Announcement("n1", 300, new Address("10.0.0.5:7001"), true, -1, null);
  private static final GroupRecord.Announcement CLIENT =
      new GroupRecord.Announcement("c1", 301, new Address("10.0.0.6:7001"), false, -1, Role.CLIENT);

  private static Golden.Format<GroupState> states() {
    return new Golden.Format<>() {
      @Override
      public byte[] write(GroupState state) throws IOException {
        return JSON.std.asBytes(state.toJson());
      }

      @Override
      public GroupState read(byte[] bytes) throws IOException {
        return GroupState.ofJson(JSON.std.anyFrom(bytes));
      }
    };
  }

  private static GroupRecord.Announcement announcement(byte[] bytes) throws IOException {
    return GroupRecord.Announcement.ofJson(new Fields(JSON.std.anyFrom(bytes)));
  }

  @Test
  void requestsAndAnswers() throws IOException {
    var member = new GroupState.Registered(0, "n1", new Address("10.0.0.5:7001"), null);
    var client = new GroupState.Registered(0, "c1", new Address("10.0.0.6:7001"), Role.CLIENT);
    var server = new GroupState.Registered(1, "n1", new Address("10.0.0.5:7001"), Role.SERVER);
    new Golden("registry", "registry-http", "bodies of `/v1/announce` and of the answers: `Announcement`, `GroupState`")
        .written("announcement", JSON.std.asBytes(SAID.toJson("bank")), RegistryGoldenTest::announcement)
        .example("waiting", new GroupState(1, 2, 0, 1, false, false, false, List.of()), states())
        .example("complete", new GroupState(0, 2, 0, 2, true, false, true, List.of(member)), states())
        .written("announcement of a client", JSON.std.asBytes(CLIENT.toJson("bank")), RegistryGoldenTest::announcement)
        .example("roles", new GroupState(1, 2, 1, 2, true, false, true, List.of(client, server)), states())
        .check();
  }

  private record Kept(Map<String, Object> bank) {}

  private static byte[] kept(RegistryConfig config, GroupRecord.Announcement... said) throws GroupRecords.Refused {
    var storage = new MemoryStorage();
    var groups = new GroupRecords(config, storage, _ -> {}, 0);
    for (GroupRecord.Announcement one : said) {
      groups.announce("bank", one, 0);
    }
    return storage.region("registry").record("rolls");
  }

  private static Kept kept(byte[] bytes) {
    var storage = new MemoryStorage();
    storage.region("registry").record("rolls", bytes);
    return new Kept(new GroupRecords(CONFIG, storage, _ -> {}, 0).look("bank", 0).toJson());
  }

  @Test
  void records() throws GroupRecords.Refused {
    new Golden("registry", "registry-record", "the record `rolls` of a registry: `GroupRecords`")
        .written("a group", kept(CONFIG, SAID), RegistryGoldenTest::kept)
        .written("a group with roles", kept(CONFIG.withClients(1), SAID, CLIENT), RegistryGoldenTest::kept)
        .check();
  }

  @Test
  void aRecordOfAnotherVersionIsRefusedWithBothVersions() {
    byte[] newer = "{\"version\":2,\"groups\":[]}".getBytes(UTF_8);
    assertThatThrownBy(() -> kept(newer))
        .hasMessage("the stored registrations are of version 2, this registry reads version 1");
  }
}
