package org.tutti;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/// How a message is multicast: its [Service], and to whom. A value, made once and used for any number of messages, from
/// any thread.
///
/// {@snippet class="ApiExamplesTest" region="send-options"}
public final class SendOptions {
  private static final SendOptions TOTAL = new SendOptions(Service.TOTAL, List.of());
  private static final SendOptions CAUSAL = new SendOptions(Service.CAUSAL, List.of());
  private static final SendOptions FIFO = new SendOptions(Service.FIFO, List.of());
  private static final SendOptions UNORDERED = new SendOptions(Service.UNORDERED, List.of());

  private final Service service;
  private final List<MemberId> destinations;

  private SendOptions(Service service, List<MemberId> destinations) {
    this.service = service;
    this.destinations = destinations;
  }

  /// To all members, totally ordered: what a message without options gets.
  ///
  /// @return always the same
  public static SendOptions total() {
    return TOTAL;
  }

  /// To all members, in the order of causes.
  ///
  /// @return always the same
  public static SendOptions causal() {
    return CAUSAL;
  }

  /// To all members, in the order of the sender.
  ///
  /// @return always the same
  public static SendOptions fifo() {
    return FIFO;
  }

  /// To all members, in any order.
  ///
  /// @return always the same
  public static SendOptions unordered() {
    return UNORDERED;
  }

  /// To all members with a service that is not known before the program runs.
  ///
  /// @param service any
  /// @return what the method of its name returns
  public static SendOptions of(Service service) {
    return switch (service) {
      case TOTAL -> TOTAL;
      case CAUSAL -> CAUSAL;
      case FIFO -> FIFO;
      case UNORDERED -> UNORDERED;
    };
  }

  /// To some members of the view, totally ordered; nobody else gets the message or does anything for it.
  ///
  /// It needs a primary view that began with [Ordering#SKEEN] and keeps it, and a group without domain; otherwise the
  /// message is [Outcome.Refused]. All deliveries of such messages, and of those to all, are in one order, as far as
  /// members see them; but they have no position, and are no part of the history that newcomers get the state of. This
  /// member's multicasts are delivered in its order: those that follow wait until all destinations hold this one.
  ///
  /// @param destinations members of the view, at least one; the sender only if it is among them; copied, and a member
  ///                     named twice counts once
  /// @return new options
  /// @throws IllegalArgumentException when there is no destination
  public static SendOptions to(Collection<MemberId> destinations) {
    if (destinations.isEmpty()) {
      throw new IllegalArgumentException("a message needs a destination");
    }
    return new SendOptions(Service.TOTAL, destinations.stream().distinct().sorted().toList());
  }

  /// How the message stands to others.
  ///
  /// @return the service; [Service#TOTAL] with destinations
  public Service service() {
    return service;
  }

  /// To whom it goes.
  ///
  /// @return members in order, each once, unmodifiable; none for all members of the view
  public List<MemberId> destinations() {
    return destinations;
  }

  @Override
  public String toString() {
    String how = service.name().toLowerCase(Locale.ROOT);
    return destinations.isEmpty() ? how : how + " to " + destinations;
  }
}
