package org.tutti.cli;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `tutti groups`: which groups a running member is in.
@Command(
    name = "groups",
    customSynopsis = "tutti groups [--tls DIR] [--json] HOST:PORT",
    description = {
      "Prints which groups a running member is in, one a line: its view there, whether that is primary, how the group"
          + " orders messages, and who is in the view, most senior first.",
      "HOST:PORT is where that member answers health checks: its --health. A tutti member is in one group."
    })
final class GroupsCommand implements Callable<Integer> {
  @Mixin Output out = new Output();

  @Mixin HealthClient asked = new HealthClient();

  @Override
  public Integer call() throws InterruptedException {
    Map<String, Object> status = asked.status();
    Object group = status.get("group");
    Map<?, ?> view = HealthClient.object(status.get("view"));
    if (view.isEmpty()) {
      out.line(group + ": no view; " + status.get("words"), "group", "name", group);
    } else {
      print(status, group, view);
    }
    out.flush();
    return 0;
  }

  private void print(Map<String, Object> status, Object group, Map<?, ?> view) {
    List<String> all =
        HealthClient.objects(view.get("members")).stream().map(member -> String.valueOf(member.get("name"))).toList();
    int voters =
        view.get("voters") instanceof Number number ? Math.clamp(number.longValue(), 0, all.size()) : all.size();
    List<String> members = all.subList(0, voters);
    List<String> observers = all.subList(voters, all.size());
    boolean primary = Boolean.TRUE.equals(view.get("primary"));
    Object ordering = status.get("ordering");
    String words =
        group
            + ": view "
            + view.get("id")
            + (primary ? " primary" : " non-primary")
            + (ordering == null ? "" : ", order " + ordering)
            + members.stream().map(name -> " " + name).collect(Collectors.joining("", ":", ""))
            + (observers.isEmpty() ? "" : "; observers: " + String.join(" ", observers));
    out.line(
        words,
        "group",
        "name",
        group,
        "view",
        view.get("id"),
        "primary",
        primary,
        "ordering",
        ordering,
        "members",
        members,
        "observers",
        observers.isEmpty() ? null : observers);
  }
}
