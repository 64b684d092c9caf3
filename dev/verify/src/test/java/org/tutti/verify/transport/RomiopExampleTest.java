package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tutti.fixture.Tree;

class RomiopExampleTest {
  @Test
  void servantAndClientKnowNothingOfTutti() throws IOException {
    try (Stream<Path> files = Files.list(Tree.root().resolve("transports/romiop/example"))) {
      List<Path> sources = files.filter(each -> each.toString().endsWith(".java")).toList();
      assertThat(sources).hasSize(2);
      for (Path source : sources) {
        assertThat(Files.readString(source)).as(source.toString()).doesNotContainIgnoringCase("tutti");
      }
    }
  }
}
