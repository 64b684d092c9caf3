package org.tutti.bench.trial;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// What a process of Tutti uses the processor for, in the order in which a message goes through it.
enum Stage {
  /// The loop that floods: its clock, its count.
  APPLICATION("the measurement's own loop"),

  /// A caller's `post`: the window, the copy into the block, the inbox.
  ENQUEUE("post: window, copy into the block"),

  /// Blocks become batches.
  PACK("blocks become batches"),

  /// Messages of protocols, packets of links and frames are written, down to the copy into the socket's buffer.
  ENCODE("messages, packets, copies into socket buffers"),

  /// The system call.
  WRITE("system call, the way through loopback included"),

  /// The system call.
  READ("system call"),

  /// Frames, packets and messages are read; a batch is checked and copied.
  DECODE("frames, packets, messages; batches checked and copied"),

  /// Log and places.
  ORDER("log and places"),

  /// What others hold and have consumed, and what follows from it: the window, what may be forgotten.
  ACKNOWLEDGE("progress of all, what is released"),

  /// Positions, futures, the listener.
  DELIVER("positions, futures, listener"),

  /// What the engine does once per turn or input: dispatch, timers.
  TURN("engine: turns, dispatch, timers"),

  /// Waiting and waking up: selectors, parked threads.
  WAIT("selector, parking and waking threads"),

  /// Threads that collect garbage.
  GC("threads that collect garbage"),

  /// Threads that compile.
  JIT("threads that compile"),

  /// Other threads of the JVM.
  JVM("other threads of the JVM"),

  /// Threads of the recording.
  RECORDING("threads of the recording"),

  /// Stacks that no rule knows, and those that could not be taken.
  OTHER("unknown stacks");

  private final String text;

  Stage(String text) {
    this.text = text;
  }

  /// What belongs to it.
  String text() {
    return text;
  }

  String title() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// What a thread of the JVM itself is for, by its name, of which the system knows 15 letters.
  ///
  /// @return null for threads that run Java code
  static @Nullable Stage ofThread(String name) {
    if (name.startsWith("GC Thread")
        || name.startsWith("G1 ")
        || name.startsWith("Shenandoah")
        || name.matches("Z[A-Z].*")) {
      return GC;
    }
    return switch (name.split(" ")[0]) {
      case "C1", "C2" -> JIT;
      case "JFR" -> RECORDING;
      case "VM", "Service", "Monitor", "Reference", "Finalizer", "Signal", "Notification", "Common-Cleaner" -> JVM;
      default -> null;
    };
  }
}
