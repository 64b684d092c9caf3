----------------------------- MODULE TraceOfRun -----------------------------
(***************************************************************************)
(* Whether a run of the simulator is a behaviour of PrimaryViews.          *)
(*                                                                         *)
(* Module Trace has the run's events: which views and messages three       *)
(* applications were shown, in order. TraceTest writes it. TLC walks       *)
(* through the model's behaviours, but goes on from a state only if its    *)
(* applications have been shown the first n events and nothing else. The   *)
(* largest n that it comes to is printed. If it is the number of events,   *)
(* some behaviour shows the whole run; if not, none shows event n + 1 here *)
(* (or none that the hints below leave). All that applications are not     *)
(* shown, such as who proposes and what is received when, TLC chooses.     *)
(*                                                                         *)
(* The method: H. Cirstea, M. A. Kuppe, B. Loillier, S. Merz, "Validating  *)
(* traces of distributed programs against TLA+ specifications", 2024,      *)
(* where variables that are not logged are left to TLC, too. It searches   *)
(* an implementation's log for steps of the model; here the log is that of *)
(* the applications, and no line of it names a step.                       *)
(***************************************************************************)
EXTENDS PrimaryViews, Trace, TLC

(* The bounds, from the events. Of the last ballot nothing is needed but that *)
(* there is one: members say nothing in its view. *)
Views == {e.what : e \in {x \in Range(Events) : x.kind = "view"}}
Firsts == Sorted({i \in DOMAIN Events : /\ Events[i].kind = "deliver"
                                        /\ \A j \in 1..(i - 1) : Events[j].what # Events[i].what})
BallotsOfRun == Max({v[1] : v \in Views}) + 1
MessagesOfRun == Len(Firsts)

(* A message's sender, and which of the sender's it is. *)
Label(x) == <<sender[x], Cardinality({y \in 1..x : sender[y] = sender[x]})>>

(* What a member's application has been shown so far. *)
Seen(m) == [i \in 1..(Len(trail[m]) - 1) |->
  LET v == trail[m][i + 1].view IN <<v.id, v.alone, v.mem, v.primary>>]
Had(m) == [i \in DOMAIN member[m].delivered |-> Label(member[m].delivered[i])]
Count == Len(Seen(1)) + Len(Had(1)) + Len(Seen(2)) + Len(Had(2)) + Len(Seen(3)) + Len(Had(3))

(* What it is shown by the first n events. *)
Of(n, m, kind) ==
  LET mine == SelectSeq(SubSeq(Events, 1, n), LAMBDA e : e.who = m /\ e.kind = kind)
  IN [i \in DOMAIN mine |-> mine[i].what]

Matches ==
  /\ Count <= Len(Events)
  /\ \A m \in All : Seen(m) = Of(Count, m, "view") /\ Had(m) = Of(Count, m, "deliver")

(* Of the steps that are not shown only some are tried: messages are multicast *)
(* in the order of their first deliveries, and attempt b proposes view b of    *)
(* the run, not again that of an earlier attempt.                              *)
Hints ==
  /\ IsPrefix(sender, [i \in DOMAIN Firsts |-> Events[Firsts[i]].what[1]])
  /\ attempt[Ballots].owner = 0
  /\ \A b \in 1..(Ballots - 1) : attempt[b].proposal # None =>
       LET v == attempt[b].proposal[1].view IN v.id = b /\ <<b, 0, v.mem, v.primary>> \in Views

(* The largest Count so far is in register 1; the test reads what is printed. *)
ASSUME TLCSet(1, 0)
Noted == Count > TLCGet(1) => TLCSet(1, Count) /\ PrintT(<<"shown", Count>>)

Within == Matches /\ Hints /\ Noted

=============================================================================
