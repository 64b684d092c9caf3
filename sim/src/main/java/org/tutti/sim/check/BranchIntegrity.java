package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tutti.MemberId;
import org.tutti.Partitions;
import org.tutti.View;
import org.tutti.sim.check.HistoryEvent.Branched;
import org.tutti.sim.check.HistoryEvent.DecidedInBranch;
import org.tutti.sim.check.HistoryEvent.Submitted;

/// What is delivered in a branch was multicast by a member of its view, which is not primary, and nobody changed it; a
/// sender's batches come in its order, none missing, none twice. The sender is told of each right before. In groups
/// that are suspended there are no branches.
public record BranchIntegrity() implements Checker {
  private static final class Member {
    final List<Submitted> submitted = new ArrayList<>();
    final Map<Integer, Long> next = new HashMap<>(); // by sender, the number of its next batch; looked up only
    View view;
    int toldFrom;
    int told; // how many messages, and the delivery is yet to come
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    List<Member> members = new ArrayList<>();
    history.members().forEach(_ -> members.add(new Member()));
    var inBranches = new BranchMessages(members.size());
    for (List<Content> contents : history.inBranches()) {
      if (contents.size() > 1) {
        report.accept("a batch has several contents in one branch: " + contents);
      }
    }
    for (HistoryEvent event : history.events()) {
      Member member = members.get(event.member());
      switch (event) {
        case Submitted submitted -> member.submitted.add(submitted);
        case HistoryEvent.Installed installed -> {
          member.view = installed.view();
          member.next.clear();
        }
        case DecidedInBranch decided -> {
          member.toldFrom = inBranches.next(decided.member());
          member.told = decided.messages();
        }
        case Branched branched -> deliver(history, branched, member, report);
        default -> {}
      }
      inBranches.add(event);
    }
  }

  private static void deliver(History history, Branched branched, Member member, Consumer<String> report) {
    Content batch = branched.batch();
    MemberId sender = history.members().get(batch.sender());
    View view = member.view;
    String what = history.name(branched.member()) + " delivered " + batch + " of the branch of " + view;
    if (history.partitions() == Partitions.SUSPEND || view == null || view.primary() || !view.contains(sender)) {
      report.accept(what + ", which cannot be");
    }
    long expected = member.next.getOrDefault(batch.sender(), 0L);
    if (batch.seq() != expected) {
      report.accept(what + ", expected was " + expected);
    }
    member.next.put(batch.sender(), batch.seq() + 1);
    if (batch.sender() == branched.member() && !isTold(batch, member)) {
      report.accept(what + ", its own, and was told of " + member.told + " from " + member.toldFrom);
    }
  }

  private static boolean isTold(Content batch, Member sender) {
    boolean same = sender.told == batch.count() && sender.toldFrom + sender.told <= sender.submitted.size();
    for (int i = 0; same && i < sender.told; i++) {
      Submitted message = sender.submitted.get(sender.toldFrom + i);
      same =
          message.service() == batch.service()
              && message.hash() == batch.hash(i)
              && message.length() == batch.length(i);
    }
    sender.told = 0;
    return same;
  }
}
