import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;

/// Checks what `tools/release` has staged, as Maven Central and a careful stranger would: which artifacts there are,
/// their POMs, archives, checksums and signatures, and that nothing names a snapshot.
///
/// Usage: `java tools/CheckRelease.java <staged folder> <version> <source tree> [<fingerprint of the key>]`. Each
/// finding is a line; exit code 1 when there is one. `--stranger` before the same arguments prints the POM of a project
/// that uses all artifacts of the BOM.
class CheckRelease {
  private static final Map<String, String> SUMS =
      Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256", "sha512", "SHA-512");
  private static final Pattern SNAPSHOT = Pattern.compile("\\d-SNAPSHOT");
  private static final List<String> NEEDED =
      List.of(
          "name",
          "description",
          "url",
          "licenses/license/name",
          "licenses/license/url",
          "developers/developer/name",
          "developers/developer/organization",
          "scm/connection",
          "scm/developerConnection",
          "scm/url",
          "scm/tag");

  private final Path stage;
  private final String version;
  private final Path tree;
  private final String key; // empty: nothing is signed
  private final List<String> findings = new ArrayList<>();

  private CheckRelease(Path stage, String version, Path tree, String key) {
    this.stage = stage;
    this.version = version;
    this.tree = tree;
    this.key = key;
  }

  public static void main(String[] args) throws Exception {
    if (args[0].equals("--stranger")) {
      System.out.print(of(List.of(args).subList(1, args.length)).stranger());
      return;
    }
    List<String> findings = findings(args);
    findings.forEach(finding -> System.err.println("release: " + finding));
    System.exit(findings.isEmpty() ? 0 : 1);
  }

  private static CheckRelease of(List<String> args) {
    String key = args.size() > 3 ? args.get(3) : "";
    return new CheckRelease(Path.of(args.get(0)).toAbsolutePath(), args.get(1), Path.of(args.get(2)), key);
  }

  /// What is wrong, a sentence each. A test calls it, too.
  static List<String> findings(String... args) throws Exception {
    CheckRelease check = of(List.of(args));
    check.all();
    return check.findings;
  }

  private void all() throws Exception {
    changelog();
    Set<String> expected = managed();
    expected.addAll(List.of("tutti", "tutti-bom", "tutti-cli"));
    Path group = stage.resolve("maven/org/tutti");
    Set<String> found = names(group);
    require(found.equals(expected), "the artifacts are " + found + ", not " + expected);
    require(names(stage.resolve("maven")).equals(Set.of("org")), "maven/ has more than org/tutti");
    require(names(stage.resolve("maven/org")).equals(Set.of("tutti")), "maven/org/ has more than tutti");
    for (String artifact : found) {
      artifact(artifact, group.resolve(artifact));
    }
    distribution();
  }

  private void require(boolean condition, String otherwise) {
    if (!condition) {
      findings.add(otherwise);
    }
  }

  private void changelog() throws IOException {
    Pattern section = Pattern.compile("(?ms)^## " + Pattern.quote(version) + "(?: [^\\n]*)?\\n(.*?)(?=^## |\\z)");
    var matcher = section.matcher(Files.readString(tree.resolve("CHANGELOG.md")));
    require(matcher.find() && !matcher.group(1).isBlank(), "CHANGELOG.md says nothing of " + version);
  }

  /// What the BOM names.
  private Set<String> managed() throws Exception {
    var found = new TreeSet<String>();
    Element bom = parse(tree.resolve("bom/pom.xml"));
    children(bom, "dependencyManagement")
        .flatMap(all -> children(all, "dependencies"))
        .flatMap(all -> children(all, "dependency"))
        .forEach(one -> found.add(text(one, "artifactId").orElseThrow()));
    return found;
  }

  private static Set<String> names(Path directory) throws IOException {
    var found = new TreeSet<String>();
    if (Files.isDirectory(directory)) {
      try (Stream<Path> files = Files.list(directory)) {
        files.forEach(file -> found.add(file.getFileName().toString()));
      }
    }
    return found;
  }

  private void artifact(String artifact, Path directory) throws Exception {
    require(names(directory).equals(Set.of(version)), artifact + " has other versions: " + names(directory));
    Path home = directory.resolve(version);
    String stem = artifact + "-" + version;
    Path pom = home.resolve(stem + ".pom");
    if (!Files.exists(pom)) {
      findings.add(artifact + " has no POM");
      return;
    }
    pom(artifact, parse(pom));
    var expected = new TreeSet<String>(Set.of(stem + ".pom"));
    if (text(parse(pom), "packaging").orElse("jar").equals("jar")) {
      for (String end : List.of(".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json")) {
        expected.add(stem + end);
      }
      archive(home.resolve(stem + ".jar"), name -> name.endsWith(".class") && !name.equals("module-info.class"));
      archive(home.resolve(stem + ".jar"), "module-info.class"::equals);
      archive(home.resolve(stem + "-sources.jar"), "module-info.java"::equals);
      archive(home.resolve(stem + "-javadoc.jar"), "index.html"::equals);
      for (String end : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
        licence(home.resolve(stem + end));
      }
    }
    complete(home, expected);
  }

  private void archive(Path archive, Predicate<String> wanted) throws IOException {
    if (!Files.exists(archive)) {
      return; // is found elsewhere
    }
    try (var zip = new ZipInputStream(Files.newInputStream(archive))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (wanted.test(entry.getName())) {
          return;
        }
      }
    }
    findings.add(stage.relativize(archive) + " lacks what it is for");
  }

  /// Whoever has one jar has the licence, that of the source tree.
  private void licence(Path archive) throws IOException {
    if (!Files.exists(archive)) {
      return; // is found elsewhere
    }
    byte[] wanted = Files.readAllBytes(tree.resolve("LICENSE"));
    try (var zip = new ZipInputStream(Files.newInputStream(archive))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (entry.getName().equals("META-INF/LICENSE")) {
          require(Arrays.equals(zip.readAllBytes(), wanted), stage.relativize(archive) + " has another licence");
          return;
        }
      }
    }
    findings.add(stage.relativize(archive) + " has no META-INF/LICENSE");
  }

  /// What it says itself, or its parent, which is staged, too.
  private void pom(String artifact, Element project) throws Exception {
    Optional<Element> parent = children(project, "parent").findFirst();
    String said = text(project, "version").or(() -> parent.flatMap(one -> text(one, "version"))).orElse("");
    require(said.equals(version), "the POM of " + artifact + " says version " + said);
    Element above = null;
    if (parent.isPresent()) {
      String name = text(parent.get(), "artifactId").orElseThrow();
      String of = text(parent.get(), "version").orElseThrow();
      Path file = stage.resolve("maven/org/tutti/%s/%s/%s-%s.pom".formatted(name, of, name, of));
      require(Files.exists(file), "the parent of " + artifact + " is not staged: " + name + " " + of);
      above = Files.exists(file) ? parse(file) : null;
    }
    for (String path : NEEDED) {
      boolean inherits = above != null && !path.equals("name") && !path.equals("description");
      boolean there = !value(project, path).isEmpty() || inherits && !value(above, path).isEmpty();
      require(there, "the POM of " + artifact + " has no " + path);
    }
    String tag = value(project, "scm/tag") + (above == null ? "" : value(above, "scm/tag"));
    require(tag.equals("v" + version), "the POM of " + artifact + " names the tag " + tag);
  }

  private static String value(Element of, String path) {
    Optional<Element> at = Optional.of(of);
    for (String name : path.split("/")) {
      at = at.flatMap(element -> children(element, name).findFirst());
    }
    return at.map(element -> element.getTextContent().strip()).orElse("");
  }

  private void distribution() throws Exception {
    Path home = stage.resolve("distribution");
    var expected = new TreeSet<String>(Set.of("tutti-" + version + "-sbom.json"));
    for (String end : List.of(".tar.gz", ".zip")) {
      List<String> found = names(home).stream().filter(name -> name.endsWith(end)).toList();
      require(found.size() == 1, "one archive " + end + " is expected, not " + found);
      expected.addAll(found);
      for (String name : found) {
        require(name.startsWith("tutti-" + version + "-"), "distribution/" + name + " is of another version");
      }
    }
    complete(home, expected);
    require(
        without(names(stage), "source.bundle").equals(Set.of("maven", "distribution", "source.bundle")),
        "the folder has " + names(stage));
    sums(stage.resolve("source.bundle"));
  }

  /// The names without those of checksums and signatures of one.
  private static Set<String> without(Set<String> names, String of) {
    var rest = new TreeSet<>(names);
    SUMS.keySet().forEach(sum -> rest.remove(of + "." + sum));
    rest.remove(of + ".asc");
    return rest;
  }

  /// Exactly these files, each with its checksums and its signature, and nothing in them names a snapshot.
  private void complete(Path home, Set<String> expected) throws Exception {
    Set<String> found = names(home);
    for (String name : expected) {
      require(found.contains(name), stage.relativize(home) + " has no " + name);
      found = without(found, name);
      if (Files.exists(home.resolve(name))) {
        sums(home.resolve(name));
        snapshots(name, Files.readAllBytes(home.resolve(name)));
      }
    }
    found.removeAll(expected);
    require(found.isEmpty(), stage.relativize(home) + " has more: " + found);
  }

  private void sums(Path file) throws Exception {
    byte[] bytes = Files.readAllBytes(file);
    for (var sum : SUMS.entrySet()) {
      Path beside = Path.of(file + "." + sum.getKey());
      if (!Files.exists(beside)) {
        findings.add(stage.relativize(file) + " has no " + sum.getKey());
      } else {
        String said = Files.readString(beside).strip();
        require(
            said.equals(digest(sum.getValue(), bytes)),
            "the " + sum.getKey() + " of " + stage.relativize(file) + " is wrong");
      }
    }
    signature(file);
  }

  private static String digest(String algorithm, byte[] bytes) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
  }

  private void signature(Path file) throws Exception {
    Path beside = Path.of(file + ".asc");
    if (key.isEmpty() || !Files.exists(beside)) {
      require(key.isEmpty(), stage.relativize(file) + " is not signed");
      require(!Files.exists(beside), stage.relativize(file) + " is signed, but by which key was not said");
      return;
    }
    var builder =
        new ProcessBuilder("gpg", "--batch", "--status-fd", "1", "--verify", beside.toString(), file.toString());
    Process gpg = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String status = new String(gpg.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    boolean good =
        gpg.waitFor() == 0 && Pattern.compile("(?m)^\\[GNUPG:\\] VALIDSIG .*\\b" + key + "\\b").matcher(status).find();
    require(good, "the signature of " + stage.relativize(file) + " is not one of " + key);
  }

  /// Looks into archives and archives in them, but not into compressed tar files, which have the same as the zip file.
  private void snapshots(String name, byte[] bytes) throws IOException {
    if (name.endsWith(".zip") || name.endsWith(".jar") && (name.contains("tutti-"))) {
      try (var zip = new ZipInputStream(new ByteArrayInputStream(bytes))) {
        for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
          require(!SNAPSHOT.matcher(entry.getName()).find(), name + " has " + entry.getName());
          if (!entry.isDirectory() && !entry.getName().contains("/runtime/")) {
            snapshots(name.startsWith("tutti-") ? name + " " + entry.getName() : entry.getName(), zip.readAllBytes());
          }
        }
      }
    } else if (!name.endsWith(".jar") && !name.endsWith(".tar.gz")) {
      boolean found = SNAPSHOT.matcher(new String(bytes, StandardCharsets.ISO_8859_1)).find();
      require(!found, name + " names a snapshot");
    }
  }

  private String stranger() throws Exception {
    var dependencies = new StringBuilder();
    for (String artifact : managed()) {
      dependencies.append(
          "<dependency><groupId>org.tutti</groupId><artifactId>" + artifact + "</artifactId></dependency>\n");
    }
    return """
    <project xmlns="http://maven.apache.org/POM/4.0.0">
    <modelVersion>4.0.0</modelVersion>
    <groupId>com.example</groupId><artifactId>stranger</artifactId><version>1</version>
    <repositories><repository>
    <id>staging</id><url>%s</url>
    <releases><checksumPolicy>fail</checksumPolicy></releases><snapshots><enabled>false</enabled></snapshots>
    </repository></repositories>
    <dependencyManagement><dependencies><dependency>
    <groupId>org.tutti</groupId><artifactId>tutti-bom</artifactId><version>%s</version>
    <type>pom</type><scope>import</scope>
    </dependency></dependencies></dependencyManagement>
    <dependencies>
    %s</dependencies>
    </project>
    """
        .formatted(stage.resolve("maven").toUri(), version, dependencies);
  }

  private static Element parse(Path file) throws ParserConfigurationException, SAXException, IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in).getDocumentElement();
    }
  }

  private static Stream<Element> children(Element of, String name) {
    var nodes = of.getChildNodes();
    return IntStream.range(0, nodes.getLength())
        .mapToObj(nodes::item)
        .filter(node -> node instanceof Element && node.getNodeName().equals(name))
        .map(Element.class::cast);
  }

  private static Optional<String> text(Element of, String name) {
    return children(of, name).findFirst().map(child -> child.getTextContent().strip());
  }
}
