package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberId;
import org.tutti.Service;

/// Everything that happened to the members of one group in one run, in the order in which it happened.
///
/// The simulator writes it; the checkers read it when the run is over. A test may write one by hand.
public final class History {
  private final Guarantee guarantee;
  private final boolean stateTransfer;
  private final Set<String> electorate;
  private final List<MemberId> members = new ArrayList<>();
  private final Map<MemberId, Integer> ordinals = new HashMap<>(); // looked up only, never walked through
  private final List<Map<Long, List<Content>>> contents = new ArrayList<>(); // by sender and number; looked up only
  private final List<Happening> happenings = new ArrayList<>();

  /// Starts an empty history.
  ///
  /// @param config the group's configuration
  public History(GroupConfig config) {
    this.guarantee = config.guarantee();
    this.stateTransfer = config.stateTransfer();
    this.electorate = config.electorate();
  }

  /// Of whom a primary view needs a majority.
  ///
  /// @return as configured
  public Set<String> electorate() {
    return electorate;
  }

  /// What the group promises.
  ///
  /// @return the guarantee of its configuration
  public Guarantee guarantee() {
    return guarantee;
  }

  /// Whether newcomers get the state.
  ///
  /// @return as configured
  public boolean stateTransfer() {
    return stateTransfer;
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
    long lives = members.stream().filter(id::supersedes).count();
    return id.name() + "'".repeat((int) lives);
  }

  /// Everything that happened, in order.
  ///
  /// @return a view of the list
  public List<Happening> happenings() {
    return Collections.unmodifiableList(happenings);
  }

  /// Writes down what happened.
  ///
  /// @param happening what, later than or at the time of all before it
  public void add(Happening happening) {
    happenings.add(happening);
  }

  /// Finds the one object for a batch's content.
  ///
  /// @param sender  who multicast it
  /// @param seq     which of its batches it is
  /// @param service its messages' service
  /// @param hashes  its messages' hashes
  /// @param lengths its messages' lengths
  /// @return the content
  public Content content(int sender, long seq, Service service, long[] hashes, int[] lengths) {
    List<Content> known = contents.get(sender).computeIfAbsent(seq, _ -> new ArrayList<>(1));
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

  /// How many different batches of a sender were ever delivered.
  int batches(int sender) {
    return contents.get(sender).size();
  }
}
