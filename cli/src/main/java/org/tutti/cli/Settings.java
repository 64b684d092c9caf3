package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
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
/// and for a `doctor`, which looks after one, unless `[doctor]` says otherwise. A section is named as its command, such
/// as `[ipc ask]`. What is asked for as a consent, `--confirm`, has to be typed.
final class Settings {
  private static final Set<String> NOT_SET = Set.of("config", "print-config", "help", "version", "confirm");
  private static final Set<String> NOT_OF_MEMBER = Set.of("json", "timeout"); // how a doctor prints and waits
  private static final Set<String> ASK = Set.of("-h", "--help", "-V", "--version");

  private static final String COMMAND_LINE = "command line";

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
    Map<String, CommandLine> configurable = configurable(root);
    CommandLine command = command(root, args);
    if (!configurable.containsValue(command) || Arrays.stream(args).anyMatch(ASK::contains)) {
      return args;
    }
    List<String> all = new ArrayList<>(List.of(args));
    int end = all.contains("--") ? all.indexOf("--") : all.size();
    List<String> typed = all.subList(0, end);
    List<Map<String, Setting>> layers = new ArrayList<>(List.of(variables(command, variables)));
    layers.addAll(file(command, configurable, typed, variables));
    Map<String, OptionSpec> options = options(command);
    var more = new ArrayList<String>();
    Set<String> given =
        options.keySet().stream()
            .filter(
                name -> typed.stream().anyMatch(arg -> arg.equals("--" + name) || arg.startsWith("--" + name + "=")))
            .collect(Collectors.toSet());
    given.forEach(name -> sources.put(name, COMMAND_LINE));
    for (Map<String, Setting> layer : layers) {
      // What excludes an option is what a stronger source has said, not what this one says.
      Set<String> stronger = Set.copyOf(sources.keySet());
      options.forEach((name, option) -> {
        Setting setting = layer.get(name);
        if (setting != null && !stronger.contains(name) && !isExcluded(command, option, stronger)) {
          sources.put(name, setting.source());
          more.addAll(argument(command, name, option, setting));
        }
      });
    }
    all.addAll(end, more);
    return all.toArray(String[]::new);
  }

  /// The commands that take settings, by the words that call them: `member`, `ipc ask`.
  private static Map<String, CommandLine> configurable(CommandLine root) {
    Map<String, CommandLine> found = new LinkedHashMap<>();
    for (CommandLine each : root.getSubcommands().values()) {
      if (each.getCommandSpec().findOption("--print-config") != null) {
        found.put(words(each), each);
      }
      found.putAll(configurable(each));
    }
    return found;
  }

  private static String words(CommandLine command) {
    CommandLine parent = command.getParent();
    return parent == null || parent.getParent() == null
        ? command.getCommandName()
        : words(parent) + " " + command.getCommandName();
  }

  /// Whether there may be a configuration file.
  ///
  /// @param args what was typed
  /// @param variables of the environment
  static boolean hasFile(String[] args, UnaryOperator<@Nullable String> variables) {
    return variables.apply("TUTTI_CONFIG") != null || Arrays.stream(args).anyMatch(arg -> arg.startsWith("--config"));
  }

  /// The command that is called, as far as it is named.
  private static CommandLine command(CommandLine root, String[] args) {
    CommandLine called = root;
    for (int i = 0; i < args.length && !called.getSubcommands().isEmpty(); i++) {
      if (args[i].equals("--log-level")) {
        i++;
      } else if (!args[i].startsWith("-")) {
        CommandLine next = called.getSubcommands().get(args[i]);
        if (next == null) {
          break;
        }
        called = next;
      }
    }
    return called;
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

  private static Map<String, Setting> variables(CommandLine command, UnaryOperator<@Nullable String> variables) {
    Map<String, Setting> found = new HashMap<>();
    for (String name : options(command).keySet()) {
      String variable = "TUTTI_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
      String value = variables.apply(variable);
      if (value != null && !value.isEmpty()) {
        found.put(name, new Setting(value, variable));
      }
    }
    return found;
  }

  private static boolean isExcluded(CommandLine command, OptionSpec option, Set<String> given) {
    ArgGroupSpec group = option.group();
    boolean isOther =
        group != null
            && group.exclusive()
            && group.options().stream().anyMatch(other -> given.contains(other.longestName().substring(2)));
    return isOther || HostSocket.excludes(command.getCommandSpec(), option, given);
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

  /// What the file says to this command, strongest first. The whole file is read for that.
  private static List<Map<String, Setting>> file(
      CommandLine command,
      Map<String, CommandLine> configurable,
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
      return List.of();
    }
    try {
      return layers(command, read(command, configurable, name, Files.readAllLines(Path.of(name))));
    } catch (IOException e) {
      throw new ParameterException(command, "cannot read " + name + ": " + Failure.reason(e), e);
    }
  }

  private static List<Map<String, Setting>> layers(CommandLine command, Map<String, Map<String, Setting>> sections) {
    List<Map<String, Setting>> layers = new ArrayList<>();
    layers.add(sections.getOrDefault(words(command), Map.of()));
    if (command.getCommandName().equals("doctor")) {
      Map<String, Setting> member = new LinkedHashMap<>(sections.getOrDefault("member", Map.of()));
      member.keySet().removeAll(NOT_OF_MEMBER);
      layers.add(member);
    }
    layers.add(sections.getOrDefault("", Map.of()));
    return layers;
  }

  /// All sections of a file; that without a name is what stands before the first one.
  private static Map<String, Map<String, Setting>> read(
      CommandLine command, Map<String, CommandLine> configurable, String file, List<String> lines) {
    Map<String, Map<String, Setting>> sections = new HashMap<>();
    String section = "";
    for (int i = 0; i < lines.size(); i++) {
      String at = file + ":" + (i + 1);
      String line = lines.get(i).replaceFirst("(^|\\s)#.*", "").strip();
      if (line.isEmpty()) {
        continue;
      }
      if (line.startsWith("[") && line.endsWith("]")) {
        section = line.substring(1, line.length() - 1).strip().replaceAll("\\s+", " ");
        if (!configurable.containsKey(section)) {
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
      if (configurable.entrySet().stream()
          .filter(one -> here.isEmpty() || one.getKey().equals(here))
          .noneMatch(one -> options(one.getValue()).containsKey(name))) {
        throw new ParameterException(
            command,
            at + ": " + (section.isEmpty() ? "no command has an option '" : section + " has no option '") + name + "'");
      }
      Setting earlier =
          sections
              .computeIfAbsent(section, _ -> new LinkedHashMap<>())
              .putIfAbsent(name, new Setting(line.substring(equals + 1).strip(), at));
      if (earlier != null) {
        throw new ParameterException(command, at + ": '" + name + "' is already set at " + earlier.source());
      }
    }
    return sections;
  }

  /// Where a value is from that is wrong and was not typed.
  ///
  /// @return with a colon behind it, or nothing
  String source(ParameterException mistake) {
    String name = mistake.getArgSpec() instanceof OptionSpec option ? option.longestName().substring(2) : "";
    String source = sources.getOrDefault(name, COMMAND_LINE);
    return source.equals(COMMAND_LINE) ? "" : source + ": ";
  }

  /// Prints a file that sets what is set, and the source of each value.
  ///
  /// @param out whose format is set here, as the command that has the option does not run
  void print(ParseResult parsed, Output out) {
    CommandLine command = parsed.commandSpec().commandLine();
    out.json = parsed.hasMatchedOption("--json");
    if (!out.json) {
      out.line("[" + words(command) + "]", "section");
    }
    options(command)
        .forEach((name, option) -> {
          OptionSpec matched = parsed.matchedOption("--" + name);
          String value = matched != null ? String.join(",", matched.originalStringValues()) : option.defaultValue();
          if (matched != null && option.arity().max() == 0) {
            value = "true";
          }
          if (value != null) {
            String source = matched != null ? sources.getOrDefault(name, COMMAND_LINE) : "default";
            out.line(name + " = " + value + "  # " + source, "setting", "name", name, "value", value, "source", source);
          }
        });
    out.flush();
  }
}
