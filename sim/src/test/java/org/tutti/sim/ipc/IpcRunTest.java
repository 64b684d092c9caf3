package org.tutti.sim.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.sim.Campaign;
import org.tutti.sim.CampaignFile;
import org.tutti.sim.FirstSeed;

/// Campaigns of group interprocess communication; `./tutti simulate --ipc` runs longer ones. What its checks find is
/// shown by the planted bugs of `IpcMutants`.
class IpcRunTest {
  private static final int SEEDS = 10;
  private static final int SEEDS_DEEP = 1000;
  private static final int FEW = 6;

  @Test
  void nothingIsViolatedAtSeedsThatNobodyHasRun() {
    holds(FirstSeed.ofTest("IpcRunTest"), SEEDS);
  }

  @Test
  @Tag("deep")
  void nothingIsViolatedAtManySeedsThatNobodyHasRun() {
    holds(FirstSeed.ofTest("IpcRunTest"), SEEDS_DEEP);
  }

  private static void holds(long first, int seeds) {
    IpcReport report = campaign(first, seeds, new IpcReport());
    assertThat(report.seeds()).isEqualTo(seeds);
    assertThat(report.failures()).as("replay: ./tutti simulate --ipc --seed N --trace").isEmpty();
  }

  @Test
  void aSeedIsAlwaysTheSameRun() {
    for (long seed = 1; seed <= FEW; seed++) {
      assertThat(IpcRun.run(seed, _ -> {})).isEqualTo(IpcRun.run(seed));
    }
  }

  @Test
  @Tag("deep")
  void seedsMeetEverything() {
    IpcReport report = campaign(1, 40, new IpcReport());
    assertThat(
            List.of(
                "crash",
                "one-way cut",
                "partition",
                "program restarts",
                "send",
                "send NO_COMM",
                "send NO_MEMBERS",
                "send NO_BUFF",
                "getreply",
                "getreply NO_COMM",
                "getreply TIMED_OUT",
                "getreply CM_ERROR",
                "receive",
                "receive NO_COMM",
                "receive TIMED_OUT",
                "receive NOT_MEMBER",
                "reply",
                "reply NO_COMM",
                "join",
                "join WRONG_PASSWORD",
                "join GROUP_DOES_NOT_EXIST",
                "join NO_SERVER",
                "leave",
                "leave WRONG_PASSWORD",
                "destroy",
                "destroy WRONG_PASSWORD",
                "authorize",
                "send to an id",
                "send to an id WRONG_PASSWORD",
                "send to an id GROUP_DOES_NOT_EXIST",
                "receive GROUP_DOES_NOT_EXIST",
                "no group-id server",
                "does not reach the group-id server",
                "flood",
                "cycle while all is well",
                "send to one",
                "send to one HOST_DEAD",
                "send to one PROC_DEAD",
                "send to one NO_BUFF",
                "send to one TIMED_OUT",
                "take of one",
                "take of one CM_DEADLOCK",
                "request to one",
                "request to one CM_DEADLOCK",
                "request to one HOST_DEAD",
                "request to one PROC_DEAD",
                "request to one TIMED_OUT",
                "receive from one",
                "receive from one CM_DEADLOCK",
                "receive from one HOST_DEAD",
                "receive from one PROC_DEAD",
                "reply to one",
                "reply to one HOST_DEAD",
                "reply to one NO_COMM",
                "reply to one PROC_DEAD"))
        .allMatch(what -> report.seedsWith(what) > 0);
  }

  @Test
  void aCampaignThatWasInterruptedGoesOnWhereItStopped(@TempDir Path directory) throws IOException {
    Path path = directory.resolve("campaign.txt");
    CampaignFile.open(path, 1L, " --ipc", IpcReport::read).write(campaign(1, FEW / 2, new IpcReport()));
    CampaignFile<IpcReport> again = CampaignFile.open(path, null, " --ipc", IpcReport::read);
    assertThat(again.first()).isEqualTo(1);
    assertThat(campaign(1, FEW, again.before()).table()).isEqualTo(campaign(1, FEW, new IpcReport()).table());
  }

  private static IpcReport campaign(long first, long seeds, IpcReport before) {
    int threads = Math.min(2, Runtime.getRuntime().availableProcessors());
    return new Campaign<>(first, seeds, IpcRun::run, before).run(threads, _ -> {});
  }
}
