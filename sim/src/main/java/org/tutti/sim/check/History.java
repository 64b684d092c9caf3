package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberId;
import org.tutti.Partitions;
import org.tutti.PrimaryViews;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.ViewId;

/// Everything that happened to the members of one group in one run, in the order in which it happened.
///
/// The simulator writes it; the checkers read it when the run is over. A test may write one by hand.
public final class History {
  private final Guarantee guarantee;
  private final boolean stateTransfer;
  private final Set<String> electorate;
  private final PrimaryViews primaryViews;
  private final Partitions partitions;
  private final boolean inDomain;
  private final @Nullable ViewId lineage;
  private final List<MemberId> members = new ArrayList<>();
  private final Map<Integer, Role> roles = new HashMap<>(); // of those that are no voters; looked up only
  private final Set<Integer> observersOnly = new TreeSet<>(); // by their certificates
  private final Map<Integer, Build> builds = new HashMap<>(); // looked up only
  private final Map<MemberId, Integer> ordinals = new HashMap<>(); // looked up only, never walked through
  private final List<Map<Long, List<Content>>> contents = new ArrayList<>(); // by sender and number; looked up only
  private final SortedMap<InBranch, List<Content>> inBranches = new TreeMap<>();
  private final List<HistoryEvent> events = new ArrayList<>();
  private final Map<ViewId, View> views = new HashMap<>(); // looked up only

  /// Names a batch of a branch.
  private record InBranch(ViewId branch, int sender, long seq) implements Comparable<InBranch> {
    private static final Comparator<InBranch> ORDER =
        Comparator.comparing(InBranch::branch).thenComparingInt(InBranch::sender).thenComparingLong(InBranch::seq);

    @Override
    public int compareTo(InBranch other) {
      return ORDER.compare(this, other);
    }
  }

  /// Starts an empty history.
  ///
  /// @param config the group's configuration
  public History(GroupConfig config) {
    this.lineage = null;
    this.guarantee = config.guarantee();
    this.stateTransfer = config.stateTransfer();
    this.electorate = config.electorate();
    this.primaryViews = config.primaryViews();
    this.partitions = config.partitions();
    this.inDomain = config.domain() != null;
  }

  /// The same group and members, in one of its lineages, and nothing that has happened.
  private History(History of, @Nullable ViewId lineage) {
    this.lineage = lineage;
    this.guarantee = of.guarantee;
    this.stateTransfer = of.stateTransfer;
    this.electorate = of.electorate;
    this.primaryViews = of.primaryViews;
    this.partitions = of.partitions;
    this.inDomain = of.inDomain;
    members.addAll(of.members);
    roles.putAll(of.roles);
    observersOnly.addAll(of.observersOnly);
    builds.putAll(of.builds);
    ordinals.putAll(of.ordinals);
    contents.addAll(of.contents);
    inBranches.putAll(of.inBranches);
  }

  /// Whether the group is in a domain: then what happens to it may be told when it fits what happens to other groups.
  ///
  /// @return as configured
  boolean isInDomain() {
    return inDomain;
  }

  /// Of whom a primary view needs a majority.
  ///
  /// @return as configured
  public Set<String> electorate() {
    return electorate;
  }

  /// Which views are primary.
  ///
  /// @return as configured
  public PrimaryViews primaryViews() {
    return primaryViews;
  }

  /// Who may go on from primary views.
  ///
  /// @return a new object, before the first view
  Deciders deciders() {
    return new Deciders(primaryViews, electorate);
  }

  /// What the group promises.
  ///
  /// @return the guarantee of its configuration
  public Guarantee guarantee() {
    return guarantee;
  }

  /// Whether a newcomer gets the state.
  ///
  /// @param member its ordinal
  /// @return whether the group has state transfer and the member takes the state
  public boolean stateTransfer(int member) {
    return stateTransfer && role(member) != Role.STATELESS;
  }

  /// As what a member takes part.
  ///
  /// @param member its ordinal
  /// @return a voter unless it was said otherwise
  public Role role(int member) {
    return roles.getOrDefault(member, Role.VOTER);
  }

  /// Says as what a member takes part.
  ///
  /// @param member its ordinal
  /// @param role   for all of its life
  public void assignRole(int member, Role role) {
    roles.put(member, role);
  }

  /// Whether a member may vote, by its certificate.
  ///
  /// @param member its ordinal
  /// @return true unless it was said otherwise
  public boolean mayVote(int member) {
    return !observersOnly.contains(member);
  }

  /// Says that the certificate of a member is only for observers.
  ///
  /// @param member its ordinal
  public void limitToObserving(int member) {
    observersOnly.add(member);
  }

  /// Which versions of the protocol a member speaks.
  ///
  /// @param member its ordinal
  /// @return null when nobody has said so
  @Nullable Build build(int member) {
    return builds.get(member);
  }

  /// Says which versions of the protocol a member speaks.
  ///
  /// @param member its ordinal
  /// @param its    for all of its life
  public void assignBuild(int member, Build its) {
    builds.put(member, its);
  }

  /// What members do in views that are not primary.
  ///
  /// @return as configured
  public Partitions partitions() {
    return partitions;
  }

  /// A member's number in this history; an unknown member gets the next one.
  ///
  /// @param member the member
  /// @return its ordinal, from 0
  public int ordinalOf(MemberId member) {
    Integer known = ordinals.get(member);
    if (known != null) {
      return known;
    }
    ordinals.put(member, members.size());
    members.add(member);
    contents.add(new HashMap<>());
    return members.size() - 1;
  }

  /// All members ever, by ordinal.
  ///
  /// @return a view of the list
  public List<MemberId> members() {
    return Collections.unmodifiableList(members);
  }

  /// A member's name for messages: two lives of one name differ.
  ///
  /// @param ordinal the member
  /// @return such as `n2`, or `n2'` for its second life
  public String name(int ordinal) {
    MemberId id = members.get(ordinal);
    int lives = 0;
    for (MemberId other : members) {
      lives += id.supersedes(other) ? 1 : 0;
    }
    return id.name() + "'".repeat(lives);
  }

  /// Everything that happened, in order.
  ///
  /// @return a view of the list
  public List<HistoryEvent> events() {
    return Collections.unmodifiableList(events);
  }

  /// Finds the one object for equal views: of many members each has its own, and each view is long.
  ///
  /// @param view as a member has it
  /// @return an equal one
  public View shared(View view) {
    View known = views.putIfAbsent(view.id(), view);
    return view.equals(known) ? known : view;
  }

  /// Writes down what happened.
  ///
  /// @param event what, later than or at the time of all before it
  public void add(HistoryEvent event) {
    events.add(event);
  }

  /// The histories that this one is, where an operator has forced members: for each lineage what happened to its
  /// members, and, for one that was forced, to the lives out of whose storage it comes.
  ///
  /// @return this one alone when nobody was forced, or nobody has heard of it
  List<History> lineages() {
    SortedMap<Integer, ViewId> forced = new TreeMap<>(); // by member, the last one of which it was told
    Map<ViewId, HistoryEvent.Forced> beginnings = new TreeMap<>();
    for (HistoryEvent event : events) {
      if (event instanceof HistoryEvent.InForced(int member, _, ViewId view)) {
        forced.put(member, view);
      } else if (event instanceof HistoryEvent.Forced beginning) {
        beginnings.put(beginning.view().id(), beginning);
      }
    }
    List<History> lineages = new ArrayList<>();
    if (forced.isEmpty()) {
      return List.of(this);
    }
    lineages.add(part(null, event -> !forced.containsKey(event.member()) && !(event instanceof HistoryEvent.Forced)));
    var lives = new Restarts(this);
    for (ViewId view : new TreeSet<>(forced.values())) {
      HistoryEvent.Forced beginning = Objects.requireNonNull(beginnings.get(view), "nobody forced " + view);
      MemberId from = members.get(beginning.member());
      lineages.add(
          part(
              view,
              event -> {
                boolean before = lives.isLaterLifeOf(from, members.get(event.member()));
                // A life between that was refused before it knew the history says who is a later life of whom.
                boolean descent = event instanceof HistoryEvent.Restarted;
                return descent || before || view.equals(forced.get(event.member()));
              }));
    }
    return lineages;
  }

  /// The same members, and some of the events.
  private History part(@Nullable ViewId lineage, Predicate<HistoryEvent> of) {
    var part = new History(this, lineage);
    events.stream().filter(of).forEach(part::add);
    return part;
  }

  /// Behind which view the chain of primary views of this history begins. What its members were in before belongs to
  /// the lineage that it has replaced.
  ///
  /// @return the view that was forced; null in a history that begins with its founding
  @Nullable ViewId lineage() {
    return lineage;
  }

  /// Finds the one object for a batch's content.
  ///
  /// @param branch  the view in whose branch it was delivered, or null for the history of the primary views
  /// @param sender  who multicast it
  /// @param seq     which of its batches it is
  /// @param service its messages' service
  /// @param hashes  its messages' hashes
  /// @param lengths its messages' lengths
  /// @return the content
  public Content content(@Nullable View branch, int sender, long seq, Service service, long[] hashes, int[] lengths) {
    List<Content> known =
        branch == null
            ? contents.get(sender).computeIfAbsent(seq, _ -> new ArrayList<>(1))
            : inBranches.computeIfAbsent(new InBranch(branch.id(), sender, seq), _ -> new ArrayList<>(1));
    for (Content content : known) {
      if (content.says(service, hashes, lengths)) {
        return content;
      }
    }
    var content = new Content(sender, seq, service, hashes, lengths);
    known.add(content);
    return content;
  }

  /// All contents that were ever delivered as one batch of one sender; more than one means trouble.
  List<Content> contents(int sender, long seq) {
    return contents.get(sender).getOrDefault(seq, List.of());
  }

  /// What a checker notes of each member, by the member's ordinal.
  <T> List<T> forEachMember(Supplier<T> notes) {
    return Stream.generate(notes).limit(members.size()).toList();
  }

  /// The number of each batch's first message among its sender's, as far as the batches before it are known.
  Map<Content, Long> firstMessages() {
    Map<Content, Long> firsts = new HashMap<>(); // looked up only
    for (int sender = 0; sender < members.size(); sender++) {
      long first = 0;
      for (long seq = 0; seq < batches(sender); seq++) {
        List<Content> known = contents(sender, seq);
        for (Content content : known) {
          firsts.put(content, first);
        }
        first += known.isEmpty() ? 0 : known.getFirst().count();
      }
    }
    return firsts;
  }

  /// The contents of the batches that were delivered in branches, each batch's; more than one means trouble.
  Collection<List<Content>> inBranches() {
    return Collections.unmodifiableCollection(inBranches.values());
  }

  /// How many different batches of a sender were ever delivered.
  int batches(int sender) {
    return contents.get(sender).size();
  }
}
