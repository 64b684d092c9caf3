package org.tutti.sim.check;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.View;
import org.tutti.sim.check.Happening.Installed;
import org.tutti.sim.check.Happening.Offered;

/// Whoever reads a state is told that it is void when it is shown a view without the donor, primary or not, before
/// anything else happens to it.
public record ReaderTold() implements Checker {
  private static final class Reader {
    @Nullable Offered offer; // that is being read
    @Nullable View without; // the view without its donor
  }

  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    List<Reader> readers = history.forEachMember(Reader::new);
    for (Happening happening : history.happenings()) {
      Reader reader = readers.get(happening.member());
      switch (happening) {
        case Offered offered -> {
          tellOff(history, reader, happening, report);
          reader.offer = offered;
        }
        case Happening.Restored _, Happening.Interrupted _, Happening.Closed _, Happening.Crashed _ -> {
          reader.offer = null;
          reader.without = null;
        }
        case Installed(_, _, View view) -> {
          if (reader.offer != null && !view.contains(reader.offer.donor())) {
            reader.without = view;
          }
        }
        case Happening.Undecided _, Happening.AsideDecided _ -> {} // what becomes of multicasts goes with the view
        default -> tellOff(history, reader, happening, report);
      }
    }
  }

  private static void tellOff(History history, Reader reader, Happening happening, Consumer<String> report) {
    if (reader.without != null) {
      report.accept(
          history.name(happening.member())
              + " reads the state of "
              + reader.offer
              + " and was not told that its donor is not in "
              + reader.without
              + " before "
              + happening);
      reader.without = null;
    }
  }
}
