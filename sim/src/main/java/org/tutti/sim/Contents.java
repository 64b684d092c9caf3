package org.tutti.sim;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.tutti.View;
import org.tutti.pack.Batch;
import org.tutti.sim.check.Content;
import org.tutti.sim.check.History;

/// What is in a batch, for the checkers and for people.
final class Contents {
  private Contents() {}

  static Content of(History history, Batch batch, @Nullable View branch) {
    long[] hashes = new long[batch.count()];
    int[] lengths = new int[batch.count()];
    Batch.Messages messages = batch.messages();
    for (int i = 0; i < hashes.length; i++) {
      ByteBuffer message = messages.next();
      hashes[i] = Hash.of(message);
      lengths[i] = message.remaining();
    }
    return history.content(
        branch, history.ordinalOf(batch.sender()), batch.seq(), batch.kind().service(), hashes, lengths);
  }

  static String words(Batch batch) {
    return batch.sender() + "/" + batch.seq() + " " + batch.count() + " messages " + batch.kind();
  }
}
