package org.tutti.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `tutti version`: which Tutti this is, and what it runs on.
@Command(
    name = "version",
    customSynopsis = "tutti version [--json]",
    description = "Prints the version of Tutti, and with --json those of Java and of the operating system.")
final class VersionCommand implements Callable<Integer> {
  @Mixin Output out = new Output();

  @Override
  public Integer call() {
    String version = Tutti.Version.number();
    out.line(
        "tutti " + version,
        "version",
        "tutti",
        version,
        "java",
        Runtime.version().toString(),
        "os",
        System.getProperty("os.name") + " " + System.getProperty("os.version") + " " + System.getProperty("os.arch"));
    out.flush();
    return 0;
  }
}
