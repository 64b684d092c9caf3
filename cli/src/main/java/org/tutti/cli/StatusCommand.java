package org.tutti.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `tutti status`: how a running member stands.
@Command(
    name = "status",
    customSynopsis = "tutti status [--tls DIR] [--json] HOST:PORT",
    description = {
      "Prints how a running member stands: its view, its position, and whom it waits for and why.",
      "HOST:PORT is where that member answers health checks: its --health."
    })
final class StatusCommand implements Callable<Integer> {
  @Mixin Output out = new Output();

  @Mixin HealthClient asked = new HealthClient();

  @Override
  public Integer call() throws InterruptedException {
    Map<String, Object> status = asked.status();
    List<@Nullable Object> fields = new ArrayList<>();
    status.forEach((name, value) -> {
      fields.add(name);
      fields.add(value);
    });
    out.line(String.valueOf(status.get("words")), "status", fields.toArray());
    Map<?, ?> view = HealthClient.object(status.get("view"));
    if (view.get("version") instanceof Number version && version.intValue() > 0) {
      out.also("its members speak version " + version + " of the protocol");
      sayWhatItHolds(HealthClient.object(status.get("speaks")), version.longValue());
    }
    if (status.get("build") != null) { // earlier ones do not say it
      out.also(
          "it runs tutti %s on Java %s since %s; its clock says %s"
              .formatted(status.get("build"), status.get("java"), status.get("started"), status.get("time")));
    }
    out.flush();
    return 0;
  }

  /// What this member would speak, or keeps its group from, where that is not what the group speaks.
  private void sayWhatItHolds(Map<?, ?> speaks, long version) {
    if (speaks.get("newest") instanceof Number newest && newest.longValue() > version) {
      out.also("this one would speak version " + newest + ", too");
    }
    if (speaks.get("limit") instanceof Number limit) {
      out.also("this one lets it rise to version " + limit + " at most");
    }
  }
}
