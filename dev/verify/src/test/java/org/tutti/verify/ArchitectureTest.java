package org.tutti.verify;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.ClassesShould;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.tutti.ViewId;

/// The packages of the core depend downwards only, and the core on nothing but the JDK's base module.
///
/// From top to bottom: host; engine; history; domain, durable; user; membership; order, consensus below it, detector,
/// dissemination, link, pack; wire; the API. Its values (member, view, ...) and the effects are for everybody. A rule
/// about an absent package passes.
class ArchitectureTest {
  private static final String[] PROTOCOLS = {
    "org.tutti.membership..",
    "org.tutti.order..",
    "org.tutti.consensus..",
    "org.tutti.detector..",
    "org.tutti.dissemination..",
    "org.tutti.link..",
    "org.tutti.pack.."
  };

  /// What composes the protocols, below the engine.
  private static final String[] PARTS = {
    "org.tutti.history..", "org.tutti.domain..", "org.tutti.durable..", "org.tutti.user.."
  };

  private static final String[] API = {"org.tutti", "org.tutti.spi..", "org.tutti.storage..", "org.tutti.transport.."};
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(place -> !place.contains("-tests.jar"))
          .importPackages("org.tutti");

  @Test
  void somethingIsChecked() {
    assertThat(CLASSES.contain("org.tutti.ViewId")).isTrue();
  }

  @Test
  void protocolsDoNotKnowTheEngine() {
    check(noneIn(PROTOCOLS).dependOnClassesThat(resideInAnyPackage(PARTS).or(inTutti("engine", "host"))));
  }

  @Test
  void whatTheEngineComposesDoesNotKnowIt() {
    check(noneIn(PARTS).dependOnClassesThat(inTutti("engine", "host")));
  }

  @Test
  void whatIsKeptAndOrderedAmongGroupsDoesNotKnowTheHistory() {
    check(
        noneIn("org.tutti.domain..", "org.tutti.durable..", "org.tutti.user..")
            .dependOnClassesThat(inTutti("history")));
  }

  @Test
  void wireKnowsNoProtocol() {
    check(
        noneIn("org.tutti.wire..")
            .dependOnClassesThat(resideInAnyPackage(PROTOCOLS).or(resideInAnyPackage(PARTS)).or(inTutti("engine"))));
  }

  /// What users hold are values and interfaces: it needs nothing of Tutti but itself, and what runs nodes is found as a
  /// service.
  @Test
  void theApiDependsOnNothingElse() {
    check(noneIn(API).dependOnClassesThat(not(resideInAnyPackage(API)).and(resideInAPackage("org.tutti.."))));
    check(noneIn("org.tutti.transport", "org.tutti.storage").dependOnClassesThat(inTutti("spi", "transport.memory")));
  }

  @Test
  void valuesAndInterfacesRunNothingAndLockNothing() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage("org.tutti", "org.tutti.transport", "org.tutti.storage")
            .should()
            .dependOnClassesThat(resideInAPackage("java.util.concurrent.locks..").or(type(Thread.class)))
            .orShould()
            .dependOnClassesThat(assignableTo(Executor.class)));
  }

  @Test
  void effectsKnowNoProtocol() {
    check(
        noneIn("org.tutti.effect..")
            .dependOnClassesThat(resideInAnyPackage(PROTOCOLS).or(resideInAnyPackage(PARTS)).or(inTutti("engine"))));
  }

  @Test
  void orderingsDoNotKnowTheMembershipThatUsesThem() {
    check(
        noneIn(
                "org.tutti.order..",
                "org.tutti.consensus..",
                "org.tutti.dissemination..",
                "org.tutti.link..",
                "org.tutti.pack..")
            .dependOnClassesThat(inTutti("membership")));
  }

  @Test
  void consensusDoesNotKnowTheOrderingThatUsesIt() {
    check(noneIn("org.tutti.consensus..").dependOnClassesThat(inTutti("order")));
  }

  @Test
  void benchmarksUseWhatUsersUse() {
    check(
        noneIn("org.tutti.bench..")
            .dependOnClassesThat(
                resideInAnyPackage(PROTOCOLS).or(resideInAnyPackage(PARTS)).or(inTutti("engine", "host", "wire"))));
  }

  @Test
  void theOperatorsCommandUsesNothingOfTheWorkshop() {
    check(noneIn("org.tutti.cli..").dependOnClassesThat(inTutti("workshop", "bench", "lab", "sim", "examples")));
  }

  @Test
  void onlyTheWorkshopUsesTheBenchmarks() {
    check(
        noneOutside("org.tutti.bench..", "org.tutti.workshop..", "org.tutti.peers..", "org.tutti.orbs..")
            .dependOnClassesThat(inTutti("bench")));
  }

  @Test
  void theLabUsesWhatUsersUseAndTheCheckers() {
    check(
        noneIn("org.tutti.lab..")
            .dependOnClassesThat(
                resideInAnyPackage(PROTOCOLS)
                    .or(resideInAnyPackage(PARTS))
                    .or(inTutti("engine", "host", "wire"))
                    .or(resideInAPackage("org.tutti.sim"))));
  }

  @Test
  void onlyTheCommandAndTheExamplesUseTheStore() {
    check(
        noneOutside("org.tutti.store..", "org.tutti.cli..", "org.tutti.examples..")
            .dependOnClassesThat(inTutti("store")));
  }

  @Test
  void onlyTheWorkshopUsesTheLab() {
    check(
        noneOutside("org.tutti.lab..", "org.tutti.workshop..", "org.tutti.bench..")
            .dependOnClassesThat(inTutti("lab")));
  }

  @Test
  void benchmarksUseTheNetworksOfTheLabOnly() {
    check(noneIn("org.tutti.bench..").dependOnClassesThat(resideInAPackage("org.tutti.lab")));
  }

  @Test
  void onlyTheirModulesKnowAnOrb() {
    check(
        noneOutside("org.tutti.corba..", "org.tutti.romiop..", "org.tutti.orbs..", "javax.rmi.CORBA..")
            .dependOnClassesThat(
                resideInAnyPackage("org.omg..", "org.jacorb..", "javax.rmi.CORBA..").or(inTutti("corba", "romiop"))));
  }

  /// It has no views and no order: of the core it takes the links, and what these need. The server that gives out ids
  /// is a replicated service like others.
  @Test
  void communicationWithoutGroupsUsesLinksOnly() {
    check(
        noneIn("org.tutti.ipc", "org.tutti.ipc.protocol")
            .dependOnClassesThat(
                resideInAPackage("org.tutti..")
                    .and(not(resideInAnyPackage(API)))
                    .and(not(resideInAnyPackage("org.tutti.ipc", "org.tutti.ipc.protocol")))
                    .and(not(inTutti("link", "effect", "wire")))));
    check(
        noneIn("org.tutti.ipc.ids")
            .dependOnClassesThat(
                resideInAPackage("org.tutti..")
                    .and(not(resideInAnyPackage(API)))
                    .and(not(resideInAnyPackage("org.tutti.ipc", "org.tutti.ipc.ids", "org.tutti.replica")))));
  }

  /// What is shown to Micrometer is what every program can read, and nothing else depends on it.
  @Test
  void metersShowWhatTheApiTells() {
    check(
        noClasses()
            .that()
            .resideInAPackage("org.tutti.metrics..")
            .should()
            .dependOnClassesThat(
                resideInAPackage("org.tutti..").and(not(resideInAnyPackage(API))).and(not(inTutti("metrics")))));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages("org.tutti.metrics..", "org.tutti.bench..") // which measures what they cost
            .should()
            .dependOnClassesThat(inTutti("metrics").or(resideInAPackage("io.micrometer.."))));
  }

  @Test
  void packagesFormNoCycle() {
    check(slices().matching("org.tutti.(*)..").should().beFreeOfCycles());
  }

  @Test
  void packagesOfTheNetFormNoCycle() {
    check(slices().matching("org.tutti.net.(**)").should().beFreeOfCycles());
    check(noneIn("org.tutti.net").dependOnClassesThat(resideInAPackage("org.tutti.net.*..")));
  }

  @Test
  void coreNeedsOnlyTheBaseModule() throws Exception {
    Path core = Path.of(ViewId.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    var descriptor = ModuleFinder.of(core).find("org.tutti").orElseThrow().descriptor();
    List<String> atRunTime =
        descriptor.requires().stream()
            .filter(requires -> !requires.modifiers().contains(Requires.Modifier.STATIC))
            .map(Requires::name)
            .toList();
    assertThat(atRunTime).as("run-time dependencies of the core").containsExactly("java.base");
  }

  private static ClassesShould noneIn(String... packages) {
    return noClasses().that().resideInAnyPackage(packages).should();
  }

  private static ClassesShould noneOutside(String... packages) {
    return noClasses().that().resideOutsideOfPackages(packages).should();
  }

  private static DescribedPredicate<JavaClass> inTutti(String... names) {
    return resideInAnyPackage(Arrays.stream(names).map(name -> "org.tutti." + name + "..").toArray(String[]::new));
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(CLASSES);
  }
}
