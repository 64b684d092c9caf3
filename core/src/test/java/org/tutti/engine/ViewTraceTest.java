package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.Members;
import org.tutti.ViewId;
import org.tutti.effect.RecordingEffects;
import org.tutti.membership.Omission;
import org.tutti.membership.ViewMessage;
import org.tutti.user.Notice;

/// The member A, between what it says of views and those to whom it says it.
class ViewTraceTest {
  private static final ViewId BALLOT = new ViewId(3, 1);
  private static final ViewMessage PROPOSE = new ViewMessage.Propose(BALLOT);

  private final RecordingEffects<ViewMessage> port = new RecordingEffects<>();
  private final List<Notice> told = new ArrayList<>();
  private final ViewTrace trace = new ViewTrace(A, port, told::add);

  @Test
  void whatIsSaidToSeveralIsOneNoticeBeforeWhatFollows() {
    trace.send(A, PROPOSE);
    trace.send(B, new ViewMessage.Propose(BALLOT));
    trace.send(C, PROPOSE);
    assertThat(port.take()).as("said at once").hasSize(3);
    assertThat(told).isEmpty();
    trace.heard(A, PROPOSE); // by itself, which was told
    assertThat(told).containsExactly(new Notice.Said(List.of(A, B, C), PROPOSE));
    var accepted = new ViewMessage.Accepted(BALLOT);
    trace.heard(B, accepted);
    assertThat(told).last().isEqualTo(new Notice.Told(B, accepted));
    trace.flush();
    assertThat(told).hasSize(2);
  }

  @Test
  void whatHappensIsToldInItsOrder() {
    var install = new ViewMessage.Install(BALLOT);
    var omitted = new Notice.Omitted(BALLOT, List.of(C), Omission.SILENT);
    trace.send(B, PROPOSE);
    trace.tell(omitted);
    trace.send(B, PROPOSE);
    trace.send(B, install);
    trace.flush();
    var proposed = new Notice.Said(List.of(B), PROPOSE);
    assertThat(told).containsExactly(proposed, omitted, proposed, new Notice.Said(List.of(B), install));
  }

  @Test
  void batchesAreNotTold() {
    var supply = new ViewMessage.Supply(BALLOT, 0, Members.batch(B, 5));
    trace.send(B, PROPOSE);
    trace.send(C, supply);
    trace.send(C, supply);
    trace.heard(B, supply);
    trace.flush();
    assertThat(port.take()).hasSize(3);
    assertThat(told).containsExactly(new Notice.Said(List.of(B), PROPOSE));
  }
}
