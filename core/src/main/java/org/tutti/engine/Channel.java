package org.tutti.engine;

import org.jspecify.annotations.Nullable;
import org.tutti.wire.Malformed;

/// Which protocol of a group a message belongs to; its number is on the wire.
enum Channel {
  /// A batch of the sender, for the view it names.
  BATCH(1, true),
  /// The ordering's messages, for the view they name.
  ORDER(2, true),
  /// Who holds how much, for the view it names.
  STABILITY(3, true),
  /// State transfer.
  STATE(4, false),
  /// View agreement and merging.
  VIEW(5, false),
  /// A call to other views, beside any link.
  HELLO(6, false),
  /// Members' clocks in a group of a domain, for the view they name.
  FRONTIER(7, true),
  /// Multicasts to some members and their order, for the view they name.
  SUBSET(8, true),
  /// What members show on the whiteboard.
  BOARD(9, false);

  private static final @Nullable Channel[] BY_NUMBER = new Channel[10];

  static {
    for (Channel channel : values()) {
      BY_NUMBER[channel.number] = channel;
    }
  }

  private final int number;
  private final boolean inView;

  Channel(int number, boolean inView) {
    this.number = number;
    this.inView = inView;
  }

  int number() {
    return number;
  }

  /// Whether messages are for one view only.
  boolean isInView() {
    return inView;
  }

  static Channel of(int number) throws Malformed {
    Channel channel = number < BY_NUMBER.length ? BY_NUMBER[number] : null;
    if (channel == null) {
      throw new Malformed("channel");
    }
    return channel;
  }
}
