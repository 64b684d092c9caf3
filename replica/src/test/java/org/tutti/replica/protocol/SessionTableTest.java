package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.replica.Command;
import org.tutti.replica.Replication;
import org.tutti.replica.StateMachine;

class SessionTableTest {
  private static final SessionTable.Limits LIMITS = new SessionTable.Limits(1000, 2, 3, 1000);
  private static final SessionTable.Secret SECRET = new SessionTable.Secret(3, 4);

  private final List<String> answers = new ArrayList<>();
  private final List<String> executed = new ArrayList<>();
  private final SessionTable table = new SessionTable();
  private long position;

  private final StateMachine service =
      new StateMachine() {
        @Override
        public ByteBuffer apply(Command command) {
          byte what = command.payload().get();
          executed.add((char) what + "@" + command.time().toEpochMilli());
          if (what == '!') {
            throw new IllegalArgumentException("refused");
          } else if (what == '?') {
            throw new IllegalArgumentException("?".repeat(SessionTable.REPLY_BYTES_MAX + 1));
          }
          return ByteBuffer.wrap(new byte[] {what});
        }

        @Override
        public void sessionEnded(long session, long at, Instant time) {
          executed.add("end of " + session + "@" + at + "," + time.toEpochMilli());
        }

        @Override
        public Snapshot snapshot() {
          return out -> {};
        }

        @Override
        public void restore(InputStream in) {}
      };

  private final SessionTable.Answers told =
      new SessionTable.Answers() {
        @Override
        public void opened(long nonce, long session) {
          answers.add("opened " + session);
        }

        @Override
        public void replied(long session, long number, CommandReply reply) {
          answers.add("replied " + number + " " + reply.status() + " @" + reply.position());
        }

        @Override
        public void refused(long session, long number, SessionTable.Refusal why) {
          answers.add("refused " + number + " " + why);
        }
      };

  private void apply(ByteBuffer message) {
    table.apply("n1", position++, message, service, told);
  }

  private void call(long time, long session, long number, long below, char what) {
    apply(OrderedMessage.call(time, session, number, below, false, ByteBuffer.wrap(new byte[] {(byte) what})));
  }

  /// Others say what time it is, as often as they do.
  private void pass(long from, long to) {
    for (long time = from; time < to; time += LIMITS.sessionMillis() / 5) {
      apply(OrderedMessage.touch(time, List.of()));
    }
    apply(OrderedMessage.touch(to, List.of()));
  }

  private void open() {
    apply(OrderedMessage.configure(LIMITS, Replication.ACTIVE));
    apply(OrderedMessage.open(10, 7, SECRET));
    answers.clear();
  }

  @Test
  void aCommandIsExecutedOnceHoweverOftenItComes() {
    open();
    call(11, 2, 1, 1, 'a');
    call(12, 2, 1, 1, 'a');
    call(13, 2, 1, 1, 'a');
    assertThat(executed).containsExactly("a@11");
    assertThat(answers).containsExactly("replied 1 DONE @2", "replied 1 DONE @2", "replied 1 DONE @2");
  }

  @Test
  void commandsOfAClientAreExecutedInItsOrder() {
    open();
    call(11, 2, 2, 1, 'b');
    call(11, 2, 1, 1, 'a');
    call(11, 2, 2, 1, 'b');
    assertThat(executed).containsExactly("a@11", "b@11");
    assertThat(answers).containsExactly("refused 2 GAP", "replied 1 DONE @3", "replied 2 DONE @4");
  }

  @Test
  void whatTheClientHasIsForgottenAndNotExecutedAgain() {
    open();
    call(11, 2, 1, 1, 'a');
    call(11, 2, 2, 2, 'b'); // it has the reply to the first
    answers.clear();
    call(11, 2, 1, 1, 'a'); // an old copy
    assertThat(answers).isEmpty();
    assertThat(executed).containsExactly("a@11", "b@11");
  }

  @Test
  void moreThanTheWindowIsRefusedUntilRepliesAreAcknowledged() {
    open();
    for (int number = 1; number <= 4; number++) {
      call(11, 2, number, 1, 'a');
    }
    assertThat(answers).last().isEqualTo("refused 4 FULL");
    call(11, 2, 4, 2, 'a');
    assertThat(answers).last().isEqualTo("replied 4 DONE @6");
    assertThat(executed).hasSize(4);
  }

  @Test
  void aFailureIsAnOutcomeLikeAnother() {
    open();
    call(11, 2, 1, 1, '!');
    call(11, 2, 1, 1, '!');
    assertThat(answers).containsExactly("replied 1 FAILED @2", "replied 1 FAILED @2");
    assertThat(executed).hasSize(1);
  }

  @Test
  void aCommandThatWasGivenUpTakesItsPlaceWithoutBeingExecuted() {
    open();
    apply(OrderedMessage.call(11, 2, 1, 1, true, ByteBuffer.allocate(0)));
    call(11, 2, 1, 1, 'a'); // an old copy of what was given up
    assertThat(executed).isEmpty();
    assertThat(answers).containsExactly("replied 1 SKIPPED @2", "replied 1 SKIPPED @2");
  }

  /// Another session's command was ordered before a tick that was said before it.
  @Test
  void whatOthersSayOfTheTimeEndsNoSession() {
    open();
    apply(OrderedMessage.open(10, 8, SECRET));
    pass(10, 500);
    call(500, 2, 1, 1, 'a');
    pass(500, 5000);
    call(5000, 3, 1, 1, 'b');
    apply(OrderedMessage.tick(1500));
    assertThat(table.sessions()).isEqualTo(2);
    apply(OrderedMessage.tick(1501));
    assertThat(table.isOpen(2)).isFalse();
    assertThat(table.isOpen(3)).isTrue();
  }

  /// As after an outage, and when a replica that has joined an idle service was behind with the time.
  @Test
  void timeOfWhichNobodySpokeCountsForNoSession() {
    open(); // at 10
    pass(10, 510);
    apply(OrderedMessage.tick(3_600_510)); // an hour later; the session was not heard for half its life before
    pass(3_600_510, 3_601_010);
    apply(OrderedMessage.tick(3_601_010));
    assertThat(table.sessions()).isEqualTo(1);
    apply(OrderedMessage.tick(3_601_011));
    assertThat(table.sessions()).isZero();
  }

  @Test
  void aSessionExpiresByWhatAMessageSaysOfTheTime() {
    open();
    pass(10, 500);
    call(500, 2, 1, 1, 'a');
    pass(500, 1500);
    apply(OrderedMessage.tick(1500)); // heard at 500: just alive
    assertThat(table.sessions()).isEqualTo(1);
    apply(OrderedMessage.touch(1500, List.of(2L)));
    pass(1500, 2500);
    apply(OrderedMessage.tick(2500));
    assertThat(table.sessions()).isEqualTo(1);
    long last = position;
    apply(OrderedMessage.tick(2501));
    assertThat(table.sessions()).isZero();
    answers.clear();
    call(2502, 2, 2, 1, 'b');
    assertThat(answers).containsExactly("refused 2 EXPIRED");
    assertThat(executed).containsExactly("a@500", "end of 2@" + last + ",2501");
  }

  @Test
  void theTimeNeverGoesBack() {
    open();
    call(500, 2, 1, 1, 'a');
    call(400, 2, 2, 2, 'b');
    assertThat(executed).containsExactly("a@500", "b@500");
  }

  @Test
  void thereAreOnlySoManySessions() {
    open();
    apply(OrderedMessage.open(10, 8, SECRET));
    apply(OrderedMessage.open(10, 9, SECRET));
    assertThat(answers).containsExactly("opened 3", "opened 0");
  }

  @Test
  void theFirstLimitsAreInForce() {
    open();
    apply(OrderedMessage.configure(new SessionTable.Limits(1, 1, 1, 1), Replication.ACTIVE));
    assertThat(table.limits()).isEqualTo(LIMITS);
  }

  @Test
  void aNewcomerAnswersWhatWasExecutedBeforeItCame() throws IOException {
    open();
    call(11, 2, 1, 1, 'a');
    apply(OrderedMessage.announce("host:1"));
    StateMachine.Snapshot picture = table.snapshot();
    call(12, 2, 2, 1, 'b'); // behind the picture
    var bytes = new ByteArrayOutputStream();
    picture.writeTo(bytes);
    var newcomer = new SessionTable();
    newcomer.restore(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    answers.clear();
    executed.clear();
    newcomer.apply("n1", 4, OrderedMessage.call(12, 2, 1, 1, false, ByteBuffer.wrap(new byte[] {'a'})), service, told);
    newcomer.apply("n1", 5, OrderedMessage.call(12, 2, 2, 1, false, ByteBuffer.wrap(new byte[] {'b'})), service, told);
    assertThat(answers).containsExactly("replied 1 DONE @2", "replied 2 DONE @5");
    assertThat(executed).containsExactly("b@12");
    assertThat(newcomer.addresses()).containsEntry("n1", "host:1");
    assertThat(newcomer.time()).isEqualTo(12);
  }

  @Test
  void longWordsOfAFailureAreCutAsTheStateHoldsThem() throws IOException {
    open();
    call(11, 2, 1, 1, '?');
    var bytes = new ByteArrayOutputStream();
    table.snapshot().writeTo(bytes);
    assertThat(bytes.size()).isBetween(FailureWords.CHARS_MAX, 2 * FailureWords.CHARS_MAX);
    new SessionTable().restore(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
  }

  @Test
  void whatNoReplicaHasWrittenIsRefused() {
    byte[] limitsOfZero = new byte[64];
    limitsOfZero[1] = 2; // the format
    limitsOfZero[2] = 1;
    var in = new DataInputStream(new ByteArrayInputStream(limitsOfZero));
    assertThatIOException().isThrownBy(() -> new SessionTable().restore(in)).withMessageContaining("limits");
  }

  @Test
  void theServiceIsToldWhenASessionEnds() {
    open(); // session 2
    apply(OrderedMessage.open(10, 8, new SessionTable.Secret(3, 4))); // session 3
    apply(OrderedMessage.close(3));
    apply(OrderedMessage.close(3));
    pass(10, 10 + LIMITS.sessionMillis());
    apply(OrderedMessage.tick(10 + LIMITS.sessionMillis()));
    assertThat(executed).containsExactly("end of 3@3,10");
    long last = position;
    apply(OrderedMessage.tick(11 + LIMITS.sessionMillis()));
    assertThat(executed).containsExactly("end of 3@3,10", "end of 2@" + last + "," + (11 + LIMITS.sessionMillis()));
    call(12 + LIMITS.sessionMillis(), 2, 1, 1, 'a');
    assertThat(executed).hasSize(2);
  }
}
