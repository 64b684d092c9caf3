package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// Options that are not on the command line: from variables `TUTTI_NAME`, and behind these from a configuration file.
/// They are written behind the arguments, so that they are read and checked as if they had been typed.
///
/// A file has lines `name = value`, where the name is that of an option without `--`; what follows `#` is a comment.
/// Settings before the first section are for all commands that have the option, those below `[member]` for `member`,
/// and for a `doctor`, which looks after one, unless `[doctor]` says otherwise.
final class Settings {
  private static final Set<String> NOT_SET = Set.of("config", "print-config", "help", "version");
  private static final Set<String> NOT_OF_MEMBER = Set.of("json", "timeout"); // how a doctor prints and waits
  private static final Set<String> ASK = Set.of("-h", "--help", "-V", "--version");

  private final Map<String, String> sources = new HashMap<>(); // by the option's name

  /// Options of the commands that can be configured.
  static final class Options {
    @Option(
        names = "--config",
        paramLabel = "FILE",
        description = {
          "Take options that are not given from variables TUTTI_NAME and then from this file; default: $TUTTI_CONFIG.",
          "The file has lines `name = value`, sections `[command]` and comments behind #."
        })
    @Nullable Path file;

    @Option(names = "--print-config", description = "Only print the options' values, and where each is from.")
    boolean print;
  }

  private record Setting(String value, String source) {}

  /// The arguments, and what is set elsewhere.
  ///
  /// @param root the command
  /// @param args what was typed
  /// @param variables of the environment
  String[] complete(CommandLine root, String[] args, UnaryOperator<@Nullable String> variables) {
    Set<String> configurable =
        root.getSubcommands().entrySet().stream()
            .filter(one -> one.getValue().getCommandSpec().findOption("--print-config") != null)
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
    CommandLine command = command(root, args);
    if (command == null
        || !configurable.contains(command.getCommandName())
        || Arrays.stream(args).anyMatch(ASK::contains)) {
      return args;
    }
    List<String> all = new ArrayList<>(List.of(args));
    int end = all.contains("--") ? all.indexOf("--") : all.size();
    List<String> typed = all.subList(0, end);
    Map<String, Setting> file = file(root, command, configurable, typed, variables);
    Map<String, OptionSpec> options = options(command);
    var more = new ArrayList<String>();
    Set<String> given =
        options.keySet().stream()
            .filter(
                name -> typed.stream().anyMatch(arg -> arg.equals("--" + name) || arg.startsWith("--" + name + "=")))
            .collect(Collectors.toSet());
    given.forEach(name -> sources.put(name, "command line"));
    for (boolean environment : new boolean[] {true, false}) {
      // What excludes an option is what a stronger source has said, not what this one says.
      Set<String> stronger = Set.copyOf(sources.keySet());
      options.forEach((name, option) -> {
        Setting setting = environment ? variable(name, variables) : file.get(name);
        if (setting != null && !stronger.contains(name) && !isExcluded(option, stronger)) {
          sources.put(name, setting.source());
          more.addAll(argument(command, name, option, setting));
        }
      });
    }
    all.addAll(end, more);
    return all.toArray(String[]::new);
  }

  /// Whether there may be a configuration file.
  ///
  /// @param args what was typed
  /// @param variables of the environment
  static boolean hasFile(String[] args, UnaryOperator<@Nullable String> variables) {
    return variables.apply("TUTTI_CONFIG") != null || Arrays.stream(args).anyMatch(arg -> arg.startsWith("--config"));
  }

  private static @Nullable CommandLine command(CommandLine root, String[] args) {
    for (int i = 0; i < args.length; i++) {
      if (args[i].equals("--log-level")) {
        i++;
      } else if (!args[i].startsWith("-")) {
        return root.getSubcommands().get(args[i]);
      }
    }
    return null;
  }

  private static Map<String, OptionSpec> options(CommandLine command) {
    var options = new LinkedHashMap<String, OptionSpec>();
    for (OptionSpec option : command.getCommandSpec().options()) {
      String name = option.longestName().substring(2);
      if (!NOT_SET.contains(name)) {
        options.put(name, option);
      }
    }
    return options;
  }

  private static @Nullable Setting variable(String name, UnaryOperator<@Nullable String> variables) {
    String variable = "TUTTI_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
    String value = variables.apply(variable);
    return value == null || value.isEmpty() ? null : new Setting(value, variable);
  }

  private static boolean isExcluded(OptionSpec option, Set<String> given) {
    ArgGroupSpec group = option.group();
    return group != null
        && group.exclusive()
        && group.options().stream().anyMatch(other -> given.contains(other.longestName().substring(2)));
  }

  private static List<String> argument(CommandLine command, String name, OptionSpec option, Setting setting) {
    if (option.arity().max() > 0) {
      return List.of("--" + name + "=" + setting.value());
    }
    return switch (setting.value()) {
      case "true" -> List.of("--" + name);
      case "false" -> List.of();
      default ->
          throw new ParameterException(
              command, setting.source() + ": " + name + " is true or false, not '" + setting.value() + "'");
    };
  }

  /// What the file says to this command, which the whole file is read for.
  private static Map<String, Setting> file(
      CommandLine root,
      CommandLine command,
      Set<String> configurable,
      List<String> typed,
      UnaryOperator<@Nullable String> variables) {
    String name = variables.apply("TUTTI_CONFIG");
    for (int i = 0; i < typed.size(); i++) {
      if (typed.get(i).startsWith("--config=")) {
        name = typed.get(i).substring("--config=".length());
      } else if (typed.get(i).equals("--config") && i + 1 < typed.size()) {
        name = typed.get(i + 1);
      }
    }
    if (name == null || name.isEmpty()) {
      return Map.of();
    }
    try {
      return read(root, command, configurable, name, Files.readAllLines(Path.of(name)));
    } catch (NoSuchFileException e) {
      throw new ParameterException(command, "cannot read " + name + ": no such file", e);
    } catch (IOException e) {
      throw new ParameterException(command, "cannot read " + name + ": " + e.getMessage(), e);
    }
  }

  private static Map<String, Setting> read(
      CommandLine root, CommandLine command, Set<String> configurable, String file, List<String> lines) {
    var general = new LinkedHashMap<String, Setting>();
    Map<String, Map<String, Setting>> sections = new HashMap<>();
    String section = "";
    for (int i = 0; i < lines.size(); i++) {
      String at = file + ":" + (i + 1);
      String line = lines.get(i).replaceFirst("(^|\\s)#.*", "").strip();
      if (line.isEmpty()) {
        continue;
      }
      if (line.startsWith("[") && line.endsWith("]")) {
        section = line.substring(1, line.length() - 1).strip();
        if (!configurable.contains(section)) {
          throw new ParameterException(command, at + ": no command '" + section + "' that can be configured");
        }
        continue;
      }
      int equals = line.indexOf('=');
      if (equals < 1) {
        throw new ParameterException(command, at + ": neither 'name = value' nor '[command]': '" + line + "'");
      }
      String name = line.substring(0, equals).strip();
      String here = section;
      if (configurable.stream()
          .filter(one -> here.isEmpty() || one.equals(here))
          .noneMatch(one -> options(root.getSubcommands().get(one)).containsKey(name))) {
        throw new ParameterException(
            command,
            at + ": " + (section.isEmpty() ? "no command has an option '" : section + " has no option '") + name + "'");
      }
      Map<String, Setting> settings =
          section.isEmpty() ? general : sections.computeIfAbsent(section, _ -> new LinkedHashMap<>());
      Setting earlier = settings.putIfAbsent(name, new Setting(line.substring(equals + 1).strip(), at));
      if (earlier != null) {
        throw new ParameterException(command, at + ": '" + name + "' is already set at " + earlier.source());
      }
    }
    if (command.getCommandName().equals("doctor")) {
      var member = new LinkedHashMap<>(sections.getOrDefault("member", Map.of()));
      member.keySet().removeAll(NOT_OF_MEMBER);
      general.putAll(member);
    }
    general.putAll(sections.getOrDefault(command.getCommandName(), Map.of()));
    return general;
  }

  /// Prints a file that sets what is set, and the source of each value.
  ///
  /// @param out whose format is set here, as the command that has the option does not run
  void print(ParseResult parsed, Output out) {
    CommandLine command = parsed.commandSpec().commandLine();
    out.json = parsed.hasMatchedOption("--json");
    if (!out.json) {
      out.line("[" + command.getCommandName() + "]", "section");
    }
    options(command)
        .forEach((name, option) -> {
          OptionSpec matched = parsed.matchedOption("--" + name);
          String value = matched != null ? String.join(",", matched.originalStringValues()) : option.defaultValue();
          if (matched != null && option.arity().max() == 0) {
            value = "true";
          }
          if (value != null) {
            String source = matched != null ? sources.getOrDefault(name, "command line") : "default";
            out.line(name + " = " + value + "  # " + source, "setting", "name", name, "value", value, "source", source);
          }
        });
    out.flush();
  }
}
