package org.tutti.sim.check;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;

/// A primary view has a version, and all members of a view have its version. (That they agree on it is in
/// [ViewsAgree].)
public record SpokenVersion() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    for (ViewInterval interval : intervals.all()) {
      View view = interval.view();
      for (MemberId member : view.members()) {
        @Nullable Build its = history.build(history.ordinalOf(member));
        if (its != null && !its.has(view.version()) && (view.primary() || view.version() > 0)) {
          report.accept(
              "%s speaks version %d, and %s has %s"
                  .formatted(view, view.version(), history.name(history.ordinalOf(member)), its));
        }
      }
    }
  }
}
