package org.tutti.lab;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.tutti.replica.Read;
import org.tutti.sim.check.Linearizability;
import org.tutti.sim.check.RegisterCall;
import org.tutti.sim.check.ServiceHistory;
import org.tutti.sim.check.Violation;

/// The calls of a lab's clients, from their file ([CallEntry]), and whether they could have been made one after the
/// other: each key is looked at by itself, as a register of the simulator's checker.
public final class CallHistory {
  /// The file's name in the lab's directory.
  public static final String FILE = "calls.jsonl";

  /// The calls to one key.
  private static final class OfKey {
    final ServiceHistory history = new ServiceHistory(asked -> RegisterCall.decode(asked).toString());
    final Map<Long, Long> versions = new HashMap<>(); // of values
  }

  private final Map<String, OfKey> keys = new LinkedHashMap<>();
  private final Map<Long, CallEntry.Made> open = new HashMap<>();
  private final Map<Long, ServiceHistory.Call> calls = new HashMap<>();
  private final List<Violation> violations = new ArrayList<>();
  private final long[] outcomes = new long[CallEntry.Outcome.values().length];

  private CallHistory() {}

  /// Reads a file.
  ///
  /// @param path of the file
  /// @return what it says
  /// @throws IOException when it cannot be read
  public static CallHistory read(Path path) throws IOException {
    var history = new CallHistory();
    try (Stream<String> lines = Files.lines(path)) {
      lines.map(CallEntry::parse).takeWhile(entry -> entry != null).forEach(history::take);
    }
    return history;
  }

  private void take(CallEntry entry) {
    switch (entry) {
      case CallEntry.Made made -> {
        ServiceHistory history = keys.computeIfAbsent(made.key(), _ -> new OfKey()).history;
        Read read = made.kind() == CallEntry.Kind.GET ? Read.LINEARIZABLE : null;
        calls.put(made.call(), history.invoke(made.client(), made.call(), read, asked(made).encode()));
        open.put(made.call(), made);
      }
      case CallEntry.Ended ended -> {
        CallEntry.Made made = open.remove(ended.call());
        ServiceHistory.Call call = calls.remove(ended.call());
        if (made == null || call == null) {
          throw new IllegalArgumentException("call " + ended.call() + " ended, and was not open");
        }
        end(made, call, ended);
      }
    }
  }

  private static RegisterCall asked(CallEntry.Made made) {
    return switch (made.kind()) {
      case GET -> new RegisterCall(RegisterCall.Kind.READ, 0, 0, 0);
      case PUT, REMOVE -> new RegisterCall(RegisterCall.Kind.SET, 0, made.value(), 0);
      case CAS -> new RegisterCall(RegisterCall.Kind.COMPARE_AND_SET, 0, made.expected(), made.value());
    };
  }

  private void end(CallEntry.Made made, ServiceHistory.Call call, CallEntry.Ended ended) {
    OfKey key = keys.get(made.key());
    outcomes[ended.outcome().ordinal()]++;
    switch (ended.outcome()) {
      case TOLD -> {
        ByteBuffer result = ByteBuffer.allocate(Long.BYTES).putLong(0, ended.result());
        key.history.end(call, ServiceHistory.End.REPLIED, result, -1);
        if (ended.version() > 0) {
          Long version = key.versions.putIfAbsent(ended.result(), ended.version());
          if (version != null && version != ended.version()) {
            String words = "value %d of %s was put twice, with the versions %d and %d";
            violations.add(
                new Violation("ExactlyOnce", words.formatted(ended.result(), made.key(), version, ended.version())));
          }
        }
      }
      case UNKNOWN -> key.history.end(call, ServiceHistory.End.UNKNOWN, null, -1);
      case REFUSED -> key.history.end(call, ServiceHistory.End.NOT_SENT, null, -1);
    }
  }

  /// Looks for an order of the calls to each key.
  ///
  /// @return the verdict
  public CallVerdict judge() {
    var all = new ArrayList<Violation>(violations);
    var undecided = new ArrayList<String>();
    keys.forEach((name, key) -> {
      switch (Linearizability.search(key.history)) {
        case FOUND -> {}
        case NONE ->
            all.add(
                new Violation(
                    "Linearizability", "no order of the " + key.history.calls().size() + " calls to key " + name));
        case GIVEN_UP -> undecided.add(name);
      }
    });
    long told = outcomes[CallEntry.Outcome.TOLD.ordinal()];
    long unknown = outcomes[CallEntry.Outcome.UNKNOWN.ordinal()] + open.size();
    long refused = outcomes[CallEntry.Outcome.REFUSED.ordinal()];
    return new CallVerdict(told, unknown, refused, keys.size(), undecided, all);
  }
}
