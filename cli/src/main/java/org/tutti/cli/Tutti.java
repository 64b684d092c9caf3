package org.tutti.cli;

import java.io.PrintWriter;
import java.lang.module.ModuleDescriptor;
import java.security.Security;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.Names;
import org.tutti.TuttiException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/// The `tutti` command: its subcommands, its exit codes and how it reports errors.
@Command(
    name = "tutti",
    description = "Group communication: processes form groups and multicast in one order.",
    mixinStandardHelpOptions = true,
    versionProvider = Tutti.Version.class,
    scope = CommandLine.ScopeType.INHERIT,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:success", "1:failure; one line on standard error says which", "2:wrong usage"})
public final class Tutti implements Runnable {
  private static final List<Class<?>> COMMANDS =
      List.of(
          MemberCommand.class,
          SendCommand.class,
          WatchCommand.class,
          StatusCommand.class,
          MembersCommand.class,
          GroupsCommand.class,
          WhyCommand.class,
          ProbeCommand.class,
          VerifyCommand.class,
          DoctorCommand.class,
          ForcePrimaryCommand.class,
          IpcCommand.class,
          CorbaCommand.class,
          RegistryCommand.class,
          CertsCommand.class,
          WarmCommand.class,
          CompletionCommand.class,
          HelpCommand.class,
          VersionCommand.class);

  /// Those that tell of all commands.
  private static final Set<Class<?>> TELLING = Set.of(HelpCommand.class, CompletionCommand.class);

  /// Strongly held, as Java forgets a logger's level with the logger.
  private static final Logger LOGGER = Logger.getLogger("org.tutti");

  /// Those that run for long; what others log is for people who look at their output.
  private static final Set<String> INFORMING = Set.of("member", "registry");

  /// Those that print themselves what others log.
  private static final Set<String> SILENT = Set.of("doctor");

  /// A line for each record: time, level, logger, message; a stack trace follows. Java's own format has two lines, with
  /// the method that wrote them, but not the logger by which `docs/guides/logs.md` tells them apart.
  private static final String LOG_FORMAT = "%1$tFT%1$tT.%1$tL%1$tz %4$s %3$s %5$s%6$s%n";

  private static final String LOG_FORMAT_KEY = "java.util.logging.SimpleFormatter.format";

  /// With one of these, whoever runs the command says how Java logs.
  private static final List<String> LOG_KEYS =
      List.of(LOG_FORMAT_KEY, "java.util.logging.config.file", "java.util.logging.config.class");

  @Spec private CommandSpec spec = CommandSpec.create();
  private boolean leveled;

  /// For picocli.
  Tutti() {}

  /// Picocli calls it for each command that has the option, with null where it is not given.
  @Option(
      names = "--log-level",
      scope = CommandLine.ScopeType.INHERIT,
      paramLabel = "LEVEL",
      description =
          "What is logged on standard error: off, error, warning, info, debug, trace; default: info of a member and a"
              + " registry, off of a doctor, else warning.")
  void logLevel(@Nullable String level) {
    if (level == null) {
      return;
    }
    Level least =
        switch (level) {
          case "off" -> Level.OFF;
          case "error" -> Level.SEVERE;
          case "warning" -> Level.WARNING;
          case "info" -> Level.INFO;
          case "debug" -> Level.FINE;
          case "trace" -> Level.FINER;
          default ->
              throw new ParameterException(
                  spec.commandLine(),
                  "--log-level: '" + level + "' is none of: off, error, warning, info, debug, trace");
        };
    leveled = true;
    LOGGER.setLevel(least);
    for (Handler handler : Logger.getLogger("").getHandlers()) {
      handler.setLevel(least);
    }
  }

  private static Level usual(ParseResult parsed) {
    String name = parsed.hasSubcommand() ? parsed.subcommand().commandSpec().name() : "";
    return INFORMING.contains(name) ? Level.INFO : SILENT.contains(name) ? Level.OFF : Level.WARNING;
  }

  /// Runs the command and ends the process.
  ///
  /// @param args the command line
  public static void main(String[] args) {
    run(List.of(), List.of(), args);
  }

  /// Runs the command with more subcommands and ends the process.
  ///
  /// @param first classes of subcommands that the help names before its own
  /// @param last classes of subcommands that it names after them
  /// @param args the command line
  public static void run(List<Class<?>> first, List<Class<?>> last, String... args) {
    // Who is looked for now may be in DNS in a second: the JDK would remember for ten that a name is unknown.
    Security.setProperty("networkaddress.cache.negative.ttl", "1");
    Security.setProperty("networkaddress.cache.ttl", "5");
    if (LOG_KEYS.stream().allMatch(key -> System.getProperty(key) == null)) {
      System.setProperty(LOG_FORMAT_KEY, LOG_FORMAT);
    }
    System.exit(execute(first, last, null, args));
  }

  /// Runs the command in this process, which goes on: for tests of what it refuses.
  ///
  /// @param first as with [#run]
  /// @param last as with [#run]
  /// @param errors gets what is told on standard error otherwise; null for standard error
  /// @param args the command line
  /// @return the exit code
  public static int execute(List<Class<?>> first, List<Class<?>> last, @Nullable PrintWriter errors, String... args) {
    var tutti = new Tutti();
    List<Class<?>> all = Stream.of(first, COMMANDS, last).<Class<?>>flatMap(List::stream).toList();
    CommandLine command = commandLine(tutti, needed(all, args));
    if (errors != null) {
      command.setErr(errors);
    }
    var settings = new Settings();
    command.setParameterExceptionHandler((mistake, _) -> onUsageError(mistake, settings));
    command.setExecutionExceptionHandler(Tutti::onFailure);
    command.setExitCodeExceptionMapper(_ -> ExitCode.SOFTWARE);
    command.setExecutionStrategy(parsed -> {
      Level usual = usual(parsed);
      if (!tutti.leveled && LOGGER.getLevel() == null && usual != Level.INFO) {
        LOGGER.setLevel(usual);
      }
      ParseResult called = parsed;
      while (called.hasSubcommand()) {
        called = called.subcommand();
      }
      if (called.hasMatchedOption("--print-config")) {
        settings.print(called, new Output());
        return ExitCode.OK;
      }
      return new CommandLine.RunLast().execute(parsed);
    });
    String[] completed;
    try {
      completed = settings.complete(command, args, System::getenv);
    } catch (ParameterException mistake) {
      return onUsageError(mistake, settings);
    }
    return command.execute(completed);
  }

  /// The commands that picocli has to know, as it takes up to some ten milliseconds for each: the one that is called.
  /// All of them where the line begins with something else, where they are told of, and where there is a configuration
  /// file, which may have settings of any.
  private static List<Class<?>> needed(List<Class<?>> all, String... args) {
    if (args.length == 0 || Settings.hasFile(args, System::getenv)) {
      return all;
    }
    return all.stream()
        .filter(one -> one.getAnnotation(Command.class).name().equals(args[0]))
        .filter(one -> !TELLING.contains(one))
        .findFirst()
        .<List<Class<?>>>map(List::of)
        .orElse(all);
  }

  /// What the command has, for pages that are made of it.
  ///
  /// @return the command with its subcommands
  public static CommandLine commandLine() {
    return commandLine(new Tutti(), COMMANDS);
  }

  private static CommandLine commandLine(Tutti tutti, List<Class<?>> subcommands) {
    var command = new CommandLine(tutti);
    subcommands.forEach(command::addSubcommand);
    return command;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  private static int onUsageError(ParameterException mistake, Settings settings) {
    CommandLine command = mistake.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    String words = settings.source(mistake) + oneLine(what(mistake));
    command.getErr().println(name + ": " + words + "; see " + name + " --help");
    return ExitCode.USAGE;
  }

  /// What is wrong, and what may have been meant. Picocli tells of what is missing before what it does not know, which
  /// is often the same thing, misspelt.
  private static String what(ParameterException mistake) {
    List<String> unknown = mistake.getCommandLine().getUnmatchedArguments();
    boolean hidden = mistake instanceof MissingParameterException && !unknown.isEmpty();
    ParameterException first = hidden ? new UnmatchedArgumentException(mistake.getCommandLine(), unknown) : mistake;
    if (!(first instanceof UnmatchedArgumentException unmatched)) {
      return mistake.getMessage();
    }
    String typed = unmatched.getUnmatched().getFirst().replaceFirst("=.*", "");
    int far = Math.max(1, typed.replaceFirst("^-+", "").length() / 3); // further away it would be a guess
    String meant =
        unmatched.getSuggestions().stream()
            .filter(each -> distance(typed, each) <= far)
            .collect(Collectors.joining(" or "));
    return unmatched.getMessage() + (meant.isEmpty() ? "" : " (did you mean " + meant + "?)");
  }

  /// How many letters have to be put in, left out or changed to make one word of the other (Levenshtein).
  private static int distance(String from, String to) {
    int[] last = IntStream.rangeClosed(0, to.length()).toArray();
    for (int i = 1; i <= from.length(); i++) {
      int[] next = new int[to.length() + 1];
      next[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int changed = last[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        next[j] = Math.min(changed, 1 + Math.min(last[j], next[j - 1]));
      }
      last = next;
    }
    return last[to.length()];
  }

  private static int onFailure(Exception failure, CommandLine command, ParseResult all) {
    String name = command.getCommandSpec().qualifiedName();
    String line =
        failure instanceof Failure || failure instanceof TuttiException
            ? String.valueOf(failure.getMessage())
            : failure.toString();
    command.getErr().println(name + ": " + oneLine(line));
    if (command.getParseResult().hasMatchedOption("--verbose")) {
      failure.printStackTrace(command.getErr());
    }
    return ExitCode.SOFTWARE;
  }

  private static String oneLine(String text) {
    return Names.printable(text.strip().replaceFirst("^Error: ", "").replaceAll("\\s*\\R\\s*", "; "));
  }

  /// The version of the module that this class is in.
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"tutti " + number()};
    }

    static String number() {
      return Optional.ofNullable(Tutti.class.getModule().getDescriptor())
          .flatMap(ModuleDescriptor::rawVersion)
          .orElse("(development)");
    }
  }
}
