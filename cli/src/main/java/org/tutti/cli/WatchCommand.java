package org.tutti.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `tutti watch`: joins a group only to print what happens in it.
@Command(
    name = "watch",
    customSynopsis = "tutti watch --group NAME --join WHERE... [OPTION...]",
    description = {
      "Joins a group as an observer; prints views and deliveries until Ctrl-C, then leaves.",
      "An observer does not count in quorums, and nobody waits for it; one that is too slow is dropped."
    })
final class WatchCommand implements Callable<Integer> {
  @Mixin MemberOptions options = new MemberOptions();

  @Mixin Contact.Options contacts = new Contact.Options();

  @Override
  public Integer call() throws InterruptedException {
    options.observes = true;
    try (var session = Session.open("watch", options, contacts.listen, contacts.join, null)) {
      new EventPrinter(session, options.out).follow(options.timeout);
    }
    return 0;
  }
}
