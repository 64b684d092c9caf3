package org.tutti;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a membership has done, and how it stands, in numbers: see [Group#metrics]. It does not change any more.
///
/// {@snippet class="ApiExamplesTest" region="group-metrics"}
///
/// What is counted begins at 0 with the membership and only grows. [#list] has the same as metrics with names.
///
/// @param group           the group's name
/// @param delivered       what was given to the application: told to its listener, or taken from [Group#receive()]
/// @param sent            what the application has multicast, whatever became of it
/// @param position        of the next delivery, as in [Status#position]; empty while that is not known
/// @param windowUsedBytes how much of its window this member's multicasts take up, as [MemberConfig#windowBytes] counts
/// @param windowBytes     how large that window is
/// @param undecided       how many multicasts and propagations of this member have no known outcome
/// @param primaryViews    how many primary views were installed here
/// @param otherViews      how many views were installed here that are not primary
/// @param inPrimary       for how long, in all, this member has been in primary views
/// @param behind          for how long the application has been behind: how long ago the first thing of the history
///                        that it has not taken was delivered here, what is spilled included; a little too short,
///                        never too long; zero with a [GroupListener], which takes events as they come
/// @param eventHeld       for how long the application has been at an event, or has not asked for the next one while
///                        some wait; zero when none waits, and with a [GroupListener], which holds the whole node
/// @param latency         how long multicasts of this member took from the call until they were delivered here, not
///                        until its application takes them; of those that went together the oldest counts. Those to
///                        some members do not count, nor those whose outcome a view change left open
/// @param spilled         what waits on disk for the application, as in [Status#spilled]
/// @param peers           the other members of the view, most senior first; none before the first view and after the
///                        end
public record GroupMetrics(
    String group,
    Traffic delivered,
    Traffic sent,
    OptionalLong position,
    long windowUsedBytes,
    long windowBytes,
    long undecided,
    long primaryViews,
    long otherViews,
    Duration inPrimary,
    Duration behind,
    Duration eventHeld,
    LatencyHistogram latency,
    Status.Spilled spilled,
    List<Peer> peers) {

  /// How much it was.
  ///
  /// @param messages messages, of every [Service]
  /// @param bytes    their bytes, as the application has them
  public record Traffic(long messages, long bytes) {}

  /// Which versions of the protocol a node speaks.
  ///
  /// @param oldest the lowest
  /// @param newest the highest
  public record Versions(int oldest, int newest) {}

  /// Another member of the view, as it was seen from here when the engine looked last, at most two heartbeats ago.
  ///
  /// @param member      who
  /// @param acknowledged the position behind what it is known to hold: it has said that it holds everything before,
  ///                    as far as this member holds that itself. Whether it was delivered there is not known here.
  ///                    Empty in a view that is not primary, and as long as this member waits for the state
  /// @param lag         what this member holds of which that one has not said that it holds it, as it is sent: with
  ///                    the lengths before messages; null in a view that is not primary
  /// @param windowBytes how much of this member's window holds what that one's application has not taken
  /// @param silent      for how long nothing was heard of it
  /// @param roundTrip   how long a packet to it and its acknowledgement take, on the average, the last ones counting
  ///                    most; null when nothing was measured
  /// @param queuedBytes how much is queued for it, or not acknowledged by it
  /// @param repeated    how many packets were sent to it again since this node is connected with it
  /// @param speaks      the versions that its node has said to speak; null as long as it has not
  public record Peer(
      MemberId member,
      OptionalLong acknowledged,
      @Nullable Traffic lag,
      long windowBytes,
      Duration silent,
      @Nullable Duration roundTrip,
      long queuedBytes,
      long repeated,
      @Nullable Versions speaks) {}

  private static final int NANO_DIGITS = 9;
  private static final long NANOS_PER_MICRO = 1000;
  private static final List<String> BOUNDS = // of latencies, in seconds
      LatencyHistogram.bounds().stream()
          .map(bound -> BigDecimal.valueOf(bound.toNanos(), NANO_DIGITS).stripTrailingZeros().toPlainString())
          .toList();

  private static final Metric DELIVERED =
      Metric.counter("group.messages.delivered", "Messages were given to the application.");
  private static final Metric DELIVERED_BYTES =
      Metric.counter("group.bytes.delivered", "Bytes of messages were given to the application.");
  private static final Metric SENT = Metric.counter("group.messages.sent", "The application has multicast messages.");
  private static final Metric SENT_BYTES =
      Metric.counter("group.bytes.sent", "The application has multicast messages of so many bytes.");
  private static final Metric POSITION =
      Metric.gauge("group.history.messages", "The position of the next delivery; absent while it is not known.");
  private static final Metric USED =
      Metric.gauge("group.window.used.bytes", "What the multicasts of this member take up of its window.");
  private static final Metric SIZE = Metric.gauge("group.window.size.bytes", "How large the window of this member is.");
  private static final Metric UNDECIDED =
      Metric.gauge("group.undecided.messages", "Multicasts and propagations of this member without a known outcome.");
  private static final Metric PRIMARY_VIEWS =
      Metric.counter("group.views.installed", "Primary views were installed.").tagged("kind", "primary");
  private static final Metric OTHER_VIEWS =
      Metric.counter("group.views.installed", "Views were installed that are not primary.").tagged("kind", "other");
  private static final Metric IN_PRIMARY =
      Metric.counter("group.milliseconds.primary", "For how long this member has been in primary views.");
  private static final Metric BEHIND =
      Metric.gauge("group.behind.milliseconds", "How long ago what the application takes next was delivered.");
  private static final Metric EVENT_HELD =
      Metric.gauge("group.event.held.milliseconds", "For how long the application has been at its current event.");
  private static final Metric WITHIN =
      Metric.counter("group.multicasts.within", "Multicasts were delivered at their sender within so many seconds.");
  private static final Metric TOOK =
      Metric.counter("group.microseconds.multicast", "What the same multicasts took in all.");
  private static final Metric SPILLED =
      Metric.gauge("group.spilled.messages", "Messages that the application has not taken and that are on disk.");
  private static final Metric SPILLED_BYTES =
      Metric.gauge("group.spilled.bytes", "How much room the files of what is spilled take up.");
  private static final Metric LAG =
      Metric.gauge("peer.lag.messages", "What this member holds and the other one has not said to hold.");
  private static final Metric LAG_BYTES = Metric.gauge("peer.lag.bytes", "The same in bytes, as they are sent.");
  private static final Metric ACKNOWLEDGED =
      Metric.gauge("peer.history.messages", "The position behind what the other one has said to hold.");
  private static final Metric WINDOW =
      Metric.gauge("peer.window.bytes", "What the other one's application takes up of the window of this member.");
  private static final Metric SILENT =
      Metric.gauge("peer.silence.milliseconds", "For how long nothing was heard of the other one.");
  private static final Metric ROUND_TRIP =
      Metric.gauge("peer.roundtrip.microseconds", "How long a packet and its acknowledgement take on the average.");
  private static final Metric QUEUED =
      Metric.gauge("peer.queue.bytes", "What is queued for the other one, or not acknowledged by it.");
  private static final Metric REPEATED =
      Metric.counter("peer.packets.repeated", "Packets were sent to the other one again.");
  private static final Metric OLDEST =
      Metric.gauge("peer.oldest.version", "The lowest version of the protocol that the other one speaks.");
  private static final Metric NEWEST =
      Metric.gauge("peer.newest.version", "The highest version of the protocol that the other one speaks.");

  /// Copies the list.
  public GroupMetrics {
    peers = List.copyOf(peers);
  }

  /// The same as metrics, with the tag `group`, and of a peer `peer`, its name. These two are names that people have
  /// given, so they may have any character that [Names] allows. What is not known is left out. [#latency] becomes a
  /// counter for each bound, with the tag `le`, as Prometheus has histograms.
  ///
  /// @return unmodifiable, in the order of [Metric#ORDER]
  public List<Metric> list() {
    List<Metric> all = new ArrayList<>();
    all.add(DELIVERED.with(delivered.messages));
    all.add(DELIVERED_BYTES.with(delivered.bytes));
    all.add(SENT.with(sent.messages));
    all.add(SENT_BYTES.with(sent.bytes));
    position.ifPresent(next -> all.add(POSITION.with(next)));
    all.add(USED.with(windowUsedBytes));
    all.add(SIZE.with(windowBytes));
    all.add(UNDECIDED.with(undecided));
    all.add(PRIMARY_VIEWS.with(primaryViews));
    all.add(OTHER_VIEWS.with(otherViews));
    all.add(IN_PRIMARY.with(inPrimary.toMillis()));
    all.add(BEHIND.with(behind.toMillis()));
    all.add(EVENT_HELD.with(eventHeld.toMillis()));
    add(all, latency);
    all.add(SPILLED.with(spilled.messages()));
    all.add(SPILLED_BYTES.with(spilled.bytes()));
    peers.forEach(peer -> add(all, peer));
    return all.stream().map(metric -> tagged(metric, "group", group)).sorted(Metric.ORDER).toList();
  }

  /// As Prometheus has histograms: each bound, in seconds, with all that took so long at most.
  private static void add(List<Metric> all, LatencyHistogram latency) {
    long within = 0;
    for (int i = 0; i < BOUNDS.size(); i++) {
      within += latency.counts().get(i);
      all.add(tagged(WITHIN.with(within), "le", BOUNDS.get(i)));
    }
    all.add(tagged(WITHIN.with(latency.count()), "le", "+Inf"));
    all.add(TOOK.with(latency.total().toNanos() / NANOS_PER_MICRO));
  }

  private static void add(List<Metric> all, Peer peer) {
    List<Metric> its = new ArrayList<>();
    peer.acknowledged.ifPresent(position -> its.add(ACKNOWLEDGED.with(position)));
    if (peer.lag != null) {
      its.add(LAG.with(peer.lag.messages));
      its.add(LAG_BYTES.with(peer.lag.bytes));
    }
    its.add(WINDOW.with(peer.windowBytes));
    its.add(SILENT.with(peer.silent.toMillis()));
    if (peer.roundTrip != null) {
      its.add(ROUND_TRIP.with(peer.roundTrip.toNanos() / NANOS_PER_MICRO));
    }
    its.add(QUEUED.with(peer.queuedBytes));
    its.add(REPEATED.with(peer.repeated));
    if (peer.speaks != null) {
      its.add(OLDEST.with(peer.speaks.oldest));
      its.add(NEWEST.with(peer.speaks.newest));
    }
    its.forEach(metric -> all.add(tagged(metric, "peer", peer.member.name())));
  }

  /// As [Metric#tagged], for a value of any characters.
  private static Metric tagged(Metric metric, String name, String value) {
    List<Metric.Tag> tags =
        Stream.concat(metric.tags().stream(), Stream.of(new Metric.Tag(name, value)))
            .sorted(Comparator.comparing(Metric.Tag::name))
            .toList();
    return new Metric(metric.name(), tags, metric.value(), metric.unit(), metric.kind(), metric.about());
  }
}
