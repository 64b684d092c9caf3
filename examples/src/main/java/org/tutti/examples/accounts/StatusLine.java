package org.tutti.examples.accounts;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.View;

/// What a process of the service tells whoever started it: one line of its standard output each.
///
/// Lines that begin otherwise are for humans. In the other direction, a replica understands the lines `status` and
/// `quit`, a client `go` and `stop`; every process ends when its standard input does, so none outlives the one that
/// started it.
sealed interface StatusLine {
  String PREFIX = "report ";

  /// A view was installed at a replica.
  record Installed(String id, boolean primary, List<String> members) implements StatusLine {}

  /// So many bytes of the state that a replica starts from have arrived, and more are to come.
  record Receiving(long bytes) implements StatusLine {}

  /// All of it has arrived and replaced what the replica knew.
  record Received(long bytes) implements StatusLine {}

  /// A replica holds all that was delivered and serves clients.
  record CaughtUp(long next) implements StatusLine {}

  /// A replica is not in a primary view, or misses what happened in one, and serves nobody any more.
  record Suspended(long next) implements StatusLine {}

  /// A replica that was started again waits for others; in words for people.
  record Waiting(String status) implements StatusLine {}

  /// The answer to `status`: the position reached, commands delivered again, and the view, its sequencer first.
  record Status(long next, long retries, List<String> members) implements StatusLine {}

  /// How far a client is: requests answered, sent again, and changes of replica.
  record Progress(long answered, long resent, long moves) implements StatusLine {}

  static Installed installed(View view) {
    return new Installed(view.id().toString(), view.primary(), names(view));
  }

  static List<String> names(@Nullable View view) {
    return view == null ? List.of() : view.members().stream().map(Object::toString).toList();
  }

  default void print() {
    System.out.println(
        PREFIX
            + switch (this) {
              case Installed(String id, boolean primary, var members) ->
                  "installed " + id + " " + primary + " " + String.join(" ", members);
              case Receiving(long bytes) -> "receiving " + bytes;
              case Received(long bytes) -> "received " + bytes;
              case CaughtUp(long next) -> "caught-up " + next;
              case Suspended(long next) -> "suspended " + next;
              case Waiting(String status) -> "waiting " + status;
              case Status(long next, long retries, var members) ->
                  "status " + next + " " + retries + " " + String.join(" ", members);
              case Progress(long answered, long resent, long moves) ->
                  "progress " + answered + " " + resent + " " + moves;
            });
  }

  /// Reads a line; null when it is for humans.
  static @Nullable StatusLine parse(String line) {
    if (!line.startsWith(PREFIX)) {
      return null;
    }
    List<String> words = List.of(line.substring(PREFIX.length()).split(" "));
    return switch (words.getFirst()) {
      case "installed" ->
          new Installed(words.get(1), Boolean.parseBoolean(words.get(2)), words.subList(3, words.size()));
      case "receiving" -> new Receiving(number(words, 1));
      case "received" -> new Received(number(words, 1));
      case "caught-up" -> new CaughtUp(number(words, 1));
      case "suspended" -> new Suspended(number(words, 1));
      case "waiting" -> new Waiting(String.join(" ", words.subList(1, words.size())));
      case "status" -> new Status(number(words, 1), number(words, 2), words.subList(3, words.size()));
      case "progress" -> new Progress(number(words, 1), number(words, 2), number(words, 3));
      default -> throw new IllegalStateException("unknown report: " + line);
    };
  }

  private static long number(List<String> words, int index) {
    return Long.parseLong(words.get(index));
  }
}
