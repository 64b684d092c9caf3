import japicmp.cmp.JApiCmpArchive;
import japicmp.cmp.JarArchiveComparator;
import japicmp.cmp.JarArchiveComparatorOptions;
import japicmp.filter.ClassFilter;
import japicmp.model.JApiClass;
import japicmp.model.JApiCompatibility;
import java.io.File;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javassist.CtClass;
import javassist.CtField;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.ConstPool;

/// What breaks programs when they go from one version of the modules to another: found by japicmp in the packages that
/// the old modules export to all, and what it does not look at: modules and packages that are no longer there, and new
/// cases of sealed types and enums, which a `switch` without `default` does not have.
///
/// Usage: `java -cp 'target/japicmp/*' tools/ApiChanges.java <old jars> <new jars>`. Exit code 0 when nothing breaks
/// or the number of the new version allows it, 1 when it does not, 2 when there is nothing to compare.
class ApiChanges {
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.(\\d+)(-.*)?");

  private final Map<String, ModuleReference> before;
  private final Map<String, ModuleReference> after;
  private final Set<String> changes = new TreeSet<>();

  private ApiChanges(Map<String, ModuleReference> before, Map<String, ModuleReference> after) {
    this.before = before;
    this.after = after;
  }

  public static void main(String[] args) {
    try {
      System.exit(run(modules(Path.of(args[0])), modules(Path.of(args[1]))));
    } catch (FindException | IllegalArgumentException e) {
      System.err.println("api: " + e.getMessage());
      System.exit(2);
    }
  }

  private static Map<String, ModuleReference> modules(Path directory) {
    var found = new TreeMap<String, ModuleReference>();
    for (ModuleReference module : ModuleFinder.of(directory).findAll()) {
      if (!module.descriptor().isAutomatic()) {
        found.put(module.descriptor().name(), module);
      }
    }
    if (found.isEmpty()) {
      throw new IllegalArgumentException("no jar of a Java module is in " + directory);
    }
    return found;
  }

  private static int run(Map<String, ModuleReference> before, Map<String, ModuleReference> after) {
    var api = new ApiChanges(before, after);
    api.compareModules();
    api.compareClasses();
    String old = version(before);
    String now = version(after);
    if (api.changes.isEmpty()) {
      System.out.println("api: nothing of " + old + " that programs use breaks in " + now);
      return 0;
    }
    api.changes.forEach(System.out::println);
    boolean allowed = mayBreak(old, now);
    String verdict = allowed ? "which its number allows" : "which its number does not allow (docs/releases.md)";
    System.out.printf("api: %d changes break programs between %s and %s, %s%n", api.changes.size(), old, now, verdict);
    return allowed ? 0 : 1;
  }

  /// Of the jars' names; a dash where there is none.
  private static String version(Map<String, ModuleReference> modules) {
    for (ModuleReference module : modules.values()) {
      String name = new File(module.location().orElseThrow()).getName();
      Matcher matcher = Pattern.compile("-(" + VERSION + ")\\.jar$").matcher(name);
      if (matcher.find()) {
        return matcher.group(1);
      }
    }
    return "-";
  }

  /// As Semantic Versioning has it: another major number, or another minor one while the major one is 0.
  private static boolean mayBreak(String old, String now) {
    Matcher from = VERSION.matcher(old);
    Matcher to = VERSION.matcher(now);
    if (!from.matches() || !to.matches()) {
      return false;
    }
    boolean major = !from.group(1).equals(to.group(1));
    return major || to.group(1).equals("0") && !from.group(2).equals(to.group(2));
  }

  private static Set<String> exported(ModuleReference module) {
    return module.descriptor().exports().stream()
        .filter(exports -> !exports.isQualified())
        .map(ModuleDescriptor.Exports::source)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void compareModules() {
    before.forEach((name, old) -> {
      ModuleReference now = after.get(name);
      if (now == null) {
        changes.add(name + ": the module is gone");
        return;
      }
      for (String source : exported(old)) {
        if (!exported(now).contains(source)) {
          changes.add(source + ": the package is not exported any more");
        }
      }
      for (String needed : transitive(old)) {
        if (!transitive(now).contains(needed)) {
          changes.add(name + ": does not require " + needed + " transitively any more");
        }
      }
    });
  }

  private static Set<String> transitive(ModuleReference module) {
    return module.descriptor().requires().stream()
        .filter(requires -> requires.modifiers().contains(ModuleDescriptor.Requires.Modifier.TRANSITIVE))
        .map(ModuleDescriptor.Requires::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// All modules at once, as types of one are supertypes in another. Libraries of others are not looked at.
  private void compareClasses() {
    var packages = new TreeSet<String>();
    before.values().forEach(module -> packages.addAll(exported(module)));
    var options = new JarArchiveComparatorOptions();
    options.getIgnoreMissingClasses().setIgnoreAllMissingClasses(true);
    options.getFilters().getIncludes().add((ClassFilter) type -> packages.contains(packageOf(type)));
    List<JApiClass> compared = new JarArchiveComparator(options).compare(archives(before), archives(after));
    compared.forEach(this::compareClass);
  }

  /// Of a nested type, too.
  private static String packageOf(CtClass type) {
    String name = type.getName();
    return name.substring(0, Math.max(0, name.lastIndexOf('.')));
  }

  private static List<JApiCmpArchive> archives(Map<String, ModuleReference> modules) {
    return modules.values().stream()
        .map(module -> new JApiCmpArchive(new File(module.location().orElseThrow()), version(modules)))
        .toList();
  }

  private void compareClass(JApiClass type) {
    String name = type.getFullyQualifiedName();
    add(name, "", type);
    add(name, "", type.getSuperclass());
    type.getInterfaces().forEach(one -> add(name, one.getFullyQualifiedName(), one));
    type.getConstructors().forEach(one -> add(name, one.getName() + parameters(one.getParameters()), one));
    type.getMethods().forEach(one -> add(name, one.getName() + parameters(one.getParameters()), one));
    type.getFields().forEach(one -> add(name, one.getName(), one));
    if (type.getOldClass().isPresent() && type.getNewClass().isPresent()) {
      compareCases(name, type);
    }
  }

  private static String parameters(List<japicmp.model.JApiParameter> parameters) {
    return parameters.stream().map(one -> one.getType()).collect(Collectors.joining(", ", "(", ")"));
  }

  private void add(String type, String member, JApiCompatibility of) {
    of.getCompatibilityChanges().stream()
        .filter(change -> !change.isBinaryCompatible() || !change.isSourceCompatible())
        .forEach(change -> {
          String what = change.getType().name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
          changes.add(type + ": " + what + (member.isEmpty() ? "" : ": " + member));
        });
  }

  private void compareCases(String name, JApiClass type) {
    List<String> old = cases(type.getOldClass().get());
    if (old.isEmpty()) {
      return; // a type that no switch is over
    }
    cases(type.getNewClass().get()).stream()
        .filter(one -> !old.contains(one))
        .forEach(one -> changes.add(name + ": a case was added, which a switch may not have: " + one));
  }

  /// The types that a sealed one permits, or the constants of an enum; none of another type.
  private static List<String> cases(CtClass type) {
    AttributeInfo permits = type.getClassFile2().getAttribute("PermittedSubclasses");
    var found = new ArrayList<String>();
    if (type.isEnum()) {
      for (CtField field : type.getDeclaredFields()) {
        if ((field.getModifiers() & AccessFlag.ENUM) != 0) {
          found.add(field.getName());
        }
      }
    } else if (permits != null) {
      ConstPool pool = type.getClassFile2().getConstPool();
      byte[] bytes = permits.get();
      for (int at = 2; at + 1 < bytes.length; at += 2) {
        found.add(pool.getClassInfo((bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff));
      }
      found.sort(Comparator.naturalOrder());
    }
    return found;
  }
}
