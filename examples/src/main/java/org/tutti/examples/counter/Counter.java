package org.tutti.examples.counter;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The replicated state: a sum, and what each client was answered last, so that a request that comes twice counts once.
///
/// The same at all replicas, because it depends on nothing but the requests in their order. Not thread-safe.
final class Counter {
  /// How many clients are remembered: those that were heard last.
  static final int CLIENTS_MAX = 1 << 16;

  private record Answer(long number, long sum) {}

  private final LinkedHashMap<String, Answer> answers = new LinkedHashMap<>(); // those heard last are last
  private long sum;

  void apply(Addition request) {
    Answer last = answers.get(request.client());
    if (last != null && last.number >= request.number()) {
      return; // it came twice
    }
    sum += request.amount();
    remember(request.client(), new Answer(request.number(), sum));
  }

  private void remember(String client, Answer answer) {
    answers.putLast(client, answer);
    if (answers.size() > CLIENTS_MAX) {
      answers.pollFirstEntry();
    }
  }

  /// The sum behind a request that has been applied.
  ///
  /// @return empty when it has not; when the client has asked something else since, what it was answered then
  Optional<Long> answer(Addition request) {
    Answer last = answers.get(request.client());
    return last == null || last.number < request.number() ? Optional.empty() : Optional.of(last.sum);
  }

  void write(DataOutputStream out) throws IOException {
    out.writeLong(sum);
    out.writeInt(answers.size());
    for (Map.Entry<String, Answer> entry : answers.entrySet()) {
      out.writeUTF(entry.getKey());
      out.writeLong(entry.getValue().number);
      out.writeLong(entry.getValue().sum);
    }
    out.flush();
  }

  static Counter read(DataInputStream in) throws IOException {
    var read = new Counter();
    read.sum = in.readLong();
    int clients = in.readInt();
    for (int i = 0; i < clients; i++) {
      read.remember(in.readUTF(), new Answer(in.readLong(), in.readLong()));
    }
    return read;
  }
}
