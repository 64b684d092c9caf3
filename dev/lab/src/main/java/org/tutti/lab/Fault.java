package org.tutti.lab;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// What a campaign does to a group, one at a time.
public enum Fault {
  /// Two parts that do not hear each other.
  HALVES("two parts"),
  /// One member that hears nobody and is not heard.
  ISOLATED("one member alone"),
  /// Everybody alone.
  SCATTERED("everybody alone"),
  /// Each member hears only its two neighbours.
  RING("each hears two neighbours"),
  /// Two parts that do not hear each other, and one member that hears both and is heard by both.
  BRIDGE("one member sees both parts"),
  /// Some are not heard, but hear.
  ONE_WAY("one direction only"),
  /// The most senior member, who orders, hears nobody, but is heard.
  SENIOR_DEAF("the senior hears nobody"),
  /// Another member hears nobody, but is heard.
  MEMBER_DEAF("a member hears nobody"),
  /// A cut that comes and goes faster than the failure detector, or about as fast.
  FLAPPING("a cut comes and goes"),
  /// A part of a split splits; then it heals, and then the rest.
  NESTED("a part splits again"),
  /// One split follows another, and nothing heals in between.
  CHANGING("one split after another"),
  /// Frames are lost.
  LOSS("frames are lost"),
  /// Frames take long, and some ways longer than others.
  DELAY("frames take long"),
  /// Processes are stopped (SIGSTOP), for less or more than the suspicion time.
  PAUSE("stopped processes"),
  /// TCP connections are reset.
  RESET("connections are reset"),
  /// Processes are killed (SIGKILL), and started again.
  KILL("killed processes"),
  /// The most senior member, who orders, is killed.
  KILL_SENIOR("the senior is killed"),
  /// A member of a minority is killed while it is cut off.
  KILL_CUT_OFF("killed while cut off"),
  /// Loss and delay everywhere, and then a stop, a kill and a split on top.
  STORM("several at once");

  private final String words;

  Fault(String words) {
    this.words = words;
  }

  /// What it is.
  ///
  /// @return a few words
  public String words() {
    return words;
  }

  /// Its name on the command line.
  ///
  /// @return such as `one-way`
  public String option() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// What can happen to members that a transport connects.
  ///
  /// @param transport one of [LabConfig#TRANSPORTS]
  /// @return all faults; without connections, none of these
  public static List<Fault> over(String transport) {
    return Stream.of(values()).filter(fault -> fault != RESET || transport.equals("tcp")).toList();
  }

  /// The fault of a name.
  ///
  /// @param option as given by [#option]
  /// @return the fault
  /// @throws IllegalArgumentException when there is none
  public static Fault of(String option) {
    for (Fault fault : values()) {
      if (fault.option().equals(option)) {
        return fault;
      }
    }
    throw new IllegalArgumentException("'" + option + "' is not a fault");
  }
}
