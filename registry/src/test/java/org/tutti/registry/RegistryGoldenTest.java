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

/// The bytes of requests to a registry, of its answers, and of what it keeps.
class RegistryGoldenTest {
  private static final RegistryConfig CONFIG = RegistryConfig.expecting(2);
  private static final GroupRecord.Announcement SAID =
      new GroupRecord.Announcement("n1", 300, new Address("10.0.0.5:7001"), true, -1);

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
    var fields = new Fields(JSON.std.anyFrom(bytes));
    return new GroupRecord.Announcement(
        fields.text("name"), fields.number("life"), fields.address("address"), fields.flag("in"), fields.number("id"));
  }

  @Test
  void requestsAndAnswers() throws IOException {
    var member = new GroupState.Registered(0, "n1", new Address("10.0.0.5:7001"));
    new Golden("registry", "registry-http", "bodies of `/v1/announce` and of the answers: `Announcement`, `GroupState`")
        .written("announcement", JSON.std.asBytes(SAID.toJson("bank")), RegistryGoldenTest::announcement)
        .example("waiting", new GroupState(1, 2, 1, false, false, false, List.of()), states())
        .example("complete", new GroupState(0, 2, 2, true, false, true, List.of(member)), states())
        .check();
  }

  private record Kept(Map<String, Object> bank) {}

  private static byte[] kept() throws GroupRecords.Refused {
    var storage = new MemoryStorage();
    new GroupRecords(CONFIG, storage, _ -> {}, 0).announce("bank", SAID, 0);
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
        .written("a group", kept(), RegistryGoldenTest::kept)
        .check();
  }

  @Test
  void aRecordOfAnotherVersionIsRefusedWithBothVersions() {
    byte[] newer = "{\"version\":2,\"groups\":[]}".getBytes(UTF_8);
    assertThatThrownBy(() -> kept(newer))
        .hasMessage("the stored registrations are of version 2, this registry reads version 1");
  }
}
