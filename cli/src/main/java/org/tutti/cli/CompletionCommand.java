package org.tutti.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `tutti completion`: what lets a shell complete commands and options, as picocli makes it of the commands themselves.
@Command(
    name = "completion",
    customSynopsis = "tutti completion bash|zsh",
    description = {
      "Prints a script that lets a shell complete commands and options.",
      "For this shell only: source <(tutti completion bash); for all: write it to"
          + " /usr/share/bash-completion/completions/tutti. The script is the same for both shells."
    })
final class CompletionCommand implements Callable<Integer> {
  private static final List<String> SHELLS = List.of("bash", "zsh");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
  String shell = "";

  @Override
  public Integer call() {
    if (!SHELLS.contains(shell)) {
      throw new ParameterException(spec.commandLine(), "'" + shell + "' is none of: " + String.join(", ", SHELLS));
    }
    CommandLine root = spec.root().commandLine();
    spec.commandLine().getOut().print(AutoComplete.bash(root.getCommandName(), root));
    spec.commandLine().getOut().flush();
    return 0;
  }
}
