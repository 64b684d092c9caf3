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
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
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
    check(
        noClasses()
            .that()
            .resideInAnyPackage(PROTOCOLS)
            .should()
            .dependOnClassesThat(resideInAnyPackage(PARTS).or(inTutti("engine")).or(inTutti("host"))));
  }

  @Test
  void whatTheEngineComposesDoesNotKnowIt() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(PARTS)
            .should()
            .dependOnClassesThat(inTutti("engine").or(inTutti("host"))));
  }

  @Test
  void whatIsKeptAndOrderedAmongGroupsDoesNotKnowTheHistory() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage("org.tutti.domain..", "org.tutti.durable..", "org.tutti.user..")
            .should()
            .dependOnClassesThat(inTutti("history")));
  }

  @Test
  void wireKnowsNoProtocol() {
    check(
        noClasses()
            .that()
            .resideInAPackage("org.tutti.wire..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(PROTOCOLS).or(resideInAnyPackage(PARTS)).or(inTutti("engine"))));
  }

  /// What users hold are values and interfaces: it needs nothing of Tutti but itself, and what runs nodes is found as a
  /// service.
  @Test
  void theApiDependsOnNothingElse() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(API)
            .should()
            .dependOnClassesThat(not(resideInAnyPackage(API)).and(resideInAPackage("org.tutti.."))));
    check(
        noClasses()
            .that()
            .resideInAnyPackage("org.tutti.transport", "org.tutti.storage")
            .should()
            .dependOnClassesThat(inTutti("spi").or(inTutti("transport.memory"))));
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
        noClasses()
            .that()
            .resideInAPackage("org.tutti.effect..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(PROTOCOLS).or(resideInAnyPackage(PARTS)).or(inTutti("engine"))));
  }

  @Test
  void orderingsDoNotKnowTheMembershipThatUsesThem() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(
                "org.tutti.order..",
                "org.tutti.consensus..",
                "org.tutti.dissemination..",
                "org.tutti.link..",
                "org.tutti.pack..")
            .should()
            .dependOnClassesThat(inTutti("membership")));
  }

  @Test
  void consensusDoesNotKnowTheOrderingThatUsesIt() {
    check(noClasses().that().resideInAPackage("org.tutti.consensus..").should().dependOnClassesThat(inTutti("order")));
  }

  @Test
  void benchmarksUseWhatUsersUse() {
    check(
        noClasses()
            .that()
            .resideInAPackage("org.tutti.bench..")
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(PROTOCOLS)
                    .or(resideInAnyPackage(PARTS))
                    .or(inTutti("engine"))
                    .or(inTutti("host"))
                    .or(inTutti("wire"))));
  }

  @Test
  void theOperatorsCommandUsesNothingOfTheWorkshop() {
    check(
        noClasses()
            .that()
            .resideInAPackage("org.tutti.cli..")
            .should()
            .dependOnClassesThat(
                inTutti("workshop")
                    .or(inTutti("bench"))
                    .or(inTutti("lab"))
                    .or(inTutti("sim"))
                    .or(inTutti("examples"))));
  }

  @Test
  void onlyTheWorkshopUsesTheBenchmarks() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages("org.tutti.bench..", "org.tutti.workshop..", "org.tutti.peers..")
            .should()
            .dependOnClassesThat(inTutti("bench")));
  }

  @Test
  void theLabUsesWhatUsersUseAndTheCheckers() {
    check(
        noClasses()
            .that()
            .resideInAPackage("org.tutti.lab..")
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(PROTOCOLS)
                    .or(resideInAnyPackage(PARTS))
                    .or(inTutti("engine"))
                    .or(inTutti("host"))
                    .or(inTutti("wire"))
                    .or(resideInAPackage("org.tutti.sim"))));
  }

  @Test
  void onlyTheCommandAndTheExamplesUseTheStore() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages("org.tutti.store..", "org.tutti.cli..", "org.tutti.examples..")
            .should()
            .dependOnClassesThat(inTutti("store")));
  }

  @Test
  void onlyTheWorkshopUsesTheLab() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages("org.tutti.lab..", "org.tutti.workshop..", "org.tutti.bench..")
            .should()
            .dependOnClassesThat(inTutti("lab")));
  }

  @Test
  void benchmarksUseTheNetworksOfTheLabOnly() {
    check(
        noClasses()
            .that()
            .resideInAPackage("org.tutti.bench..")
            .should()
            .dependOnClassesThat(resideInAPackage("org.tutti.lab")));
  }

  @Test
  void onlyTwoModulesKnowAnOrb() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages("org.tutti.corba..", "org.tutti.romiop..", "javax.rmi.CORBA..")
            .should()
            .dependOnClassesThat(
                resideInAnyPackage("org.omg..", "org.jacorb..", "javax.rmi.CORBA..")
                    .or(inTutti("corba"))
                    .or(inTutti("romiop"))));
  }

  /// It has no views and no order: of the core it takes the links, and what these need.
  @Test
  void communicationWithoutGroupsUsesLinksOnly() {
    check(
        noClasses()
            .that()
            .resideInAPackage("org.tutti.ipc..")
            .should()
            .dependOnClassesThat(
                resideInAPackage("org.tutti..")
                    .and(not(resideInAnyPackage(API)))
                    .and(not(inTutti("ipc").or(inTutti("link")).or(inTutti("effect")).or(inTutti("wire"))))));
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
            .resideOutsideOfPackage("org.tutti.metrics..")
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
    check(
        noClasses()
            .that()
            .resideInAPackage("org.tutti.net")
            .should()
            .dependOnClassesThat(resideInAPackage("org.tutti.net.*..")));
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

  private static DescribedPredicate<JavaClass> inTutti(String name) {
    return resideInAPackage("org.tutti." + name + "..");
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(CLASSES);
  }
}
