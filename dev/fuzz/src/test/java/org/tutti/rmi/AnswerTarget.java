package org.tutti.rmi;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import org.tutti.fuzz.FuzzTarget;

/// What a peer or a registry of RMI answers, before RMI sees it.
public final class AnswerTarget implements FuzzTarget {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(
        AnswerFilter.RefusedAnswerException.class,
        AnswerFilter.TlsAnswerException.class,
        AnswerFilter.ExceptionalAnswerException.class,
        EOFException.class);
  }

  @Override
  public long allocationMax(int length) {
    return (1 << 20) + (16L << 10) * length; // a stream of objects is made to look at each of them
  }

  @Override
  public void take(ByteBuffer input) throws IOException {
    Answers expected = FuzzTarget.choice(input, 2) == 0 ? Answers.ofPeer() : Answers.names();
    byte[] bytes = FuzzTarget.array(input);
    try (var filter = new AnswerFilter(new ByteArrayInputStream(bytes), expected, PATIENCE, _ -> {})) {
      byte[] passed = filter.readAllBytes();
      FuzzTarget.same(ByteBuffer.wrap(bytes), ByteBuffer.wrap(passed));
    }
  }
}
