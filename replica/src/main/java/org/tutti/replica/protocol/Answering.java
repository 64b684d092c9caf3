package org.tutti.replica.protocol;

import java.util.Map;
import java.util.TreeMap;

/// Who of the clients that are connected to a replica is told what becomes of the messages that it applies.
///
/// A session's replies go to the newest connection that uses it, and to the newest quiet one, if that has asked for
/// them or collects the replies of several replicas. A client that wants those of all in a bundle gets them so
/// ([ReplyBundles]).
final class Answering implements SessionTable.Answers {
  private final ReplicaProtocol replica;
  private final ReplyBundles bundles;
  private final Map<Long, Connection> bySession = new TreeMap<>();
  private final Map<Long, Connection> quietBySession = new TreeMap<>();
  private final Map<Long, Connection> byNonce = new TreeMap<>();
  private boolean says; // to the others, what this replica answers

  Answering(ReplicaProtocol replica, ReplicaProtocol.Group group) {
    this.replica = replica;
    this.bundles = new ReplyBundles(replica, group, bySession::get);
  }

  ReplyBundles bundles() {
    return bundles;
  }

  /// The connection waits for a session.
  void awaits(Connection from, long nonce) {
    from.nonce = nonce;
    byNonce.put(nonce, from);
  }

  /// This connection uses the session: whichever of those that do is the newest gets the replies. An older one is a
  /// client's that has moved here meanwhile, whose word comes late, as when a quorum had to tell of the session.
  void attach(Connection from, long session) {
    if (session > 0) {
      Map<Long, Connection> receivers = from.quiet ? quietBySession : bySession;
      if (from.session != session) {
        receivers.remove(from.session, from);
        from.gathered.clear();
        from.session = session;
      }
      receivers.merge(session, from, (one, other) -> one.id > other.id ? one : other);
    }
  }

  void forget(Connection gone) {
    bySession.remove(gone.session, gone);
    quietBySession.remove(gone.session, gone);
    byNonce.remove(gone.nonce, gone);
  }

  /// A message is applied next.
  ///
  /// @param isCollected whether another replica gathers the replies to it, and this one takes part
  void applying(boolean isCollected) {
    says = isCollected;
  }

  /// Who collects several replies is told of whom.
  void tellLive(Connection to) {
    Frame.Live live = to.greeted && to.collects() ? replica.live() : null;
    if (live != null && !live.equals(to.live)) {
      to.live = live;
      replica.send(to, live);
    }
  }

  void answer(Connection to, Frame.Replied reply) {
    tellLive(to);
    replica.send(to, reply);
  }

  @Override
  public void opened(long nonce, long session) {
    Connection client = byNonce.remove(nonce);
    if (client != null) {
      client.nonce = 0;
      attach(client, session);
      replica.send(client, new Frame.Opened(nonce, session));
    }
  }

  @Override
  public void replied(long session, long number, CommandReply reply) {
    var frame = new Frame.Replied(session, number, reply);
    if (says) {
      bundles.say(frame);
    }
    Connection client = bySession.get(session);
    if (client != null && !isBundled(client, frame)) {
      answer(client, frame);
    }
    Connection quiet = quietBySession.get(session);
    if (quiet != null && (quiet.asked.remove(number) || quiet.collects())) {
      answer(quiet, frame);
    }
  }

  private boolean isBundled(Connection client, Frame.Replied frame) {
    return client.bundles && bundles.executed(client, frame, replica.live(), replica.nanos());
  }

  @Override
  public void refused(long session, long number, SessionTable.Refusal why) {
    Connection client = bySession.get(session);
    if (client != null) {
      replica.send(client, new Frame.Refused(session, number, why));
    }
  }
}
