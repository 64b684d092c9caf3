package org.tutti.verify.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.verify.cli.CommandProcess;

/// The container image runs where nothing else is.
@Tag("deep")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ImageTest {
  @TempDir private Path directory;

  private ContainerImage image;

  @BeforeEach
  void unpack() throws Exception {
    image = ContainerImage.unpack(directory);
  }

  @AfterEach
  void close() throws Exception {
    if (image != null) {
      image.close();
    }
  }

  private CommandProcess run(String id, String... args) throws Exception {
    return image.start(id, null, List.of(), List.of(args));
  }

  @Test
  void itIsNoRootAndHasNoShell() {
    Map<?, ?> user = (Map<?, ?>) image.process().get("user");
    assertThat(user.get("uid")).isEqualTo(65532);
    assertThat(user.get("gid")).isEqualTo(65532);
    assertThat(image.root().resolve("bin")).doesNotExist();
    assertThat(image.root().resolve("usr/bin")).doesNotExist();
  }

  @Test
  void itRunsOnAFileSystemThatIsReadOnly() throws Exception {
    CommandProcess version = run("version", "version");
    assertThat(version.exitCode()).as("%s", version.errors()).isZero();
    assertThat(version.rest()).singleElement().asString().startsWith("tutti ");
    CommandProcess help = run("help", "help", "member");
    assertThat(String.join(" ", help.rest()).replaceAll("\\s+", " ")).contains("grpc, iiop, rmi, tcp, udp");
  }

  @Test
  void aMemberFoundsAGroupAndLeavesItWhenItIsStopped() throws Exception {
    Path data = Files.createDirectory(directory.resolve("data"));
    HostProgram.run("chown", "65532:65532", data.toString());
    CommandProcess member =
        image.start(
            "member",
            null,
            List.of(new ContainerImage.Mount(data, "/data", true)),
            List.of("member", "--group=g", "--create", "--name=n1", "--listen=127.0.0.1:0", "--data=/data/tutti"));
    member.lineMatching("view \\S+ primary: n1");
    member.signal("TERM");
    assertThat(member.exitCode()).isIn(0, 143);
    assertThat(data.resolve("tutti")).isDirectory();
  }
}
