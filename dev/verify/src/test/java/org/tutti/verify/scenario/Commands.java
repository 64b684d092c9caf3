package org.tutti.verify.scenario;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.Dissemination;
import org.tutti.Durability;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberConfig;
import org.tutti.Ordering;
import org.tutti.Partitions;
import org.tutti.Service;
import org.tutti.Suspicion;
import org.tutti.View;
import org.tutti.membership.Founding;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.user.Request;

/// What a script can say. A mistake is an [IllegalArgumentException] or [IllegalStateException] in words.
final class Commands {
  private static final Pattern WORDS = Pattern.compile("\"([^\"]*)\"|\\S+");
  private static final Pattern MILLIS = Pattern.compile("(\\d+)ms");

  private static final long BEGIN_NANOS = 150 * World.MILLI;

  private final World world = new World();

  /// Runs a script.
  ///
  /// @return what each block of it shows
  /// @throws ScriptException when a command is not understood, or is not possible
  static List<List<String>> run(Script script) {
    var commands = new Commands();
    List<List<String>> shown = new ArrayList<>();
    for (Script.Block block : script.blocks()) {
      for (Script.Command command : block.commands()) {
        try {
          commands.execute(command.text());
        } catch (IllegalArgumentException | IllegalStateException mistake) {
          throw new ScriptException(script.file(), command.line(), mistake);
        }
      }
      shown.add(commands.world.takeLines());
    }
    return shown;
  }

  /// Runs a script and compares. Everything is in here, so that a second copy of the classes can do it, too.
  ///
  /// @return the first difference, or null
  /// @throws ScriptException when the script cannot be read, or a command is not understood or not possible
  static @Nullable String difference(String file, List<String> lines) {
    Script script = Script.read(file, lines);
    return script.difference(run(script));
  }

  private void execute(String line) {
    List<String> words = new ArrayList<>();
    for (Matcher matcher = WORDS.matcher(line); matcher.find(); ) {
      words.add(matcher.group(1) == null ? matcher.group() : matcher.group(1));
    }
    List<String> rest = words.subList(1, words.size());
    switch (words.getFirst()) {
      case "nodes" -> world.populate(Integer.parseInt(only(rest)));
      case "group" -> group(rest);
      case "create" -> create(rest);
      case "found" -> found(rest);
      case "join" -> join(rest, false);
      case "observe" -> join(rest, true);
      case "leave" -> life(only(rest)).ask(new Request.Leave(World.GROUP, new End(End.Cause.LEFT, "left")));
      case "multicast" -> multicast(rest);
      case "switch" -> switchTo(rest);
      case "crash" -> rest.forEach(world::crash);
      case "restart" -> rest.forEach(world::restart);
      case "partition" -> partition(rest);
      case "cut" -> cut(rest);
      case "heal" -> world.heal();
      case "run" -> run(rest);
      case "views" -> world.nodes().forEach(life -> world.answer(life.name() + ": " + view(life)));
      case "deliveries" ->
          world.nodes().forEach(life -> world.answer(life.name() + ": " + Wording.quoted(life.state())));
      case "status" -> rest.forEach(name -> world.answer(life(name).status()));
      case "show" -> world.showOrder(isOrder(rest));
      case "hide" -> world.showOrder(!isOrder(rest));
      default -> throw new IllegalArgumentException("there is no command " + words.getFirst());
    }
  }

  private Life life(String name) {
    return world.node(name);
  }

  private static String only(List<String> words) {
    if (words.size() != 1) {
      throw new IllegalArgumentException("one word follows this command, not " + words.size());
    }
    return words.getFirst();
  }

  private static boolean isOrder(List<String> words) {
    if (!only(words).equals("order")) {
      throw new IllegalArgumentException("order can be shown, not " + words.getFirst());
    }
    return true;
  }

  private static String view(Life life) {
    View view = life.view();
    return !life.isAlive() ? "has crashed" : view == null ? "in no view" : Wording.of(view);
  }

  // ---- entering --------------------------------------------------------------------------------------------------

  /// What is asked for behind the names of nodes, as `ordering=skeen`.
  private static final class Settings {
    final List<String> names = new ArrayList<>();
    final GroupConfig.Builder group = GroupConfig.builder();
    final MemberConfig.Builder member = MemberConfig.builder();
    Set<String> founders = Set.of();
    boolean ofGroup;

    Settings(List<String> words) {
      for (String word : words) {
        int equals = word.indexOf('=');
        if (equals < 0) {
          names.add(word);
        } else {
          set(word.substring(0, equals), word.substring(equals + 1));
        }
      }
      if (names.isEmpty()) {
        throw new IllegalArgumentException("which node?");
      }
    }

    private void set(String name, String value) {
      ofGroup |= !isOfMember(name + "=");
      switch (name) {
        case "guarantee" -> group.guarantee(constant(Guarantee.class, value));
        case "ordering" -> group.ordering(constant(Ordering.class, value));
        case "partitions" -> group.partitions(constant(Partitions.class, value));
        case "durability" -> group.durability(constant(Durability.class, value));
        case "electorate" -> group.electorate(value.split(","));
        case "state" -> group.stateTransfer(constant(Choice.class, value) == Choice.YES);
        case "founders" -> founders = new TreeSet<>(List.of(value.split(",")));
        case "position" -> member.position(Long.parseLong(value));
        case "suspicion" -> member.suspicion(constant(Suspicion.class, value));
        case "dissemination" -> member.dissemination(constant(Dissemination.class, value));
        default -> throw new IllegalArgumentException("there is no setting " + name);
      }
    }

    @Nullable GroupConfig expected() {
      return ofGroup ? group.build() : null;
    }
  }

  private enum Choice {
    YES,
    NO
  }

  private static <E extends Enum<E>> E constant(Class<E> type, String word) {
    for (E each : type.getEnumConstants()) {
      if (each.name().toLowerCase(Locale.ROOT).equals(word)) {
        return each;
      }
    }
    throw new IllegalArgumentException(word + " is none of " + Arrays.toString(type.getEnumConstants()));
  }

  /// A group whose members have joined one after the other, which is not shown.
  private void group(List<String> words) {
    List<String> names = new Settings(words).names;
    List<String> settings = words.subList(names.size(), words.size());
    List<String> own = settings.stream().filter(Commands::isOfMember).toList();
    for (int i = 0; i < names.size(); i++) {
      List<String> command = new ArrayList<>(List.of(names.get(i)));
      command.addAll(i == 0 ? settings : own);
      if (i == 0) {
        create(command);
      } else {
        join(command, false);
      }
      List<String> present = names.subList(0, i + 1);
      world.runUntil(areTogether(present), present + " are together");
    }
    world.run(BEGIN_NANOS - world.nowNanos());
    world.takeLines();
    world.say("the group is in view " + view(life(names.getFirst())));
  }

  private static boolean isOfMember(String setting) {
    return setting.startsWith("suspicion=") || setting.startsWith("position=") || setting.startsWith("dissemination=");
  }

  private void create(List<String> words) {
    var settings = new Settings(words);
    Life life = life(only(settings.names));
    Terms terms = Terms.voter(settings.group.build(), settings.member.build());
    life.enter(new Request.Create(World.GROUP, terms, life, 0));
  }

  /// All founders have the same settings.
  private void found(List<String> words) {
    var settings = new Settings(words);
    var founding = new Founding(settings.founders);
    for (String name : settings.names) {
      Life life = life(name);
      Terms terms = Terms.voter(settings.group.build(), settings.member.build());
      life.enter(new Request.Found(World.GROUP, terms, life, 0, founding));
    }
  }

  private void join(List<String> words, boolean observer) {
    var settings = new Settings(words);
    for (String name : settings.names) {
      Life life = life(name);
      life.enter(new Request.Join(World.GROUP, settings.expected(), settings.member.build(), observer, life));
    }
  }

  // ---- what members do -------------------------------------------------------------------------------------------

  private void multicast(List<String> words) {
    if (words.size() < 2) {
      throw new IllegalArgumentException("multicast NODE TEXT... [service=NAME]");
    }
    Life life = life(words.getFirst());
    boolean named = words.getLast().startsWith("service=");
    Service service = named ? constant(Service.class, words.getLast().substring("service=".length())) : Service.TOTAL;
    for (String word : words.subList(1, words.size() - (named ? 1 : 0))) {
      ByteBuffer text = ByteBuffer.wrap(word.getBytes(UTF_8));
      life.ask(new Request.Multicast(World.GROUP, MessageBlock.of(Batch.Kind.of(service), text)));
    }
  }

  private void switchTo(List<String> words) {
    if (words.size() != 2) {
      throw new IllegalArgumentException("switch NODE ORDERING");
    }
    life(words.getFirst()).ask(new Request.Switch(World.GROUP, constant(Ordering.class, words.getLast())));
  }

  // ---- the network -----------------------------------------------------------------------------------------------

  private void partition(List<String> words) {
    List<List<String>> parts = new ArrayList<>();
    parts.add(new ArrayList<>());
    for (String word : words) {
      if (word.equals("|")) {
        parts.add(new ArrayList<>());
      } else {
        parts.getLast().add(word);
      }
    }
    if (parts.size() < 2 || parts.stream().anyMatch(List::isEmpty)) {
      throw new IllegalArgumentException("partition NODE... | NODE...");
    }
    world.partition(parts);
  }

  private void cut(List<String> words) {
    if (words.size() != 3 || !words.get(1).equals("->")) {
      throw new IllegalArgumentException("cut NODE -> NODE");
    }
    world.cut(words.getFirst(), words.getLast());
  }

  // ---- time ------------------------------------------------------------------------------------------------------

  private void run(List<String> words) {
    if (words.size() > 2 && words.getFirst().equals("until") && words.getLast().equals("together")) {
      List<String> names = words.subList(1, words.size() - 1);
      world.runUntil(areTogether(names), String.join(" ", words.subList(1, words.size())));
      return;
    }
    if (words.size() == 3 && words.getFirst().equals("until") && words.get(1).equals("shown")) {
      world.runUntil(() -> world.hasSaid(words.getLast()), "a line with " + words.getLast() + " is shown");
      return;
    }
    Matcher time = MILLIS.matcher(only(words));
    if (!time.matches()) {
      throw new IllegalArgumentException("run MILLISECONDSms, run until NODE... together, or run until shown WORDS");
    }
    world.run(Long.parseLong(time.group(1)) * World.MILLI);
  }

  /// Whether these nodes, and no others, are caught up in one primary view.
  private BooleanSupplier areTogether(List<String> names) {
    List<Life> lives = names.stream().map(this::life).toList();
    return () -> {
      View view = lives.getFirst().view();
      return view != null
          && view.size() == lives.size()
          && lives.stream().allMatch(life -> life.isServing() && view.equals(life.view()));
    };
  }
}
