package org.tutti.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `tutti help`: what `--help` prints, of the whole or of one command.
@Command(
    name = "help",
    customSynopsis = "tutti help [COMMAND...]",
    description = "Prints what a command does and its options; without a name, which commands there are.")
final class HelpCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "A command, and a command of that one.")
  List<String> names = List.of();

  @Override
  public Integer call() {
    CommandLine command = spec.parent().commandLine();
    for (String name : names) {
      CommandLine next = command.getSubcommands().get(name);
      if (next == null) {
        throw new ParameterException(
            spec.commandLine(), command.getCommandSpec().qualifiedName() + " has no command '" + name + "'");
      }
      command = next;
    }
    command.usage(spec.commandLine().getOut());
    return 0;
  }
}
