package org.tutti.sim.check;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.View;
import org.tutti.sim.check.HistoryEvent.Installed;
import org.tutti.sim.check.HistoryEvent.Offered;

/// Whoever reads a state is told that it is void when it is shown a view without the donor, primary or not, before
/// anything else happens to it.
public record ReaderTold() implements Checker {
  private static final class Reader {
    @Nullable Offered offer; // that is being read
    @Nullable View without; // the view without its donor
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    List<Reader> readers = history.forEachMember(Reader::new);
    for (HistoryEvent event : history.events()) {
      Reader reader = readers.get(event.member());
      switch (event) {
        case Offered offered -> {
          tellOff(history, reader, event, report);
          reader.offer = offered;
        }
        case HistoryEvent.Restored _, HistoryEvent.Interrupted _, HistoryEvent.Closed _, HistoryEvent.Crashed _ -> {
          reader.offer = null;
          reader.without = null;
        }
        case Installed(_, _, View view) -> {
          if (reader.offer != null && !view.contains(reader.offer.donor())) {
            reader.without = view;
          }
        }
        case HistoryEvent.Undecided _,
            HistoryEvent.SubsetDecided _ -> {} // what becomes of multicasts goes with the view
        default -> tellOff(history, reader, event, report);
      }
    }
  }

  private static void tellOff(History history, Reader reader, HistoryEvent event, Consumer<String> report) {
    if (reader.without != null) {
      report.accept(
          history.name(event.member())
              + " reads the state of "
              + reader.offer
              + " and was not told that its donor is not in "
              + reader.without
              + " before "
              + event);
      reader.without = null;
    }
  }
}
