package org.tutti.net;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Refused;

/// All peers of a transport, and the list of those that need attention: a claim was refused, or no connection exists.
final class Peers {
  private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int LISTED_MAX = 1024; // answers to invented addresses must not fill the memory

  private final Map<Address, Peer> byAddress = new HashMap<>();
  private List<Peer> listed = new ArrayList<>();
  private List<Peer> round = new ArrayList<>();

  /// The peer at an address, made when new.
  Peer of(Address address, long nowNanos) {
    Peer peer = byAddress.get(address);
    if (peer == null) {
      peer = new Peer(address, nowNanos);
      byAddress.put(address, peer);
      list(peer);
    }
    return peer;
  }

  /// A claim was refused: when the peer has no connection, that asks for one attempt to connect.
  void refuse(Peer peer) {
    peer.refused = true;
    peer.wanted |= peer.current == null && peer.own == null && peer.next == null;
    list(peer);
  }

  /// A connection says nothing: asks for another one beside it, but not again and again.
  void renew(Peer peer, long nowNanos, long pauseNanos) {
    boolean making = peer.next != null || peer.own != null && !peer.own.isOpen();
    if (peer.current != null && !making && nowNanos - peer.renewedAtNanos >= pauseNanos) {
      peer.renewedAtNanos = nowNanos;
      peer.wanted = true;
      list(peer);
    }
  }

  /// Puts a peer on the list.
  void list(Peer peer) {
    if (!peer.listed) {
      peer.listed = true;
      listed.add(peer);
    }
  }

  /// Announces peers that have room again, dials those whose time has come, forgets those that nobody wants.
  ///
  /// @return whether the receiver was called
  boolean tend(long nowNanos, Receiver receiver, Dialer dialer) {
    List<Peer> visited = listed;
    listed = round;
    round = visited;
    boolean announced = false;
    int excess = visited.size() - LISTED_MAX; // the oldest come first
    for (Peer peer : visited) {
      peer.listed = false;
      if (peer.refused && peer.isRoomy()) {
        announced = true;
        peer.refused = false;
        receiver.onReady(peer.address);
      }
      if (peer.wanted && nowNanos - peer.retryAtNanos >= 0 && !dialer.isBusy()) {
        peer.wanted = false;
        dialer.dial(peer);
      }
      if (peer.gone) {
        announced = true;
        peer.gone = false;
        receiver.onGone(peer.address);
      }
      if (peer.refusal != null) {
        announced = true;
        Refused refusal = peer.refusal;
        peer.refusal = null;
        receiver.onRefused(refusal);
      }
      if (peer.isApart() && excess > 0) {
        excess--;
        dialer.forgotten();
        byAddress.remove(peer.address);
      } else if (peer.isApart() && isForgettable(peer, nowNanos)) {
        byAddress.remove(peer.address);
      } else if (peer.isApart() || peer.refused || peer.wanted) {
        list(peer);
      }
    }
    visited.clear();
    return announced;
  }

  /// How long until an attempt is due, if that is sooner than a given time.
  long waitNanos(long nowNanos, long waitNanosMax) {
    long wait = waitNanosMax;
    for (Peer peer : listed) {
      if (peer.wanted) {
        wait = Math.min(wait, peer.retryAtNanos - nowNanos);
      }
    }
    return wait;
  }

  // A peer that only ever connected to us leaves no trace: a flood of invented addresses must not fill the map.
  private static boolean isForgettable(Peer peer, long nowNanos) {
    return !peer.everClaimed || !peer.wanted && nowNanos - peer.claimedAtNanos > FORGET_NANOS;
  }
}
