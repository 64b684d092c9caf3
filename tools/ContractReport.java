import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/// Which implementation passed which test of which contract suite, from the reports that the last run of the tests
/// left.
///
/// Usage: `java tools/ContractReport.java <directory of the repository>`. What a contract is and who implements it is
/// read in the sources of the tests: `class TcpTransportTest extends SocketContract`. Exit code 1 when a test failed,
/// or when an implementation has no report.
class ContractReport {
  private static final Pattern CLASS =
      Pattern.compile(
          "^(?:public |final |abstract )*class (\\w+)(?:<\\w+>)?(?: extends (\\w+Contract)\\b)?", Pattern.MULTILINE);
  private static final Pattern TEST =
      Pattern.compile("@(?:Test|ParameterizedTest|RepeatedTest)\\b.*?\\bvoid (\\w+)\\(", Pattern.DOTALL);

  /// What became of one test, whose parameters count together.
  private static final class Cell {
    int passed;
    int skipped;
    int failed;

    void add(Cell other) {
      passed += other.passed;
      skipped += other.skipped;
      failed += other.failed;
    }

    String text() {
      return failed > 0
          ? "**" + failed + " of " + (passed + failed) + " failed**"
          : passed > 0 ? passed + (skipped > 0 ? ", " + skipped + " skipped" : "") : skipped > 0 ? "skipped" : "-";
    }
  }

  private final Map<String, String> parents = new TreeMap<>(); // class -> the contract that it extends, or ""
  private final Map<String, List<String>> tests = new TreeMap<>(); // contract -> its own tests
  private final Map<String, Map<String, Cell>> reports = new TreeMap<>(); // class -> test -> what became of it

  public static void main(String[] args) throws IOException {
    var report = new ContractReport();
    Path root = Path.of(args[0]);
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        String path = file.toString();
        if (path.contains("/src/test/java/") && path.endsWith(".java")) {
          report.source(Files.readString(file));
        } else if (path.contains("/target/surefire-reports/TEST-") && path.endsWith(".xml")) {
          report.results(file);
        }
      }
    }
    System.exit(report.print() ? 0 : 1);
  }

  private void source(String text) {
    Matcher declared = CLASS.matcher(text);
    if (!declared.find()) {
      return;
    }
    String name = declared.group(1);
    if (name.endsWith("Contract") || declared.group(2) != null) {
      parents.put(name, declared.group(2) == null ? "" : declared.group(2));
    }
    if (name.endsWith("Contract")) {
      var own = new ArrayList<String>();
      for (Matcher test = TEST.matcher(text); test.find(); ) {
        own.add(test.group(1));
      }
      tests.put(name, own);
    }
  }

  private void results(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      XMLStreamReader xml = XMLInputFactory.newInstance().createXMLStreamReader(in);
      Cell cell = new Cell();
      while (xml.hasNext()) {
        if (xml.next() != XMLStreamConstants.START_ELEMENT) {
          continue;
        }
        switch (xml.getLocalName()) {
          case "testcase" -> {
            String type = xml.getAttributeValue(null, "classname");
            String test = xml.getAttributeValue(null, "name").replaceFirst("[^\\w].*", "");
            cell =
                reports
                    .computeIfAbsent(type.substring(type.lastIndexOf('.') + 1), _ -> new TreeMap<>())
                    .computeIfAbsent(test, _ -> new Cell());
            cell.passed++;
          }
          case "skipped" -> {
            cell.passed--;
            cell.skipped++;
          }
          case "failure", "error" -> {
            cell.passed--;
            cell.failed++;
          }
          default -> {}
        }
      }
    } catch (XMLStreamException e) {
      throw new IOException("not a report of surefire: " + file, e);
    }
  }

  private boolean print() {
    boolean good = true;
    for (String contract : tests.keySet()) {
      List<String> implementations = parents.keySet().stream().filter(one -> extendsFrom(one, contract)).toList();
      if (!implementations.isEmpty()) {
        good &= table(contract, implementations);
      }
    }
    return good;
  }

  private boolean extendsFrom(String name, String contract) {
    String parent = parents.getOrDefault(name, "");
    boolean isClass = !tests.containsKey(name);
    return isClass && (parent.equals(contract) || !parent.isEmpty() && below(parent, contract));
  }

  private boolean below(String name, String contract) {
    String parent = parents.getOrDefault(name, "");
    return parent.equals(contract) || !parent.isEmpty() && below(parent, contract);
  }

  private boolean table(String contract, List<String> implementations) {
    System.out.println("\n## " + contract + "\n");
    System.out.println("| test | " + String.join(" | ", implementations) + " |");
    System.out.println("| --- |" + " --- |".repeat(implementations.size()));
    var sums = new LinkedHashMap<String, Cell>();
    for (String test : tests.get(contract)) {
      var line = new StringBuilder("| " + test + " |");
      for (String one : implementations) {
        Cell cell = reports.getOrDefault(one, Map.of()).getOrDefault(test, new Cell());
        sums.computeIfAbsent(one, _ -> new Cell()).add(cell);
        line.append(" ").append(cell.text()).append(" |");
      }
      System.out.println(line);
    }
    var all = new StringBuilder("| **all** |");
    boolean good = true;
    for (String one : implementations) {
      Cell sum = sums.getOrDefault(one, new Cell());
      good &= sum.failed == 0 && reports.containsKey(one);
      all.append(" ").append(reports.containsKey(one) ? sum.text() : "**no report**").append(" |");
    }
    System.out.println(all);
    return good;
  }
}
