package org.tutti;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What is decided for a whole group when it is founded: its guarantees, its order, and who may carry it on. Who joins
/// takes it ([Group#config()]), or says what it expects and is refused where the group differs. What each member
/// decides for itself is in a [MemberConfig].
///
/// {@snippet class="ApiExamplesTest" region="group-config"}
///
/// Immutable; may be used by any thread and for any number of groups. What does not go together is refused by
/// [Builder#build()], in words that name both settings. Its text shows what differs from the defaults first.
public final class GroupConfig {
  private static final GroupConfig STANDARD = builder().build();

  private final Builder values; // never changed

  private GroupConfig(Builder values) {
    this.values = values;
  }

  /// The defaults: uniform delivery ordered by a sequencer, no domain, no electorate, nothing new outside of primary
  /// views, no state transfer, nothing in stable storage.
  ///
  /// @return always the same
  public static GroupConfig standard() {
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

  /// When messages are delivered.
  ///
  /// @return by default [Guarantee#UNIFORM]
  public Guarantee guarantee() {
    return values.guarantee;
  }

  /// Who decides the order, until the group switches ([Group#switchTo(Ordering)]).
  ///
  /// @return by default [Ordering#SEQUENCER]
  public Ordering ordering() {
    return values.ordering;
  }

  /// The overlapping groups among which order and causality hold, too.
  ///
  /// @return the domain's name, or null for none, which costs nothing
  public @Nullable String domain() {
    return values.domain;
  }

  /// The names of which every primary view has more than half.
  ///
  /// @return the names, sorted; empty for no such demand
  public Set<String> electorate() {
    return values.electorate;
  }

  /// Which views are primary.
  ///
  /// @return what was chosen; otherwise a static majority with an electorate, dynamic linear voting without
  public PrimaryViews primaryViews() {
    if (values.primaryViews != null) {
      return values.primaryViews;
    }
    return values.electorate.isEmpty() ? PrimaryViews.DYNAMIC_LINEAR : PrimaryViews.STATIC_MAJORITY;
  }

  /// What members do in a view that is not primary.
  ///
  /// @return by default [Partitions#SUSPEND]
  public Partitions partitions() {
    return values.partitions;
  }

  /// Whether newcomers get the application's state from a member before their first delivery.
  ///
  /// @return by default false
  public boolean stateTransfer() {
    return values.stateTransfer;
  }

  /// What members keep in the stable storage of their nodes.
  ///
  /// @return by default [Durability#NONE]
  public Durability durability() {
    return values.durability;
  }

  /// How a group differs from one with these settings. The ordering that counts is the one that was decided; that the
  /// group may have been switched to another one since is no difference.
  ///
  /// {@snippet class="ApiExamplesTest" region="difference"}
  ///
  /// @param name   the group's name
  /// @param actual what was decided for it
  /// @return the first difference in words, as `ordering is SEQUENCER in group bank, SKEEN was asked for`; null when
  ///     there is none
  public @Nullable String difference(String name, GroupConfig actual) {
    Map<String, @Nullable Object> there = actual.settings();
    for (Map.Entry<String, @Nullable Object> mine : settings().entrySet()) {
      Object its = there.get(mine.getKey());
      if (!Objects.equals(mine.getValue(), its)) {
        return "%s is %s in group %s, %s was asked for"
            .formatted(mine.getKey(), text(mine.getKey(), its), name, text(mine.getKey(), mine.getValue()));
      }
    }
    return null;
  }

  /// In a sentence an empty set is none.
  private static String text(String setting, @Nullable Object value) {
    return SettingText.text(setting, Set.of().equals(value) ? null : value);
  }

  private Map<String, @Nullable Object> settings() {
    var map = new LinkedHashMap<String, @Nullable Object>();
    map.put("guarantee", guarantee());
    map.put("ordering", ordering());
    map.put("domain", domain());
    map.put("electorate", electorate());
    map.put("primaryViews", primaryViews());
    map.put("partitions", partitions());
    map.put("stateTransfer", stateTransfer());
    map.put("durability", durability());
    return map;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other || other instanceof GroupConfig config && settings().equals(config.settings());
  }

  @Override
  public int hashCode() {
    return settings().hashCode();
  }

  @Override
  public String toString() {
    return SettingText.of("GroupConfig", settings(), STANDARD.settings());
  }

  /// Collects settings; [#build()] checks them, one by one and against each other. Not thread-safe.
  public static final class Builder {
    private Guarantee guarantee = Guarantee.UNIFORM;
    private Ordering ordering = Ordering.SEQUENCER;
    private @Nullable String domain;
    private Set<String> electorate = Set.of();
    private @Nullable PrimaryViews primaryViews;
    private Partitions partitions = Partitions.SUSPEND;
    private boolean stateTransfer;
    private Durability durability = Durability.NONE;

    private Builder() {}

    private Builder(Builder of) {
      guarantee = of.guarantee;
      ordering = of.ordering;
      domain = of.domain;
      electorate = of.electorate;
      primaryViews = of.primaryViews;
      partitions = of.partitions;
      stateTransfer = of.stateTransfer;
      durability = of.durability;
    }

    /// Chooses when messages are delivered.
    ///
    /// @param value the guarantee
    /// @return this builder
    public Builder guarantee(Guarantee value) {
      guarantee = value;
      return this;
    }

    /// Chooses who decides the order, at first.
    ///
    /// @param value the ordering
    /// @return this builder
    public Builder ordering(Ordering value) {
      ordering = value;
      return this;
    }

    /// Puts the group into a domain: overlapping groups among which order and causality hold, too. Members see it if
    /// each of these groups has a [GroupListener], which one thread calls for all: [Group#receive] takes the events of
    /// one group. Not with a durability.
    ///
    /// @param name the domain's name, or null for none
    /// @return this builder
    public Builder domain(@Nullable String name) {
      domain = name;
      return this;
    }

    /// Says of whom every primary view needs a majority. The view of a founder that is none by itself is not primary.
    /// Unless [#primaryViews(PrimaryViews)] says otherwise, a majority of these names is also enough to go on
    /// ([PrimaryViews#STATIC_MAJORITY]).
    ///
    /// {@snippet class="ApiExamplesTest" region="electorate"}
    ///
    /// @param names of nodes ([Node#named]); none for no such demand
    /// @return this builder
    public Builder electorate(String... names) {
      return electorate(new TreeSet<>(List.of(names)));
    }

    /// Says of whom every primary view needs a majority, as [#electorate(String...)].
    ///
    /// @param names of nodes ([Node#named]); copied; empty for no such demand
    /// @return this builder
    public Builder electorate(Set<String> names) {
      electorate = Collections.unmodifiableSortedSet(new TreeSet<>(names));
      return this;
    }

    /// Chooses which views are primary.
    ///
    /// {@snippet class="ApiExamplesTest" region="primary-views"}
    ///
    /// @param value the choice, which must go with the electorate; null to let it follow from the electorate
    /// @return this builder
    public Builder primaryViews(@Nullable PrimaryViews value) {
      primaryViews = value;
      return this;
    }

    /// Chooses what members do in a view that is not primary.
    ///
    /// @param value whether they go on; not with a durability
    /// @return this builder
    public Builder partitions(Partitions value) {
      partitions = value;
      return this;
    }

    /// Asks for state transfer: [Event.StateRequest] and [Event.StateOffer] events then occur and must be handled.
    ///
    /// @param value whether newcomers get state
    /// @return this builder
    public Builder stateTransfer(boolean value) {
      stateTransfer = value;
      return this;
    }

    /// Chooses what members keep in stable storage, which their nodes must have ([NodeBuilder#data]). Observers keep
    /// nothing. Not for a group in a domain, nor for one that goes on in partitions.
    ///
    /// @param value the policy
    /// @return this builder
    public Builder durability(Durability value) {
      durability = value;
      return this;
    }

    /// Checks the settings.
    ///
    /// @return a configuration with them; the builder may be used further
    /// @throws IllegalArgumentException when a name cannot be one, or two settings do not go together
    public GroupConfig build() {
      electorate.forEach(name -> Names.require("an electorate's", name, Names.faultOfNode(name)));
      if (domain != null) {
        Names.require("a domain's", domain, Names.fault(domain));
      }
      var config = new GroupConfig(new Builder(this));
      config.refuseContradictions();
      return config;
    }
  }

  private void refuseContradictions() {
    if (durability() != Durability.NONE && domain() != null) {
      throw new IllegalArgumentException(
          "durability " + durability() + " does not go with domain \"" + domain() + "\"");
    }
    if (durability() != Durability.NONE && partitions() == Partitions.CONTINUE) {
      throw new IllegalArgumentException("durability " + durability() + " does not go with partitions " + partitions());
    }
    // A majority of no set, and a set of which no majority is asked, are mistakes.
    boolean needs = primaryViews().needsElectorate();
    if (needs && electorate().isEmpty()) {
      throw new IllegalArgumentException(
          "primaryViews " + primaryViews() + " needs an electorate: electorate(names of the nodes that count)");
    }
    if (!needs && !electorate().isEmpty()) {
      throw new IllegalArgumentException(
          "primaryViews "
              + primaryViews()
              + " has no electorate: primaryViews(STATIC_MAJORITY) for a majority of "
              + electorate()
              + ", primaryViews(BOTH) for a quorum of the last primary view and a majority");
    }
  }
}
