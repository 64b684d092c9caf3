package org.tutti.sim.mutant;

import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.util.List;
import org.tutti.sim.mutant.Edit.Change.Begin;
import org.tutti.sim.mutant.Edit.Change.Drop;
import org.tutti.sim.mutant.Edit.Change.Redirect;
import org.tutti.sim.mutant.Edit.Change.Return;

/// Bugs planted in the whiteboard, in propagations and in local calls.
final class ExchangeMutants {
  private static final String BOARD = "org.tutti.engine.BoardExchange";
  private static final String DOMAIN_MEMBER = "org.tutti.engine.DomainMember";

  private static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "whiteboard-blocks-delivery",
              "after a put nothing is delivered until the view changes",
              List.of(
                  new Edit(
                      "org.tutti.engine.GroupEngine",
                      "whiteboardPut",
                      new Begin(
                          "history",
                          "org.tutti.engine.LastHistory",
                          false,
                          "activate",
                          List.of(ConstantDescs.CD_boolean))))),
          new Mutant(
              "stale-value",
              "what a member said before its view was here is read again in later views",
              List.of(
                  new Edit(BOARD, "installed", new Redirect("LinkedHashMap.remove", "get")),
                  new Edit(BOARD, "isNews", new Return(1)))),
          new Mutant(
              "value-for-ever",
              "the first value of a member that is read stays",
              List.of(new Edit(BOARD, "receive", new Redirect("TreeMap.put", "putIfAbsent")))),
          new Mutant(
              "gone-on-whiteboard",
              "values of those who have left the view are read",
              List.of(new Edit(BOARD, "installed", new Drop("retainAll", 0)))),
          new Mutant(
              "newcomers-see-nothing",
              "who comes into the view is not told what was put before",
              List.of(new Edit(BOARD, "installed", new Drop("speakSoon", 0)))),
          new Mutant(
              "value-waits-for-company",
              "a value that finds nothing to travel with stays at home",
              List.of(new Edit(BOARD, "speakSoon", new Drop("schedule", 0)))),
          new Mutant(
              "propagate-across-views",
              "what was propagated in another view counts",
              List.of(new Edit("org.tutti.engine.Exchange", "arrived", new Drop("equals", 1)))),
          new Mutant(
              "local-call-at-once",
              "a local call is shown before the deliveries of which its caller has learned",
              List.of(
                  new Edit(
                      DOMAIN_MEMBER,
                      "localCall",
                      new Begin(
                          "user",
                          "org.tutti.engine.GroupUser",
                          true,
                          "localCall",
                          List.of(ClassDesc.of("org.tutti.Event").nested("LocalCall")))),
                  new Edit(DOMAIN_MEMBER, "localCall", new Drop("inOrder", 0)))));

  private ExchangeMutants() {}

  static List<Mutant> all() {
    return ALL;
  }
}
