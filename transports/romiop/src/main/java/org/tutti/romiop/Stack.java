package org.tutti.romiop;

import java.util.Locale;
import org.tutti.SendOptions;

/// What a group promises about the requests of different clients. A reference names it, and so do the properties of
/// the servers.
///
/// | word | in the source | requests |
/// | --- | --- | --- |
/// | `ordered` | ROMIOP | reliable, in one order at all members |
/// | `reliable` | ReMIOP | reliable, those of one client in its order, those of several in any |
///
/// The source's third one, MIOP, is unreliable. Nothing of Tutti is, so it is none of these: JacORB has its own.
///
/// Groups of different stacks have different names, so that members that would execute requests in different orders
/// cannot be in one group, and no client gets into a group of another stack than its reference says.
enum Stack {
  ORDERED(SendOptions.total()),
  RELIABLE(SendOptions.fifo());

  private final SendOptions requests;

  Stack(SendOptions requests) {
    this.requests = requests;
  }

  /// Reads a word.
  ///
  /// @throws IllegalArgumentException when it is none
  static Stack of(String word) {
    for (Stack each : values()) {
      if (each.word().equals(word)) {
        return each;
      }
    }
    String hint = word.equals("unreliable") ? "; unreliable is JacORB's own MIOP, by corbaloc:miop" : "";
    throw new IllegalArgumentException("\"" + word + "\" is no stack: ordered, reliable" + hint);
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// How requests are multicast.
  SendOptions requests() {
    return requests;
  }

  /// What the group is called among nodes.
  ///
  /// @param group its name in references and properties, which has no `!`
  String groupName(String group) {
    return this == ORDERED ? group : group + "!" + word();
  }
}
