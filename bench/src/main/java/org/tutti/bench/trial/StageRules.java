package org.tutti.bench.trial;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import org.jspecify.annotations.Nullable;

/// Which stage code belongs to. Of a stack, the frame nearest to its top that a rule knows decides; so a copy of bytes
/// belongs to whoever wants them copied, and what everybody calls has no rule.
///
/// A rule names a method, else a class with the classes nested in it, else a package with `.*`; the most precise one
/// counts. All of them exist, or a test fails.
final class StageRules {
  private static final String TABLE =
      """
      application  org.tutti.bench.member.TuttiTarget#flood
      application  org.tutti.bench.member.Worker
      enqueue      org.tutti.host.Membership#post
      enqueue      org.tutti.host.Membership#multicast
      enqueue      org.tutti.host.Window
      enqueue      org.tutti.host.OpenBlock
      enqueue      org.tutti.engine.EventLoop$Inbox#post
      pack         org.tutti.host.OpenBlock#seal
      pack         org.tutti.pack.Packer
      pack         org.tutti.engine.MulticastSender
      pack         org.tutti.engine.Deliveries#sent
      pack         org.tutti.engine.Deliveries#cost
      encode       org.tutti.pack.Batch#write
      encode       org.tutti.engine.BatchCodec#write
      encode       org.tutti.engine.Ports
      encode       org.tutti.wire.WireWriter
      encode       org.tutti.wire.Encoded
      encode       org.tutti.link.Packet#begin
      encode       org.tutti.link.Packet#seal
      encode       org.tutti.link.Path
      encode       org.tutti.link.OutStream
      encode       org.tutti.link.Link#flush
      encode       org.tutti.link.Link#send
      encode       org.tutti.link.Links#flush
      encode       org.tutti.link.Links#send
      encode       org.tutti.net.SelectorTransport#claim
      encode       org.tutti.net.SelectorTransport#commit
      encode       org.tutti.net.Connection#claim
      encode       org.tutti.net.Connection#commit
      encode       org.tutti.net.SendBuffer
      write        org.tutti.net.SendBuffer#writeTo
      write        org.tutti.net.Connection#flush
      write        org.tutti.net.Connection#write
      write        org.tutti.net.TcpLoop#flush
      write        org.tutti.net.PlainWire#write
      read         org.tutti.net.PlainWire#read
      decode       org.tutti.net.Connection
      decode       org.tutti.link.Packet#read
      decode       org.tutti.link.Links
      decode       org.tutti.link.Link
      decode       org.tutti.link.InStream
      decode       org.tutti.wire.WireReader
      decode       org.tutti.engine.NodeEngine$Arrivals
      decode       org.tutti.engine.ViewFilter
      decode       org.tutti.engine.BatchCodec#read
      decode       org.tutti.pack.Batch#copy
      order        org.tutti.order.*
      order        org.tutti.consensus.*
      order        org.tutti.engine.OrderingEpochs
      order        org.tutti.engine.PrimaryHistory
      acknowledge  org.tutti.order.Stability
      acknowledge  org.tutti.order.Log#dropBefore
      acknowledge  org.tutti.order.PlaceList#dropBefore
      acknowledge  org.tutti.order.Sequence#dropBefore
      acknowledge  org.tutti.engine.PrimaryHistory#flush
      acknowledge  org.tutti.engine.PrimaryHistory#stability
      acknowledge  org.tutti.engine.Deliveries#consumedByAll
      acknowledge  org.tutti.host.Membership#released
      acknowledge  org.tutti.host.Window#release
      acknowledge  org.tutti.link.InStream#writeAcknowledgement
      acknowledge  org.tutti.link.OutStream#acknowledged
      deliver      org.tutti.engine.PrimaryHistory#deliver
      deliver      org.tutti.engine.PrimaryHistory#deliverNext
      deliver      org.tutti.engine.PrimaryHistory#deliverUpTo
      deliver      org.tutti.engine.Deliveries
      deliver      org.tutti.engine.EarlyDeliveries
      deliver      org.tutti.host.Membership
      deliver      org.tutti.host.ListenerDispatcher
      deliver      org.tutti.host.EventQueue
      deliver      org.tutti.host.Window#decide
      deliver      org.tutti.host.Window#take
      deliver      org.tutti.host.Window#tell
      deliver      org.tutti.bench.member.TuttiTarget$Listener
      turn         org.tutti.engine.*
      turn         org.tutti.net.*
      wait         org.tutti.net.SelectorTransport#wakeup
      wait         sun.nio.ch.SelectorImpl
      wait         org.tutti.host.Window#waitForRoom
      wait         java.util.concurrent.locks.LockSupport
      """;

  private static final StageRules STANDARD = new StageRules(TABLE);

  private final Map<String, Stage> rules = new HashMap<>();
  private final Map<String, Stage> known = new HashMap<>(); // what rules say of methods, Stage.OTHER for nothing

  StageRules(String table) {
    table
        .lines()
        .forEach(line -> {
          String[] words = line.strip().split("\\s+");
          if (words.length != 2 || rules.put(words[1], Stage.valueOf(words[0].toUpperCase(Locale.ROOT))) != null) {
            throw new IllegalArgumentException("not a rule, or the second one for the same code: " + line);
          }
        });
  }

  static StageRules standard() {
    return STANDARD;
  }

  /// What the rules name.
  Set<String> names() {
    return new TreeSet<>(rules.keySet());
  }

  /// The stage of a stack.
  ///
  /// @param frames from the top
  Stage of(List<RecordedFrame> frames) {
    for (RecordedFrame frame : frames) {
      RecordedMethod method = frame.getMethod();
      Stage stage = method == null ? null : of(method.getType().getName(), method.getName());
      if (stage != null) {
        return stage;
      }
    }
    return Stage.OTHER;
  }

  /// The stage of a method, or null when no rule knows it.
  @Nullable Stage of(String type, String method) {
    Stage stage = known.computeIfAbsent(type + "#" + method, _ -> find(type, method));
    return stage == Stage.OTHER ? null : stage;
  }

  private Stage find(String type, String method) {
    Stage stage = rules.get(type + "#" + method);
    for (String outer = type; stage == null && !outer.isEmpty(); outer = before(outer, '$')) {
      stage = rules.get(outer);
    }
    stage = stage == null ? rules.get(before(type.split("[$]")[0], '.') + ".*") : stage;
    return stage == null ? Stage.OTHER : stage;
  }

  /// What is before the last such sign, or nothing.
  private static String before(String name, char sign) {
    return name.substring(0, Math.max(0, name.lastIndexOf(sign)));
  }
}
