package org.tutti.bench.member;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.Ipc;
import org.tutti.ipc.IpcProcess;
import org.tutti.ipc.Result;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// A host of group interprocess communication. The first one is where processes ask; each other one has a member of the
/// group, which replies with what it gets and does not wait until its reply is taken.
public final class IpcTarget implements BenchTarget {
  static final String NAME = "ipc";

  private static final GroupId GROUP = GroupId.wellKnown(0);
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration LONG = Duration.ofDays(1);

  private final List<IpcProcess> askers = new ArrayList<>(); // those of former trials ask again
  private final AtomicLong delivered = new AtomicLong(); // written by the host's thread
  private int others;
  private @Nullable Transport transport;
  private @Nullable Ipc host;

  IpcTarget() {}

  /// One that asks a group, and whose call is answered when all members have replied.
  ///
  /// @param sender  the process that asks
  /// @param to      the group
  /// @param members how many members it has
  /// @param message the question
  /// @return the caller
  public static Callers.Caller asker(IpcProcess sender, GroupId to, int members, ByteBuffer message) {
    return () ->
        sender
            .ask(to, message)
            .replies(members, PATIENCE)
            .thenApply(result -> {
              if (result instanceof Result.Done(IpcProcess.Answers answers) && answers.replies().size() == members) {
                return answers;
              }
              throw new IllegalStateException(members + " members were asked, but " + result);
            });
  }

  /// Receives until the host is closed: each message on the host's thread, as other toolkits call methods on the
  /// threads that deliver.
  ///
  /// @param member the process that receives
  /// @param each   told each message
  public static void receive(IpcProcess member, Consumer<IpcProcess.Message> each) {
    member
        .receive(LONG)
        .thenAccept(next -> {
          if (next instanceof Result.Done(IpcProcess.Message message)) {
            each.accept(message);
          }
          receive(member, each);
        });
  }

  @Override
  public String name() {
    return NAME;
  }

  /// Settings: `provider`, the name of the transport.
  @Override
  public String open(Map<String, String> settings) {
    String name = settings.getOrDefault("provider", "tcp");
    TransportProvider provider = BenchTransports.byName().get(name);
    if (provider == null) {
      throw new IllegalArgumentException("no transport is called " + name);
    }
    var anywhere = new Address(settings.getOrDefault(HOST, LOOPBACK) + ":0");
    transport = provider.open(TransportSettings.at(anywhere));
    return transport.address().text();
  }

  @Override
  public void form(int rank, List<String> addresses) {
    others = addresses.size() - 1;
    host = Ipc.open("h" + rank, opened(transport), addresses.stream().limit(rank).map(Address::new).toList());
    if (rank > 0) {
      IpcProcess member = host.process();
      if (!(member.join(GROUP).join() instanceof Result.Done)) {
        throw new IllegalStateException("a process cannot join " + GROUP);
      }
      receive(
          member,
          message -> {
            delivered.incrementAndGet();
            message.reply(message.payload());
          });
    }
  }

  @Override
  public void ready() throws InterruptedException, TimeoutException {
    try {
      opened(host).heard(others).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException failure) {
      throw new IllegalStateException("the hosts do not hear each other", failure);
    }
  }

  @Override
  public Callers.Result calls(Calls calls) throws InterruptedException, ExecutionException, TimeoutException {
    while (askers.size() < calls.callers()) {
      askers.add(opened(host).process());
    }
    ByteBuffer message = ByteBuffer.allocate(calls.bytes());
    List<Callers.Caller> callers =
        askers.stream().limit(calls.callers()).map(asker -> asker(asker, GROUP, others, message)).toList();
    return Callers.run(callers, calls.nanos(), calls.sendingThread());
  }

  @Override
  public long delivered() {
    return delivered.get();
  }

  @Override
  public long flood(int bytes, long forNanos) {
    throw new UnsupportedOperationException("not measured");
  }

  @Override
  public Histogram closedLoop(int bytes, long forNanos, SendingThread sendingThread) {
    throw new UnsupportedOperationException("not measured");
  }

  private static <T> T opened(@Nullable T thing) {
    if (thing == null) {
      throw new IllegalStateException("not opened, or not formed yet");
    }
    return thing;
  }

  @Override
  public void close() {
    if (host != null) {
      host.close();
    }
  }
}
