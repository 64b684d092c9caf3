package org.tutti.bench.member;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;

/// What the threads of this process do while they use the processor: their stacks, taken by the JVM's flight recorder
/// once per period of CPU time (JEP 509), in system calls, too.
public final class FlightRecording {
  /// A stack that was taken because its thread had used so much CPU time.
  public static final String BY_CPU_TIME = "jdk.CPUTimeSample";

  /// Stacks of threads that run Java code, or native code, taken by the clock, where there is nothing better. Threads
  /// that wait in native code are among them.
  public static final List<String> BY_CLOCK = List.of("jdk.ExecutionSample", "jdk.NativeMethodSample");

  private @Nullable Recording recording;

  FlightRecording() {}

  /// Starts recording.
  ///
  /// @param period between two samples of a thread
  /// @return whether samples are taken by CPU time
  boolean start(Duration period) {
    boolean byCpuTime =
        System.getProperty("os.name").equals("Linux")
            && FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .map(EventType::getName)
                .anyMatch(BY_CPU_TIME::equals);
    var started = new Recording();
    if (byCpuTime) {
      started.enable(BY_CPU_TIME).with("throttle", period.toNanos() + "ns");
    } else {
      BY_CLOCK.forEach(event -> started.enable(event).withPeriod(period));
    }
    started.start();
    recording = started;
    return byCpuTime;
  }

  /// Stops recording.
  ///
  /// @param file is made of what was recorded
  void stop(Path file) throws IOException {
    if (recording == null) {
      throw new IllegalStateException("nothing is being recorded");
    }
    try (Recording ended = recording) {
      recording = null;
      ended.stop();
      ended.dump(file);
    }
  }
}
