package org.tutti.sim;

import org.tutti.sim.check.Content;
import org.tutti.sim.check.HistoryEvent;

/// What an application's state amounts to: hashes over all messages that it contains.
final class Digest {
  private long chain; // over totally ordered messages
  private long weak; // over the messages of weak services, which come in any order

  void take(Content content) {
    for (int i = 0; i < content.count(); i++) {
      if (content.isWeak()) {
        weak +=
            Hash.step(Hash.step(content.service().ordinal(), content.sender()), content.hash(i) + content.length(i));
      } else {
        chain = Hash.step(Hash.step(chain, content.sender()), content.hash(i) + content.length(i));
      }
    }
  }

  boolean hasNoWeak() {
    return weak == 0;
  }

  void restart() {
    chain = 0;
  }

  void set(HistoryEvent.Summary to) {
    chain = to.chain();
    weak = to.weak();
  }

  HistoryEvent.Summary at(long index, long position) {
    return new HistoryEvent.Summary(index, position, chain, weak);
  }
}
