package org.tutti;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// What a member of a group decides for itself, whatever the others choose: its window, how it packs what it
/// multicasts, what it does about silence, and where its own durable state stands.
///
/// {@snippet class="ApiExamplesTest" region="member-config"}
///
/// Immutable; may be used by any thread and for any number of groups, unless it has a listener, which then hears of all
/// of them. Sizes are in bytes. [Builder#build()] checks the ranges and names the setting and its value. The text of a
/// configuration shows what differs from the defaults first.
public final class MemberConfig {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;
  private static final int GIB = 1 << 30;
  private static final Duration BEHIND_MIN = Duration.ofMillis(10);
  private static final Duration BEHIND_MAX = Duration.ofDays(1);
  private static final long SPILL_MAX = 1L << 40;
  private static final MemberConfig STANDARD = builder().build();

  private final Builder values; // never changed

  private MemberConfig(Builder values) {
    this.values = values;
  }

  /// The defaults: a window of 4 MiB, batches up to 63 KiB or 4096 messages, natural packing, stable suspicion, 64 MiB
  /// to catch up, nothing spilled, no position, no listener, and the state is taken.
  ///
  /// @return always the same
  public static MemberConfig standard() {
    return STANDARD;
  }

  /// Begins a configuration with the defaults ([#standard()]).
  ///
  /// @return a builder of its own
  public static Builder builder() {
    return new Builder();
  }

  /// Begins a configuration with these settings.
  ///
  /// @return a builder of its own
  public Builder toBuilder() {
    return new Builder(values);
  }

  /// Who gets the events.
  ///
  /// @return the listener, or null when they are taken with [Group#receive()]
  public @Nullable GroupListener listener() {
    return values.listener;
  }

  /// What this member does about another one's silence.
  ///
  /// @return by default [Suspicion#STABLE]
  public Suspicion suspicion() {
    return values.suspicion;
  }

  /// How long others may refute that a member is gone which this one does not hear, in times of suspicion
  /// ([NodeBuilder#times]): then it counts as gone all the same. Only with [Suspicion#REFUTABLE].
  ///
  /// @return 1 to 1000, by default 5
  public int refutedMax() {
    return values.refutedMax;
  }

  /// How many bytes of its own multicasts this member may have on the way, counted from the multicast until every
  /// member has consumed them; what is beyond blocks the caller.
  ///
  /// @return 64 KiB to 1 GiB, by default 4 MiB
  public int windowBytes() {
    return values.windowBytes;
  }

  /// At which size a batch is closed; a single larger message makes a batch of its own.
  ///
  /// @return 1 KiB to 1 MiB, by default 63 KiB
  public int batchBytesMax() {
    return values.batchBytesMax;
  }

  /// At which number of messages a batch is closed.
  ///
  /// @return 1 to 65,536, by default 4096
  public int batchMessagesMax() {
    return values.batchMessagesMax;
  }

  /// When smaller batches are closed.
  ///
  /// @return by default [Packing#natural()]
  public Packing packing() {
    return values.packing;
  }

  /// How this member's multicasts reach the others.
  ///
  /// @return by default [Dissemination#AUTO]
  public Dissemination dissemination() {
    return values.dissemination;
  }

  /// How many bytes of deliveries this member keeps as a newcomer, while its state is on the way, before it slows the
  /// group down; and how many an observer may be behind before this member, as the most senior one, drops it.
  ///
  /// @return 64 KiB to 1 GiB, by default 64 MiB
  public int catchUpBytesMax() {
    return values.catchUpBytesMax;
  }

  /// How far this member's application may be behind, in time, before this member leaves the group rather than hold the
  /// others up.
  ///
  /// @return 10 ms to a day; zero, the default, for any time
  public Duration leaveWhenBehind() {
    return values.leaveWhenBehind;
  }

  /// How many bytes of deliveries that this member's application does not take it writes to files
  /// ([NodeBuilder#spillTo]) before it holds the others up.
  ///
  /// @return 1 MiB to 1 TiB; 0, the default, to write none
  public long spillBytesMax() {
    return values.spillBytesMax;
  }

  /// Up to where the application's own durable state, or what it has made of its deliveries, contains the history.
  ///
  /// @return the position of the first message that it has not, 0 when it has nothing durable; empty when it does not
  ///     say
  public OptionalLong position() {
    return values.position;
  }

  /// Whether this member takes the application's state, in a group with state transfer. One that votes has to.
  ///
  /// @return by default true
  public boolean takesState() {
    return values.takesState;
  }

  /// The highest version of the protocol to which this member lets its group rise, if its node does not limit that
  /// further ([NodeBuilder#groupVersionMax]).
  ///
  /// @return 1 to 255, by default 255, which limits nothing
  public int groupVersionMax() {
    return values.groupVersionMax;
  }

  private Map<String, @Nullable Object> settings() {
    var map = new LinkedHashMap<String, @Nullable Object>();
    map.put("listener", listener());
    map.put("suspicion", suspicion());
    map.put("refutedMax", refutedMax());
    map.put("windowBytes", windowBytes());
    map.put("batchBytesMax", batchBytesMax());
    map.put("batchMessagesMax", batchMessagesMax());
    map.put("packing", packing());
    map.put("dissemination", dissemination());
    map.put("catchUpBytesMax", catchUpBytesMax());
    map.put("leaveWhenBehind", leaveWhenBehind());
    map.put("spillBytesMax", spillBytesMax());
    map.put("position", position());
    map.put("takesState", takesState());
    map.put("groupVersionMax", groupVersionMax());
    return map;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MemberConfig config && settings().equals(config.settings());
  }

  @Override
  public int hashCode() {
    return settings().hashCode();
  }

  @Override
  public String toString() {
    return SettingText.of("MemberConfig", settings(), STANDARD.settings());
  }

  /// Collects settings; [#build()] checks them. Not thread-safe.
  public static final class Builder {
    private @Nullable GroupListener listener;
    private Suspicion suspicion = Suspicion.STABLE;
    private int refutedMax = 5;
    private int windowBytes = 4 * MIB;
    private int batchBytesMax = 63 * KIB;
    private int batchMessagesMax = 4 * KIB;
    private Packing packing = Packing.natural();
    private Dissemination dissemination = Dissemination.AUTO;
    private int catchUpBytesMax = 64 * MIB;
    private Duration leaveWhenBehind = Duration.ZERO;
    private long spillBytesMax;
    private OptionalLong position = OptionalLong.empty();
    private boolean takesState = true;
    private int groupVersionMax = View.VERSION_MAX;

    private Builder() {}

    private Builder(Builder of) {
      listener = of.listener;
      suspicion = of.suspicion;
      refutedMax = of.refutedMax;
      windowBytes = of.windowBytes;
      batchBytesMax = of.batchBytesMax;
      batchMessagesMax = of.batchMessagesMax;
      packing = of.packing;
      dissemination = of.dissemination;
      catchUpBytesMax = of.catchUpBytesMax;
      leaveWhenBehind = of.leaveWhenBehind;
      spillBytesMax = of.spillBytesMax;
      position = of.position;
      takesState = of.takesState;
      groupVersionMax = of.groupVersionMax;
    }

    /// Says who gets the events, on the engine thread.
    ///
    /// @param value the listener; null to take them with [Group#receive()]
    /// @return this builder
    public Builder listener(@Nullable GroupListener value) {
      listener = value;
      return this;
    }

    /// Chooses what this member does about silence.
    ///
    /// @param value what it does
    /// @return this builder
    public Builder suspicion(Suspicion value) {
      suspicion = value;
      return this;
    }

    /// Chooses how long this member leaves one in the view that it does not hear, because others do.
    ///
    /// {@snippet class="ApiExamplesTest" region="refuted-max"}
    ///
    /// Two members that do not reach each other hold up the group meanwhile, as far as it needs the word of each: what
    /// is multicast is kept until all have it, and a full window blocks its sender. A link that is broken for a shorter
    /// time costs no view change.
    ///
    /// @param timesOfSuspicion from when the other one became silent, in times of suspicion; 1 to 1000
    /// @return this builder
    public Builder refutedMax(int timesOfSuspicion) {
      refutedMax = timesOfSuspicion;
      return this;
    }

    /// Chooses the window.
    ///
    /// @param value in bytes, 64 KiB to 1 GiB
    /// @return this builder
    public Builder windowBytes(int value) {
      windowBytes = value;
      return this;
    }

    /// Chooses at which size a batch is closed.
    ///
    /// @param value in bytes, 1 KiB to 1 MiB
    /// @return this builder
    public Builder batchBytesMax(int value) {
      batchBytesMax = value;
      return this;
    }

    /// Chooses at which number of messages a batch is closed.
    ///
    /// @param value 1 to 65,536
    /// @return this builder
    public Builder batchMessagesMax(int value) {
      batchMessagesMax = value;
      return this;
    }

    /// Chooses how this member packs its multicasts.
    ///
    /// @param value the policy
    /// @return this builder
    public Builder packing(Packing value) {
      packing = value;
      return this;
    }

    /// Chooses how this member's multicasts reach the others.
    ///
    /// @param value directly, from member to member, through the most senior one, or as the load of the line asks for
    /// @return this builder
    public Builder dissemination(Dissemination value) {
      dissemination = value;
      return this;
    }

    /// Chooses how much a newcomer keeps while its state is on the way, and how far an observer may be behind.
    ///
    /// @param value in bytes, 64 KiB to 1 GiB
    /// @return this builder
    public Builder catchUpBytesMax(int value) {
      catchUpBytesMax = value;
      return this;
    }

    /// Chooses that this member leaves when its application is too far behind ([End.Cause#DROPPED]). Whoever multicasts
    /// waits for the slowest application, once its window is full; so one that hangs stops all senders. With this
    /// setting they go on without it, and it may join again.
    ///
    /// {@snippet class="ApiExamplesTest" region="leave-when-behind"}
    ///
    /// An application is so far behind as it is ago that the first thing which it has not taken was delivered. The
    /// member leaves only while a quorum of the other members keeps up, which means less than half as far behind: where
    /// most are slow, nobody is lost. What is spilled ([#spillBytesMax]) counts as taken.
    ///
    /// @param value longer than the application's longest pause, 10 ms to a day; zero for any time
    /// @return this builder
    public Builder leaveWhenBehind(Duration value) {
      leaveWhenBehind = value;
      return this;
    }

    /// Chooses that this member writes to files what its application does not take, instead of holding up the senders,
    /// whose windows it would fill. They go on, and the application takes everything later, in order, by
    /// [Group#receive()]. What is beyond the bound waits in memory as without this setting: then senders wait.
    ///
    /// {@snippet class="ApiExamplesTest" region="spill"}
    ///
    /// Needs a node with [NodeBuilder#spillTo], and an application that calls [Group#receive()]: a listener runs on the
    /// engine thread, and nothing waits for it. What is written is lost in a crash, as what waits in memory is; nothing
    /// that is promised depends on it. If it cannot be read back, the membership ends ([End.Cause#DROPPED]). While
    /// anything is spilled, `receive` reads files, so that the engine thread may not call it; without a wait it may
    /// find nothing while files are written.
    ///
    /// @param value in bytes on the disk, 1 MiB to 1 TiB; 0 to write none
    /// @return this builder
    public Builder spillBytesMax(long value) {
      spillBytesMax = value;
      return this;
    }

    /// Says where the application's own durable state stands, so that deliveries go on from there after a restart. Only
    /// in a group with a durability; with state transfer it is needed there.
    ///
    /// With 0, for an application that keeps nothing itself, everything is delivered again, if this node's log goes
    /// back to the beginning. The log of a member that got a state when it joined does not: it goes back to that state,
    /// and after the end of all processes such a member waits for one whose log or application has what is before.
    ///
    /// A state that another member gives counts only after [StateSource#complete] then, also with 0.
    ///
    /// @param value the position of the first message that it does not contain; 0 or more
    /// @return this builder
    public Builder position(long value) {
      position = OptionalLong.of(value);
      return this;
    }

    /// Chooses whether this member takes the application's state, in a group with state transfer. An observer may do
    /// without: its deliveries begin where it comes in, and nobody makes a state for it. A tool that only shows what is
    /// multicast does so; a member that votes is refused ([End.Cause#REFUSED]), as it may have to give the state.
    ///
    /// {@snippet class="ApiExamplesTest" region="takes-state"}
    ///
    /// @param value whether it does
    /// @return this builder
    public Builder takesState(boolean value) {
      takesState = value;
      return this;
    }

    /// Keeps one group at a version of the protocol that those have who are to join it. Who founds a group alone would
    /// begin with the highest version that its own build speaks, and refuse members of older builds. Where a group has
    /// gone further already, this member takes part all the same; but as long as it is there, a build that has left the
    /// group's version behind cannot join.
    ///
    /// {@snippet class="ApiExamplesTest" region="member-version-max"}
    ///
    /// @param value a version, as [View#version()] tells it, 1 to 255: 255 limits nothing, and one that is too low for
    ///              the build of this node, such as 1, stands for the lowest that it speaks
    /// @return this builder
    public Builder groupVersionMax(int value) {
      groupVersionMax = value;
      return this;
    }

    /// Checks the settings.
    ///
    /// @return a configuration with them; the builder may be used further
    /// @throws IllegalArgumentException when one is out of its range
    public MemberConfig build() {
      within("refutedMax", refutedMax, 1, 1000);
      within("windowBytes", windowBytes, 64 * KIB, GIB);
      within("batchBytesMax", batchBytesMax, KIB, MIB);
      within("batchMessagesMax", batchMessagesMax, 1, 64 * KIB);
      within("catchUpBytesMax", catchUpBytesMax, 64 * KIB, GIB);
      within("groupVersionMax", groupVersionMax, 1, View.VERSION_MAX);
      if (!leaveWhenBehind.isZero()
          && (leaveWhenBehind.compareTo(BEHIND_MIN) < 0 || leaveWhenBehind.compareTo(BEHIND_MAX) > 0)) {
        throw new IllegalArgumentException(
            "leaveWhenBehind is 10 ms to a day, or zero for any time, not " + leaveWhenBehind.toMillis() + " ms");
      }
      if (spillBytesMax != 0 && (spillBytesMax < MIB || spillBytesMax > SPILL_MAX)) {
        throw new IllegalArgumentException(
            "spillBytesMax is " + MIB + " to " + SPILL_MAX + ", or 0 to write none, not " + spillBytesMax);
      }
      if (spillBytesMax != 0 && listener != null) {
        throw new IllegalArgumentException("spillBytesMax is for Group.receive: for a listener nothing waits");
      }
      if (position.orElse(0) < 0) {
        throw new IllegalArgumentException("position is 0 or more, not " + position.getAsLong());
      }
      return new MemberConfig(new Builder(this));
    }

    private static void within(String what, int value, int min, int max) {
      if (value < min || value > max) {
        throw new IllegalArgumentException(what + " is " + min + " to " + max + ", not " + value);
      }
    }
  }
}
