package org.tutti.peers;

import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.client.AeronArchive;
import io.aeron.cluster.ClusteredMediaDriver;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.service.ClusteredServiceContainer;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.MinMulticastFlowControlSupplier;
import io.aeron.driver.ThreadingMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpLock;

/// One member of an Aeron Cluster without its client: media driver, archive, consensus module and service, all in this
/// process and each with one thread.
final class AeronNode implements AutoCloseable {
  /// How many ports a member has: for clients, consensus, the log, those who catch up, and the archive.
  static final int PORTS = 5;

  /// Which stack is used. `shipped` has Aeron's default for how threads wait and the default length of packets, which
  /// is that of an Ethernet. In `tuned` threads never spin and park for short times only, and packets are longer, as
  /// loopback allows.
  ///
  /// @param idling    how threads wait
  /// @param mtu       parameter of channels, or nothing
  record Stack(Supplier<IdleStrategy> idling, String mtu) {
    static Stack named(String name) {
      return switch (name) {
        case "shipped" -> new Stack(BackoffIdleStrategy::new, "");
        case "tuned" ->
            new Stack(() -> new BackoffIdleStrategy(0, YIELDS, PARK_NANOS, PARK_NANOS_MAX), "|mtu=" + LONG_PACKET);
        default -> throw new IllegalArgumentException("there is no stack " + name + " of Aeron Cluster");
      };
    }
  }

  /// The length of the files of the log, and of the parts of its buffers: what is kept of the log is a few of these.
  static final int SEGMENT = 16 << 20;

  static final String LOCAL = "aeron:ipc?term-length=64k";
  static final String LOOPBACK = "127.0.0.1";
  static final String REMOTE = "aeron:udp?interface=" + LOOPBACK; // else sockets would be bound to all interfaces

  private static final int YIELDS = 10; // with many more, threads of a busy machine get in each other's way
  private static final long PARK_NANOS = 1_000; // Linux makes some 55 microseconds of it
  private static final long PARK_NANOS_MAX = 50_000;
  private static final int LONG_PACKET = 16 << 10;
  private static final String ANY_PORT = REMOTE + "|endpoint=" + LOOPBACK + ":0";
  private static final int APPOINTED = 0; // the first one leads, as the first one of others is sequencer

  private final ClusteredMediaDriver driver;
  private final ClusteredServiceContainer container;

  /// Starts it.
  ///
  /// @param rank      its number
  /// @param members   the ports of all, by rank
  /// @param directory where everything is kept
  /// @param stack     how
  /// @param turn      when its threads rest
  /// @param service   the application
  /// @param errors    is told what goes wrong
  AeronNode(
      int rank,
      List<List<Integer>> members,
      Path directory,
      Stack stack,
      TurnIdling.Turn turn,
      CountingService service,
      ErrorHandler errors) {
    Supplier<IdleStrategy> idling = () -> new TurnIdling(turn, stack.idling.get());
    String aeron = driverDirectory(directory);
    var drive =
        new MediaDriver.Context()
            .aeronDirectoryName(aeron)
            .dirDeleteOnStart(true)
            .dirDeleteOnShutdown(true)
            .threadingMode(ThreadingMode.SHARED)
            .sharedIdleStrategy(idling.get())
            .multicastFlowControlSupplier(new MinMulticastFlowControlSupplier()) // nobody is to be left behind
            .errorHandler(errors);
    var archive =
        new Archive.Context()
            .aeronDirectoryName(aeron)
            .archiveDir(directory.resolve("archive").toFile())
            .deleteArchiveOnStart(true)
            .threadingMode(ArchiveThreadingMode.SHARED)
            .idleStrategySupplier(idling)
            .segmentFileLength(SEGMENT)
            .controlChannel(REMOTE + "|endpoint=" + endpoint(members.get(rank).get(PORTS - 1)))
            .archiveClientContext(new AeronArchive.Context().controlResponseChannel(ANY_PORT))
            .localControlChannel(LOCAL)
            .replicationChannel(ANY_PORT)
            .recordingEventsEnabled(false)
            .errorHandler(errors);
    var consensus =
        new ConsensusModule.Context()
            .clusterMemberId(rank)
            .appointedLeaderId(APPOINTED)
            .clusterMembers(everybody(members))
            .clusterDir(directory.resolve("cluster").toFile())
            .deleteDirOnStart(true)
            .archiveContext(archive(directory))
            .idleStrategySupplier(idling)
            .isIpcIngressAllowed(true)
            .ingressChannel(REMOTE + "|term-length=1m" + stack.mtu)
            .egressChannel(REMOTE + "|term-length=64k")
            .consensusChannel(REMOTE + "|term-length=64k")
            .logChannel(REMOTE + "|term-length=" + SEGMENT + stack.mtu)
            .replicationChannel(ANY_PORT)
            .errorHandler(errors);
    driver = ClusteredMediaDriver.launch(drive, archive, consensus);
    try {
      container =
          ClusteredServiceContainer.launch(
              new ClusteredServiceContainer.Context()
                  .aeronDirectoryName(aeron)
                  .archiveContext(archive(directory))
                  .clusterDir(directory.resolve("cluster").toFile())
                  .clusteredService(service)
                  .idleStrategySupplier(idling)
                  .errorHandler(errors));
    } catch (RuntimeException failure) {
      CloseHelper.quietClose(driver);
      throw failure;
    }
  }

  /// Where the media driver's files are.
  static String driverDirectory(Path directory) {
    return directory.resolve("driver").toString();
  }

  /// How the archive of this process is reached from within it.
  static AeronArchive.Context archive(Path directory) {
    return new AeronArchive.Context()
        .aeronDirectoryName(driverDirectory(directory))
        .controlRequestChannel(LOCAL)
        .controlResponseChannel(LOCAL)
        .lock(NoOpLock.INSTANCE);
  }

  static String endpoint(int port) {
    return LOOPBACK + ":" + port;
  }

  private static String everybody(List<List<Integer>> members) {
    var all = new ArrayList<String>();
    for (int rank = 0; rank < members.size(); rank++) {
      var words = new ArrayList<String>(List.of(Integer.toString(rank)));
      members.get(rank).forEach(port -> words.add(endpoint(port)));
      all.add(String.join(",", words));
    }
    return String.join("|", all);
  }

  @Override
  public void close() {
    CloseHelper.quietCloseAll(container, driver);
  }
}
