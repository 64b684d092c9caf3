package org.tutti.orbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.bench.trial.Instrument;
import org.tutti.bench.trial.InstrumentOptions;
import org.tutti.bench.trial.RomiopOptions;
import org.tutti.bench.trial.RomiopOptions.Part;

/// What `tutti bench romiop` runs.
class RomiopBenchTest {
  private static final List<String> SMALL = List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  @TempDir Path directory;

  private String measured(RomiopOptions what) throws InterruptedException {
    var text = new StringWriter();
    Duration moment = Duration.ofMillis(50);
    var options = InstrumentOptions.withOwnLengths(2, 1, moment, false, SMALL, false, directory, 2, 2, true);
    assertThat(Instrument.romiop(what, options, new PrintWriter(text))).as("%s", text).isTrue();
    return text.toString();
  }

  @Test
  void mistakesAreNamed() {
    EnumSet<Part> all = EnumSet.allOf(Part.class);
    assertThatThrownBy(() -> new RomiopOptions(all, List.of(0), List.of(32)))
        .hasMessage("groups have 1 to 7 servers, not [0]");
    assertThatThrownBy(() -> new RomiopOptions(all, List.of(3, 1), List.of(32)))
        .hasMessage("sizes of groups rise, not [3, 1]");
    assertThatThrownBy(() -> new RomiopOptions(all, List.of(1), List.of(-1)))
        .hasMessage("calls carry 0 to 8388608 bytes, not [-1]");
    assertThatThrownBy(() -> new RomiopOptions(EnumSet.noneOf(Part.class), List.of(1), List.of(1)))
        .hasMessage("nothing to measure");
  }

  @Tag("socket")
  @Tag("deep")
  @Test
  void unmodifiedClientsAndServersAreMeasuredByProcessesThatAllEnd() throws InterruptedException {
    assertThat(measured(new RomiopOptions(EnumSet.allOf(Part.class), List.of(1, 2), List.of(0, 70_000))))
        .containsPattern("(?s)two-way, 0 B.*\\| IIOP, 1 server +\\| [1-9].*two-way, 70,000 B")
        .containsPattern("(?s)(\\| ROMIOP, 2 servers, all +\\| [1-9].*){2}")
        .containsPattern("(?s)(\\| ROMIOP, 2 servers, first +\\| [1-9].*){2}")
        .containsPattern("(?s)(\\| ROMIOP, 2 servers, percent51 +\\| [1-9].*){2}")
        .containsPattern("(?s)(\\| ROMIOP, 2 servers, all, order time 10 ms +\\| [1-9].*){2}")
        .containsPattern("(?s)(\\| ReMIOP, 2 servers +\\| [1-9].*){2}")
        .containsPattern("MIOP is not measured: |\\| MIOP of JacORB, 2 servers +\\| ")
        .containsPattern("(?s)one-way, 0 B.*\\| IIOP, 1 server +\\| [1-9].*one-way, 70,000 B")
        .doesNotContain("NaN");
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
  }
}
