package org.tutti.verify.build;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.tutti.fixture.Tree;
import org.w3c.dom.Element;

/// What a `pom.xml` of the source tree says, without what it inherits.
record Pom(Element project) {
  /// Another artifact that it names.
  ///
  /// @param scope `compile` where it says none
  record Dependency(String artifact, String scope) {}

  /// Reads one.
  ///
  /// @param module its name without `tutti-`, or an empty name for the root itself
  static Pom of(String module) throws Exception {
    Path file = Tree.module(module).resolve("pom.xml");
    return new Pom(DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()).getDocumentElement());
  }

  /// Its own version, or that of its parent.
  String version() {
    return text(project, "version")
        .or(() -> children(project, "parent").findFirst().flatMap(parent -> text(parent, "version")))
        .orElseThrow();
  }

  /// A property that it sets.
  String property(String name) {
    return children(project, "properties").findFirst().flatMap(all -> text(all, name)).orElseThrow();
  }

  /// The text of an element, by the names on the way to it, such as `scm/url`; empty when it is not there.
  String value(String path) {
    Optional<Element> at = Optional.of(project);
    for (String name : path.split("/")) {
      at = at.flatMap(element -> children(element, name).findFirst());
    }
    return at.map(element -> element.getTextContent().strip()).orElse("");
  }

  /// The directories of the modules that the root names, in its profiles, too.
  List<String> modules() {
    return elements(project, "module").map(module -> module.getTextContent().strip()).toList();
  }

  List<Dependency> dependencies() {
    return dependencies(project);
  }

  List<Dependency> managed() {
    return children(project, "dependencyManagement").flatMap(managed -> dependencies(managed).stream()).toList();
  }

  /// The version that it sets for a plugin, wherever it does so.
  String pluginVersion(String artifact) {
    return elements(project, "plugin")
        .filter(plugin -> text(plugin, "artifactId").equals(Optional.of(artifact)))
        .flatMap(plugin -> text(plugin, "version").stream())
        .findFirst()
        .orElseThrow();
  }

  private static List<Dependency> dependencies(Element of) {
    return children(of, "dependencies")
        .flatMap(all -> children(all, "dependency"))
        .map(one -> new Dependency(text(one, "artifactId").orElseThrow(), text(one, "scope").orElse("compile")))
        .toList();
  }

  private static Optional<String> text(Element of, String name) {
    return children(of, name).findFirst().map(child -> child.getTextContent().strip());
  }

  private static Stream<Element> children(Element of, String name) {
    return elements(of, name).filter(element -> element.getParentNode() == of);
  }

  private static Stream<Element> elements(Element below, String name) {
    var found = below.getElementsByTagName(name);
    return IntStream.range(0, found.getLength()).mapToObj(found::item).map(Element.class::cast);
  }
}
