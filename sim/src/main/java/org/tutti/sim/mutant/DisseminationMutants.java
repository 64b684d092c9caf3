package org.tutti.sim.mutant;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.util.List;
import java.util.function.UnaryOperator;
import org.tutti.Ordering;
import org.tutti.sim.RunKind;
import org.tutti.sim.mutant.Edit.Change.Drop;
import org.tutti.sim.mutant.Edit.Change.Fix;
import org.tutti.sim.mutant.Edit.Change.Insert;
import org.tutti.sim.mutant.Edit.Change.Redirect;
import org.tutti.sim.mutant.Edit.Change.Return;
import org.tutti.sim.mutant.Edit.Change.Twice;

/// Bugs planted in how batches reach all members, and in when they leave.
final class DisseminationMutants {
  private static final String SENDER = "org.tutti.history.MulticastSender";
  private static final UnaryOperator<CodeBuilder> LATER = code -> code.loadConstant(Long.MAX_VALUE).lreturn();

  static final List<Mutant> ALL =
      List.of(
          dissemination("forward-nothing", "a batch that comes along a chain is not sent on", "forward", new Return(0)),
          dissemination(
              "forward-twice",
              "a batch that comes along a chain is sent on twice",
              "forward",
              new Twice("Effects.send")),
          dissemination(
              "relay-nothing", "the relay keeps a batch, and its order goes without it", "relay", new Return(0)),
          dissemination(
              "relay-twice", "the relay sends a batch to each member twice", "relay", new Twice("Effects.send")),
          dissemination("relay-to-sender", "the relay sends a batch to its sender, too", "relay", new Fix(1, false)),
          dissemination(
              "relay-to-voters", "the relay leaves the observers out", "relay", new Redirect("View.size", "voting")),
          dissemination("relay-by-itself", "who relays sends its own batches to itself", "wayOf", new Fix(2, true)),
          dissemination(
              "apart-unsaid", "a batch does not say that the one before took another way", "send", new Fix(2, true)),
          dissemination(
              "chain-without-end", "a chain goes around, and leaves the observers out", "successor", new Fix(6, false)),
          new Mutant(
                  "overtake-in-lane",
                  "a batch that has overtaken one of its sender's does not wait for it",
                  "order.HoldBackQueue",
                  "enter",
                  new Fix(5, false))
              .in(RunKind.MIXED),
          new Mutant(
                  "believe-too-early",
                  "a member does not say which of its batches its clock counts, so it counts before they are here",
                  "order.Symmetric",
                  "flush",
                  new Drop("HeardClocks.arrivedNext", 0))
              .in(Ordering.SYMMETRIC)
              .in(RunKind.MIXED),
          new Mutant(
                  "frontier-too-early",
                  "the same in a domain",
                  "domain.Frontier",
                  "flush",
                  new Drop("HeardClocks.arrivedNext", 0))
              .in(RunKind.OVERLAPS),
          new Mutant(
              "wait-for-ever",
              "a batch that had to wait for a line is not asked about again",
              List.of(
                  new Edit(SENDER, "send", new Insert(code -> returnWhileWaiting(code, CodeBuilder::return_))),
                  new Edit(SENDER, "deadline", new Insert(code -> returnWhileWaiting(code, LATER))))));

  private DisseminationMutants() {}

  private static Mutant dissemination(String name, String words, String method, Edit.Change change) {
    return new Mutant(name, words, "dissemination.Disseminator", method, change).in(RunKind.MIXED);
  }

  /// While a batch waits: sends nothing, and wants no timer. In the second method of the name `send`, which the first
  /// one calls, nothing waits yet.
  private static void returnWhileWaiting(CodeBuilder code, UnaryOperator<CodeBuilder> returns) {
    Label goesOn = code.newLabel();
    code.aload(0).getfield(ClassDesc.of(SENDER), "waitsUntil", ConstantDescs.CD_long);
    code.loadConstant(Long.MIN_VALUE).lcmp().ifeq(goesOn);
    returns.apply(code).labelBinding(goesOn);
  }
}
