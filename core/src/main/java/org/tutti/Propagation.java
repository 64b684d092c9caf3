package org.tutti;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What [Group#propagate] brings together.
///
/// @param view      the view whose members spoke; the last one among the events meanwhile, if there is one
/// @param messages  what each member of the view said, by seniority; the same at all of them
/// @param meanwhile the events that came in the meantime, in order; they are not received again
public record Propagation(View view, Map<MemberId, ByteBuffer> messages, List<Event> meanwhile) {
  /// Copies the collections.
  public Propagation {
    messages = Collections.unmodifiableMap(new LinkedHashMap<>(messages));
    meanwhile = List.copyOf(meanwhile);
  }
}
