---------------------------- MODULE PrimaryViews ----------------------------
(***************************************************************************)
(* View agreement, both primary rules, uniform delivery and the kept suffix *)
(* of one group. README.md says which class each action stands for, what   *)
(* is left out, and what TLC found.                                        *)
(*                                                                         *)
(* Nothing here knows who can reach whom: a message that was sent may be   *)
(* received at any later time, or never, and anybody may propose a view to *)
(* anybody. A split is a run in which some are not asked.                  *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
  Size,        \* members of the first view
  Ballots,     \* how many attempts there may be
  Messages,    \* how many messages there may be
  Senders,     \* who may multicast
  Crashes,     \* how many members may crash
  Reports,     \* "one by one" or "at once": how a proposer collects them
  Rule,        \* "dynamic linear" or "static majority" of the first view
  Reborn,      \* members of the first view of which there is a second life, too
  Partitions,  \* "suspend" or "continue": what a view does that is not primary
  Variant      \* "none", or which rule of the protocol is broken

VARIABLES
  alive,    \* who has not crashed
  member,   \* by member, what it knows
  attempt,  \* by ballot, its proposer and what is under way for it
  net,      \* by id of a primary view, what was ever said in it
  sender,   \* by message, who multicast it
  trail,    \* by member, the views that its application saw, and what it got in each
  branch    \* by id of a view that is not primary, the messages ordered in it

vars == <<alive, member, attempt, net, sender, trail, branch>>

First == 1..Size             \* whose names are the electorate, too
All == 1..(Size + Cardinality(Reborn))
Ids == 0..Ballots          \* ballots are numbers; the first view has 0
None == <<>>
Range(seq) == {seq[i] : i \in DOMAIN seq}
Max(set) == CHOOSE x \in set : \A y \in set : y <= x
Min(set) == CHOOSE x \in set : \A y \in set : y >= x
IsPrefix(one, other) == Len(one) <= Len(other) /\ one = SubSeq(other, 1, Len(one))
Comparable(one, other) == IsPrefix(one, other) \/ IsPrefix(other, one)

RECURSIVE Sorted(_)
Sorted(set) == IF set = {} THEN <<>> ELSE <<Min(set)>> \o Sorted(set \ {Min(set)})

(* Lives are numbers; a second life knows nothing of what the first one did. Both *)
(* may be about at any time, which is more than can happen. *)
NameOf(m) == IF m <= Size THEN m ELSE Sorted(Reborn)[m - Size]

(* Who decides about what follows a view: its members, mem, by seniority; and with *)
(* a static majority its absentees, lives that were the last of their names in a *)
(* primary view. *)
DynamicQuorum(mem, who) ==
  LET votes == Cardinality(Range(mem) \cap who)
  IN \/ 2 * votes > Len(mem)
     \/ 2 * votes = Len(mem) /\ mem # <<>>
        /\ (mem[1] \in who \/ Variant = "half without senior")

Majority(votes) == 2 * Cardinality(votes) > (IF Variant = "majority of those present" THEN 1 ELSE Size)

(* DynamicLinearVoting and StaticMajority, isQuorum: of those in the view. *)
IsQuorum(mem, who) ==
  \/ Variant = "any view"
  \/ IF Rule = "static majority" THEN Majority(Range(mem) \cap who) ELSE DynamicQuorum(mem, who)

(* mayGoOn: of those who decide. *)
MayGoOn(mem, absent, who) ==
  \/ Variant = "any view"
  \/ IF Rule = "static majority"
     THEN /\ mem # <<>>
          /\ \/ Majority((Range(mem) \cup absent) \cap who)
             \/ Variant = "new lives vote" /\ Majority({NameOf(m) : m \in who})
     ELSE DynamicQuorum(mem, who)

-----------------------------------------------------------------------------
(* One member. `of` is the primary view whose history it keeps, `base` what  *)
(* precedes that view, `places` what it knows of the order in it, `got` the  *)
(* batches that it has. It may wait for the state, and hold back deliveries *)
(* until then. *)

FirstView == [id |-> 0, alone |-> 0, mem |-> [i \in First |-> i], primary |-> TRUE]
NoView == [id |-> -1, alone |-> 0, mem |-> <<>>, primary |-> FALSE]
OwnView(m) == [id |-> 0, alone |-> m, mem |-> <<m>>, primary |-> FALSE]

FirstMember ==
  [promised |-> 0, wedged |-> FALSE, pending |-> 0, view |-> FirstView,
   primary |-> FirstView, absent |-> {}, accepted |-> None, installed |-> None,
   of |-> 0, base |-> <<>>, places |-> <<>>, got |-> {},
   delivered |-> <<>>, waiting |-> FALSE, holding |-> FALSE]

Newcomer(m) == [FirstMember EXCEPT !.view = OwnView(m), !.primary = NoView, !.of = -1, !.waiting = TRUE]

NoReports == [m \in {} |-> 0]

NoAttempt ==
  [owner |-> 0, reports |-> NoReports, told |-> {}, news |-> None, proposal |-> None,
   asked |-> {}, acks |-> {}, announced |-> FALSE]

Silence == [sent |-> {}, order |-> <<>>, said |-> [m \in All |-> 0]]

Init ==
  /\ alive = All
  /\ member = [m \in All |-> IF m \in First THEN FirstMember ELSE Newcomer(m)]
  /\ attempt = [b \in 1..Ballots |-> NoAttempt]
  /\ net = [v \in Ids |-> Silence]
  /\ sender = <<>>
  /\ trail = [m \in All |-> <<[view |-> IF m \in First THEN FirstView ELSE OwnView(m), waited |-> FALSE, did |-> <<>>]>>]
  /\ branch = [v \in Ids |-> <<>>]

(* How many places are known without a gap and with their batches (Log.heldNext). *)
Held(s) ==
  Max({n \in 0..Len(s.places) : \A i \in 1..n : s.places[i] \in s.got})

(* How many places of this view's history are delivered. *)
Done(s) == IF s.waiting THEN 0 ELSE Len(s.delivered) - Len(s.base)

InPrimary(s) == s.view.primary /\ s.view.id = s.of
Active(m) == m \in alive /\ ~member[m].wedged /\ InPrimary(member[m])

(* Nothing follows the view of the last ballot, so what is said in it is left out. *)
Speaks(m) == Active(m) /\ member[m].of < Ballots
InBranch(m) == m \in alive /\ ~member[m].wedged /\ ~member[m].view.primary
BranchMessages == UNION {Range(branch[v]) : v \in Ids}

-----------------------------------------------------------------------------
(* Ordering and uniform delivery in a primary view. *)

(* m's new state, and what it says of it: how much it holds. *)
Saying(s) == IF Variant = "acknowledge unheld" THEN Len(s.places) ELSE Held(s)

Say(n, m, s) == [n EXCEPT !.said[m] = Max({@, Saying(s)})]

(* The sequencer places what it gets at once. *)
Take(n, m, s, x) ==
  IF m = s.view.mem[1]
  THEN [n |-> [n EXCEPT !.order = Append(@, x)],
        s |-> [s EXCEPT !.got = @ \cup {x}, !.places = Append(@, x)]]
  ELSE [n |-> n, s |-> [s EXCEPT !.got = @ \cup {x}]]

RECURSIVE Send(_, _, _, _)
Send(n, m, s, xs) ==
  IF xs = <<>> \/ s.of = Ballots THEN [n |-> Say(n, m, s), s |-> s]
  ELSE LET taken == Take([n EXCEPT !.sent = @ \cup {Head(xs)}], m, s, Head(xs))
       IN Send(taken.n, m, taken.s, Tail(xs))

Multicast(m) ==
  /\ Speaks(m) /\ ~member[m].waiting
  /\ m \in Senders /\ Len(sender) < Messages
  /\ LET v == member[m].of
         x == Len(sender) + 1
         after == Send(net[v], m, member[m], <<x>>)
     IN /\ net' = [net EXCEPT ![v] = after.n]
        /\ member' = [member EXCEPT ![m] = after.s]
        /\ sender' = Append(sender, m)
  /\ UNCHANGED <<alive, attempt, trail, branch>>

(* A batch comes; those of one sender come in order. *)
Receive(m) ==
  /\ Speaks(m)
  /\ LET v == member[m].of
         missing == net[v].sent \ member[m].got
     IN \E x \in missing :
          /\ \A y \in missing : sender[y] = sender[x] => x <= y
          /\ LET taken == Take(net[v], m, member[m], x)
             IN /\ net' = [net EXCEPT ![v] = Say(taken.n, m, taken.s)]
                /\ member' = [member EXCEPT ![m] = taken.s]
  /\ UNCHANGED <<alive, attempt, sender, trail, branch>>

(* The next place comes from the sequencer. *)
Learn(m) ==
  /\ Speaks(m)
  /\ LET v == member[m].of
         known == Len(member[m].places)
         after == [member[m] EXCEPT !.places = Append(@, net[v].order[known + 1])]
     IN /\ known < Len(net[v].order)
        /\ member' = [member EXCEPT ![m] = after]
        /\ net' = [net EXCEPT ![v] = Say(@, m, after)]
  /\ UNCHANGED <<alive, attempt, sender, trail, branch>>

(* Uniform delivery: a quorum of the view said that it holds all up to the place. *)
Deliver(m) ==
  /\ Speaks(m) /\ ~member[m].waiting
  /\ LET s == member[m]
         next == Done(s) + 1
     IN /\ next <= Held(s)
        /\ \/ IsQuorum(s.view.mem, {q \in All : net[s.of].said[q] >= next})
           \/ Variant = "deliver without quorum"
        /\ member' = [member EXCEPT ![m].delivered = Append(@, s.places[next])]
  /\ UNCHANGED <<alive, attempt, net, sender, trail, branch>>

(* What of its own a member sends (again) in a view that begins for it. *)
Unsettled(m, s) ==
  Sorted({x \in DOMAIN sender : sender[x] = m /\ x \notin Range(s.base)
                                /\ x \notin BranchMessages /\ x \notin s.got})

(* A newcomer to the history gets the state at the beginning of the view from *)
(* somebody who had it then. *)
GetState(m) ==
  /\ Active(m) /\ member[m].waiting
  /\ \E donor \in alive \ {m} : member[donor].of = member[m].of /\ ~member[donor].waiting
  /\ LET v == member[m].of
         s == [member[m] EXCEPT !.delivered = member[m].base, !.waiting = FALSE]
         after == Send(net[v], m, s, Unsettled(m, s))
     IN /\ member' = [member EXCEPT ![m] = after.s]
        /\ net' = [net EXCEPT ![v] = after.n]
  /\ UNCHANGED <<alive, attempt, sender, trail, branch>>

-----------------------------------------------------------------------------
(* A view that is not primary: nothing, or a branch of its own. *)

BranchMulticast(m) ==
  /\ Partitions = "continue" /\ InBranch(m)
  /\ m \in Senders /\ Len(sender) < Messages
  /\ sender' = Append(sender, m)
  /\ branch' = [branch EXCEPT ![member[m].view.id] = Append(@, Len(sender) + 1)]
  /\ UNCHANGED <<alive, member, attempt, net, trail>>

BranchDeliver(m) ==
  /\ Partitions = "continue" /\ InBranch(m)
  /\ LET last == Len(trail[m])
         did == trail[m][last].did
         order == branch[member[m].view.id]
     IN /\ Len(did) < Len(order)
        /\ trail' = [trail EXCEPT ![m][last].did = Append(did, order[Len(did) + 1])]
  /\ UNCHANGED <<alive, member, attempt, net, sender, branch>>

-----------------------------------------------------------------------------
(* What follows from the reports of those who have wedged (Flush, CutBuilder). *)

Knowledge(s) ==
  [view |-> s.view, primary |-> s.primary, absent |-> s.absent, of |-> s.of, base |-> s.base,
   places |-> s.places, got |-> s.got, done |-> Done(s), synced |-> ~s.waiting,
   kept |-> IF Variant = "forget accepted" THEN None
            ELSE IF s.accepted # None THEN s.accepted ELSE s.installed]

Latest(r) == LET views == {r[m].primary : m \in DOMAIN r}
             IN CHOOSE v \in views : \A w \in views : w.id <= v.id

(* Who is absent from the latest primary view and decides about what follows it. *)
Absent(r) == r[CHOOSE m \in DOMAIN r : r[m].primary = Latest(r)].absent

At(r, v) == {m \in DOMAIN r : r[m].of = v}
Got(r, v) == UNION {r[m].got : m \in At(r, v)}

(* The end of v's history: the longest known order without what nobody has, *)
(* then everything else that anybody has. *)
WholeCut(r, v) ==
  LET longest == r[CHOOSE m \in At(r, v) : \A q \in At(r, v) :
                     Len(r[q].places) <= Len(r[m].places)].places
      got == Got(r, v)
      rest == got \ Range(longest)
      decided == Max({r[m].done : m \in At(r, v)})
  IN IF Variant = "no cut" THEN SubSeq(longest, 1, decided)
     ELSE SelectSeq(longest, LAMBDA x : x \in got) \o Sorted(rest)

(* For those who come from a primary view that does not go on here: what one *)
(* of them knows to be decided. *)
DecidedCuts(r, except) ==
  LET ending == {r[m].of : m \in {q \in DOMAIN r : r[q].view.id = r[q].of}} \ {except}
      furthest(v) == CHOOSE m \in At(r, v) : \A q \in At(r, v) :
                       IF Variant = "minority delivers all"
                       THEN Len(r[q].places) <= Len(r[m].places)
                       ELSE r[q].done <= r[m].done
      end(v) == IF Variant = "minority delivers all"
                THEN SelectSeq(r[furthest(v)].places, LAMBDA x : x \in Got(r, v))
                ELSE SubSeq(r[furthest(v)].places, 1, r[furthest(v)].done)
  IN {[of |-> v, whole |-> FALSE, places |-> end(v), available |-> TRUE] : v \in ending}

(* By seniority: the members of the last primary view, then those of others. *)
RECURSIVE Joined(_, _)
Joined(views, who) ==
  IF who = {} THEN <<>>
  ELSE LET first == SelectSeq(Head(views).mem, LAMBDA m : m \in who)
       IN first \o Joined(Tail(views), who \ Range(first))

RECURSIVE ById(_)
ById(views) ==
  IF views = {} THEN <<>>
  ELSE LET v == CHOOSE v \in views : \A w \in views : v.id <= w.id
       IN <<v>> \o ById(views \ {v})

NextMembers(r) ==
  Joined(<<Latest(r)>> \o ById({r[m].view : m \in DOMAIN r}),
         {m \in DOMAIN r : \A q \in DOMAIN r : NameOf(q) = NameOf(m) => q <= m})

NextId(b, r) ==
  IF Variant = "reuse id" THEN 1 + Max({r[m].view.id : m \in DOMAIN r}) ELSE b

NonPrimary(b, r) ==
  [view |-> [id |-> NextId(b, r), alone |-> 0, mem |-> NextMembers(r), primary |-> FALSE],
   last |-> Latest(r), absent |-> Absent(r), base |-> <<>>, cuts |-> DecidedCuts(r, Ballots + 1), fresh |-> {}]

Successor(b, r) ==
  LET p == Latest(r)
      cut == WholeCut(r, p.id)
      base == r[CHOOSE m \in At(r, p.id) : TRUE].base
  IN [view |-> [id |-> NextId(b, r), alone |-> 0, mem |-> NextMembers(r), primary |-> TRUE],
      last |-> p, absent |-> Absent(r), base |-> base \o cut,
      cuts |-> DecidedCuts(r, p.id)
               \cup {[of |-> p.id, whole |-> TRUE, places |-> cut, available |-> TRUE]},
      fresh |-> {m \in DOMAIN r : r[m].of # p.id \/ ~r[m].synced}]

(* An agreement of others, with the word whether its batches are here. *)
Sourced(proposal, r) ==
  LET here == At(r, proposal.last.id)
  IN [proposal EXCEPT !.cuts =
       {IF c.of = proposal.last.id /\ here # {}
        THEN [c EXCEPT !.available = Range(c.places) \subseteq Got(r, c.of)]
        ELSE [c EXCEPT !.available = FALSE] : c \in @}]

(* A view that this proposer made under this ballot, and gave up. *)
IsVoid(proposer, accepted) ==
  /\ attempt[accepted.ballot].owner = proposer
  /\ accepted.ballot = accepted.proposal.view.id \/ Variant = "void finished"

Unfinished(proposer, r) ==
  {m \in DOMAIN r : /\ \/ m \in Range(Latest(r).mem)
                       \/ m \in Absent(r) /\ Variant # "forget absentees"
                    /\ r[m].kept # None
                    /\ r[m].kept[1].proposal.last.id = Latest(r).id
                    /\ ~IsVoid(proposer, r[m].kept[1])}

(* The agreement on the latest primary view, if somebody here has kept it. *)
Agreed(r) ==
  LET who == {m \in DOMAIN r : r[m].kept # None /\ r[m].kept[1].proposal.view.id = Latest(r).id}
  IN IF who = {} THEN None ELSE <<r[CHOOSE m \in who : TRUE].kept[1].proposal>>

(* Who was left behind by it, and can follow. *)
Behind(r, told) ==
  IF Agreed(r) = None THEN {}
  ELSE LET agreed == Agreed(r)[1]
           ended == agreed.last.id
           cut == CHOOSE c \in agreed.cuts : c.of = ended
       IN IF Range(cut.places) \subseteq Got(r, ended)
          THEN (At(r, ended) \cap Range(agreed.view.mem)) \ told
          ELSE {}

Decision(b, proposer, r) ==
  LET p == Latest(r)
      unfinished == Unfinished(proposer, r)
      highest == CHOOSE m \in unfinished : \A q \in unfinished :
                   r[q].kept[1].ballot <= r[m].kept[1].ballot
      donors == {m \in At(r, p.id) : r[m].synced}
  IN IF ~MayGoOn(p.mem, Absent(r), DOMAIN r) THEN NonPrimary(b, r)
     ELSE IF unfinished # {} THEN Sourced(r[highest].kept[1].proposal, r)
     ELSE IF donors # {} THEN Successor(b, r)
     ELSE NonPrimary(b, r)

-----------------------------------------------------------------------------
(* What a member makes of a proposal (Recovery, Chain, GroupEngine). *)

CutFor(s, proposal) ==
  {c \in proposal.cuts : c.of = s.of /\ (c.whole \/ s.view.id = s.of)}

CutFits(s, c) ==
  LET done == SubSeq(s.delivered, Len(s.base) + 1, Len(s.base) + Done(s))
  IN IF c.whole THEN IsPrefix(done, c.places) ELSE Comparable(done, c.places)

Fits(m, s, proposal) ==
  LET next == proposal.view
      cuts == CutFor(s, proposal)
  IN /\ m \in Range(next.mem)
     /\ \A c \in cuts : CutFits(s, c)
     /\ IF ~next.primary THEN next.id > s.view.id
        ELSE IF proposal.last.id = s.of THEN cuts # {}
        ELSE m \in proposal.fresh /\ s.of < next.id

CanFollow(m, s, proposal) ==
  Fits(m, s, proposal) /\ \A c \in CutFor(s, proposal) : Range(c.places) \subseteq s.got

(* The absentees of a proposal's view: who decided about the view before, and has *)
(* no life of its name in this one. *)
NextAbsent(proposal) ==
  IF Rule # "static majority" THEN {}
  ELSE {m \in Range(proposal.last.mem) \cup proposal.absent :
          \A q \in Range(proposal.view.mem) : NameOf(q) # NameOf(m)}

(* A later primary view is known to have been agreed. *)
Learnt(s, view, absent) ==
  IF view.id <= s.primary.id THEN s
  ELSE [s EXCEPT !.primary = view, !.absent = absent, !.installed = None,
                 !.accepted = IF @ # None /\ @[1].proposal.view.id = view.id THEN @ ELSE None]

(* The end of the history, as far as the proposal has one for this member. *)
Ended(s, proposal) ==
  LET cuts == CutFor(s, proposal)
      c == CHOOSE c \in cuts : TRUE
  IN IF cuts = {} THEN s
     ELSE IF s.waiting THEN [s EXCEPT !.holding = @ \/ c.places # <<>>]
     ELSE [s EXCEPT
       !.delivered = IF Len(c.places) > Done(s) THEN s.base \o c.places ELSE @,
       !.places = IF Len(c.places) > Len(@) THEN c.places ELSE @]

Forgetting(s) ==
  IF Variant = "forget suffix" /\ InPrimary(s)
  THEN [s EXCEPT !.places = SubSeq(@, 1, Done(s)), !.got = Range(SubSeq(s.places, 1, Done(s)))]
  ELSE s

(* Goes into an agreed view; if that is older than the present one, only its *)
(* history is taken over. *)
Followed(m, s, proposal, held) ==
  LET view == proposal.view
      enters == view.id > s.view.id
      ended == Ended(s, proposal)
      leads == s.of = proposal.last.id /\ ~s.waiting /\ Len(ended.delivered) = Len(proposal.base)
      chained == IF ~view.primary THEN Forgetting(ended)
                 ELSE LET l == [Learnt(ended, view, NextAbsent(proposal)) EXCEPT !.accepted = None, !.holding = FALSE]
                      IN [l EXCEPT
                           !.installed = IF l.primary = view
                                         THEN <<[ballot |-> view.id, proposal |-> proposal]>> ELSE @,
                           !.of = view.id, !.base = proposal.base, !.places = <<>>, !.got = {},
                           !.waiting = IF m \in proposal.fresh THEN ~leads ELSE @]
  IN [chained EXCEPT !.view = IF enters THEN view ELSE @,
                     !.wedged = held \/ ~enters,
                     !.pending = 0]

(* What an application got in a view so far. *)
Delivered(m, i) ==
  IF i = Len(trail[m]) /\ InPrimary(member[m]) /\ ~member[m].waiting
  THEN SubSeq(member[m].delivered, Len(member[m].base) + 1, Len(member[m].delivered))
  ELSE trail[m][i].did

(* The views that an application has seen then, with what it got in them. It *)
(* does not see a view that comes after messages which wait for the state. One *)
(* that was in a primary view, and has to begin anew with a state, is shown *)
(* first that it did not go on from there: a view in which it is alone. *)
Trailed(m, s, proposal, after) ==
  LET last == Len(trail[m])
      end == Ended(s, proposal).delivered
      left == IF InPrimary(s) /\ ~s.waiting
              THEN [trail[m] EXCEPT ![last].did = SubSeq(end, Len(s.base) + 1, Len(end))]
              ELSE trail[m]
      between == [view |-> [id |-> proposal.view.id, alone |-> m, mem |-> <<m>>, primary |-> FALSE],
                  waited |-> FALSE, did |-> <<>>]
      restarts == after.of # s.of /\ after.waiting
      shown == IF restarts /\ left[last].view.primary /\ Variant # "hide absence"
               THEN Append(left, between) ELSE left
  IN IF after.view = s.view \/ after.holding THEN shown
     ELSE Append(shown, [view |-> after.view, waited |-> after.waiting, did |-> <<>>])

(* The whole step of a member. *)
Follow(m, s, proposal, held) ==
  LET after == Followed(m, s, proposal, held)
      v == after.of
      speaks == ~after.wedged /\ InPrimary(after) /\ ~after.waiting
      sent == Send(net[v], m, after, Unsettled(m, after))
  IN /\ member' = [member EXCEPT ![m] = IF speaks THEN sent.s ELSE after]
     /\ net' = IF speaks THEN [net EXCEPT ![v] = sent.n] ELSE net
     /\ trail' = [trail EXCEPT ![m] = Trailed(m, s, proposal, after)]
     /\ UNCHANGED <<alive, sender, branch>>

(* What is missing of a cut comes from somebody who was asked and keeps it. *)
Fetched(s, proposal) ==
  [s EXCEPT !.got = @ \cup UNION {Range(c.places) :
     c \in {x \in CutFor(s, proposal) : x.available /\ CutFits(s, x)}}]

CanFetch(s, proposal, from) ==
  \A x \in Fetched(s, proposal).got \ s.got :
    \E q \in from \cap alive : member[q].of = s.of /\ x \in member[q].got

-----------------------------------------------------------------------------
(* The rounds of an attempt. *)

(* An attempt of a proposer that has promised another ballot is over. *)
IsOn(b) == attempt[b].owner \in alive /\ member[attempt[b].owner].promised = b

Promised(s, b) ==
  [s EXCEPT !.promised = b, !.pending = 0, !.wedged = (Variant # "no wedge")]

WithReport(r, m, s) ==
  [q \in DOMAIN r \cup {m} |-> IF q = m THEN Knowledge(s) ELSE r[q]]

(* Of an attempt that nothing can come of any more only its proposer is kept: *)
(* states that differ in nothing else are one. *)
Settled(a, s) ==
  [b \in DOMAIN a |->
    IF \/ a[b].owner = 0 \/ a[b].announced
       \/ a[b].owner \in alive /\ s[a[b].owner].promised = b
       \/ \E m \in a[b].asked \ a[b].acks : a[b].proposal # None /\ s[m].promised = b
    THEN a[b] ELSE [NoAttempt EXCEPT !.owner = a[b].owner]]

(* The same for what was said in a view in which nobody will be active again. *)
Heard(n, a, s) ==
  [v \in Ids |->
    IF \/ \E m \in alive : \/ s[m].of = v /\ s[m].view.id = v /\ ~s[m].wedged
                           \/ s[m].accepted # None /\ s[m].accepted[1].proposal.view.id = v
       \/ \E b \in DOMAIN a : /\ a[b].proposal # None /\ a[b].proposal[1].view.id = v
                             /\ \E m \in a[b].asked : s[m].promised = b /\ s[m].view.id # v
    THEN n[v] ELSE Silence]

Promises(m, b) ==
  LET r == WithReport(attempt[b].reports, m, member[m])
      next == [member EXCEPT ![m] = Promised(@, b)]
  IN /\ attempt' = Settled([attempt EXCEPT
                      ![b].owner = IF @ = 0 THEN m ELSE @, ![b].reports = r], next)
     /\ member' = next
     /\ net' = Heard(net, attempt', member')
     /\ UNCHANGED <<alive, sender, trail, branch>>

(* Propose, and the proposer's own report. *)
Propose(p) ==
  \E b \in 1..Ballots :
    /\ Reports = "one by one"
    /\ p \in alive /\ attempt[b].owner = 0 /\ b > member[p].promised
    /\ Promises(p, b)

(* Promise, wedge, Wedged. *)
Wedge(m) ==
  \E b \in 1..Ballots :
    /\ Reports = "one by one"
    /\ m \in alive /\ b > member[m].promised /\ IsOn(b) /\ attempt[b].proposal = None
    /\ Promises(m, b)

(* All candidates have reported: those that have not are given up. *)
Decide(b) ==
  /\ IsOn(b) /\ attempt[b].proposal = None
  /\ LET a == attempt[b]
         behind == Behind(a.reports, a.told)
     IN /\ a.owner \in DOMAIN a.reports
        /\ attempt' = [attempt EXCEPT ![b] =
             IF behind # {}
             THEN [a EXCEPT !.told = @ \cup behind, !.news = Agreed(a.reports),
                            !.asked = DOMAIN a.reports,
                            !.reports = [m \in DOMAIN @ \ behind |-> @[m]]]
             ELSE [a EXCEPT !.proposal = <<Decision(b, a.owner, a.reports)>>, !.news = None,
                            !.asked = DOMAIN a.reports, !.told = {}, !.reports = NoReports]]
  /\ UNCHANGED <<alive, member, net, sender, trail, branch>>

(* Agreed: who was left behind follows, if it can, and reports again. *)
Catch(m) ==
  \E b \in 1..Ballots :
    /\ m \in alive /\ member[m].promised = b /\ IsOn(b) /\ attempt[b].news # None
    /\ m \in attempt[b].told /\ m \notin DOMAIN attempt[b].reports
    /\ LET agreed == attempt[b].news[1]
           full == Fetched(member[m], agreed)
       IN /\ CanFetch(member[m], agreed, attempt[b].asked)
          /\ IF CanFollow(m, full, agreed) THEN Follow(m, full, agreed, TRUE)
             ELSE UNCHANGED <<alive, member, net, sender, trail, branch>>
          /\ attempt' = [attempt EXCEPT ![b].reports = WithReport(@, m, member'[m])]

(* All of that in one step, and attempts in the order of their ballots. *)
Gather(p) ==
  \E b \in 1..Ballots : \E who \in SUBSET alive :
    /\ Reports = "at once"
    /\ p \in who /\ attempt[b].owner = 0 /\ \A c \in 1..(b - 1) : attempt[c].owner # 0
    /\ \A m \in who : member[m].promised < b
    /\ LET r == [m \in who |-> Knowledge(member[m])]
           s(m) == Promised(member[m], b)
           full(m) == Fetched(s(m), Agreed(r)[1])
           follows == {m \in Behind(r, {}) : CanFollow(m, full(m), Agreed(r)[1])}
           next == [m \in All |-> IF m \notin who THEN member[m]
                                  ELSE IF m \in follows THEN Followed(m, full(m), Agreed(r)[1], TRUE)
                                  ELSE s(m)]
           again == [m \in who |-> Knowledge(next[m])]
       IN /\ trail' = [m \in All |-> IF m \in follows THEN Trailed(m, full(m), Agreed(r)[1], next[m])
                                     ELSE trail[m]]
          /\ attempt' = Settled([attempt EXCEPT ![b].owner = p, ![b].asked = who,
                           ![b].proposal = <<Decision(b, p, again)>>], next)
          /\ member' = next
          /\ net' = Heard(net, attempt', next)
          /\ UNCHANGED <<alive, sender, branch>>

(* Accept: fetch what is missing, keep the proposal, Accepted. *)
Accept(m) ==
  \E b \in 1..Ballots :
    /\ m \in alive /\ member[m].promised = b
    /\ attempt[b].proposal # None /\ m \in attempt[b].asked /\ m \notin attempt[b].acks
    /\ LET proposal == attempt[b].proposal[1]
           s == member[m]
           kept == s.accepted
           news == kept # None /\ kept[1].proposal.view.id = proposal.last.id
                   /\ CanFollow(m, s, kept[1].proposal)
           full == Learnt(Fetched(s, proposal), proposal.last, proposal.absent)
       IN /\ proposal.last.id >= s.primary.id
          /\ IF news
             THEN Follow(m, s, kept[1].proposal, TRUE) /\ UNCHANGED attempt
             ELSE /\ CanFetch(s, proposal, attempt[b].asked)
                  /\ member' = [member EXCEPT ![m] = [full EXCEPT
                       !.pending = b,
                       !.accepted = IF proposal.view.primary
                                    THEN <<[ballot |-> b, proposal |-> proposal]>> ELSE @]]
                  /\ attempt' = [attempt EXCEPT ![b].acks = @ \cup {m}]
                  /\ UNCHANGED <<alive, net, sender, trail, branch>>

InstallStep(m, b) ==
  LET s == member[m]
      proposal == attempt[b].proposal[1]
  IN IF CanFollow(m, s, proposal) THEN Follow(m, s, proposal, FALSE)
     ELSE /\ member' = [member EXCEPT ![m] =
               [(IF proposal.view.primary THEN Learnt(s, proposal.view, NextAbsent(proposal)) ELSE s) EXCEPT !.pending = 0]]
          /\ UNCHANGED <<alive, net, sender, trail, branch>>

(* The proposer announces the view, and installs it itself. *)
Announce(b) ==
  /\ IsOn(b) /\ attempt[b].proposal # None /\ ~attempt[b].announced
  /\ \/ attempt[b].acks = attempt[b].asked
     \/ Variant = "announce before accepted" /\ attempt[b].owner \in attempt[b].acks
  /\ attempt' = [attempt EXCEPT ![b].announced = TRUE]
  /\ InstallStep(attempt[b].owner, b)

(* Install. *)
Install(m) ==
  \E b \in 1..Ballots :
    /\ m \in alive /\ attempt[b].announced /\ member[m].pending = b
    /\ InstallStep(m, b)
    /\ UNCHANGED attempt

(* Install comes to somebody who has promised a higher ballot meanwhile. *)
InstallLate(m) ==
  \E b \in 1..Ballots :
    /\ m \in alive /\ attempt[b].announced /\ member[m].pending # b /\ m \in attempt[b].asked
    /\ LET s == member[m]
           view == attempt[b].proposal[1].view
       IN /\ s.accepted # None /\ s.accepted[1].proposal.view.id = view.id /\ view.id > s.primary.id
          /\ member' = [member EXCEPT ![m] = Learnt(s, view, NextAbsent(s.accepted[1].proposal))]
    /\ UNCHANGED <<alive, attempt, net, sender, trail, branch>>

(* Of a crashed member only what it delivered is of interest. *)
Crash(m) ==
  /\ m \in alive /\ Size - Cardinality(alive) < Crashes
  /\ alive' = alive \ {m}
  /\ member' = [member EXCEPT ![m] = [FirstMember EXCEPT
       !.delivered = member[m].delivered, !.of = member[m].of, !.view = member[m].view,
       !.base = member[m].base, !.waiting = member[m].waiting]]
  /\ UNCHANGED <<attempt, net, sender, trail, branch>>

Next ==
  \/ \E m \in All :
       \/ Multicast(m) \/ Receive(m) \/ Learn(m) \/ Deliver(m) \/ GetState(m)
       \/ BranchMulticast(m) \/ BranchDeliver(m)
       \/ Propose(m) \/ Wedge(m) \/ Catch(m) \/ Gather(m) \/ Accept(m)
       \/ Install(m) \/ InstallLate(m) \/ Crash(m)
  \/ \E b \in 1..Ballots : Decide(b) \/ Announce(b)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Invariants, by the names of docs/guarantees.md. *)

Installed == UNION {Range(trail[m]) : m \in All}

ViewsAgree == \A one, other \in Installed :
  (one.view.id = other.view.id /\ one.view.alone = other.view.alone) => one.view = other.view

SelfInclusion == \A m \in All : \A e \in Range(trail[m]) : m \in Range(e.view.mem)

MonotoneViews == \A m \in All : \A i \in 1..(Len(trail[m]) - 1) :
  LET one == trail[m][i].view
      next == trail[m][i + 1].view
  IN one.id < next.id \/ (one.id = next.id /\ one.alone = m /\ next.alone = 0)

(* What was announced as primary, with who took part. *)
Announced == {[next |-> attempt[b].proposal[1], by |-> attempt[b].asked] :
                b \in {c \in 1..Ballots : attempt[c].announced
                                          /\ attempt[c].proposal[1].view.primary}}

PrimaryUniqueness ==
  /\ \A a \in Announced :
       /\ a.next.last.id < a.next.view.id
       /\ IF Rule = "static majority"
          THEN 2 * Cardinality((Range(a.next.last.mem) \cup a.next.absent) \cap a.by) > Size
          ELSE LET votes == Cardinality(Range(a.next.last.mem) \cap a.by)
               IN \/ 2 * votes > Len(a.next.last.mem)
                  \/ 2 * votes = Len(a.next.last.mem) /\ a.next.last.mem[1] \in a.by
  /\ \A a, c \in Announced : a.next.last.id = c.next.last.id => a.next.view = c.next.view
  /\ \A a \in Announced : a.next.last.id = 0 \/ \E c \in Announced : c.next.view = a.next.last
  /\ \A e \in Installed : e.view.primary => \/ e.view = FirstView
                                            \/ \E a \in Announced : a.next.view = e.view

UniformTotalOrder == \A p, q \in All : Comparable(member[p].delivered, member[q].delivered)

(* What anybody delivered before a primary view is what this view begins with, *)
(* at everybody. *)
NothingDeliveredIsLost == \A a \in Announced : \A m \in All :
  IF member[m].of < a.next.view.id \/ member[m].waiting
  THEN Comparable(member[m].delivered, a.next.base)
       /\ (member[m].of < a.next.view.id => IsPrefix(member[m].delivered, a.next.base))
  ELSE IsPrefix(a.next.base, member[m].delivered)

Integrity == \A m \in All :
  LET d == member[m].delivered
  IN /\ Cardinality(Range(d)) = Len(d)
     /\ Range(d) \subseteq DOMAIN sender

(* p has left the view; q has, or not yet, or crashed in it. *)
PrefixDelivery == \A p, q \in All :
  \A i \in 1..(Len(trail[p]) - 1) : \A j \in DOMAIN trail[q] :
    (trail[p][i].view.primary /\ trail[p][i].view = trail[q][j].view) =>
      LET inP == Delivered(p, i)
          inQ == Delivered(q, j)
          next == trail[p][i + 1].view
          gone == j < Len(trail[q])
      IN /\ (gone /\ next = trail[q][j + 1].view) => inP = inQ
         /\ (gone /\ next.primary /\ trail[q][j + 1].view.primary) => Comparable(inP, inQ)
         /\ next.primary => IsPrefix(inQ, inP)

VirtualSynchrony == \A p, q \in All :
  \A i \in 1..(Len(trail[p]) - 1) : \A j \in 1..(Len(trail[q]) - 1) :
    (/\ trail[p][i].view = trail[q][j].view /\ trail[p][i].view.primary
     /\ trail[p][i + 1].view = trail[q][j + 1].view
     /\ \A e \in {trail[p][i], trail[p][i + 1], trail[q][j], trail[q][j + 1]} : ~e.waited)
      => Delivered(p, i) = Delivered(q, j)

(* A view that is not primary delivers nothing, or a branch that no history has. *)
NoDeliveryInNonPrimary == \A m \in All :
  /\ Range(member[m].delivered) \cap BranchMessages = {}
  /\ \A e \in Range(trail[m]) : ~e.view.primary =>
       IsPrefix(e.did, branch[e.view.id]) /\ (Partitions = "suspend" => e.did = <<>>)

-----------------------------------------------------------------------------
(* Bounds for smaller runs, and what must be reached: each is refuted. *)

(* The first attempt is made by one member alone. *)
FirstIsAlone == Cardinality(attempt[1].asked) <= 1

(* So is the second. *)
FirstTwoAreAlone == \A b \in {1, 2} : Cardinality(attempt[b].asked) <= 1

(* The first member is not asked the first time. *)
FirstIsLeftOut == 1 \notin attempt[1].asked

(* The third member is not asked the first time. *)
ThirdIsLeftOut == 3 \notin attempt[1].asked

(* A member keeps an undecided message in a view that is not primary, and *)
(* delivers it when it comes back. *)
NeverDecidedLate == \A m \in All :
  ~ /\ Len(trail[m]) = 3 /\ trail[m][1].did = <<>> /\ ~trail[m][2].view.primary
    /\ trail[m][3].view.primary /\ ~trail[m][3].waited
    /\ member[m].base # <<>> /\ sender[member[m].base[1]] = m

(* A view is announced under a later ballot than its own. *)
NeverFinished == \A b \in 1..Ballots :
  attempt[b].announced => attempt[b].proposal[1].view.id = b

(* More than half of the view before take part in every change. *)
NeverByAbsentees == \A a \in Announced :
  2 * Cardinality(Range(a.next.last.mem) \cap a.by) > Len(a.next.last.mem)

(* A second life is in a primary view. *)
NeverReborn == \A a \in Announced : \A m \in Range(a.next.view.mem) : m \in First

(* Somebody comes back to a history that went on without it. *)
NeverRestarted == \A m \in All : \A e \in Range(trail[m]) : ~e.waited

=============================================================================
