package org.tutti.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `tutti bench ipc` runs with processes, without other toolkits.
class IpcQuestionsTest {
  private static final List<String> SMALL = List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  @TempDir Path directory;

  private String measured(int processes, IpcOptions what) throws InterruptedException {
    var text = new StringWriter();
    Duration moment = Duration.ofMillis(50);
    var options = InstrumentOptions.withOwnLengths(processes, 1, moment, false, SMALL, false, directory, 2, 2, true);
    assertThat(Instrument.ipc(what, options, new PrintWriter(text))).as("%s", text).isTrue();
    return text.toString();
  }

  private static void assertThatAllProcessesHaveEnded() {
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void mistakesAreNamed() {
    assertThatThrownBy(() -> new IpcOptions("tcp", 65, List.of()))
        .hasMessage("1 to 64 processes ask at a time, not 65");
    assertThatThrownBy(() -> new IpcOptions("tcp", 8, List.of("nats"))).hasMessage("peers are jgroups-STACK, not nats");
  }

  @Tag("socket")
  @Test
  void questionsToOtherProcessesAreMeasuredByProcessesThatAllEnd() throws InterruptedException {
    assertThat(measured(3, new IpcOptions("unix", 8, List.of())))
        .contains("questions of 32 B to 2 members in other processes, all replies, asked by 1 at a time: 1 of 1 rounds")
        .contains("asked by 8 at a time: 1 of 1 rounds count")
        .containsPattern("(?s)(\\| ipc over unix, callbacks +\\| [1-9].*){2}")
        .containsPattern("(?s)(\\| ipc over unix, threads wait +\\| [1-9].*){2}")
        .doesNotContain("NaN");
    assertThatAllProcessesHaveEnded();
  }

  /// Another toolkit is found on the class path of the processes, or else it is said which one is missing.
  @Tag("socket")
  @Test
  void aToolkitThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> measured(2, new IpcOptions("tcp", 1, List.of("jgroups-tcp"))))
        .isInstanceOf(BenchException.class)
        .hasMessageStartingWith("jgroups-tcp-of-2-0: failed no target is called jgroups; see ");
    assertThatAllProcessesHaveEnded();
  }
}
