package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.tutti.certs.Authority;
import org.tutti.tls.Role;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `tutti certs`: certificates for members.
@Command(
    name = "certs",
    customSynopsis = "tutti certs --dir DIR [--cluster NAME] [--role ROLE[,ROLE...]] [--days N] NAME...",
    description = {
      "Makes certificates for members, and an authority for development.",
      "Creates an authority in a directory, unless it exists, and a certificate for each name in a subdirectory of that"
          + " name: pass it to the member by --tls. Protect ca-key.pem: it can issue further certificates."
    })
final class CertsCommand implements Callable<Integer> {
  private static final int DAYS_MAX = 3650; // about as long as an authority that is made today

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--dir", required = true, paramLabel = "DIR", description = "The authority's directory.")
  Path directory = Path.of("");

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "tutti",
      description = "The cluster; members of other clusters are refused; default: ${DEFAULT-VALUE}.")
  String cluster = "tutti";

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      split = ",",
      description = {
        "What they are for: member (nodes, tutti send and watch), observer (nodes that never vote, tutti send and"
            + " watch, over tcp), client (calls to a replicated service), operator (tutti status and other questions to"
            + " the health port).",
        "Default: everything."
      })
  List<String> roles = List.of();

  @Option(
      names = "--days",
      paramLabel = "N",
      defaultValue = "365",
      description = "How long they are valid, 1 to 3650, and not longer than the authority; default: ${DEFAULT-VALUE}.")
  int days = 365;

  @Mixin Output out = new Output();

  @Mixin Settings.Options settings = new Settings.Options();

  @Parameters(paramLabel = "NAME", arity = "1..*", description = "Members.")
  List<String> names = List.of();

  @Override
  public Integer call() {
    if (days < 1 || days > DAYS_MAX) {
      throw new ParameterException(
          spec.commandLine(), "--days: certificates are valid for 1 to " + DAYS_MAX + " days, not " + days);
    }
    for (String role : roles) {
      if (Role.of(role) == null) {
        String known = String.join(", ", Arrays.stream(Role.values()).map(Role::word).toList());
        throw new ParameterException(spec.commandLine(), "there is no role '" + role + "'; there are: " + known);
      }
    }
    try {
      Authority authority = Authority.in(directory);
      for (String name : names) {
        Path made = authority.issue(name, cluster, roles, Duration.ofDays(days));
        out.line(made.toString(), "certificate", "name", name, "cluster", cluster, "directory", made.toString());
      }
      out.flush();
      return 0;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    } catch (IOException e) {
      throw Failure.ofFile(e);
    }
  }
}
