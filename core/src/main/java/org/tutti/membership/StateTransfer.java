package org.tutti.membership;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.StateSource;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Brings newcomers, and members that missed primary views, up to the beginning of a primary view.
///
/// The agreement on the view names a donor for each of them. The donor first says where the history stands (index,
/// position, what of each sender is in it); then its application's state as of that moment follows in chunks, as fast
/// as the newcomer's application takes them. Deliveries go on meanwhile; the newcomer keeps them back. A transfer
/// survives view changes while both sides are in the views; when the donor goes, the next primary view names another.
///
/// ```
///   donor                                     newcomer
///     | -- Header(index, position, marks) ---> |   may multicast from here on
///     | <---------------------------- Known -- |   what its application has already
///     | -- Chunk ... (16 on the way) --------> |   handed to the application
///     | <----------------------------- Taken - |
///     | -- Chunk(end) -----------------------> |   if length and checksum are right, deliveries begin
/// ```
public final class StateTransfer {
  /// The application's side, on both ends.
  public interface Application {
    /// How many chunks the donor may hand over before the newcomer's application has taken the first.
    int CHUNKS_ON_THE_WAY = 16;

    /// A newcomer needs the state as of now; the application may hand over a fixed number of chunks, and one more
    /// for each [#stateWanted].
    ///
    /// @param transfer numbers this transfer
    /// @param newcomer who needs it
    void stateRequested(long transfer, MemberId newcomer);

    /// Room for another chunk.
    ///
    /// @param transfer the transfer
    void stateWanted(long transfer);

    /// What the newcomer's application has of the state already; at most once for each transfer.
    ///
    /// @param transfer the transfer
    /// @param token    in its application's words; empty for nothing
    default void stateKnown(long transfer, ByteBuffer token) {}

    /// The newcomer has gone, is cut off, or no longer needs this.
    ///
    /// @param transfer the transfer
    void stateCancelled(long transfer);

    /// State follows, which replaces what this member knew.
    ///
    /// @param transfer numbers this transfer
    /// @param donor    who gives it
    /// @param index    the index of the first batch that it does not contain
    /// @param position the position of the first message that it does not contain
    void stateOffered(long transfer, MemberId donor, long index, long position);

    /// A piece of the state.
    ///
    /// @param transfer the transfer
    /// @param chunk    the next bytes, owned by the application from now on
    /// @param end      what the whole state amounts to, which is true, when it ends here; otherwise null
    void stateChunk(long transfer, ByteBuffer chunk, StateChecksum.@Nullable Sum end);

    /// The donor has gone or is cut off, or the state arrived damaged; what came of it is void.
    ///
    /// @param transfer the transfer
    void stateInterrupted(long transfer);
  }

  /// The group around the transfer.
  public interface Host {
    /// Where the history stands, for a newcomer.
    ///
    /// @return index, position and marks at the beginning of the current view
    Start start();

    /// Whether this member's state contains what the history does not, so that it is none for others.
    ///
    /// @return whether it does
    boolean isAhead();

    /// Whether this member has the state.
    ///
    /// @return whether it does
    boolean isSynced();

    /// Whether what a donor says can be true: deliveries are to begin where the view does, and no batch is in the
    /// history that this member has not made.
    ///
    /// @param start what it said
    /// @return whether nothing speaks against it
    boolean allows(Start start);

    /// The donor has said where the history stands.
    ///
    /// @param start what it said, which is possible
    void started(Start start);

    /// The application has the state; deliveries may begin.
    void complete();

    /// The transfer has ended without success; a new one is needed.
    void failed();

    /// In the view just installed, which is not primary, there is no state to wait for.
    void stranded();
  }

  /// Where the history of primary views stands.
  ///
  /// @param index    the next place
  /// @param position the position of the next message
  /// @param marks    for senders of the past, the number behind their last batch that is contained
  public record Start(long index, long position, Map<MemberId, Long> marks) {}

  /// What donors and newcomers say.
  public sealed interface Message {
    /// The primary view at whose beginning the state is taken.
    ///
    /// @return its id
    ViewId since();

    /// Where the history stands, and whether state follows.
    ///
    /// @param since    the primary view at whose beginning the state is taken
    /// @param transfer the donor's number for this transfer
    /// @param start    where the history stands
    /// @param state    whether chunks follow
    record Header(ViewId since, long transfer, Start start, boolean state) implements Message {}

    /// A piece of the state.
    ///
    /// @param since    the primary view at whose beginning the state is taken
    /// @param transfer the donor's number
    /// @param end      what the whole state amounts to, if this is the last one; otherwise null
    /// @param bytes    the piece
    record Chunk(ViewId since, long transfer, StateChecksum.@Nullable Sum end, ByteBuffer bytes) implements Message {}

    /// The newcomer's application has taken a piece.
    ///
    /// @param since    the primary view at whose beginning the state is taken
    /// @param transfer the donor's number
    record Taken(ViewId since, long transfer) implements Message {}

    /// The newcomer's application begins to read.
    ///
    /// @param since    the primary view at whose beginning the state is taken
    /// @param transfer the donor's number
    /// @param token    what it has already, in its words; empty for nothing
    record Known(ViewId since, long transfer, ByteBuffer token) implements Message {}

    /// The donor cannot go on, or the newcomer does not want it to.
    ///
    /// @param since the primary view at whose beginning the state is taken
    record Cancelled(ViewId since) implements Message {}
  }

  /// The bytes of [Message].
  public static final Codec<Message> CODEC = new StateCodec();

  private static final class Outgoing {
    final MemberId newcomer;
    final ViewId since;
    final boolean votes;
    int onTheWay; // chunks that the newcomer has not taken
    boolean isKnown; // what it has already
    boolean cutOff; // broken off, but the newcomer still needs this member

    Outgoing(MemberId newcomer, ViewId since, boolean votes) {
      this.newcomer = newcomer;
      this.votes = votes;
      this.since = since;
    }
  }

  private static final class Incoming {
    final Knowledge.Transfer from;
    final long local; // this member's number for it
    long remote = -1; // the donor's number, once the header is here
    boolean offered;
    int untaken; // chunks that the application has not taken
    boolean whole; // all of it has come, and the application may not have taken all
    final StateChecksum checksum = new StateChecksum();

    Incoming(Knowledge.Transfer from, long local) {
      this.from = from;
      this.local = local;
    }

    /// A state of which nothing is to come needs no donor any more, and can only get lost with this member.
    Knowledge.Transfer goingOn(MemberId self) {
      return whole ? new Knowledge.Transfer(self, from.since()) : from;
    }
  }

  private final MemberId self;
  private final Effects<Message> effects;
  private final Counters counters;
  private final Application application;
  private final Host host;
  private final Map<Long, Outgoing> outgoing = new TreeMap<>();
  private @Nullable Incoming incoming;
  private long numbers;

  /// Starts without any transfer.
  ///
  /// @param self        this member
  /// @param effects     how to reach the other side
  /// @param counters    where drops are counted
  /// @param application gets and gives the state
  /// @param host        the group
  public StateTransfer(MemberId self, Effects<Message> effects, Counters counters, Application application, Host host) {
    this.self = self;
    this.effects = effects;
    this.counters = counters;
    this.application = application;
    this.host = host;
  }

  /// From whom this member is getting its state: from itself when only its application has to take it.
  ///
  /// @return the transfer, or null when none is under way
  public Knowledge.@Nullable Transfer running() {
    return incoming == null ? null : incoming.goingOn(self);
  }

  /// The transfer that may go on in the next view. A donor that has come sooner to the view in which it begins may have
  /// spoken before this member knew of that view, so that its first word was dropped, and it waits for an answer. So a
  /// transfer of an earlier view of which nothing has come is none.
  ///
  /// @param view the view of this member
  /// @return the transfer, or null when none is under way
  public Knowledge.@Nullable Transfer reported(ViewId view) {
    Incoming current = incoming;
    boolean goesOn = current != null && (current.remote >= 0 || current.from.since().equals(view));
    return goesOn ? current.goingOn(self) : null;
  }

  /// Whether others are getting the state from this member, who need it: observers only want it.
  ///
  /// @return whether a transfer to a voter is under way
  public boolean isDonor() {
    return outgoing.values().stream().anyMatch(transfer -> transfer.votes);
  }

  /// Who is at the other end of a transfer that goes on. A newcomer of another view has nothing to say to this member:
  /// watched, it would be suspected for that, and put out again by the view that brings both together.
  ///
  /// @param into gets them
  public void interest(Collection<MemberId> into) {
    outgoing.values().stream().filter(to -> !to.cutOff).forEach(to -> into.add(to.newcomer));
    if (incoming != null && !incoming.whole) {
      into.add(incoming.from.donor());
    }
  }

  /// A view was installed, or a primary view was caught up with.
  ///
  /// @param proposal what was agreed
  public void installed(Proposal proposal) {
    if (proposal.view().primary()) {
      change(proposal);
    } else {
      part(proposal.view());
    }
  }

  /// A primary view: end what it does not name, start what it does.
  private void change(Proposal proposal) {
    expect(proposal.transferTo(self), proposal.view().id());
    endOutgoing(to -> !new Knowledge.Transfer(self, to.since).equals(proposal.transferTo(to.newcomer)));
    ViewId now = proposal.view().id();
    for (Proposal.Assignment assignment : proposal.transfers()) {
      ViewId since = assignment.transfer().since();
      if (!assignment.transfer().donor().equals(self) || assignment.newcomer().equals(self)) {
        continue;
      }
      if (since.equals(now)) {
        give(assignment, !proposal.view().isObserver(assignment.newcomer()));
      } else if (!isGiving(assignment.newcomer(), since)) {
        // Either all of it is on the way already, or it was broken off here and the newcomer does not know.
        effects.send(assignment.newcomer(), new Message.Cancelled(since));
      }
    }
  }

  private boolean isGiving(MemberId newcomer, ViewId since) {
    return outgoing.values().stream()
        .anyMatch(to -> to.newcomer.equals(newcomer) && to.since.equals(since) && !to.cutOff);
  }

  private void breakOff(long transfer, Outgoing to) {
    if (!to.cutOff) {
      to.cutOff = true;
      application.stateCancelled(transfer);
    }
  }

  /// Who is not in the view cannot be waited for: when it is back, a later primary view names a donor anew.
  private void part(View view) {
    if (incoming != null && !incoming.whole && !view.contains(incoming.from.donor())) {
      interrupt();
    }
    if (incoming == null && !host.isSynced()) {
      host.stranded();
    }
    outgoing.forEach((transfer, to) -> {
      if (!view.contains(to.newcomer)) {
        breakOff(transfer, to);
      }
    });
  }

  private void expect(Knowledge.@Nullable Transfer transfer, ViewId view) {
    if (incoming != null && (incoming.from.equals(transfer) || incoming.goingOn(self).equals(transfer))) {
      if (incoming.remote < 0) {
        host.failed(); // the next view ends it, unless its first word is on the way
      }
      return;
    }
    interrupt();
    if (transfer == null || host.isSynced()) {
      return;
    }
    if (transfer.since().equals(view)) {
      incoming = new Incoming(transfer, ++numbers);
    } else {
      host.failed(); // it ended between this member's report and the view
    }
  }

  private void interrupt() {
    Incoming ended = incoming;
    incoming = null;
    if (ended != null && ended.offered) {
      application.stateInterrupted(ended.local);
    }
  }

  private void give(Proposal.Assignment assignment, boolean votes) {
    MemberId newcomer = assignment.newcomer();
    ViewId since = assignment.transfer().since();
    if (host.isAhead()) {
      counters.malformed("assignment"); // the proposal contradicts what was reported
      effects.send(newcomer, new Message.Cancelled(since));
      return;
    }
    long transfer = ++numbers;
    effects.send(newcomer, new Message.Header(since, transfer, host.start(), assignment.state()));
    if (assignment.state()) {
      outgoing.put(transfer, new Outgoing(newcomer, since, votes));
      application.stateRequested(transfer, newcomer);
    }
  }

  /// A member's life has ended.
  ///
  /// @param member the member
  public void lost(MemberId member) {
    if (incoming != null && !incoming.whole && incoming.from.donor().equals(member)) {
      fail();
    }
    endOutgoing(to -> to.newcomer.equals(member));
  }

  private void endOutgoing(Predicate<Outgoing> which) {
    for (Map.Entry<Long, Outgoing> entry : List.copyOf(outgoing.entrySet())) {
      if (which.test(entry.getValue())) {
        outgoing.remove(entry.getKey());
        breakOff(entry.getKey(), entry.getValue());
      }
    }
  }

  /// This member does not want a state any more.
  public void refuse() {
    if (incoming != null) {
      effects.send(incoming.from.donor(), new Message.Cancelled(incoming.from.since()));
      fail();
    }
  }

  /// The membership ends.
  public void close() {
    interrupt();
    outgoing.forEach(this::breakOff);
    outgoing.clear();
  }

  // ---- donor -----------------------------------------------------------------------------------------------------

  /// The application hands over a piece of its state.
  ///
  /// @param transfer the transfer
  /// @param bytes    the piece, never changed from now on
  /// @param end      what the whole state amounts to, if this is the last one; otherwise null
  public void give(long transfer, ByteBuffer bytes, StateChecksum.@Nullable Sum end) {
    Outgoing to = outgoing.get(transfer);
    if (to != null && !to.cutOff) {
      to.onTheWay++;
      effects.send(to.newcomer, new Message.Chunk(to.since, transfer, end, bytes));
      if (end != null) {
        outgoing.remove(transfer);
      }
    }
  }

  /// The application could not produce its state.
  ///
  /// @param transfer the transfer
  public void giveUp(long transfer) {
    Outgoing to = outgoing.remove(transfer);
    if (to != null) {
      effects.send(to.newcomer, new Message.Cancelled(to.since));
    }
  }

  // ---- newcomer --------------------------------------------------------------------------------------------------

  /// The application has taken a piece.
  ///
  /// @param transfer this member's number for the transfer
  public void taken(long transfer) {
    Incoming current = incoming;
    if (current != null && current.local == transfer) {
      current.untaken--;
      if (!current.whole) {
        effects.send(current.from.donor(), new Message.Taken(current.from.since(), current.remote));
      } else if (current.untaken == 0) {
        incoming = null;
        host.complete();
      }
    }
  }

  /// The application begins to read.
  ///
  /// @param transfer this member's number for the transfer
  /// @param token    what it has already, never changed from now on
  public void known(long transfer, ByteBuffer token) {
    Incoming current = incoming;
    if (current != null && current.local == transfer) {
      effects.send(current.from.donor(), new Message.Known(current.from.since(), current.remote, token));
    }
  }

  /// A message has come.
  ///
  /// @param from    who sent it
  /// @param message what it says
  public void receive(MemberId from, Message message) {
    Incoming current = incoming;
    var transfer = new Knowledge.Transfer(from, message.since());
    boolean fromDonor = current != null && !current.whole && current.from.equals(transfer);
    switch (message) {
      case Message.Taken(ViewId _, long number) -> taken(from, number);
      case Message.Known(ViewId _, long number, ByteBuffer token) -> known(from, number, token);
      case Message.Header header when fromDonor && current.remote < 0 -> begin(current, header);
      case Message.Chunk chunk when fromDonor && chunk.transfer() == current.remote -> chunk(current, chunk);
      case Message.Cancelled _ when fromDonor -> fail();
      case Message.Cancelled(ViewId since) when isGiving(from, since) -> endOutgoing(to -> to.newcomer.equals(from));
      default -> counters.count(Count.STATE_STALE);
    }
  }

  private void taken(MemberId from, long transfer) {
    Outgoing to = outgoing.get(transfer);
    if (to != null && to.newcomer.equals(from) && !to.cutOff && to.onTheWay > 0) {
      to.onTheWay--;
      application.stateWanted(transfer);
    }
  }

  private void known(MemberId from, long transfer, ByteBuffer token) {
    Outgoing to = outgoing.get(transfer);
    if (to != null && to.newcomer.equals(from) && !to.cutOff && !to.isKnown) {
      to.isKnown = true;
      application.stateKnown(transfer, token);
    }
  }

  private void fail() {
    interrupt();
    host.failed();
  }

  /// What the donor said cannot be true: another transfer is needed.
  private void distrust() {
    counters.malformed("state");
    fail();
  }

  private void begin(Incoming current, Message.Header header) {
    Start start = header.start();
    if (!host.allows(start)) {
      distrust();
      return;
    }
    current.remote = header.transfer();
    host.started(start);
    if (header.state()) {
      current.offered = true;
      application.stateOffered(current.local, current.from.donor(), start.index(), start.position());
    } else {
      incoming = null;
      host.complete();
    }
  }

  private void chunk(Incoming current, Message.Chunk chunk) {
    if (++current.untaken > Application.CHUNKS_ON_THE_WAY) {
      distrust();
      return;
    }
    current.checksum.add(chunk.bytes());
    if (chunk.end() != null && !chunk.end().equals(current.checksum.sum())) {
      distrust(); // half a state, or one that nobody had, must not look like one
      return;
    }
    current.whole = chunk.end() != null;
    application.stateChunk(current.local, chunk.bytes(), chunk.end());
  }

  // ---- invariants ------------------------------------------------------------------------------------------------

  /// Fails when an invariant does not hold.
  public void check() {
    Incoming coming = incoming;
    if (coming != null) {
      Invariant.check(!host.isSynced(), "who has the state waits for none");
      Invariant.check(!coming.offered || coming.remote >= 0, "a state is offered when its donor has spoken");
      Invariant.check(!coming.whole || coming.untaken > 0, "who has taken all of a state has the state");
      Invariant.check(
          coming.untaken >= 0 && coming.untaken <= Application.CHUNKS_ON_THE_WAY,
          "only so much of a state is not taken");
      Invariant.check(coming.local <= numbers, "a transfer to this member has its number");
    }
    outgoing.forEach((transfer, to) -> {
      Invariant.check(transfer <= numbers, "a transfer from this member has its number");
      Invariant.check(to.onTheWay >= 0 && !to.newcomer.equals(self), "a state goes to others, piece by piece");
    });
  }

  /// The bytes of [StateTransfer.Message]: `view id, u8 kind, ...`.
  private static final class StateCodec implements Codec<StateTransfer.Message> {
    private static final int MARK_BYTES_MIN = 13;

    @Override
    public void write(StateTransfer.Message message, WireWriter out) {
      out.viewId(message.since());
      switch (message) {
        case StateTransfer.Message.Header(ViewId _, long transfer, StateTransfer.Start start, boolean state) -> {
          out.u8(1);
          out.count(transfer);
          out.count(start.index());
          out.count(start.position());
          out.count(start.marks().size());
          start
              .marks()
              .forEach((sender, next) -> {
                out.member(sender);
                out.count(next);
              });
          out.flag(state);
        }
        case StateTransfer.Message.Chunk(ViewId _, long transfer, StateChecksum.Sum end, ByteBuffer _) -> {
          out.u8(2);
          out.count(transfer);
          out.flag(end != null);
          if (end != null) {
            out.count(end.length());
            out.fixed(end.crc());
          }
        }
        case StateTransfer.Message.Taken(ViewId _, long transfer) -> {
          out.u8(3);
          out.count(transfer);
        }
        case StateTransfer.Message.Cancelled _ -> out.u8(4);
        case StateTransfer.Message.Known(ViewId _, long transfer, ByteBuffer token) -> {
          out.u8(5);
          out.count(transfer);
          out.bytes(token);
        }
      }
    }

    @Override
    public ByteBuffer tail(StateTransfer.Message message) {
      return message instanceof StateTransfer.Message.Chunk chunk ? chunk.bytes() : NOTHING;
    }

    @Override
    public StateTransfer.Message read(WireReader in) throws Malformed {
      ViewId since = in.viewId();
      StateTransfer.Message message =
          switch (in.u8()) {
            case 1 -> header(since, in);
            case 2 -> {
              long transfer = in.count();
              StateChecksum.Sum end = in.flag() ? new StateChecksum.Sum(in.count(), crc(in)) : null;
              ByteBuffer lent = in.rest();
              yield new StateTransfer.Message.Chunk(
                  since, transfer, end, ByteBuffer.allocate(lent.remaining()).put(lent).flip());
            }
            case 3 -> new StateTransfer.Message.Taken(since, in.count());
            case 4 -> new StateTransfer.Message.Cancelled(since);
            case 5 -> known(since, in);
            default -> throw new Malformed("state message");
          };
      in.end();
      return message;
    }

    private static int crc(WireReader in) throws Malformed {
      long crc = in.fixed();
      if (crc != (int) crc) {
        throw new Malformed("state message");
      }
      return (int) crc;
    }

    private static StateTransfer.Message known(ViewId since, WireReader in) throws Malformed {
      long transfer = in.count();
      ByteBuffer lent = in.bytes(StateSource.TOKEN_BYTES_MAX);
      ByteBuffer token = ByteBuffer.allocate(lent.remaining()).put(lent).flip();
      return new StateTransfer.Message.Known(since, transfer, token);
    }

    private static StateTransfer.Message header(ViewId since, WireReader in) throws Malformed {
      long transfer = in.count();
      long index = in.count();
      long position = in.count();
      var marks = new TreeMap<MemberId, Long>();
      for (Mark mark : in.list(MARK_BYTES_MIN, from -> new Mark(from.member(), from.count()))) {
        marks.put(mark.sender, mark.next);
      }
      return new StateTransfer.Message.Header(
          since, transfer, new StateTransfer.Start(index, position, marks), in.flag());
    }

    private record Mark(MemberId sender, long next) {}
  }
}
