package org.tutti.net;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The path to a peer: how long a datagram it takes, the probes that find that out, and the pieces that come when the
/// way back takes less.
final class UdpPath {
  private static final System.Logger LOG = System.getLogger(UdpTransport.class.getName());

  private final UdpLoop loop;
  private final UdpPeer peer;
  private final PathMtu mtu;
  private @Nullable Reassembly pieces;
  private boolean open;
  private int told; // the size that was logged last; 0 while there is no path

  UdpPath(UdpLoop loop, UdpPeer peer) {
    this.loop = loop;
    this.peer = peer;
    this.mtu = new PathMtu(loop.datagramBytes, loop.headersBytes, loop.sealBytes());
  }

  void begin() {
    open = true;
    pieces = null;
    mtu.begin(loop.nowNanos);
    loop.peers.narrowest();
  }

  void end() {
    pieces = null;
    mtu.end();
    told = 0;
    open = false;
    loop.peers.narrowest();
  }

  /// How long a datagram may be.
  int size() {
    return mtu.size();
  }

  /// The size if there is a path, else 0.
  int known() {
    return open ? mtu.size() : 0;
  }

  /// How long a datagram may get while frames are put into it.
  int hopedSize() {
    return isHopeful() ? loop.datagramBytes : mtu.size();
  }

  /// What is longer had better wait a moment.
  boolean isHopeful() {
    return mtu.isHopeful(loop.nowNanos);
  }

  long hopeNanos() {
    return mtu.hopeNanos(loop.nowNanos);
  }

  boolean isAsking() {
    return mtu.isAsking();
  }

  /// Asks what is to be asked.
  void tend() {
    for (int length = mtu.probe(loop.nowNanos); length > 0; length = mtu.probe(loop.nowNanos)) {
      if (probe(length)) {
        int beside = mtu.shortProbe();
        if (beside > 0) {
          probe(beside);
        }
      } else {
        mtu.refused(length, loop.nowNanos);
        tell();
      }
    }
  }

  /// Sends a probe of some length.
  ///
  /// @return false when the kernel knows that it does not fit
  private boolean probe(int length) {
    ByteBuffer out = loop.drafts.padded(length);
    DatagramHeader.write(out, DatagramHeader.PROBE, peer.life(), peer.own);
    DatagramHeader.echo(out, 0, 0, 0, loop.grantBytes());
    loop.counters.add(UdpCount.SIZE_PROBES_SENT);
    return !loop.send(out, peer.at) || !loop.wasTooLong();
  }

  /// The peer says that a probe of some length has arrived.
  void answered(long length) {
    mtu.answered((int) Math.min(length, Integer.MAX_VALUE), loop.nowNanos);
    tell();
  }

  /// Some datagrams were lost, the longest of them and those that were not had some length.
  void lost(int longest) {
    mtu.lost(longest, loop.nowNanos);
  }

  /// The kernel says that a datagram does not fit.
  ///
  /// @return whether a shorter one may
  boolean refused(int length) {
    int before = mtu.size();
    mtu.refused(length, loop.nowNanos);
    tell();
    return mtu.size() < before;
  }

  private void tell() {
    int size = mtu.size();
    loop.peers.narrowest();
    if (mtu.isAsking() || size == told) {
      return;
    }
    told = size;
    LOG.log(
        size < loop.datagramBytes ? System.Logger.Level.INFO : System.Logger.Level.DEBUG,
        "the path to {0} takes datagrams of {1} bytes",
        peer.at,
        String.valueOf(size));
  }

  /// A piece of a datagram has come.
  ///
  /// @return whether the datagram is complete: then `in` is at its frames
  boolean join(long number, ByteBuffer in) {
    if (pieces == null) {
      pieces = new Reassembly(loop.counters);
    }
    return pieces.add(number, in);
  }

  long waitNanos(long waitNanosMax) {
    return mtu.isAsking() ? Math.min(waitNanosMax, Math.max(1, mtu.pauseNanos(loop.nowNanos))) : waitNanosMax;
  }
}
