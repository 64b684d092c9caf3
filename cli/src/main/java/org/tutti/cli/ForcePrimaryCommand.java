package org.tutti.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.durable.ForcedPrimary;
import org.tutti.spi.Incarnation;
import org.tutti.storage.StorageException;
import org.tutti.store.FileStorage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti force-primary`: lets a stored history go on without a quorum of its last primary view.
@Command(
    name = "force-primary",
    customSynopsis = "tutti force-primary --group NAME --data DIR [--confirm NAME] [--json]",
    description = {
      "For disasters: the members that a group waits for are lost for ever. Lets the member whose directory this is go"
          + " on without them, with all that it has stored. The member must not run.",
      "Without --confirm it only prints what is stored, who is given up and what may be lost.",
      "What only the others have is lost. They can never be in the group again with their directories: where they meet"
          + " the forced member their memberships end. Until then they may serve clients, too: make sure that they do"
          + " not run."
    })
final class ForcePrimaryCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin Output out = new Output();

  @Mixin Settings.Options settings = new Settings.Options();

  @Option(names = "--group", required = true, paramLabel = "NAME", description = "The group's name.")
  String group = "";

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "The directory of the member, as in tutti member --data.")
  Path data = Path.of("");

  @Option(names = "--confirm", paramLabel = "NAME", description = "Do it; the group's name once more.")
  @Nullable String confirm;

  @Override
  public Integer call() {
    if (confirm != null && !confirm.equals(group)) {
      String words = "--confirm says " + confirm + ", and the group is " + group + ": nothing was changed";
      throw new ParameterException(spec.commandLine(), words);
    }
    refuseNothing();
    try (FileStorage storage = FileStorage.open(data)) {
      ForcedPrimary stored = stored(storage);
      show(stored);
      if (confirm == null) {
        String words =
            stored.goesOnAlone()
                ? stored.member().name() + " needs nobody: start it; to force it all the same: --confirm " + group
                : "if " + others(stored) + " do not run and never come back: --confirm " + group;
        out.line("nothing was changed; " + words, "unchanged");
      } else {
        force(stored);
      }
    }
    out.flush();
    return 0;
  }

  /// A storage that is not there must not be made.
  private void refuseNothing() {
    if (!Files.isDirectory(data)) {
      throw new Failure("there is no directory " + data);
    }
    try (Stream<Path> files = Files.list(data)) {
      if (files.findAny().isEmpty()) {
        throw new Failure("directory " + data + " is empty");
      }
    } catch (IOException | UncheckedIOException e) {
      throw new Failure("cannot read directory " + data + ": " + Failure.reason(e), e);
    }
  }

  private ForcedPrimary stored(FileStorage storage) {
    try {
      return ForcedPrimary.of(storage, group);
    } catch (StorageException nothing) {
      throw new Failure("stable storage " + data + ": " + nothing.getMessage(), nothing);
    }
  }

  private void show(ForcedPrimary stored) {
    String name = stored.member().name();
    View installed = stored.installed();
    View known = stored.known();
    View accepted = stored.accepted().orElse(null);
    text(name + " has stored the history of group " + group + " up to position " + stored.position());
    text("its application's own state must reach to position " + stored.logFirst() + " at least");
    text("last primary view " + installed.id().epoch() + " of " + names(voters(installed)));
    if (!known.equals(installed)) {
      text("primary view " + known.id().epoch() + " of " + names(voters(known)) + " came later: it was not in that");
    }
    if (accepted != null) {
      text("the others may have gone on to view " + accepted.id().epoch() + " of " + names(voters(accepted)));
    }
    for (ForcedPrimary.Earlier earlier : stored.earlier()) {
      text("forced before: " + earlier.by() + " at " + earlier.time() + " from position " + earlier.position() + " on");
    }
    text("given up: " + others(stored));
    text("lost: all from position " + stored.position() + " on that only these have, though clients may know of it");
    if (!stored.electorate().isEmpty()) {
      String electorate = String.join(", ", stored.electorate());
      text(name + " will wait for more than half of " + electorate + ": new members of these names count");
    }
    if (out.json) {
      out.line(
          "",
          "stored",
          "member",
          name,
          "position",
          stored.position(),
          "logFirst",
          stored.logFirst(),
          "view",
          installed.id().toString(),
          "members",
          voters(installed).stream().map(MemberId::name).toList(),
          "known",
          known.equals(installed) ? null : known.id().toString(),
          "accepted",
          accepted == null ? null : accepted.id().toString(),
          "givenUp",
          stored.givenUp().stream().map(MemberId::name).toList(),
          "electorate",
          stored.electorate().isEmpty() ? null : stored.electorate(),
          "forcings",
          stored.earlier().size());
    }
  }

  private void force(ForcedPrimary stored) {
    View view = stored.force(Incarnation.next(), ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    String name = view.senior().name();
    text(name + " was forced to be primary in view " + view.id().epoch() + ": start it as always");
    text("never start " + others(stored) + " with their directories again; without these they may join as new members");
    if (out.json) {
      out.line("", "forced", "member", name, "view", view.id().toString(), "position", stored.position());
    }
  }

  /// A line for people.
  private void text(String words) {
    if (!out.json) {
      out.line(words, "");
    }
  }

  private static String others(ForcedPrimary stored) {
    return stored.givenUp().isEmpty() ? "nobody" : names(stored.givenUp());
  }

  /// Observers decide about nothing.
  private static List<MemberId> voters(View view) {
    return view.members().subList(0, view.voters());
  }

  private static String names(List<MemberId> members) {
    return members.stream().map(MemberId::name).collect(Collectors.joining(", "));
  }
}
