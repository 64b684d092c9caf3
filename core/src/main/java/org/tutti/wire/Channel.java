package org.tutti.wire;

import org.jspecify.annotations.Nullable;

/// Which protocol of a group a message belongs to; its number is on the wire.
public enum Channel {
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
  BOARD(9, false),
  /// How far the history is, for reads, in the view that is named.
  READ(10, true);

  private static final @Nullable Channel[] BY_NUMBER = new Channel[11];

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

  /// What it is on the wire.
  ///
  /// @return its number
  public int number() {
    return number;
  }

  /// Whether messages are for one view only.
  ///
  /// @return whether a message names its view
  public boolean isInView() {
    return inView;
  }

  /// Whose a message is.
  ///
  /// @param number its number on the wire
  /// @return the channel
  /// @throws Malformed when there is none
  public static Channel of(int number) throws Malformed {
    Channel channel = number < BY_NUMBER.length ? BY_NUMBER[number] : null;
    if (channel == null) {
      throw new Malformed("channel");
    }
    return channel;
  }
}
