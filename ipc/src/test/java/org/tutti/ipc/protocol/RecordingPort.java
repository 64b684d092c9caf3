package org.tutti.ipc.protocol;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.tutti.MemberId;

/// What a protocol asks of its host, whose time, other hosts and network are the test's.
class RecordingPort implements IpcProtocol.Port {
  record Posted(MemberId to, IpcMessage message) {}

  record Told(Set<MemberId> to, MembershipMessage message) {}

  long now;
  final Set<MemberId> hosts = new TreeSet<>();
  final List<Posted> posted = new ArrayList<>();
  final List<Told> told = new ArrayList<>();

  RecordingPort(MemberId... hosts) {
    this.hosts.addAll(List.of(hosts));
  }

  @Override
  public long now() {
    return now;
  }

  @Override
  public Set<MemberId> hosts() {
    return hosts;
  }

  @Override
  public void send(Collection<MemberId> to, IpcMessage message) {
    to.forEach(host -> posted.add(new Posted(host, message)));
  }

  @Override
  public void send(MemberId to, PairMessage message) {
    throw new AssertionError("nothing here is for one process");
  }

  @Override
  public void send(Collection<MemberId> to, MembershipMessage message) {
    told.add(new Told(Set.copyOf(to), message));
  }
}
