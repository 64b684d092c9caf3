package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/// Programs in C++ on omniORB, an ORB that shares nothing with JacORB; without it the tests that need it are skipped.
public final class IiopPrograms {
  /// The interface of processes with servants.
  static final Path DELIVERY = RomiopProcesses.EXAMPLE.resolveSibling("src/main/idl/delivery.idl");

  private IiopPrograms() {}

  /// Compiles a program, unless that was done.
  ///
  /// @param directory where its files go
  /// @param idl       the interface that it uses
  /// @param source    its only source of its own
  static Path compiled(Path directory, Path idl, Path source) throws IOException, InterruptedException {
    return compiled(directory, List.of(idl), source);
  }

  /// The same with several interfaces.
  static Path compiled(Path directory, List<Path> idl, Path source) throws IOException, InterruptedException {
    assume(
        isInstalled("omniidl") && isInstalled("g++") && Files.exists(Path.of("/usr/include/omniORB4/CORBA.h")),
        "omniORB is not installed (Debian: apt-get install omniidl libomniorb4-dev g++): no peer of another ORB");
    String name = source.getFileName().toString().replace(".cc", "");
    Path program = directory.resolve(name);
    if (Files.exists(program)) {
      return program;
    }
    List<String> compiler = new ArrayList<>(List.of("g++", "-std=c++17", "-O1", "-I" + directory));
    compiler.add("-I" + RomiopProcesses.EXAMPLE.resolve("cpp"));
    compiler.addAll(List.of("-idirafter", "/usr/include/omniORB4/internal", "-o", program.toString()));
    compiler.add(source.toString());
    for (Path each : idl) {
      succeed("omniidl", "-bcxx", "-Wbh=.hh", "-C" + directory, each.toString());
      compiler.add(directory.resolve(each.getFileName().toString().replace(".idl", "SK.cc")).toString());
    }
    compiler.addAll(List.of("-lomniORB4", "-lomnithread"));
    succeed(compiler.toArray(new String[0]));
    return program;
  }

  /// The example's client.
  static Path compiledClient(Path directory) throws IOException, InterruptedException {
    Path example = RomiopProcesses.EXAMPLE;
    return compiled(directory, example.resolve("counter.idl"), example.resolve("cpp/counter-client.cc"));
  }

  /// The example's servant.
  static Path compiledServer(Path directory) throws IOException, InterruptedException {
    Path example = RomiopProcesses.EXAMPLE;
    return compiled(
        directory, List.of(example.resolve("counter.idl"), DELIVERY), example.resolve("cpp/counter-server.cc"));
  }

  static Process start(Path program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /// Skips a test and says why, where whoever looks at the build sees it.
  public static void assume(boolean installed, String otherwise) {
    if (!installed) {
      System.out.println("skipped: " + otherwise);
    }
    Assumptions.assumeTrue(installed, otherwise);
  }

  private static boolean isInstalled(String program) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }

  private static void succeed(String... command) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).as(List.of(command).toString()).isZero();
  }
}
