package org.tutti.cli;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `tutti why`: what a running member has logged about another one.
@Command(
    name = "why",
    customSynopsis = "tutti why [--tls DIR] [--json] HOST:PORT [MEMBER]",
    description = {
      "Prints what a running member has logged last, oldest line first: which views came and why, whom it suspected"
          + " on what ground, who refused it, which states came, who held it up.",
      "With MEMBER only what is about that one.",
      "HOST:PORT is where the member that is asked answers health checks: its --health. It keeps its last 256 lines."
    })
final class WhyCommand implements Callable<Integer> {
  @Mixin Output out = new Output();

  @Mixin HealthClient asked = new HealthClient();

  @Parameters(index = "1", arity = "0..1", paramLabel = "MEMBER", description = "The name of whom it is about.")
  @Nullable String member;

  @Override
  public Integer call() throws InterruptedException {
    List<Map<?, ?>> events = asked.log().stream().filter(event -> member == null || isAbout(event, member)).toList();
    if (events.isEmpty()) {
      throw new Failure(member == null ? "nothing was logged yet" : "nothing is known there of a member " + member);
    }
    for (Map<?, ?> event : events) {
      Object view = event.get("view");
      out.line(
          event.get("at") + (view == null ? "" : " view " + view) + ": " + event.get("words"),
          "logged",
          "at",
          event.get("at"),
          "kind",
          event.get("kind"),
          "view",
          view,
          "members",
          event.get("members"),
          "words",
          event.get("words"));
    }
    out.flush();
    return 0;
  }

  private static boolean isAbout(Map<?, ?> event, String member) {
    return event.get("members") instanceof List<?> members && members.contains(member);
  }
}
