package org.tutti.cli;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.Names;
import org.tutti.View;
import org.tutti.transport.Address;
import org.tutti.transport.Profile;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// The options of every command that takes part in a group.
final class MemberOptions {
  @Option(
      names = "--group",
      required = true,
      paramLabel = "NAME",
      converter = NameConverter.class,
      description = "The group.")
  String group = "";

  @Option(
      names = "--name",
      paramLabel = "N",
      converter = NameConverter.OfNode.class,
      description = "This member's name, unique in the group; default: the command and the process id.")
  @Nullable String name;

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "tutti",
      converter = NameConverter.class,
      description = "Nodes of other clusters are refused; default: ${DEFAULT-VALUE}.")
  String cluster = "tutti";

  @Mixin TransportOption carrier = new TransportOption();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = TimeConverter.class,
      description = {
        "How long to wait for the first view, and with send for the order of each line: 500ms, 10s, 2m;",
        "default: ${DEFAULT-VALUE}."
      })
  Duration timeout = Duration.ofSeconds(10);

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      converter = ProfileConverter.class,
      completionCandidates = ProfileConverter.class,
      description =
          "What lies between the members, for times and buffers: ${COMPLETION-CANDIDATES} (one machine without other"
              + " load, one site, distant sites); default: lan.")
  Profile profile = Profile.LAN;

  @Option(
      names = "--suspect-after",
      paramLabel = "TIME",
      converter = SilenceConverter.class,
      description =
          "After what silence this member suspects another one, 30ms to 10m; a silent member is heard ten times in it."
              + " Longer is better on a machine that pauses, and about the same at all members. Default: 200ms, 1s or"
              + " 5s by the profile.")
  @Nullable Duration suspectAfter;

  @Option(
      names = "--group-version-max",
      paramLabel = "VERSION",
      converter = VersionConverter.class,
      description =
          "The highest version of the protocol to which this member lets its group rise, 1 to 255: keeps the way back"
              + " to an older Tutti open while members are upgraded. Default: any.")
  int groupVersionMax = View.VERSION_MAX;

  @Mixin Output out = new Output();

  @Mixin Settings.Options settings = new Settings.Options();

  @Option(names = "--verbose", description = "Print stack traces of errors.")
  boolean verbose;

  boolean describes; // whether it was said what the group is like, so that it is checked

  boolean observes; // whether this member is only there to see or to say something

  boolean enrols; // whether a registry counts on this member

  List<Contact> announce = List.of(); // where it is to be found besides

  Set<String> expected = Set.of(); // who founds the group together, if several do

  int number; // how many do, if their names are not said

  DurabilityOptions keeping = new DurabilityOptions(); // options of those commands that keep anything

  SpillOptions spilling = new SpillOptions(); // options of those commands that may take deliveries late

  GroupOptions founding = new GroupOptions(); // options of those commands that create groups

  @Nullable Address advertise; // an option of those commands that stay

  String nodeName(String command) {
    return nodeName(name, command);
  }

  static String nodeName(@Nullable String name, String command) {
    return name != null ? name : command + "-" + ProcessHandle.current().pid();
  }

  /// The silence after which a member is suspected.
  Duration suspectAfter() {
    return suspectAfter == null ? profile.suspectAfter() : suspectAfter;
  }

  GroupConfig config() {
    return founding.config().durability(keeping.durability(name != null)).build();
  }

  /// Reads what lies between the members.
  static final class ProfileConverter extends WordConverter<Profile> {
    ProfileConverter() {
      super(List.of(Profile.values()));
    }
  }

  /// Reads a silence after which a member may be suspected.
  static final class SilenceConverter implements ITypeConverter<Duration> {
    private static final Duration MIN = Duration.ofMillis(30);
    private static final Duration MAX = Duration.ofMinutes(10);

    @Override
    public Duration convert(String text) {
      Duration time = new TimeConverter().convert(text);
      if (time.compareTo(MIN) < 0 || time.compareTo(MAX) > 0) {
        throw new TypeConversionException("'" + text + "' is not from 30ms to 10m");
      }
      return time;
    }
  }

  /// Reads a version of the protocol.
  static final class VersionConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      try {
        int version = Integer.parseInt(text);
        if (version >= 1 && version <= View.VERSION_MAX) {
          return version;
        }
      } catch (NumberFormatException none) {
        // said below
      }
      throw new TypeConversionException("'" + text + "' is not from 1 to " + View.VERSION_MAX);
    }
  }

  /// Takes names of groups and clusters as they may be ([Names]).
  static final class NameConverter implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      return checked(text, Names.fault(text));
    }

    private static String checked(String text, @Nullable String fault) {
      if (fault != null) {
        throw new TypeConversionException("a name " + fault);
      }
      return text;
    }

    /// Takes names of nodes.
    static final class OfNode implements ITypeConverter<String> {
      @Override
      public String convert(String text) {
        return checked(text, Names.faultOfNode(text));
      }
    }
  }
}
