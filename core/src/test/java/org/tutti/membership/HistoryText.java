package org.tutti.membership;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Partitions;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.order.Cut;
import org.tutti.order.Run;
import org.tutti.order.Tail;
import org.tutti.wire.Versions;

/// Short texts for histories, and a report of a member in steps.
///
/// `10: a0 a1 b0 | 12 | 0-2 0-1 5-5` is a tail that begins at index 10, where two batches of rank 0 and one of rank 1
/// stand; up to 12 it is known to be decided; by rank, the batches that are here.
final class HistoryText {
  static final Lineage LINEAGE =
      new Lineage(
          new ViewId(1, 1), 100, GroupConfig.builder().stateTransfer(true).partitions(Partitions.CONTINUE).build());

  private final View view;
  private @Nullable Lineage lineage = LINEAGE;
  private @Nullable View primary;
  private List<MemberId> absentees = List.of();
  private Knowledge.@Nullable History history;
  private Knowledge.@Nullable History branch;
  private Knowledge.@Nullable Accepted accepted;
  private boolean synced = true;
  private boolean takesState = true;
  private Knowledge.@Nullable Transfer transfer;
  private boolean leaving;
  private List<MemberId> earlier = List.of();
  private SpokenVersions speaks = SpokenVersions.OWN;

  private HistoryText(View view) {
    this.view = view;
  }

  /// A member in a primary view, whose history it has.
  static HistoryText in(View view, String tail) {
    HistoryText told = new HistoryText(view);
    told.primary = view;
    told.history = new Knowledge.History(view.id(), tail(tail));
    return told;
  }

  /// A member that has never been in a primary view.
  static HistoryText newcomer(View view) {
    HistoryText told = new HistoryText(view);
    told.lineage = null;
    told.synced = false;
    return told;
  }

  /// A member of a view that is not primary, with what it has of a primary view before.
  static HistoryText cutOff(View view, View of, String tail) {
    HistoryText told = new HistoryText(view);
    told.primary = of;
    told.history = new Knowledge.History(of.id(), tail(tail));
    return told;
  }

  /// What it has of the branch of its view.
  HistoryText branch(String tail) {
    branch = new Knowledge.History(view.id(), tail(tail));
    return this;
  }

  HistoryText knows(View latest) {
    primary = latest;
    return this;
  }

  /// In a group with an electorate; who decides about the latest primary view without being in it.
  HistoryText ruled(Lineage by, MemberId... absent) {
    lineage = by;
    absentees = List.of(absent);
    return this;
  }

  HistoryText accepted(ViewId ballot, Proposal proposal) {
    accepted = new Knowledge.Accepted(ballot, proposal);
    return this;
  }

  HistoryText waitsFor(MemberId donor, ViewId since) {
    synced = false;
    transfer = new Knowledge.Transfer(donor, since);
    return this;
  }

  HistoryText standsFor(MemberId... lives) {
    earlier = List.of(lives);
    return this;
  }

  /// An observer that does without the state.
  HistoryText withoutState() {
    takesState = false;
    return this;
  }

  HistoryText of(@Nullable Lineage history) {
    lineage = history;
    return this;
  }

  HistoryText speaks(int oldest, int newest, int most) {
    speaks = new SpokenVersions(new Versions(oldest, newest), most);
    return this;
  }

  HistoryText leaves() {
    leaving = true;
    return this;
  }

  Knowledge knowledge() {
    return new Knowledge(
        view,
        lineage,
        primary,
        absentees,
        history,
        branch,
        accepted,
        0,
        synced,
        takesState,
        transfer,
        leaving,
        earlier,
        speaks);
  }

  static Proposal proposal(View view, @Nullable View lastPrimary, long indexFirst, List<Cut> cuts) {
    return new Proposal(
        view, LINEAGE, lastPrimary, List.of(), indexFirst, Ordering.SEQUENCER, 0, cuts, List.of(), List.of());
  }

  static Tail tail(String text) {
    String[] parts = text.split("\\|");
    String[] begin = parts[0].split(":");
    List<Tail.Lane> lanes = new ArrayList<>();
    for (String lane : parts[2].strip().split(" ")) {
      String[] ends = lane.split("[-@+]");
      List<Long> stamps = Arrays.stream(ends).skip(2).map(Long::valueOf).toList();
      lanes.add(new Tail.Lane(Long.parseLong(ends[0]), Long.parseLong(ends[1]), stamps));
    }
    List<Run> places = places(begin.length > 1 ? begin[1] : "");
    return new Tail(
        Long.parseLong(begin[0].strip()), places, Ordering.SEQUENCER, Long.parseLong(parts[1].strip()), lanes);
  }

  static List<Run> places(String text) {
    List<Run> places = new ArrayList<>();
    for (String place : text.strip().split(" ")) {
      if (!place.isEmpty()) {
        Run.append(places, place.charAt(0) - 'a', Long.parseLong(place.substring(1)));
      }
    }
    return places;
  }

  /// A cut as a text, such as `10: a0 a1 b0`.
  static String text(Cut cut) {
    return cut.base()
        + ":"
        + cut.places().stream()
            .flatMap(run -> numbers(run).mapToObj(seq -> " " + (char) ('a' + run.rank()) + seq))
            .collect(Collectors.joining());
  }

  private static LongStream numbers(Run run) {
    return LongStream.range(run.seq(), run.seq() + run.length());
  }

  /// Cuts without their sources.
  static List<String> texts(Proposal proposal) {
    return proposal.cuts().stream()
        .map(cut -> cut.view() + (cut.whole() ? " whole " : " decided ") + text(cut))
        .toList();
  }
}
