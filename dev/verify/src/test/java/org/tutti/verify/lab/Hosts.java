package org.tutti.verify.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.tutti.lab.network.LabNetwork;
import org.tutti.lab.network.Unavailable;

/// Hosts in network namespaces, and processes on them, for one test: its end is theirs.
public final class Hosts implements AutoCloseable {
  private final LabNetwork network;
  private final List<Process> processes = new ArrayList<>();

  private Hosts(LabNetwork network) {
    this.network = network;
  }

  /// Makes hosts, or skips the test and says why.
  ///
  /// @param names of the hosts
  /// @return the hosts
  /// @throws IOException when the network cannot be made
  public static Hosts open(String... names) throws IOException {
    try {
      return new Hosts(LabNetwork.open(List.of(names), 1));
    } catch (Unavailable e) {
      return Assumptions.abort("skipped: " + e.getMessage());
    }
  }

  /// What is between them.
  ///
  /// @return their network
  public LabNetwork network() {
    return network;
  }

  /// Where a host is.
  ///
  /// @param host which one, from 0
  /// @return its IPv4 address
  public String addressOf(int host) {
    return network.addressOf(host);
  }

  /// Runs a command on a host.
  ///
  /// @param host    which one, from 0
  /// @param command and its arguments
  /// @param errors  where its standard error goes
  /// @return the process, which ends with this at the latest
  /// @throws IOException when it cannot be started
  public Process start(int host, List<String> command, ProcessBuilder.Redirect errors) throws IOException {
    var whole = new ArrayList<>(network.at(host));
    whole.addAll(command);
    Process process = new ProcessBuilder(whole).redirectError(errors).start();
    processes.add(process);
    return process;
  }

  /// The command for a small JVM that runs a class with what this test has.
  ///
  /// @param main    the class
  /// @param args    its arguments
  /// @param options more options of the JVM
  /// @return the command
  public static List<String> java(Class<?> main, List<String> args, String... options) {
    var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(args);
    return command;
  }

  /// Waits for a line of a process.
  ///
  /// @param reader  what it prints
  /// @param pattern of the whole line
  /// @throws IOException when that cannot be read
  public static void awaitLine(BufferedReader reader, String pattern) throws IOException {
    String line = reader.readLine();
    while (line != null && !line.matches(pattern)) {
      line = reader.readLine();
    }
    assertThat(line).as("a line of the form " + pattern).isNotNull();
  }

  @Override
  public void close() {
    for (Process process : processes) {
      process.destroyForcibly().onExit().join();
    }
    network.close();
  }
}
