package org.tutti.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `tutti completion`: what lets a shell complete commands and options, made of the commands themselves: by picocli for
/// bash and zsh, and here for fish, which picocli does not know.
@Command(
    name = "completion",
    customSynopsis = "tutti completion bash|zsh|fish",
    description = {
      "Prints a script that lets a shell complete commands and options.",
      "For this shell only: source <(tutti completion bash), or tutti completion fish | source; for all: write it to"
          + " /usr/share/bash-completion/completions/tutti, or /etc/fish/completions/tutti.fish. zsh reads bash's."
    })
final class CompletionCommand implements Callable<Integer> {
  private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

  /// The first is true where exactly these words were typed before, the second where others may have followed them.
  private static final String FISH =
      """
      function __tutti_is
          set -l typed (commandline -opc)
          test "$typed[2..]" = "$argv"
      end
      function __tutti_in
          set -l typed (commandline -opc)
          test (count $typed) -gt (count $argv); and test "$typed[2..$(math (count $argv) + 1)]" = "$argv"
      end
      complete -c tutti -f
      """;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
  String shell = "";

  @Override
  public Integer call() {
    if (!SHELLS.contains(shell)) {
      throw new ParameterException(spec.commandLine(), "'" + shell + "' is none of: " + String.join(", ", SHELLS));
    }
    CommandLine root = spec.root().commandLine();
    spec.commandLine().getOut().print(shell.equals("fish") ? fish(root) : AutoComplete.bash("tutti", root));
    spec.commandLine().getOut().flush();
    return 0;
  }

  private static String fish(CommandLine root) {
    var script = new StringBuilder(FISH);
    addFish(script, root.getCommandSpec(), "");
    return script.toString();
  }

  private static void addFish(StringBuilder script, CommandSpec command, String words) {
    for (CommandLine each : command.subcommands().values()) {
      CommandSpec next = each.getCommandSpec();
      if (!next.usageMessage().hidden()) {
        line(script, "__tutti_is" + words, " -a " + next.name(), next.usageMessage().description());
        addFish(script, next, words + " " + next.name());
      }
    }
    String at = words.isEmpty() ? "__tutti_is" : "__tutti_in" + words;
    for (OptionSpec option : command.options()) {
      if (!option.hidden()) {
        var names = new StringBuilder();
        for (String name : option.names()) {
          names.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        line(script, at, names + value(option), option.description());
      }
    }
  }

  /// A file is completed by fish itself, one of a few words by these, and anything else is left to who types.
  private static String value(OptionSpec option) {
    if (option.arity().max() == 0) {
      return "";
    }
    if (Path.class.isAssignableFrom(option.type())) {
      return " -r -F";
    }
    Iterable<String> candidates = option.completionCandidates();
    return candidates == null ? " -x" : " -x -a " + quoted(String.join(" ", candidates));
  }

  private static void line(StringBuilder script, String at, String what, String[] description) {
    String first = description.length == 0 ? "" : String.format(description[0]).split("[;:.](\\s|$)")[0];
    script.append("complete -c tutti -n ").append(quoted(at)).append(what);
    script.append(" -d ").append(quoted(first)).append('\n');
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
